"""A rater's own pairs of a batch: what is sent, begun, skipped and still to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.label_page import gist_of
from annotate.models import Assignment, Batch, Vote

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from projects.models import User

GIST_LENGTH = 120


@dataclass(frozen=True)
class OwnPair:
    public_id: UUID
    position: int
    gist: str
    state: str  # sent, skipped, begun or open
    sent_at: datetime | None


@dataclass(frozen=True)
class OwnPairs:
    batch_id: UUID
    heading: str
    pairs: tuple[OwnPair, ...]
    closed: bool

    @property
    def total(self) -> int:
        return len(self.pairs)

    @property
    def done(self) -> int:
        return sum(1 for pair in self.pairs if pair.state == "sent")

    @property
    def is_done(self) -> bool:
        return self.done == self.total


def own_pairs(user: User, batch: Batch) -> OwnPairs:
    own = Assignment.objects.of_user(user).live().filter(batch=batch)
    sent = Vote.objects.current().filter(assignment__in=own)
    sent_at = dict(sent.values_list("assignment_id", "at"))
    return OwnPairs(
        batch_id=batch.public_id,
        heading=f"{batch.version.rubric.name} · {batch}",
        pairs=tuple(
            OwnPair(
                public_id=assignment.public_id,
                position=assignment.position,
                gist=gist_of(assignment.subject.pair.messages)[:GIST_LENGTH],
                state=_state(assignment),
                sent_at=sent_at.get(assignment.pk),
            )
            for assignment in own.select_related("subject__pair").order_by("position")
        ),
        closed=batch.closed_at is not None,
    )


def _state(assignment: Assignment) -> str:
    if assignment.state == Assignment.State.SUBMITTED:
        return "sent"
    if assignment.state == Assignment.State.SKIPPED:
        return "skipped"
    return "begun" if assignment.draft else "open"
