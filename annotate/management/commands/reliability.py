from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandParser

from annotate.calibration import measure, pool_of
from annotate.commands import add_batch_arguments, batch_named
from annotate.reliability_text import counts, table
from projects.commands import project_named

if TYPE_CHECKING:
    from annotate.calibration import Measured
    from annotate.models import Batch


class Command(BaseCommand):
    help = "How well raters agree on each check: a round, imported votes, or a version's rounds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG")
        add_batch_arguments(parser)
        parser.add_argument(
            "--pooled",
            action="store_true",
            help="over all closed rounds of the round's rubric version, as the report page shows",
        )
        parser.add_argument("--json", action="store_true", help="see docs/reliability-json.md")

    def handle(self, *args: Any, **options: Any) -> None:
        batch = batch_named(project_named(options["project"]), options)
        pool = pool_of(batch)
        measured = measure(batch, pool=pool if options["pooled"] else [batch])
        self._explain(batch, pool, measured)
        if options["json"]:
            criteria = [row.reliability.public() for row in measured.rows]
            shape = {"criteria": criteria, "simulated": batch.simulated}
            self.stdout.write(json.dumps(shape, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            self._show(measured, with_status=len(measured.batches) == len(pool))

    def _explain(self, batch: Batch, pool: list[Batch], measured: Measured) -> None:
        if batch.simulated:
            self.stderr.write(f"{batch} was made by simulated raters.")
        if batch.kind == batch.Kind.CALIBRATION and batch.closed_at is None:
            self.stderr.write(f"{batch} is still open: these figures will change.")
        if len(pool) > 1:
            rounds = ", ".join(str(one.number) for one in pool)
            if measured.pooled:
                self.stderr.write(f"Pooled over rounds {rounds} of {batch.version}.")
            else:
                self.stderr.write(
                    f"{batch} alone; what clears is decided over rounds {rounds}: --pooled."
                )

    def _show(self, measured: Measured, *, with_status: bool) -> None:
        """Clearing rests on the pool, so the status stands beside pooled figures only."""
        rows = measured.rows
        states = [row.status.replace("_", " ") for row in rows] if with_status else []
        for line in table([row.reliability for row in rows], states):
            self.stdout.write(line)
        for row in rows:
            self.stdout.write(f"{row.reliability.criterion} labels: {counts(row.reliability)}")
