from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from projects.actions import ProjectRefused, set_bars
from projects.commands import WritingCommand, project_named


class Command(WritingCommand):
    help = "Set where the alpha of a check clears, and whether clearing thin is enough for volume."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--clear", type=float, metavar="ALPHA", help="clears at or above")
        parser.add_argument(
            "--tentative", type=float, metavar="ALPHA", help="tentative at or above, broken below"
        )
        parser.add_argument(
            "--thin",
            choices=("waits", "clears"),
            help="a check that clears with an interval reaching below the tentative bar waits for "
            "another round of its version, or has cleared",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        thin = options["thin"]
        if options["clear"] is None and options["tentative"] is None and thin is None:
            raise CommandError("Nothing to set: give --clear, --tentative or --thin.")
        try:
            project = set_bars(
                project=project_named(options["project"]),
                bar=options["clear"],
                tentative_bar=options["tentative"],
                thin_waits=None if thin is None else thin == "waits",
                acting_user=self.acting_user,
            )
        except ProjectRefused as refusal:
            raise CommandError(str(refusal)) from None
        thin = "waits for another round" if project.thin_waits else "is enough for volume"
        self.stdout.write(
            f"{project}: clears from {project.bar:g}, tentative from {project.tentative_bar:g}; "
            f"clearing thin {thin}."
        )
