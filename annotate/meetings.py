"""The meeting of a batch, for whoever may lead it: fetched, or refused, in one query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Exists, Max, OuterRef, Q, Subquery
from django.http import Http404

from annotate.access import batch_for, refuse_early
from annotate.disagreements import Found, differing
from annotate.meeting_version import newest_number, outdated
from annotate.models import Assignment, Batch, Edit, Meeting
from annotate.snapshots import vote_counts
from projects.access import speak_times_of
from projects.models import Membership, Role
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from annotate.snapshots import Counted
    from projects.models import User


@dataclass(frozen=True)
class Room:
    """A batch with its open meeting, and its votes as they were counted on the way."""

    batch: Batch
    meeting: Meeting | None
    counted: Counted | None = None
    # The number of the newest published version, where it came along.
    newest: int | None = None

    @property
    def outdated(self) -> str:
        """Why nothing goes from here into a draft; '' where it can."""
        newest = newest_number(self.batch) if self.newest is None else self.newest
        return outdated(self.batch, newest)

    def found(self, reader: User) -> Found:
        """The disagreements that are talked about: those of this batch alone."""
        return differing([self.batch], reader=reader, counted=self.counted)


def meeting_for(user: User, slug: str, public_id: UUID) -> Room:
    """A batch to talk about; for leads, once its figures are open, and not for its raters.

    Where all is well that is one query, for the page has many to make; else `batch_for` and
    `refuse_early` say what is not.
    """
    lead = Membership.objects.filter(user=user, project=OuterRef("batch__project"), role=Role.LEAD)
    rating = Assignment.objects.of_user(user).in_open_batches().filter(batch=OuterRef("batch"))
    released = RubricVersion.objects.released().filter(rubric=OuterRef("batch__version__rubric"))
    # With the annotations that its type does not know.
    found: Any = (
        Meeting.objects.running()
        .filter(Exists(lead), ~Exists(rating))
        .filter(batch__project__slug=slug, batch__public_id=public_id)
        .filter(batch__in=Batch.objects.visible())
        .select_related("batch__project", "batch__version__rubric", "started_by")
        .annotate(
            votes=Count("batch__votes", filter=Q(batch__votes__current=True)),
            highest=Max("batch__votes__id"),
            newest=Subquery(released.newest_first().values("number")[:1]),
        )
        .first()
    )
    if found is not None:
        speak_times_of(found.batch.project)
        counted = {found.batch_id: (found.votes, found.highest)} if found.highest else None
        return Room(found.batch, found, counted, found.newest)
    batch = batch_for(user, slug, public_id, Role.LEAD)
    if batch.is_practice:
        raise Http404
    refuse_early(user, batch=batch)
    return Room(batch, None)


def counted_and_met(batches: Sequence[Batch]) -> tuple[Counted, frozenset[int]]:
    """The votes of batches as `counted_votes` has them, and which of these have an open meeting."""
    meeting = Meeting.objects.running().filter(batch=OuterRef("batch_id"))
    rows = list(vote_counts(batches).annotate(met=Exists(meeting)))
    counted = {row["batch_id"]: (row["votes"], row["highest"]) for row in rows}
    return counted, frozenset(row["batch_id"] for row in rows if row["met"])


def edit_for(batch: Batch, public_id: UUID) -> Edit | None:
    """A change of the batch's rubric; None where it was taken back already."""
    edits = Edit.objects.filter(rubric=batch.version.rubric_id).select_related("rubric__project")
    return edits.filter(public_id=public_id).first()
