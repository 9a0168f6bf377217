"""Fetch one object for a user, or 404 for whoever must not learn of it, or 403 by role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotate.models import Assignment, Batch, Part, Ruling, Subject, Upload
from projects.access import project_for, refuse_without, speak_times_of
from projects.models import Membership, Role
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from uuid import UUID

    from annotate.querysets import BatchQuerySet, SubjectQuerySet
    from projects.models import Project, User


STILL_RATING = "You rate here yourself: the votes of others open to you when the round is closed."
NOT_CLOSED = "Where you differed from the others opens to you when the round is closed."
ANSWERED_FOR_YOU = "A simulation answered this round in your name: there is nothing of yours in it."
STILL_OPEN = "The figures of a round open when it is closed: nobody stops it at a lucky moment."


def assignment_for(user: User, public_id: UUID) -> Assignment:
    """An assignment is its own rater's while a member, and nobody else's, leads included.

    Two plain queries: one that joined the memberships would take as long again, at every key.
    """
    own = Assignment.objects.of_user(user).live()
    shown = own.select_related("batch__version", "batch__project", "rater")
    found = get_object_or_404(shown, public_id=public_id)
    if not Membership.objects.filter(user=user, project=found.batch.project_id).exists():
        raise Http404
    speak_times_of(found.batch.project)
    return found


def practice_for(user: User, public_id: UUID) -> Assignment:
    """A practice pair, by the same rule: its rater's own, and nobody else's."""
    found = assignment_for(user, public_id)
    if not found.batch.is_practice:
        raise Http404
    return found


def own_batch_for(user: User, public_id: UUID) -> Batch:
    """A batch in which this person rates."""
    found = get_object_or_404(_batches().of_member(user).of_user(user), public_id=public_id)
    speak_times_of(found.project)
    return found


def own_closed_round_for(user: User, public_id: UUID) -> Batch:
    """A closed round in which this person rated, themselves and not by a simulation."""
    batch = own_batch_for(user, public_id)
    if batch.kind != Batch.Kind.CALIBRATION:
        raise Http404
    if batch.simulated:
        raise PermissionDenied(ANSWERED_FOR_YOU)
    if batch.closed_at is None:
        raise PermissionDenied(NOT_CLOSED)
    return batch


def round_for(user: User, slug: str, number: int, *roles: Role) -> Batch:
    project = project_for(user, slug, *roles)
    return get_object_or_404(_batches().rounds().of_project(project), number=number)


def imported_for(user: User, slug: str, name: str, *roles: Role) -> Batch:
    project = project_for(user, slug, *roles)
    return get_object_or_404(_batches().imported().of_project(project), name=name)


def batch_for(user: User, slug: str, public_id: UUID, *roles: Role) -> Batch:
    project = project_for(user, slug, *roles)
    return get_object_or_404(_batches().of_project(project), public_id=public_id)


def batch_and_roles_for(
    user: User, slug: str, public_id: UUID, *roles: Role
) -> tuple[Batch, frozenset[str]]:
    """A batch, and the roles that this person holds, in one query: the page has many to make."""
    found = _batches().filter(
        public_id=public_id, project__slug=slug, project__memberships__user=user
    )
    rows = list(found.annotate(held=F("project__memberships__role")))
    if not rows:
        raise Http404
    held = frozenset(str(vars(row)["held"]) for row in rows)
    refuse_without(held, *roles)
    speak_times_of(rows[0].project)
    return rows[0], held


def _batches() -> BatchQuerySet:
    return Batch.objects.visible().select_related("project", "version__rubric")


def rubric_history_for(
    user: User, slug: str, rubric: str, *roles: Role
) -> tuple[Project, list[RubricVersion]]:
    """A rubric's versions, one for each number and oldest first; a draft is none yet."""
    project = project_for(user, slug, *roles)
    versions = RubricVersion.objects.of_project(project).filter(rubric__slug=rubric)
    found = list(versions.latest_revisions().select_related("rubric").order_by("number"))
    if not found:
        raise Http404
    return project, [one for one in found if one.status != RubricVersion.Status.DRAFT]


def subject_for(user: User, slug: str, public_id: UUID) -> Subject:
    """A subject with everybody's votes: for leads, and not while they rate it themselves."""
    project = project_for(user, slug, Role.LEAD)
    visible = Subject.objects.visible().of_project(project)
    subject = get_object_or_404(visible, public_id=public_id)
    if subject.pk in still_rated_by(user):
        raise PermissionDenied(STILL_RATING)
    return subject


def ruling_for(
    user: User, slug: str, public_id: UUID, *roles: Role
) -> tuple[Ruling, frozenset[str]]:
    """A ruling, and the roles that this person holds: not while they rate the pair themselves.

    One query for the row, the project, the roles and the texts of a pair (`text_a`, `text_b`): the
    page has many others to make.
    """
    parts = Part.objects.filter(subject=OuterRef("subject"))
    found = (
        Ruling.objects.filter(
            public_id=public_id, project__slug=slug, project__memberships__user=user
        )
        .annotate(
            held=F("project__memberships__role"),
            secret=Exists(still_rated(user).filter(pk=OuterRef("subject"))),
            text_a=Subquery(parts.filter(key="A").values("text")[:1]),
            text_b=Subquery(parts.filter(key="B").values("text")[:1]),
        )
        .select_related("project", "subject__pair", "opened_by", "decided_by")
    )
    rows = list(found)
    if not rows:
        raise Http404
    held = frozenset(row.held for row in rows)
    refuse_without(held, *roles)
    if rows[0].secret:
        raise PermissionDenied(STILL_RATING)
    speak_times_of(rows[0].project)
    return rows[0], held


def upload_for(user: User, slug: str, public_id: UUID) -> Upload:
    """A file that somebody brought is for all leads of its project."""
    project = project_for(user, slug, Role.LEAD)
    uploads = Upload.objects.filter(project=project).select_related("project", "job", "created_by")
    return get_object_or_404(uploads, public_id=public_id)


def still_rated_by(reader: User) -> list[int]:
    """The ids of `still_rated`."""
    return list(still_rated(reader).values_list("pk", flat=True))


def still_rated(reader: User) -> SubjectQuerySet:
    """Subjects whose votes this person may not see yet, having one of their own to give or amend.

    The same texts under another id count as the same subject.
    """
    own = Assignment.objects.of_user(reader).still_rated()
    hashes = own.exclude(subject__content_hash="").values("subject__content_hash")
    return Subject.objects.filter(
        Q(content_hash__in=hashes, project__in=own.values("batch__project"))
        | Q(pk__in=own.values("subject"))
    )


def refuse_while_rating(user: User, *, batch: Batch) -> None:
    """Raters are independent: whoever can still amend a vote sees no votes of others."""
    if Assignment.objects.of_user(user).in_open_batches().filter(batch=batch).exists():
        raise PermissionDenied(STILL_RATING)


def figures_are_open(batch: Batch) -> bool:
    """Figures open when the round closes: who looks at half a round stops when it looks good."""
    return batch.closed_at is not None or batch.kind != Batch.Kind.CALIBRATION


def refuse_early(user: User, *, batch: Batch) -> None:
    """Figures and the votes behind them: of what has closed, to whoever does not rate in it."""
    refuse_while_rating(user, batch=batch)
    if not figures_are_open(batch):
        raise PermissionDenied(STILL_OPEN)
