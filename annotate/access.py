"""Fetch one object for a user, or 404 for whoever must not learn of it, or 403 by role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import Http404

from annotate.gaps import still_rated_by
from annotate.models import Assignment, Batch, Subject
from projects.access import project_for
from projects.models import Role

if TYPE_CHECKING:
    from uuid import UUID

    from projects.models import User


STILL_RATING = "You rate here yourself: the votes of others open to you when the round is closed."


def assignment_for(user: User, public_id: UUID) -> Assignment:
    """An assignment is its own rater's while a member, and nobody else's, leads included."""
    try:
        return (
            Assignment.objects.of_user(user)
            .live()
            .of_member(user)
            .select_related("batch__version__rubric", "batch__project", "subject__pair", "rater")
            .get(public_id=public_id)
        )
    except Assignment.DoesNotExist:
        raise Http404 from None


def own_batch_for(user: User, public_id: UUID) -> Batch:
    """A batch in which this person rates."""
    try:
        return (
            Batch.objects.visible()
            .of_member(user)
            .select_related("project", "version__rubric")
            .filter(raters__user=user)
            .get(public_id=public_id)
        )
    except Batch.DoesNotExist:
        raise Http404 from None


def round_for(user: User, slug: str, number: int, *roles: Role) -> Batch:
    project = project_for(user, slug, *roles)
    try:
        return (
            Batch.objects.rounds()
            .select_related("project", "version__rubric")
            .get(project=project, number=number)
        )
    except Batch.DoesNotExist:
        raise Http404 from None


def imported_for(user: User, slug: str, name: str, *roles: Role) -> Batch:
    project = project_for(user, slug, *roles)
    try:
        return (
            Batch.objects.visible()
            .imported()
            .select_related("project", "version__rubric")
            .get(project=project, name=name)
        )
    except Batch.DoesNotExist:
        raise Http404 from None


def batch_for(user: User, slug: str, public_id: UUID, *roles: Role) -> Batch:
    project = project_for(user, slug, *roles)
    try:
        return (
            Batch.objects.visible()
            .select_related("project", "version__rubric")
            .get(project=project, public_id=public_id)
        )
    except Batch.DoesNotExist:
        raise Http404 from None


def subject_for(user: User, slug: str, public_id: UUID) -> Subject:
    """A subject with everybody's votes: for leads, and not while they rate it themselves."""
    project = project_for(user, slug, Role.LEAD)
    try:
        subject = Subject.objects.visible().get(project=project, public_id=public_id)
    except Subject.DoesNotExist:
        raise Http404 from None
    if subject.pk in still_rated_by(user):
        raise PermissionDenied(STILL_RATING)
    return subject


def refuse_while_rating(user: User, *, batch: Batch) -> None:
    """Raters are independent: whoever can still amend a vote sees no votes of others."""
    if Assignment.objects.of_user(user).in_open_batches().filter(batch=batch).exists():
        raise PermissionDenied(STILL_RATING)
