from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandParser

from annotate.calibration import measure, pool_of
from annotate.commands import add_batch_arguments, batch_named
from annotate.probes import met, tally
from annotate.reliability_text import counts, table
from projects.commands import project_named

if TYPE_CHECKING:
    from annotate.calibration import Measured
    from annotate.clearing import Row
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
        decides = len(measured.batches) == len(pool)
        if options["json"]:
            shape = {
                "criteria": [_entry(row, with_status=decides) for row in measured.rows],
                "simulated": batch.simulated,
                "probes": _probes(batch, measured),
            }
            self.stdout.write(json.dumps(shape, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            self._show(measured, with_status=decides)

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
        states = [row.state.replace("_", " ") for row in rows] if with_status else []
        for line in table([row.reliability for row in rows], states):
            self.stdout.write(line)
        for row in rows:
            self.stdout.write(f"{row.reliability.criterion} labels: {counts(row.reliability)}")


def _entry(row: Row, *, with_status: bool) -> dict[str, Any]:
    """What is public of a figure, and of a round what the check comes to."""
    return {
        **row.reliability.public(),
        "minority_units": row.reliability.minority_units,
        "status": row.state if with_status else None,
        "waived": row.waived or None,
    }


def _probes(batch: Batch, measured: Measured) -> list[dict[str, Any]]:
    """Nothing is told of a round that still runs: whoever reads it may rate in it."""
    closed = [one for one in measured.batches if one.closed_at is not None]
    return [
        {
            "criterion": found.key,
            "planted": found.planted,
            "answered": found.by_all.of,
            "caught_by_all": found.by_all.caught,
            "interval": found.by_all.interval,
        }
        for found in (tally(met(closed), batch.version) if closed else ())
    ]
