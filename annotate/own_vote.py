"""A sent vote as its rater's form holds it, and whether an answer still says the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotate import ballot as ballots
from annotate import evidence
from annotate.evidence import Passage
from annotate.labelling import answer_from, field_name
from rubrics.content import NA
from rubrics.document import PREFERENCE
from rubrics.words import number_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from annotate.ballot import Ballot, CanonicalAnswer, Order
    from annotate.models import Assignment, Vote

# What a vote is read with, so that many of them are read in as many queries as one.
ROWS = ("labels__criterion", "evidence__criterion")


@dataclass(frozen=True)
class Saying:
    """All that makes one vote another than the one before, in canonical terms."""

    labels: frozenset[tuple[str, str, str, float | None]]
    rationale: str
    nothing_says_it: bool
    unclear: tuple[str, ...]
    rewrite: str
    places: frozenset[tuple[str, str, int, int]]


def stored(code: str, *, measured: bool) -> tuple[str, float | None]:
    """(code, number) as a row holds them: measured values are numbers, all others codes."""
    return ("", float(code)) if measured and code != NA else (code, None)


def saying(answer: CanonicalAnswer, passages: Iterable[Passage], ballot: Ballot) -> Saying:
    measured = {check.key for check in ballot.checks if check.bounds is not None}
    return Saying(
        labels=frozenset(
            (one.key, one.part, *stored(one.code, measured=one.key in measured))
            for one in answer.labels
        ),
        rationale=answer.rationale,
        nothing_says_it=answer.nothing_says_it,
        unclear=answer.unclear,
        rewrite=answer.rewrite,
        places=_places(passages),
    )


def saying_of(vote: Vote) -> Saying:
    return Saying(
        labels=frozenset(
            (one.criterion.key, one.part_key, one.code, one.number) for one in vote.labels.all()
        ),
        rationale=vote.rationale,
        nothing_says_it=vote.nothing_says_it,
        unclear=tuple(vote.unclear),
        rewrite=vote.rewrite,
        places=_places(_passages(vote)),
    )


def is_said_by(vote: Vote, fields: Mapping[str, Any], ballot: Ballot, order: Order) -> bool:
    """Whether a draft says what the vote says; one that could not be sent does not.

    Passages are compared by their places: what the texts hold there was checked at the vote.
    """
    answer = answer_from(fields, ballot)
    if vote.order != order or ballots.problems(ballot, answer):
        return False
    canonical = ballots.canonical(ballot, answer, order)
    given = evidence.canonical(evidence.given(str(fields.get("evidence", ""))), order)
    return saying(canonical, evidence.counted(given, canonical), ballot) == saying_of(vote)


def has_changed_since(assignment: Assignment, vote: Vote | None, ballot: Ballot) -> bool:
    """Whether the draft says something else than the vote; without a draft nothing does."""
    if vote is None or not assignment.draft_revision:
        return False
    return not is_said_by(vote, assignment.draft, ballot, assignment.seen_order)


def fields_of(vote: Vote, ballot: Ballot, order: Order) -> dict[str, Any]:
    """The fields of a form that holds the vote, for a rater who sees the sides in this order."""
    fields: dict[str, Any] = {}
    for label in vote.labels.all():
        key = label.criterion.key
        if key == PREFERENCE:
            fields["preference"] = str(ballots.stop_of(ballot, label.code, order))
        else:
            name = field_name(key, ballots.seen_part(label.part_key, order))
            fields[name] = label.code if label.number is None else number_words(label.number)
    fields.update({f"unclear:{key}": True for key in vote.unclear})
    texts = {
        "rationale": ballots.seen_text(vote.rationale, order),
        "rewrite": vote.rewrite,
        "evidence": evidence.as_field(
            evidence.in_order(evidence.seen(_passages(vote), order), ballot)
        ),
    }
    fields.update({name: text for name, text in texts.items() if text})
    flags = {"nothing_says_it": vote.nothing_says_it, "all_pass": vote.detail.get("all_pass")}
    fields.update({name: True for name, flag in flags.items() if flag})
    return fields


def _passages(vote: Vote) -> tuple[Passage, ...]:
    return tuple(
        Passage(one.criterion.key, one.part_key, one.start, one.end, one.quote)
        for one in vote.evidence.all()
    )


def _places(passages: Iterable[Passage]) -> frozenset[tuple[str, str, int, int]]:
    return frozenset((one.check, one.side, one.start, one.end) for one in passages)
