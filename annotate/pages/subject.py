"""One subject with its texts and every vote on it, for leads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from annotate.models import Batch, Label, Subject, Vote
from annotate.pages.subject_evidence import Quoted, subject_evidence
from annotate.rendered import html_of, marked
from rubrics.words import value_words

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from projects.models import Rater
    from rubrics.models import Criterion

# What a rater is called, and their vote.
Named: TypeAlias = "tuple[str, Vote]"


@dataclass(frozen=True)
class Answer:
    """One label of one check and part as each rater gave it, '' where they did not."""

    criterion: Criterion
    part: str
    labels: tuple[str, ...]
    after_gate: bool

    @property
    def differ(self) -> bool:
        return len({label for label in self.labels if label}) > 1


@dataclass(frozen=True)
class Said:
    """What one rater wrote and what they quoted."""

    name: str
    vote: Vote
    quoted: Sequence[Quoted]


@dataclass(frozen=True)
class BatchVotes:
    batch: Batch
    votes: tuple[Vote, ...]
    # What each of the votes' raters is called here.
    raters: tuple[str, ...]
    answers: tuple[Answer, ...]
    quoted: Mapping[int, Sequence[Quoted]]

    @property
    def checks(self) -> list[list[Answer]]:
        """The answers of one check together, a row for each of its parts."""
        return [list(found) for _, found in groupby(self.answers, lambda answer: answer.criterion)]

    @property
    def rationales(self) -> list[Said]:
        told = (
            Said(name, vote, self.quoted.get(vote.pk, ()))
            for name, vote in zip(self.raters, self.votes, strict=True)
        )
        return [
            said
            for said in told
            if said.vote.rationale
            or said.vote.nothing_says_it
            or said.vote.unclear
            or said.vote.rewrite
            or said.quoted
        ]


@dataclass(frozen=True)
class Shown:
    """A text and what it is; none where it was not imported, '' where it is empty."""

    title: str
    html: SafeString | None


@dataclass(frozen=True)
class SubjectPage:
    messages: tuple[Shown, ...]
    context: Shown
    parts: tuple[Shown, ...]
    # The parts once more, with what raters quoted from them marked.
    quoted_parts: tuple[Shown, ...]
    batches: tuple[BatchVotes, ...]


def subject_page(subject: Subject) -> SubjectPage:
    votes = (
        Vote.objects.current()
        .filter(subject=subject, batch__in=Batch.objects.visible())
        .select_related("rater", "batch__version__rubric")
        .order_by("batch_id", "rater__name", "id")
    )
    labels = Label.objects.filter(vote__in=votes).select_related("criterion")
    by_batch = {
        batch: [(rater_name(batch, vote.rater, n), vote) for n, vote in enumerate(found, 1)]
        for batch, found in _by_batch(votes).items()
    }
    return page_of(subject, by_batch, labels.order_by("criterion__order", "part_key"))


def page_of(
    subject: Subject,
    by_batch: Mapping[Batch, Sequence[Named]],
    labels: Iterable[Label],
    parts: Sequence[tuple[str, str | None]] | None = None,
) -> SubjectPage:
    """The texts of a subject and the votes of each batch by what their rater is called.

    `labels` are those of the votes, in the order of the rubric; `parts` are its texts by key,
    where they have been read already.
    """
    labels = list(labels)
    detail = getattr(subject, subject.kind, None)
    messages = detail.messages if detail else []
    context = detail.context if detail else ""
    parts = list(subject.parts.values_list("key", "text")) if parts is None else parts
    html = html_of([context, *(one["content"] for one in messages), *(t or "" for _, t in parts)])
    names = {vote.pk: name for found in by_batch.values() for name, vote in found}
    evidence = subject_evidence(names, labels, {key: html[t or ""] for key, t in parts})
    return SubjectPage(
        messages=tuple(Shown(one["role"].capitalize(), html[one["content"]]) for one in messages),
        context=Shown("Context", html[context]),
        parts=tuple(
            Shown(key or "Text", None if text is None else html[text]) for key, text in parts
        ),
        quoted_parts=tuple(
            Shown(
                key or "Text",
                None if text is None else marked(html[text], evidence.marks.get(key, ())),
            )
            for key, text in parts
        ),
        batches=tuple(
            _batch_votes(batch, found, labels, evidence.quoted) for batch, found in by_batch.items()
        ),
    )


def rater_name(batch: Batch, rater: Rater, n: int) -> str:
    return f"Rater {n}" if batch.anonymous_raters else rater.name


def _by_batch(votes: Iterable[Vote]) -> dict[Batch, list[Vote]]:
    found: dict[Batch, list[Vote]] = {}
    for vote in votes:
        found.setdefault(vote.batch, []).append(vote)
    return found


def _batch_votes(
    batch: Batch,
    votes: Sequence[Named],
    labels: Sequence[Label],
    quoted: Mapping[int, Sequence[Quoted]],
) -> BatchVotes:
    place = {vote.pk: n for n, (_, vote) in enumerate(votes)}
    given: dict[tuple[int, str], list[Label | None]] = {}
    for label in labels:
        if label.vote_id in place:
            row = given.setdefault((label.criterion_id, label.part_key), [None] * len(votes))
            row[place[label.vote_id]] = label
    return BatchVotes(
        batch,
        tuple(vote for _, vote in votes),
        tuple(name for name, _ in votes),
        tuple(_answer(row) for row in given.values()),
        quoted,
    )


def _answer(row: Sequence[Label | None]) -> Answer:
    first = next(label for label in row if label is not None)
    return Answer(
        criterion=first.criterion,
        part=first.part_key,
        labels=tuple(shown_label(label) for label in row),
        after_gate=any(label is not None and label.how == "after_gate" for label in row),
    )


def shown_label(label: Label | None) -> str:
    if label is None:
        return ""
    return value_words(label.code if label.number is None else label.number)
