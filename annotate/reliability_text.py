"""Reliability as a terminal shows it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotate.reliability import Reliability, explain, explain_interval, notes
from rubrics.words import value_words

HEAD = ("criterion", "level", "alpha", "95% interval", "units", "ratings", "agreement")


def table(found: Sequence[Reliability], states: Sequence[str] = ()) -> Iterable[str]:
    """Lines: a head, a row per criterion, under it what must be said of it.

    `states` adds a column of words, one for each row.
    """
    head = (*HEAD, "status") if states else HEAD
    rows = [_cells(one) for one in found]
    if states:
        rows = [(*row, state) for row, state in zip(rows, states, strict=True)]
    widths = [max(len(row[n]) for row in [head, *rows]) for n in range(len(head))]
    yield _line(head, widths)
    for row, one in zip(rows, found, strict=True):
        yield _line(row, widths)
        for note in (explain(one), explain_interval(one), *notes(one)):
            if note:
                yield f"    {note}"


def counts(one: Reliability) -> str:
    """Label counts in scale order."""
    return ", ".join(f"{value_words(value)}: {times}" for value, times in one.counts)


def _cells(one: Reliability) -> tuple[str, ...]:
    return (
        one.criterion,
        one.level,
        "undefined" if one.alpha is None else f"{one.alpha:.6f}",
        "-" if one.interval is None else f"{one.interval[0]:.3f} to {one.interval[1]:.3f}",
        _of(one.units, one.units_total),
        _of(one.ratings, one.ratings_total),
        "-" if one.agreement is None else f"{one.agreement:.4f}",
    )


def _of(pairable: int, total: int) -> str:
    return str(total) if pairable == total else f"{pairable} of {total}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
