"""The list of disagreements as a file: a row each, with all that the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from annotate.ingest.spreadsheet import csv_row
from annotate.pages.disagreements import names_of

if TYPE_CHECKING:
    from annotate.disagreements import Differing, Found, Group
    from annotate.models import Batch
    from annotate.pages.disagreements import Filters

HEADER = (
    "pair",
    "check",
    "part",
    "labels",
    "alpha of the check",
    "alpha gains without the pair",
    "suggested",
    "why",
    "chosen",
    "note",
    "sorted by",
    "sorted at",
    "ruling",
)


def rows_of(found: Found, filters: Filters) -> bytes:
    chosen = [one for one in found.all if filters.takes(one)]
    names = names_of(chosen) if filters.names else {}
    return b"".join([csv_row(HEADER), *_rows(found, filters, names)])


def file_name(batch: Batch) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", str(batch).lower()).strip("-")
    return f"disagreements-{batch.project.slug}-{name or 'batch'}.csv"


def _rows(found: Found, filters: Filters, names: dict[int, str]) -> Iterator[bytes]:
    for group in found.groups:
        for one in group.found:
            if filters.takes(one):
                yield csv_row(_cells(group, one, names, anonymous=found.anonymous))


def _cells(
    group: Group, one: Differing, names: dict[int, str], *, anonymous: bool
) -> tuple[object, ...]:
    row = one.row
    sorted_at = row.sorted_at if row else None
    return (
        one.unit.external_id,
        one.unit.key,
        one.unit.part,
        _labels(one, names, anonymous=anonymous),
        "" if group.alpha is None else round(group.alpha, 4),
        "" if one.influence is None else round(one.influence, 4),
        one.suggestion.kind,
        one.suggestion.why,
        one.kind,
        row.note if row else "",
        str(row.sorted_by or "command line") if row and sorted_at else "",
        sorted_at.isoformat(timespec="seconds") if sorted_at else "",
        row.ruling.get_decision_display() or "open" if row and row.ruling else "",
    )


def _labels(one: Differing, names: dict[int, str], *, anonymous: bool) -> str:
    if anonymous:
        return "; ".join(sorted(code for _, code in one.values))
    return "; ".join(f"{_who(one, rater, names)}: {code}" for rater, code in one.values)


def _who(one: Differing, rater: int, names: dict[int, str]) -> str:
    handle, name = one.names.get(rater, ""), names.get(rater, "")
    return f"{handle} ({name})" if name else handle
