"""What a lead can do next about the checks of a round, beside reading its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.clearing import Road, required
from annotate.lines import proposals_for
from annotate.models import Batch
from annotate.probes import probes_for, ready

if TYPE_CHECKING:
    from collections.abc import Iterable

    from annotate.calibration import Measured
    from annotate.probing import Tally


def road_of(
    batch: Batch, measured: Measured, tallies: Iterable[Tally], *, offer: bool = True
) -> Road:
    """`offer`: say which probe pairs are ready, which a kept sentence had better not."""
    if batch.kind != Batch.Kind.CALIBRATION:
        return Road()
    untested = any(row.missing and not row.done for row in required(measured.rows))
    probes = probes_for(batch.version, batch.raters.all()) if offer and untested else []
    return Road(
        ready=ready(probes),
        caught={
            found.key: (found.by_all.caught, found.by_all.of)
            for found in tallies
            if found.by_all.of
        },
        proposals=proposals_for(batch, measured),
    )
