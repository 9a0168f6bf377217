from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from projects.commands import WritingCommand, existing_file, project_named
from rubrics.actions import RubricRefused, import_rubric, publish
from rubrics.document import RubricError
from rubrics.words import joined


def read_document(path: str) -> tuple[str, bytes]:
    """The name to show and the bytes. Bytes, so that a bad encoding is told with its line."""
    if path == "-":
        return "The document", sys.stdin.buffer.read()
    file = existing_file(path)
    return file.name, file.read_bytes()


class Command(WritingCommand):
    help = "Read a rubric from a YAML file into a draft, and publish it when asked to."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            help="the YAML document (- for standard input); docs/rubric-format.md describes it",
        )
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--slug", default="", help="the rubric's slug; by default its task")
        parser.add_argument(
            "--publish", metavar="NOTE", help="publish at once, with this change note"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        name, source = read_document(options["file"])
        unexplained: list[str] = []
        try:
            version = import_rubric(
                project=project,
                source=source,
                acting_user=self.acting_user,
                slug=options["slug"],
            )
            if options["publish"] is not None and version.status == version.Status.DRAFT:
                explained = version.change_notes
                version = publish(
                    version=version, change_note=options["publish"], acting_user=self.acting_user
                )
                unexplained = [key for key in version.change_notes if not explained.get(key)]
        except RubricError as refusal:
            found = "\n".join(f"  {problem}" for problem in refusal.problems)
            raise CommandError(f"{name} is not imported:\n{found}") from None
        except RubricRefused as refusal:
            raise CommandError(str(refusal)) from None
        for warning in version.warnings:
            self.stderr.write(self.style.WARNING(f"  warning: {warning}"))
        if unexplained:
            self.stdout.write(
                f"Nobody had written why {joined(unexplained)} changed: "
                "their notes say what changed, and no more."
            )
        self.stdout.write(f"{version} is {version.status}: {version.digest}")
