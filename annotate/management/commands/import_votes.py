from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.actions.import_jobs import vote_file
from annotate.actions.imports import ImportRefused
from annotate.actions.jobs import start_job
from annotate.actions.kept_files import keep_file
from annotate.actions.vote_imports import import_votes
from annotate.commands import show_report
from annotate.ingest.mapping import FlagError
from projects.commands import WritingCommand, existing_file, project_named
from rubrics.commands import version_named

KEPT = (
    "name",
    "map",
    "column",
    "value",
    "anonymous_raters",
    "create_subjects",
    "partial",
    "repair",
)


class Command(WritingCommand):
    help = "Bring existing ratings in as a closed batch with a name (docs/importing.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--rubric", required=True, metavar="SLUG@N")
        parser.add_argument("--name", help="what the batch is called (default: the file's name)")
        parser.add_argument("--map", action="append", default=[], metavar="TARGET=FIELD")
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="CRITERION[:PART]=COLUMN",
            help="for wide files: which column holds which check",
        )
        parser.add_argument(
            "--value",
            action="append",
            default=[],
            metavar="[CRITERION:]RAW=CODE",
            help="what a raw value means; an empty CODE is a missing label",
        )
        parser.add_argument(
            "--anonymous-raters",
            action="store_true",
            help="raters are slots, not persons: no figures per rater",
        )
        parser.add_argument(
            "--create-subjects",
            action="store_true",
            help="make unknown subjects, without their texts",
        )
        parser.add_argument("--partial", action="store_true", help="import the good rows only")
        parser.add_argument("--repair", action="store_true", help="remove U+0000 with a warning")
        parser.add_argument("--background", action="store_true", help="let a worker do it")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        file = existing_file(options["file"])
        version = version_named(project, options["rubric"], published=True)
        params = {key: options[key] for key in KEPT}
        params |= {"name": options["name"] or file.stem, "file_name": file.name}
        try:
            source = vote_file(version, file, params)
            if options["background"]:
                params |= {"file": str(keep_file(file)), "version": version.pk}
                job = start_job(
                    project=project,
                    kind="import_votes",
                    params=params,
                    acting_user=self.acting_user,
                )
                self.stdout.write(f"Job {job.public_id} is waiting for a worker.")
                return
            _, report = import_votes(
                source=source, partial=options["partial"], acting_user=self.acting_user
            )
        except FlagError as refusal:
            raise CommandError(str(refusal)) from None
        except ImportRefused as refusal:
            show_report(self, refusal.report, as_json=options["json"])
            raise CommandError(str(refusal)) from None
        show_report(self, report, as_json=options["json"])
