from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.actions.simulated_votes import SimulationRefused, simulate_round
from annotate.commands import batch_named
from annotate.simulation import DEFAULT_PROFILE, PROFILES
from projects.commands import WritingCommand, project_named


class Command(WritingCommand):
    help = "Fill an open round with simulated votes, if it was started with --simulated."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--round", required=True, type=int, metavar="N")
        parser.add_argument(
            "--profile",
            choices=PROFILES,
            default=DEFAULT_PROFILE,
            help="; ".join(f"{name}: {says}" for name, says in PROFILES.items()),
        )
        parser.add_argument("--seed", type=int, default=0, help="default %(default)s")

    def handle(self, *args: Any, **options: Any) -> None:
        batch = batch_named(project_named(options["project"]), options)
        try:
            votes = simulate_round(
                batch=batch,
                seed=options["seed"],
                acting_user=self.acting_user,
                name=options["profile"],
            )
        except SimulationRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(
            f"{batch}: {votes} simulated votes (profile {options['profile']}, "
            f"seed {options['seed']})."
        )
