"""What a rater sees of their own practice: seen terms only, as on the label page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from annotate.assignment import next_for
from annotate.ballot import TOKEN, Order, seen_text
from annotate.feedback import Compared, compare, sentence
from annotate.labelling import asked_in, ballot_of
from annotate.models import Assignment, Batch, Vote
from annotate.pages.label import Prompt, Side, texts_of
from annotate.practice import KNOWN, Practice, Stage, practice_of, round_after
from rubrics.content import PREFERENCE
from rubrics.words import label_words, number_words, seen_words

if TYPE_CHECKING:
    from uuid import UUID

    from projects.models import Rater

# Four hours for forty pairs is six minutes a pair; a first pair takes no less.
MINUTES_A_PAIR = 6


@dataclass(frozen=True)
class Line:
    """One answer of the rater beside the known one, in words."""

    part: str
    own: str
    known: str
    counts: bool
    same: bool


@dataclass(frozen=True)
class CheckLines:
    key: str
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Feedback:
    position: int
    total: int
    checks: tuple[CheckLines, ...]
    sentence: str
    prompt: Prompt
    sides: tuple[Side, ...]
    # (text, whether it is an id or a side) in their order.
    why: tuple[tuple[str, bool], ...]
    rationale: tuple[tuple[str, bool], ...]
    # The known answer is gone: it was withdrawn before this one was sent.
    known: bool
    following: UUID | None
    # Of the whole practice, once its last pair is sent.
    all_in_all: str
    round: Batch | None


@dataclass(frozen=True)
class OwnPractice:
    """The page before, between and after the pairs."""

    stage: Stage
    size: int
    sent: int
    minutes: int
    sentence: str
    pairs: tuple[Assignment, ...]

    @property
    def left(self) -> int:
        return self.size - self.sent


def own_practice(rater: Rater, batch: Batch) -> OwnPractice | None:
    """A rater's practice under the rubric of a round; None where there is none to do or to read."""
    found = practice_of(rater, batch.version)
    if found is None:
        return None
    return OwnPractice(
        stage=found.stage,
        size=found.size,
        sent=len(found.sent),
        minutes=found.left * MINUTES_A_PAIR,
        sentence=_all_in_all(found) if found.stage == Stage.DONE else "",
        pairs=found.sent,
    )


def feedback_page(assignment: Assignment) -> Feedback:
    """What is told of one answered practice pair, from the answer as it stood when it was sent."""
    vote = Vote.objects.current().get(assignment=assignment)
    told = vote.detail.get(KNOWN, {})
    order = assignment.seen_order
    compared = _compared(assignment, vote)
    prompt, sides = texts_of(assignment)
    following = next_for(assignment.rater, assignment.batch)
    found = practice_of(assignment.rater, assignment.batch.version)
    batch = assignment.batch
    own = Assignment.objects.of_rater(assignment.rater).filter(batch=batch).live()
    return Feedback(
        position=assignment.position,
        total=own.count(),
        checks=tuple(_checks(assignment, compared, order)),
        sentence=sentence(compared),
        prompt=prompt,
        sides=sides,
        why=_pieces(str(told.get("why", "")), assignment),
        rationale=_pieces(vote.rationale, assignment),
        known=bool(told),
        following=following.public_id if following else None,
        all_in_all=_all_in_all(found) if found and following is None else "",
        round=round_after(assignment),
    )


def _all_in_all(practice: Practice) -> str:
    votes = Vote.objects.current().filter(assignment__in=practice.sent)
    by_assignment = {
        vote.assignment_id: vote for vote in votes.prefetch_related("labels__criterion")
    }
    return sentence(
        [
            one
            for pair in practice.sent
            if pair.pk in by_assignment
            for one in _compared(pair, by_assignment[pair.pk])
        ]
    )


def _compared(assignment: Assignment, vote: Vote) -> tuple[Compared, ...]:
    batch = assignment.batch
    ballot = ballot_of(asked_in(batch), ask_after_gate=batch.ask_after_gate)
    own = {
        (label.criterion.key, label.part_key): (
            label.code if label.number is None else number_words(label.number)
        )
        for label in vote.labels.select_related("criterion")
    }
    return compare(ballot, assignment.seen_order, own, known_labels(vote.detail))


def known_labels(detail: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """(key, canonical part) → code of the answer that a practice vote was shown."""
    return {(key, part): code for key, part, code in detail.get(KNOWN, {}).get("labels", [])}


def _checks(
    assignment: Assignment, compared: Sequence[Compared], order: Order
) -> Iterator[CheckLines]:
    titles = {check.key: check.heading for check in asked_in(assignment.batch)}
    for key, found in groupby(compared, lambda one: one.key):
        lines = tuple(
            Line(
                one.part,
                _words(key, one.own, order),
                _words(key, one.known, order),
                one.counts,
                one.same,
            )
            for one in found
        )
        shown = "" if key == PREFERENCE else key
        yield CheckLines(shown, titles[key] if shown else "Preference", lines)


def _words(key: str, code: str, order: Order) -> str:
    if not code:
        return "not asked"
    return seen_words(code, order) if key == PREFERENCE else label_words(code)


def _pieces(text: str, assignment: Assignment) -> tuple[tuple[str, bool], ...]:
    """A text with its sides as this rater saw them, cut at what it cites."""
    known = {check.key for check in asked_in(assignment.batch)} | {"Left", "Right"}
    found: list[tuple[str, bool]] = []
    for n, piece in enumerate(TOKEN.split(seen_text(text, assignment.seen_order))):
        is_token = n % 2 == 1
        if is_token and piece not in known:
            found.append((f"[{piece}]", False))
        elif piece:
            found.append((piece, is_token))
    return tuple(found)
