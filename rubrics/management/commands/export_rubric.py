from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from projects.commands import project_named
from rubrics.document import dump
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from projects.models import Project


class Command(BaseCommand):
    help = "Print a version of a rubric as YAML that import_rubric reads back."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "version",
            metavar="SLUG@N",
            help="the latest published revision of version N, or else its draft; "
            "SLUG@N.R names a revision",
        )
        parser.add_argument("--project", required=True, metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        version = version_named(project_named(options["project"]), options["version"])
        self.stdout.write(dump(version.content), ending="")


def version_named(project: Project, name: str) -> RubricVersion:
    match = re.fullmatch(r"([-\w]+)@(\d{1,9})(?:\.(\d{1,9}))?", name)
    if match is None:
        raise CommandError(f"Name the version as SLUG@N, for example summary@2, not “{name}”.")
    slug, number, revision = match.groups()
    versions = RubricVersion.objects.of_project(project).select_related("rubric").newest_first()
    found = versions.filter(rubric__slug=slug, number=int(number))
    if revision:
        version = found.filter(revision=int(revision)).first()
    else:
        version = found.released().first() or found.first()
    if version is None:
        known = ", ".join(sorted(str(each) for each in versions[:50])) or "none yet"
        raise CommandError(f"There is no {name} in {project}. Versions here: {known}.")
    return version
