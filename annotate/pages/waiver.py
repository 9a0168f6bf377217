"""The waiver of one check: what was measured of it, and who lets volume begin without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import Http404

from annotate.access import still_rated_by
from annotate.actions.waivers import MAX_REASON
from annotate.calibration import bars_of, measure
from annotate.clearing import Row, required
from annotate.models import Waiver
from annotate.pages.disagreements import Filters, list_href
from annotate.pages.figures import figure, interval_words
from annotate.pages.probes import ProbeTable, probe_table
from annotate.pages.unit_filters import units_href
from annotate.probes import met, tally
from rubrics.words import bar_words

if TYPE_CHECKING:
    from annotate.calibration import Measured
    from annotate.models import Batch
    from projects.models import User


@dataclass(frozen=True)
class Evidence:
    """One figure of the check, with the pages behind its numbers."""

    row: Row
    alpha: str
    interval: str
    minority_href: str
    split_href: str


@dataclass(frozen=True)
class WaiverPage:
    key: str
    title: str
    cleared: bool
    measured: Measured
    evidence: tuple[Evidence, ...]
    needed: int
    bar: str
    probes: ProbeTable | None
    standing: Waiver | None
    # Those that were withdrawn, the latest first.
    earlier: tuple[Waiver, ...]
    reason: str
    error: str
    limit: int = MAX_REASON


def waiver_page(
    batch: Batch, key: str, reader: User, *, reason: str = "", error: str = ""
) -> WaiverPage:
    """404 where volume waits for no such check."""
    measured = measure(batch)
    rows = [row for row in required(measured.rows) if row.key == key]
    if not rows:
        raise Http404
    found = [one for one in met(measured.batches, secret=still_rated_by(reader)) if one.key == key]
    bars = bars_of(batch.project)
    given = Waiver.objects.filter(
        rubric=batch.version.rubric_id, number=batch.version.number, key=key
    ).select_related("given_by", "withdrawn_by")
    return WaiverPage(
        key=key,
        title=rows[0].title,
        cleared=all(row.cleared for row in rows),
        measured=measured,
        evidence=tuple(_evidence(batch, row, pooled=measured.pooled) for row in rows),
        needed=bars.minority,
        bar=bar_words(bars.clear),
        probes=probe_table(
            batch,
            found,
            tally(found, batch.version),
            pooled=measured.pooled,
            titles={key: rows[0].title},
        ),
        standing=next((one for one in given if one.withdrawn_at is None), None),
        earlier=tuple(one for one in reversed(given) if one.withdrawn_at is not None),
        reason=reason,
        error=error,
    )


def _evidence(batch: Batch, row: Row, *, pooled: bool) -> Evidence:
    def href(**filters: object) -> str:
        return units_href(batch, pooled=pooled, criterion=row.code, **filters)

    return Evidence(
        row=row,
        alpha=figure(row.reliability.alpha) or "undefined",
        interval=interval_words(row.reliability),
        minority_href=href(off=row.reliability.usual),
        split_href=list_href(batch, Filters(check=row.key, pooled=pooled)),
    )
