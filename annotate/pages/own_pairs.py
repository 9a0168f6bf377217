"""A rater's own pairs of a batch: what is sent, begun, skipped and still to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models.functions import Left

from annotate.labelling import ballot_for
from annotate.models import Assignment, Batch, Part, Vote
from annotate.own_vote import ROWS, has_changed_since
from annotate.pages.own_time import time_left

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from annotate.ballot import Ballot
    from projects.models import User

GIST_LENGTH = 120


@dataclass(frozen=True)
class OwnPair:
    public_id: UUID
    position: int
    gist: str
    state: str  # sent, changed (since it was sent), skipped, begun or open
    sent_at: datetime | None


@dataclass(frozen=True)
class OwnPairs:
    batch_id: UUID
    heading: str
    pairs: tuple[OwnPair, ...]
    closed: bool
    simulated: bool
    # At the rater's own pace; '' where that is not known, and where nothing is left.
    time_left: str

    @property
    def total(self) -> int:
        return len(self.pairs)

    @property
    def done(self) -> int:
        return sum(1 for pair in self.pairs if pair.state in ("sent", "changed"))

    @property
    def changed(self) -> int:
        """Sent ones whose answer was changed since, and not sent again."""
        return sum(1 for pair in self.pairs if pair.state == "changed")

    @property
    def is_done(self) -> bool:
        return self.done == self.total


def own_pairs(user: User, batch: Batch) -> OwnPairs:
    own = Assignment.objects.of_user(user).live().filter(batch=batch).order_by("position")
    held = list(own)
    sent = Vote.objects.current().filter(assignment__in=own).prefetch_related(*ROWS)
    votes = {vote.assignment_id: vote for vote in sent}
    ballot = ballot_for(batch)
    gists = _gists(batch)
    return OwnPairs(
        batch_id=batch.public_id,
        heading=f"{batch.version.rubric.name} · {batch}",
        pairs=tuple(
            OwnPair(
                public_id=assignment.public_id,
                position=assignment.position,
                gist=gists.get((assignment.subject_id, assignment.seen_order[0]), ""),
                state=_state(assignment, votes.get(assignment.pk), ballot),
                sent_at=vote.at if (vote := votes.get(assignment.pk)) else None,
            )
            for assignment in held
        ),
        closed=batch.closed_at is not None,
        simulated=batch.simulated,
        time_left=time_left(held[0].rater_id, batch, _open(held)) if held else "",
    )


def _open(held: Sequence[Assignment]) -> int:
    return sum(assignment.state != Assignment.State.SUBMITTED for assignment in held)


def _gists(batch: Batch) -> dict[tuple[int, str], str]:
    """(subject, side) → how that response begins: prompts are often the same for all pairs."""
    parts = Part.objects.filter(subject__slots__batch=batch).distinct()
    heads = parts.annotate(head=Left("text", GIST_LENGTH)).values_list("subject_id", "key", "head")
    return {(subject, key): one_line(head or "") for subject, key, head in heads}


def one_line(head: str) -> str:
    line = " ".join(head.split())
    return f"{line}…" if len(head) == GIST_LENGTH else line


def _state(assignment: Assignment, vote: Vote | None, ballot: Ballot) -> str:
    if assignment.state == Assignment.State.SUBMITTED:
        return "changed" if has_changed_since(assignment, vote, ballot) else "sent"
    if assignment.state == Assignment.State.SKIPPED:
        return "skipped"
    return "begun" if assignment.draft else "open"
