"""Who gets what next: drawing fresh pairs for a round, and the next one of a rater's queue."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from annotate.models import Assignment, Batch, Slot, Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from projects.models import Project, Rater


class TooFewPairs(Exception):
    """The project does not hold enough fresh pairs; the message says how many are missing."""


def fresh_pairs(project: Project, raters: Sequence[Rater]) -> list[int]:
    """Ids of pairs that none of the raters can remember, one for each content.

    A pair is known by its content, whatever its id and the order of its responses: the same pair
    imported twice is fresh once, and not at all once a rater has had either copy.
    """
    pairs = Subject.objects.of_project(project).visible().pairs()
    known = pairs.seen_by(raters) | pairs.shown_to_all()
    hashes = set(known.values_list("content_hash", flat=True))
    fresh: dict[str, int] = {}
    rows = pairs.settled().with_texts().exclude(content_hash__in=["", *_bounded(hashes)])
    for pk, content in rows.order_by("id").values_list("id", "content_hash"):
        if content not in hashes:
            fresh.setdefault(content, pk)
    return list(fresh.values())


def _bounded(hashes: set[str]) -> list[str]:
    # SQLite takes a limited number of parameters; beyond it the loop above does the work alone.
    return sorted(hashes) if len(hashes) <= 500 else []


def draw(project: Project, raters: Sequence[Rater], *, size: int, seed: int) -> list[int]:
    """`size` fresh pairs, the same for the same seed and the same stock of pairs."""
    stock = fresh_pairs(project, raters)
    if len(stock) < size:
        missing = size - len(stock)
        raise TooFewPairs(
            f"The round needs {size} fresh pairs and {len(stock)} are left: {missing} are missing. "
            "Import more, or choose raters who have not seen these."
        )
    return random.Random(seed).sample(stock, size)  # noqa: S311  (reproducible, not secret)


def lay_out(batch: Batch, subjects: Sequence[int], raters: Sequence[Rater]) -> None:
    """One slot a rater and subject, each rater with an own queue and an own order of sides."""
    for n, rater in enumerate(raters):
        dice = random.Random(f"{batch.seed}:{n}")  # noqa: S311
        queue = dice.sample(list(subjects), len(subjects))
        slots = Slot.objects.bulk_create(
            Slot(batch=batch, subject_id=subject, n=n) for subject in queue
        )
        Assignment.objects.bulk_create(
            Assignment(
                slot=slot,
                batch=batch,
                subject_id=slot.subject_id,
                rater=rater,
                position=position,
                order=dice.choice(Assignment.Order.values),
            )
            for position, slot in enumerate(slots, start=1)
        )


def next_for(rater: Rater, batch: Batch) -> Assignment | None:
    """The rater's next open assignment; skipped ones come back at the end."""
    return Assignment.objects.of_rater(rater).filter(batch=batch).open().in_queue_order().first()
