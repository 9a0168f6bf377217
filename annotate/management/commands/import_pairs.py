from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate import ingest
from annotate.actions.imports import ImportRefused
from annotate.actions.jobs import start_job
from annotate.actions.kept_files import keep_file
from annotate.actions.subject_imports import import_subjects
from annotate.commands import show_report
from annotate.ingest.mapping import FlagError
from projects.commands import WritingCommand, existing_file, project_named


class Command(WritingCommand):
    help = "Bring pairs, or other subjects, in from JSONL, CSV or Parquet (docs/importing.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--kind", choices=list(ingest.KINDS), default="pair")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="TARGET=FIELD[,FIELD]",
            help="where a field comes from; several are joined by a blank line",
        )
        parser.add_argument(
            "--as-text",
            action="append",
            default=[],
            metavar="FIELD",
            help="take JSON scalars in this field as their JSON text",
        )
        parser.add_argument(
            "--partial", action="store_true", help="import the good rows, report the others"
        )
        parser.add_argument("--repair", action="store_true", help="remove U+0000 with a warning")
        parser.add_argument("--background", action="store_true", help="let a worker do it")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        file = existing_file(options["file"])
        try:
            fields = ingest.field_map(options["kind"], options["map"], options["as_text"])
        except FlagError as refusal:
            raise CommandError(str(refusal)) from None
        if options["background"]:
            keys = ("kind", "map", "as_text", "partial", "repair")
            params = {key: options[key] for key in keys}
            params |= {"file": str(keep_file(file)), "name": file.name}
            job = start_job(
                project=project, kind="import_subjects", params=params, acting_user=self.acting_user
            )
            self.stdout.write(f"Job {job.public_id} is waiting for a worker.")
            return
        try:
            report = import_subjects(
                project=project,
                file=file,
                fields=fields,
                kind=options["kind"],
                partial=options["partial"],
                repair=options["repair"],
                acting_user=self.acting_user,
            )
        except ImportRefused as refusal:
            show_report(self, refusal.report, as_json=options["json"])
            raise CommandError(str(refusal)) from None
        show_report(self, report, as_json=options["json"])
