"""Raters on the page of a ruling, by the numbers that the meeting knows them by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.blind_names import blind_name, numbered, numbered_on
from annotate.models import Batch, Label, Vote

if TYPE_CHECKING:
    from uuid import UUID

    from annotate.pages.subject import Named


def named_by_batch(labels: Iterable[Label]) -> dict[Batch, Sequence[Named]]:
    """The votes on a subject that these labels are of, each with its rater's number, in order."""
    votes: dict[Batch, dict[int, Vote]] = {}
    for label in labels:
        votes.setdefault(label.vote.batch, {}).setdefault(label.vote.rater_id, label.vote)
    told = _rounds_of_raters(votes)
    found: dict[Batch, Sequence[Named]] = {}
    for batch, held in votes.items():
        subject = next(iter(held.values())).subject_id
        numbers = _numbers(batch, subject, held, told)
        found[batch] = [
            (blind_name(numbers[rater]), held[rater])
            for rater in sorted(held, key=lambda rater: numbers[rater])
        ]
    return found


@dataclass(frozen=True)
class _Voted:
    """That a rater voted in a closed round: which rounds are pooled with which decides numbers."""

    pool: tuple[int, int, bool]
    round: int
    public_id: UUID
    rater: int


def _rounds_of_raters(batches: Iterable[Batch]) -> list[_Voted]:
    votes = Vote.objects.filter(
        batch__in=Batch.objects.rounds().closed(),
        batch__version__rubric__in={batch.version.rubric_id for batch in batches},
    )
    rows = votes.order_by().values_list(
        "batch__version__rubric",
        "batch__version__number",
        "batch__simulated",
        "batch__number",
        "batch__public_id",
        "rater",
    )
    return [
        _Voted((rubric, number, simulated), place or 0, public_id, rater)
        for rubric, number, simulated, place, public_id, rater in rows.distinct()
    ]


def _numbers(
    batch: Batch, subject: int, voted: Iterable[int], told: Sequence[_Voted]
) -> dict[int, int]:
    """The numbers by which the meeting knows the raters: those of earlier rounds come first.

    Anonymous raters, and those of imports, are nobody beyond this pair.
    """
    pool = (batch.version.rubric_id, batch.version.number, batch.simulated)
    first: dict[int, _Voted] = {}
    for one in sorted(told, key=lambda one: one.round):
        if one.pool == pool:
            first.setdefault(one.rater, one)
    if batch.anonymous_raters or not first.keys() >= set(voted):
        return numbered_on(voted, batch.public_id, subject)
    numbers: dict[int, int] = {}
    for place in sorted({one.round for one in first.values()}):
        new = [one for one in first.values() if one.round == place]
        for rater, n in numbered((one.rater for one in new), str(new[0].public_id)).items():
            numbers[rater] = n + len(first) - sum(one.round >= place for one in first.values())
    return numbers
