from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from projects.actions import ProjectRefused, create_project
from projects.commands import WritingCommand


class Command(WritingCommand):
    help = "Make a project; add_member then gives people their roles in it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="how commands and addresses name it")
        parser.add_argument("--name", required=True, help="how people name it")
        parser.add_argument(
            "--time-zone",
            default="UTC",
            metavar="ZONE",
            help="where its days and weeks begin, such as Europe/Berlin (default: UTC)",
        )
        parser.add_argument(
            "--stakes", default="", help="what hangs on its labels, in a sentence for its people"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            project = create_project(
                slug=options["slug"],
                name=options["name"],
                time_zone=options["time_zone"],
                stakes=options["stakes"],
                acting_user=self.acting_user,
            )
        except ProjectRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(
            f"{project} is there ({project.slug}, {project.time_zone}). Add its lead: "
            f"manage.py add_member USER --project {project.slug} --role lead"
        )
