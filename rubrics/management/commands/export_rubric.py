from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from projects.commands import project_named
from rubrics.commands import version_named
from rubrics.document import dump


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
