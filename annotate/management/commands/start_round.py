from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.actions.rounds import RoundRefused, start_round
from annotate.clearing import ROUND_SIZE
from annotate.commands import pairs_named
from projects.commands import WritingCommand, project_named, users_named
from rubrics.commands import version_named
from rubrics.words import counted_noun


class Command(WritingCommand):
    help = "Open a calibration round: every rater labels every pair, independently."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--rubric", required=True, metavar="SLUG@N")
        parser.add_argument(
            "--raters",
            required=True,
            nargs="+",
            metavar="USER",
            help="two at least; three is usual",
        )
        parser.add_argument(
            "--size", type=int, default=ROUND_SIZE, help="pairs (default %(default)s)"
        )
        parser.add_argument("--seed", type=int, help="for the draw and the orders; recorded")
        parser.add_argument(
            "--skip-criteria-after-gate",
            action="store_true",
            help="do not ask the criteria once a gate decides (they are measured by default)",
        )
        parser.add_argument(
            "--probe",
            nargs="+",
            default=[],
            metavar="ID",
            help="pairs with known answers to plant among the others, on top of --size",
        )
        parser.add_argument(
            "--simulated",
            action="store_true",
            help="for simulated raters, marked as such for good: see simulate_round",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        try:
            batch = start_round(
                project=project,
                version=version_named(project, options["rubric"], published=True),
                raters=users_named(options["raters"]),
                acting_user=self.acting_user,
                size=options["size"],
                seed=options["seed"],
                ask_after_gate=not options["skip_criteria_after_gate"],
                simulated=options["simulated"],
                probes=pairs_named(project, options["probe"]),
            )
        except RoundRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(
            f"{batch} is open: {options['size']} pairs{_planted(len(options['probe']))}, "
            f"{len(options['raters'])} {'simulated ' * batch.simulated}raters, "
            f"{batch.version}, seed {batch.seed}."
        )


def _planted(probes: int) -> str:
    return f" and {counted_noun(probes, 'probe pair')}" if probes else ""
