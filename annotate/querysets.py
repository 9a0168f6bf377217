from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import (
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotate.meeting_time import LASTS_AT_MOST
from projects.models import Event, Membership
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from annotate.models import Assignment, Batch, Edit, Label, Meeting, Subject, Vote
    from projects.models import Project, Rater, User

# The states in which an assignment holds its slot.
LIVE = ("assigned", "submitted", "skipped")
UNANSWERED = ("assigned", "skipped")
# Slots whose answers are known beforehand: they measure raters, not the rubric.
PLANTED = ("gold", "probe")


class SubjectQuerySet(QuerySet["Subject"]):
    def with_texts(self) -> SubjectQuerySet:
        """Subjects that can be shown: no part is missing its text."""
        from annotate.models import Part

        return self.exclude(Exists(Part.objects.filter(subject=OuterRef("pk"), text__isnull=True)))

    def seen_by(self, raters: Iterable[Rater]) -> SubjectQuerySet:
        """Subjects these raters may remember: given to or answered by any of them, in any batch."""
        from annotate.models import Assignment, Vote

        given = Assignment.objects.filter(subject=OuterRef("pk"), rater__in=raters)
        answered = Vote.objects.filter(subject=OuterRef("pk"), rater__in=raters)
        return self.filter(Exists(given) | Exists(answered))

    def given_out(self) -> SubjectQuerySet:
        """Subjects that any rater has or had: their content can no longer change."""
        from annotate.models import Assignment, GoldAnswer, Vote

        given = Exists(Assignment.objects.filter(subject=OuterRef("pk")))
        answered = Exists(Vote.objects.filter(subject=OuterRef("pk")))
        gold = Exists(GoldAnswer.objects.filter(subject=OuterRef("pk")))
        return self.filter(given | answered | gold)

    def settled(self) -> SubjectQuerySet:
        """Subjects whose content no import is about to replace."""
        from annotate.models import StagedUpdate

        coming = StagedUpdate.objects.filter(subject=OuterRef("pk"), origin__state="visible")
        return self.exclude(Exists(coming))

    def shown_to_all(self) -> SubjectQuerySet:
        """Subjects with a gold answer, or that an anchor was taken from."""
        from annotate.models import AnchorSource, GoldAnswer

        gold = GoldAnswer.objects.filter(subject=OuterRef("pk"))
        anchors = AnchorSource.objects.filter(subject=OuterRef("pk"))
        return self.filter(Exists(gold) | Exists(anchors))

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
        """What lists, pages and figures know: staged imports do not exist yet for anyone, and
        practice is its raters' own."""
        appeared = self.filter(Q(origin__isnull=True) | Q(origin__state="visible"))
        return appeared.exclude(kind="practice")

    def of_project(self, project: Project) -> BatchQuerySet:
        return self.filter(project=project)

    def of_member(self, user: User) -> BatchQuerySet:
        """Batches of the projects that this person still belongs to."""
        held = Membership.objects.filter(user=user, project=OuterRef("project"))
        return self.filter(Exists(held))

    def rounds(self) -> BatchQuerySet:
        return self.filter(kind="calibration")

    def imported(self) -> BatchQuerySet:
        return self.filter(kind="imported")

    def open(self) -> BatchQuerySet:
        return self.filter(closed_at__isnull=True)

    def closed(self) -> BatchQuerySet:
        return self.filter(closed_at__isnull=False)

    def open_or_last(self) -> BatchQuerySet:
        """The rounds that a home page speaks of: what is open, and the last one of each project."""
        from annotate.models import Batch

        later = Batch.objects.rounds().filter(
            project=OuterRef("project"), number__gt=OuterRef("number")
        )
        return self.filter(Q(closed_at__isnull=True) | ~Exists(later))

    def of_user(self, user: User) -> BatchQuerySet:
        return self.filter(raters__user=user)

    def with_versions(self) -> BatchQuerySet:
        """With project and rubric version, without the version's whole document."""
        return self.select_related("project", "version__rubric").defer("version__document")


class AssignmentQuerySet(QuerySet["Assignment"]):
    def live(self) -> AssignmentQuerySet:
        return self.filter(state__in=LIVE)

    def of_user(self, user: User) -> AssignmentQuerySet:
        return self.filter(rater__user=user)

    def of_member(self, user: User) -> AssignmentQuerySet:
        """Assignments in the projects that this person still belongs to."""
        held = Membership.objects.filter(user=user, project=OuterRef("batch__project"))
        return self.filter(Exists(held))

    def of_rater(self, rater: Rater) -> AssignmentQuerySet:
        return self.filter(rater=rater)

    def in_open_batches(self) -> AssignmentQuerySet:
        """Answered or not: what can still be voted on or amended. Practice is no such thing."""
        live = self.live().filter(batch__closed_at__isnull=True)
        return live.exclude(batch__kind="practice")

    def open(self) -> AssignmentQuerySet:
        """Still to be answered, in a batch that still takes answers."""
        return self.unanswered().filter(batch__closed_at__isnull=True)

    def still_rated(self) -> AssignmentQuerySet:
        """What its rater could still answer otherwise: practice only until it is answered."""
        live = self.live().filter(batch__closed_at__isnull=True)
        return live.exclude(batch__kind="practice", state="submitted")

    def of_practice(self, rubric_id: int) -> AssignmentQuerySet:
        """Practice pairs under any version of a rubric."""
        return self.live().filter(batch__kind="practice", batch__version__rubric=rubric_id)

    def touched(self) -> AssignmentQuerySet:
        """What its rater has looked at, begun, put off or answered."""
        return self.filter(Q(opened_at__isnull=False) | ~Q(state="assigned"))

    def unanswered(self) -> AssignmentQuerySet:
        """Held and without a vote, whether the batch is open or not."""
        return self.filter(state__in=UNANSWERED)

    def submitted(self) -> AssignmentQuerySet:
        return self.filter(state="submitted")

    def progress(self) -> Iterable[Mapping[str, Any]]:
        """A row per batch and rater: pairs held, pairs voted on, and when they last voted."""
        whose = ("rater__name", "rater__user_id", "rater__user__is_active")
        rows: Iterable[Mapping[str, Any]] = (
            self.live()
            .order_by()
            .values("batch_id", "rater_id", *whose)
            .annotate(
                total=Count("id", distinct=True),
                done=Count("id", filter=Q(state="submitted"), distinct=True),
                last=Max("votes__at", filter=Q(votes__current=True)),
            )
            .order_by("batch_id", "rater__name")
        )
        return rows

    def in_queue_order(self) -> AssignmentQuerySet:
        """Each rater's own order; what was skipped comes back at the end."""
        return self.order_by(F("skipped_at").asc(nulls_first=True), "position")


class VoteQuerySet(QuerySet["Vote"]):
    def current(self) -> VoteQuerySet:
        return self.filter(current=True)

    def blind(self) -> VoteQuerySet:
        """Given without having seen another's vote or a judge's: what reliability counts."""
        return self.filter(blind=True)

    def of_batches(self, *batches: Batch) -> VoteQuerySet:
        return self.filter(batch__in=batches)

    def counted(self) -> VoteQuerySet:
        """What figures, decisions and releases rest on: votes on pairs that nobody planted."""
        return self.exclude(assignment__slot__role__in=PLANTED)

    def newest_first(self) -> VoteQuerySet:
        return self.order_by("-id")


class LabelQuerySet(QuerySet["Label"]):
    def of_current_votes(self, *batches: Batch) -> LabelQuerySet:
        return self.filter(vote__batch__in=batches, vote__current=True)

    def for_reliability(self) -> LabelQuerySet:
        """What a rater was asked and answered blind: carried and derived labels stay out, and so
        do those on planted pairs."""
        asked = self.filter(vote__blind=True, how__in=("asked", "after_gate"))
        return asked.on_counted()

    def on_counted(self) -> LabelQuerySet:
        """Labels of votes that are counted, as `VoteQuerySet.counted` says."""
        return self.exclude(vote__assignment__slot__role__in=PLANTED)


class MeetingQuerySet(QuerySet["Meeting"]):
    def running(self) -> MeetingQuerySet:
        """Not ended, and not forgotten either: what is sorted days later is not of that meeting."""
        return self.filter(ended_at__isnull=True, started_at__gt=timezone.now() - LASTS_AT_MOST)


class EditQuerySet(QuerySet["Edit"]):
    def standing(self) -> EditQuerySet:
        """Edits but for those whose draft was discarded since: another may have its number now."""
        draft = Concat(
            OuterRef("rubric__slug"),
            Value("@"),
            Cast(OuterRef("number"), TextField()),
            output_field=TextField(),
        )
        discarded = Event.objects.filter(
            project=OuterRef("rubric__project"),
            verb="rubric.discarded",
            target=draft,
            at__gt=OuterRef("made_at"),
        )
        return self.exclude(Exists(discarded))

    def with_document(self) -> EditQuerySet:
        """With the document that they went into as it reads now, for `Edit.is_there`."""
        versions = RubricVersion.objects.filter(
            rubric=OuterRef("rubric"), number=OuterRef("number")
        ).order_by("-revision")
        return self.annotate(document=Subquery(versions.values("document")[:1]))
