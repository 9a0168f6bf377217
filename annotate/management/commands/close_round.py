from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotate.actions.rounds import close_round
from annotate.commands import batch_named
from projects.commands import WritingCommand, project_named


class Command(WritingCommand):
    help = "Close a calibration round: its votes can no longer change."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--round", required=True, type=int, metavar="N")

    def handle(self, *args: Any, **options: Any) -> None:
        batch = batch_named(project_named(options["project"]), options)
        batch = close_round(batch=batch, acting_user=self.acting_user)
        self.stdout.write(f"{batch} is closed.")
