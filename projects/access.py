"""Fetch for a user, or 404 (not a member: nothing is confirmed) or 403 (a member, another role)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.utils import timezone

from projects.models import Job, Membership, Project, Role, User

if TYPE_CHECKING:
    from uuid import UUID


def user_of(request: HttpRequest) -> User:
    """The signed-in user; every route that is not public has one (LoginRequiredMiddleware)."""
    return cast("User", request.user)


def speak_times_of(project: Project) -> None:
    """From here on this request shows times in the zone of its project.

    Pages and the fragments that replace parts of them alike; the middleware ends it.
    """
    timezone.activate(project.time_zone)


def roles_of(user: User, project: Project) -> frozenset[str]:
    return frozenset(
        Membership.objects.filter(user=user, project=project).values_list("role", flat=True)
    )


def require_role(user: User, project: Project, *roles: Role) -> None:
    """404 for a stranger, 403 for a member who holds none of `roles` (no roles named: any)."""
    held = roles_of(user, project)
    if not held:
        raise Http404
    refuse_without(held, *roles)


def refuse_without(held: frozenset[str], *roles: Role) -> None:
    """403 for a member who holds none of `roles` (no roles named: any)."""
    if roles and not held.intersection(roles):
        raise PermissionDenied(
            f"This page is for the {' or the '.join(Role(r).label for r in roles)} of the project."
        )


def project_for(user: User, slug: str, *roles: Role) -> Project:
    """A project by its slug, by the rules of `require_role`, in one query."""
    return project_and_roles_for(user, slug, *roles)[0]


def project_and_roles_for(user: User, slug: str, *roles: Role) -> tuple[Project, frozenset[str]]:
    """The same with all roles that this person holds there, for a page that shows more to some."""
    rows = list(Membership.objects.filter(user=user, project__slug=slug).select_related("project"))
    if not rows:
        raise Http404
    held = frozenset(membership.role for membership in rows)
    refuse_without(held, *roles)
    speak_times_of(rows[0].project)
    return rows[0].project, held


def job_for(user: User, public_id: UUID) -> Job:
    """A job is for the project's leads and for whoever started it, while a member."""
    try:
        job = Job.objects.select_related("project").get(public_id=public_id)
    except Job.DoesNotExist:
        raise Http404 from None
    started = job.created_by_id == user.pk
    require_role(user, job.project, *(() if started else (Role.LEAD,)))
    speak_times_of(job.project)
    return job
