"""Fetch a rubric or a version for a user. Drafts are the leads'; for others they do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import get_object_or_404

from projects.access import project_for, roles_of
from projects.models import Role
from rubrics.models import Rubric

if TYPE_CHECKING:
    from projects.models import Project, User
    from rubrics.models import RubricVersion
    from rubrics.querysets import VersionQuerySet


def is_lead(user: User, project: Project) -> bool:
    return Role.LEAD in roles_of(user, project)


def rubric_for(user: User, slug: str, rubric: str, *roles: Role) -> Rubric:
    """A rubric that has something to show to this user."""
    project = project_for(user, slug, *roles)
    found = get_object_or_404(project.rubrics.select_related("project"), slug=rubric)
    if not versions_for(user, found).exists():
        raise Http404
    return found


def versions_for(user: User, rubric: Rubric) -> VersionQuerySet:
    """Newest first."""
    versions = rubric.versions.newest_first().select_related(
        "rubric__project", "parent", "published_by"
    )
    return versions if is_lead(user, rubric.project) else versions.released()


def version_for(
    user: User, slug: str, rubric: str, number: int, revision: int | None = None, *roles: Role
) -> RubricVersion:
    """A version by number; without a revision the latest published one, else the draft."""
    versions = versions_for(user, rubric_for(user, slug, rubric, *roles)).filter(number=number)
    if revision is None:
        found = versions.released().first() or versions.first()
    else:
        found = versions.filter(revision=revision).first()
    if found is None:
        raise Http404
    return found
