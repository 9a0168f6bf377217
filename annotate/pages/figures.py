"""How figures are written on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotate.reliability import Reliability


def figure(value: float | None) -> str | None:
    return None if value is None else signed(value)


def signed(value: float) -> str:
    """Two places and a true minus; what rounds to nought has no sign."""
    rounded = round(value, 2) or 0.0
    return f"{rounded:.2f}".replace("-", "−")


def interval_words(found: Reliability) -> str:
    if found.interval is None:
        return "none" if found.alpha is not None else ""
    low, high = (signed(end) for end in found.interval)
    return f"{low}–{high}" if found.interval[0] >= 0 else f"{low} to {high}"


def percent(share: float | None) -> str:
    if share is None:
        return "–"
    return "100%" if share == 1 else f"{share:.1%}"
