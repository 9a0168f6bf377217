"""Cells that a spreadsheet shows as they are: nothing in them runs as a formula."""

from __future__ import annotations

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# No spreadsheet shows more in one cell; the rest would be cut off or spill into the next row.
MOST_OF_A_CELL = 32_000


def csv_row(cells: tuple[object, ...]) -> bytes:
    """One row by RFC 4180 in UTF-8. Texts are quoted, numbers stand as they are."""
    return (",".join(_cell(cell) for cell in cells) + "\r\n").encode(errors="replace")


def _cell(value: object) -> str:
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    if text.lstrip(" ").startswith(STARTS_A_FORMULA):
        text = f"'{text}"
    if len(text) > MOST_OF_A_CELL:
        text = text[:MOST_OF_A_CELL] + "…"
    return '"' + text.replace('"', '""') + '"'
