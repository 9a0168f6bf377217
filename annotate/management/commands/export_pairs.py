from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.actions.releases import ReleaseRefused, export_pairs
from annotate.commands import add_batch_arguments, batch_named
from annotate.decisions import Policy
from annotate.release import Context, DecidedByCode, Empty, Settings
from projects.commands import WritingCommand, project_named


class Command(WritingCommand):
    help = "Write the decided pairs of a closed round, or of imported votes, as DPO training lines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        add_batch_arguments(parser)
        parser.add_argument("--format", choices=["trl"], default="trl")
        parser.add_argument(
            "--policy",
            choices=[policy.value for policy in Policy],
            default=Policy.ONE_SIDED.value,
            help="how several preferences become one (default: one_sided)",
        )
        parser.add_argument(
            "--threshold", type=float, default=1.0, help="smallest mean margin for --policy margin"
        )
        parser.add_argument(
            "--context",
            choices=[choice.value for choice in Context],
            default=Context.APPEND.value,
            help="whether the context goes with the prompt (default: append)",
        )
        parser.add_argument(
            "--empty-responses",
            choices=[choice.value for choice in Empty],
            default=Empty.KEEP.value,
        )
        parser.add_argument(
            "--decided-by-code",
            choices=[choice.value for choice in DecidedByCode],
            default=DecidedByCode.LEAVE.value,
            help="whether pairs that code decided, and nobody was given, are written too",
        )
        parser.add_argument("--out", required=True, metavar="DIR")

    def handle(self, *args: Any, **options: Any) -> None:
        batch = batch_named(project_named(options["project"]), options)
        settings = Settings(
            policy=Policy(options["policy"]),
            threshold=options["threshold"],
            context=Context(options["context"]),
            empty=Empty(options["empty_responses"]),
            by_code=DecidedByCode(options["decided_by_code"]),
        )
        try:
            row = export_pairs(
                batch=batch,
                settings=settings,
                out=Path(options["out"]),
                acting_user=self.acting_user,
            )
        except (ReleaseRefused, ValueError) as refusal:
            raise CommandError(str(refusal)) from None
        pairs = row.manifest["pairs"]
        self.stdout.write(
            f"{pairs['exported']} of {pairs['all']} pairs exported, {pairs['excluded']} left out:"
        )
        for reason, count in row.manifest["excluded"].items():
            self.stdout.write(f"  {reason}: {count}")
