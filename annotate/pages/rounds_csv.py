"""The rounds table as a file: a row for each check in each version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from annotate.ingest.spreadsheet import csv_row

if TYPE_CHECKING:
    from annotate.pages.rounds_cells import Cell, TableRow
    from annotate.pages.rounds_table import RoundsTable

HEADER = (
    *("check", "title", "version", "rounds", "raters", "was", "figure"),
    *("alpha", "interval_low", "interval_high", "status", "units", "minority_units", "ratings"),
    *("raw_agreement", "change", "change_detail", "change_note", "disagreements_that_asked"),
)


def rounds_csv(table: RoundsTable | None) -> bytes:
    """Figures stand with all their digits; what is undefined is left empty."""
    rows = [HEADER, *(_rows(table) if table else ())]
    return b"".join(csv_row(row) for row in rows)


def _rows(table: RoundsTable) -> Iterator[tuple[object, ...]]:
    raters = "simulated" if table.history.simulated else "real"
    for row in table.rows:
        for cell in row.cells:
            for said in _figures(cell):
                yield _row(row, cell, raters, said)


def _row(row: TableRow, cell: Cell, raters: str, said: tuple[object, ...]) -> tuple[object, ...]:
    change = cell.change
    told: tuple[object, ...] = ("", "", "", "")
    if change:
        told = (change.told.head, "; ".join(change.told.details), change.note, change.asked)
    return (
        *(row.key or row.name, row.name, cell.column.number),
        *(" ".join(map(str, cell.column.rounds)), raters, " ".join(cell.keys)),
        *said,
        *told,
    )


def _figures(cell: Cell) -> Iterator[tuple[object, ...]]:
    for one in cell.figures:
        found = one.row.reliability
        low, high = found.interval or ("", "")
        alpha = "" if found.alpha is None else found.alpha
        raw = "" if found.agreement is None else found.agreement
        counts = (found.units, found.minority_units, found.ratings)
        yield (one.row.name, alpha, low, high, str(one.row.state), *counts, raw)
    if not cell.figures and cell.keys:
        status = "checked_by_code" if cell.by_code else "not_measured"
        yield (" ".join(cell.keys), "", "", "", status, "", "", "", "")
