"""The rounds that are open to a rater: their own pairs, and nothing about anybody else."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from annotate.models import Assignment, Batch
from annotate.pages.own_time import own_pace
from annotate.practice import practice_left
from projects.models import User


@dataclass(frozen=True)
class OwnRound:
    """An open round as its rater sees it: their own pairs, and nothing about anybody else."""

    batch: Batch
    done: int
    total: int
    # The time left and the time a pair takes at their own pace, in words; '' where unknown.
    left: str = ""
    pace: str = ""
    # Practice pairs that are still open to them.
    practice: int = 0

    @property
    def finished(self) -> bool:
        return self.done == self.total


def own_rounds_of(user: User) -> dict[int, tuple[OwnRound, ...]]:
    """The rounds that are open to this rater, by project."""
    rows = Assignment.objects.of_user(user).in_open_batches().progress()
    far = {row["batch_id"]: (row["done"], row["total"]) for row in rows}
    if not far:
        return {}
    open_to_them = Batch.objects.visible().open().of_user(user).filter(pk__in=far)
    batches = list(open_to_them.with_versions().order_by("id"))
    pace = own_pace(user)
    practice = practice_left(user, batches)
    own: dict[int, tuple[OwnRound, ...]] = defaultdict(tuple)
    # The one that waits longest first.
    for batch in batches:
        done, total = far[batch.pk]
        rubric = batch.version.rubric_id
        own[batch.project_id] += (
            OwnRound(
                batch,
                done,
                total,
                pace.left(rubric, total - done),
                pace.a_pair(rubric),
                practice.get(batch.pk, 0),
            ),
        )
    return dict(own)


def last_closed_of(user: User) -> dict[int, Batch]:
    """Project → the last closed round in which this person voted, by their own hand."""
    sent = Assignment.objects.of_user(user).submitted().filter(batch=OuterRef("pk"))
    closed = Batch.objects.visible().rounds().closed().filter(Exists(sent), simulated=False)
    rows = closed.of_member(user).order_by("number").only("public_id", "number", "kind", "project")
    return {batch.project_id: batch for batch in rows}
