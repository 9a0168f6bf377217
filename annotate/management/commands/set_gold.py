from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.actions.gold_file import set_gold_from
from annotate.commands import show_report
from projects.commands import WritingCommand, existing_file, project_named
from rubrics.commands import version_named


class Command(WritingCommand):
    help = "Keep the known right answers on pairs, from JSONL: all of them or none (docs/gold.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--rubric", required=True, metavar="SLUG@N")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        file = existing_file(options["file"])
        if file.suffix.casefold() not in (".jsonl", ".ndjson", ".json"):
            raise CommandError("Known answers come as JSONL: one object on each line.")
        version = version_named(project, options["rubric"], published=True)
        report = set_gold_from(version=version, file=file, acting_user=self.acting_user)
        show_report(self, report, as_json=options["json"])
        if report.rejected_lines or report.fatal:
            raise CommandError("Nothing was kept: mend the rows above and run it again.")
