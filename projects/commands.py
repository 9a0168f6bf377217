"""What the management commands share: a project by its slug, and errors that say what to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from django.core.management.base import CommandError

from projects.models import Project, User

if TYPE_CHECKING:
    from collections.abc import Iterable


def project_named(slug: str) -> Project:
    try:
        return Project.objects.get(slug=slug)
    except Project.DoesNotExist:
        known = ", ".join(Project.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no project “{slug}”. Projects here: {known}.") from None


def users_named(names: Iterable[str]) -> list[User]:
    users = []
    for name in names:
        try:
            users.append(User.objects.get(username=name))
        except User.DoesNotExist:
            raise CommandError(f"There is no user “{name}”.") from None
    return users


def existing_file(path: str) -> Path:
    file = Path(path)
    if not file.is_file():
        raise CommandError(f"There is no file {path}.")
    return file
