from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q, QuerySet

if TYPE_CHECKING:
    from annotate.models import Assignment, Batch, Label, Subject, Vote
    from projects.models import Project, Rater, User

# The states in which an assignment holds its slot.
LIVE = ("assigned", "submitted", "skipped")


class SubjectQuerySet(QuerySet["Subject"]):
    def visible(self) -> SubjectQuerySet:
        """Subjects whose import has appeared; staged rows do not exist for anyone."""
        return self.filter(Q(origin__isnull=True) | Q(origin__state="visible"))

    def of_project(self, project: Project) -> SubjectQuerySet:
        return self.filter(project=project)

    def pairs(self) -> SubjectQuerySet:
        return self.filter(kind="pair")

    def with_votes(self) -> SubjectQuerySet:
        from annotate.models import Vote

        return self.filter(Exists(Vote.objects.filter(subject=OuterRef("pk"))))


class BatchQuerySet(QuerySet["Batch"]):
    def visible(self) -> BatchQuerySet:
        return self.filter(Q(origin__isnull=True) | Q(origin__state="visible"))

    def of_project(self, project: Project) -> BatchQuerySet:
        return self.filter(project=project)

    def rounds(self) -> BatchQuerySet:
        return self.filter(kind="calibration")

    def imported(self) -> BatchQuerySet:
        return self.filter(kind="imported")

    def open(self) -> BatchQuerySet:
        return self.filter(closed_at__isnull=True)

    def closed(self) -> BatchQuerySet:
        return self.filter(closed_at__isnull=False)


class AssignmentQuerySet(QuerySet["Assignment"]):
    def live(self) -> AssignmentQuerySet:
        return self.filter(state__in=LIVE)

    def of_user(self, user: User) -> AssignmentQuerySet:
        return self.filter(rater__user=user)

    def of_rater(self, rater: Rater) -> AssignmentQuerySet:
        return self.filter(rater=rater)

    def open(self) -> AssignmentQuerySet:
        """Still to be answered, in a batch that still takes votes."""
        return self.filter(state__in=("assigned", "skipped"), batch__closed_at__isnull=True)

    def submitted(self) -> AssignmentQuerySet:
        return self.filter(state="submitted")

    def in_queue_order(self) -> AssignmentQuerySet:
        """Each rater's own order; what was skipped comes back at the end."""
        return self.order_by("skipped_at", "position")


class VoteQuerySet(QuerySet["Vote"]):
    def current(self) -> VoteQuerySet:
        return self.filter(current=True)

    def of_batches(self, *batches: Batch) -> VoteQuerySet:
        return self.filter(batch__in=batches)


class LabelQuerySet(QuerySet["Label"]):
    def of_current_votes(self, *batches: Batch) -> LabelQuerySet:
        return self.filter(vote__batch__in=batches, vote__current=True)

    def for_reliability(self) -> LabelQuerySet:
        """What a rater was asked and answered blind: carried and derived labels stay out."""
        return self.filter(vote__blind=True, how__in=("asked", "after_gate"))
