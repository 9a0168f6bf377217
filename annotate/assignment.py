"""Who gets what next: drawing fresh pairs for a round, and the next one of a rater's queue."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Literal

from django.db.models import Min, Q

from annotate.by_code import decided, undecided
from annotate.models import Assignment, Batch, Slot, Subject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from annotate.querysets import SubjectQuerySet
    from projects.models import Project, Rater
    from rubrics.models import RubricVersion


MAX_SEED = 2**32 - 1


class TooFewPairs(Exception):
    """The project does not hold enough fresh pairs; the message says how many are missing."""


def fresh(
    project: Project, raters: Sequence[Rater], version: RubricVersion | None = None
) -> SubjectQuerySet:
    """Pairs that none of the raters can remember and, under a version, that code left to people.

    A pair is known by its content, whatever its id and the order of its responses: the same pair
    imported twice is here twice, and not at all once a rater has had either copy.
    """
    pairs = Subject.objects.of_project(project).visible().pairs()
    known = pairs.seen_by(raters) | pairs.shown_to_all()
    usable = pairs.settled().with_texts().exclude(content_hash="")
    found = usable.exclude(content_hash__in=known.values("content_hash"))
    return found if version is None else undecided(found, version)


def count_fresh(
    project: Project, raters: Sequence[Rater], version: RubricVersion | None = None
) -> int:
    return fresh(project, raters, version).order_by().values("content_hash").distinct().count()


def count_decided(project: Project, raters: Sequence[Rater], version: RubricVersion) -> int:
    """Pairs that would be fresh, had code not decided them: they are left out of every draw."""
    left_out = decided(fresh(project, raters), version)
    return left_out.order_by().values("content_hash").distinct().count()


def fresh_pairs(
    project: Project, raters: Sequence[Rater], version: RubricVersion | None = None
) -> list[int]:
    """Ids of fresh pairs, the first one of each content, in order."""
    contents = fresh(project, raters, version).order_by().values("content_hash")
    return sorted(contents.annotate(first=Min("id")).values_list("first", flat=True))


def draw(
    project: Project,
    raters: Sequence[Rater],
    *,
    size: int,
    seed: int,
    version: RubricVersion | None = None,
) -> list[int]:
    """`size` fresh pairs, the same for the same seed and the same stock of pairs."""
    stock = fresh_pairs(project, raters, version)
    if len(stock) < size:
        missing = size - len(stock)
        by_code = count_decided(project, raters, version) if version else 0
        told = f" Another {by_code} were decided by code and need no expert." if by_code else ""
        raise TooFewPairs(
            f"The round needs {size} fresh pairs and {len(stock)} are left: {missing} are missing."
            f"{told} Import more, or choose raters who have not seen these."
        )
    return random.Random(seed).sample(stock, size)  # noqa: S311  (reproducible, not secret)


def lay_out(
    batch: Batch, subjects: Sequence[int], raters: Sequence[Rater], *, probes: Sequence[int] = ()
) -> None:
    """One slot a rater and subject, each rater with an own queue and an own order of sides.

    Probes lie among the rest at random, in every queue elsewhere.
    """
    roles = dict.fromkeys(probes, Slot.Role.PROBE)
    for n, rater in enumerate(raters):
        deal(batch, [*subjects, *probes], rater, n=n, roles=roles)


def deal(
    batch: Batch,
    subjects: Sequence[int],
    rater: Rater,
    *,
    n: int,
    role: Slot.Role = Slot.Role.NORMAL,
    roles: Mapping[int, Slot.Role] | None = None,
) -> None:
    """The `n`-th rater's slots and assignments, in the queue and the orders that the seed draws.

    `roles` are those of single subjects. The rows are written in the order of the queue, so that
    no id tells which they are.
    """
    roles = roles or {}
    dice = random.Random(f"{batch.seed}:{n}")  # noqa: S311
    queue = dice.sample(list(subjects), len(subjects))
    slots = Slot.objects.bulk_create(
        Slot(batch=batch, subject_id=subject, n=n, role=roles.get(subject, role))
        for subject in queue
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


def sent_beside(assignment: Assignment, *, step: Literal[-1, 1]) -> Assignment | None:
    """The rater's pair that was sent before this one, or after it; none at either end.

    In the order of the queue, where what was put off stands at the end: that is how they came.
    """
    own = Assignment.objects.filter(rater=assignment.rater_id, batch=assignment.batch_id)
    came = own.filter(Q(state=Assignment.State.SUBMITTED) | Q(pk=assignment.pk)).in_queue_order()
    ids = list(came.values_list("pk", flat=True))
    place = ids.index(assignment.pk) + step
    return own.get(pk=ids[place]) if 0 <= place < len(ids) else None


def next_for(rater: Rater, batch: Batch) -> Assignment | None:
    """The rater's next open assignment; skipped ones come back at the end."""
    if batch.closed_at is not None:
        return None
    # Two short looks at an index: one ordering over both would sort all that is open. Where to go
    # is all that is asked of it.
    own = Assignment.objects.of_rater(rater).filter(batch=batch).only("public_id")
    fresh_one = own.filter(state=Assignment.State.ASSIGNED).order_by("position").first()
    return fresh_one or own.filter(state=Assignment.State.SKIPPED).in_queue_order().first()
