"""What the commands share that name a rubric: its version, published or not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.core.management.base import CommandError

from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from projects.models import Project

NAME = re.compile(r"([-\w]+)@(\d{1,9})(?:\.(\d{1,9}))?")


def version_named(project: Project, name: str, *, published: bool = False) -> RubricVersion:
    """SLUG@N: the latest published revision of version N, else its draft where drafts will do.
    SLUG@N.R names a revision.
    """
    match = NAME.fullmatch(name)
    if match is None:
        raise CommandError(f"Name the version as SLUG@N, for example summary@2, not “{name}”.")
    slug, number, revision = match.groups()
    versions = RubricVersion.objects.of_project(project).select_related("rubric__project")
    versions = versions.published() if published else versions
    found = versions.newest_first().filter(rubric__slug=slug, number=int(number))
    if revision:
        version = found.filter(revision=int(revision)).first()
    else:
        version = found.released().first() or found.first()
    if version is None:
        known = ", ".join(sorted({str(each) for each in versions[:50]})) or "none yet"
        what, which = ("Published", "published ") if published else ("Versions here", "")
        raise CommandError(f"There is no {which}{name} in {project}. {what}: {known}.")
    return version
