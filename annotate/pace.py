"""How fast a rater labels, from their own votes alone, and how long the rest will take. Pure.

Seconds are those with a hand on the page. A median, since one pair that was left open over lunch
says nothing about the next one; and rough words, since a median of twenty says no more.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Pace is of late: raters get faster with a rubric.
RECENT = 20
# One or two pairs say nothing yet about the next forty.
FEWEST = 5
_MINUTE, _HOUR = 60, 3600


def pace_of(of_rubric: Sequence[int], of_all: Sequence[int]) -> float | None:
    """Seconds a pair: the median of the last votes on this rubric, else of the last of all.

    Both newest first, measured votes alone. None where there are too few of either to tell.
    """
    recent = next((list(one[:RECENT]) for one in (of_rubric, of_all) if len(one) >= FEWEST), None)
    return float(median(recent)) if recent else None


def time_left(pace: float | None, pairs: int) -> str:
    """The time that so many pairs take at a pace, as `roughly` says it; '' where nothing is."""
    if pace is None or pairs < 1:
        return ""
    return roughly(pace * pairs)


def roughly(seconds: float) -> str:
    """A length of time in steps of a minute up to 10, of 5 up to an hour, of 10 up to 10 hours,
    then of whole hours. Never less than a minute.
    """
    if seconds < 0:
        raise ValueError("A length of time is not negative.")
    if seconds < 10 * _MINUTE:
        return f"{max(1, _rounded(seconds, _MINUTE))} min"
    if seconds >= 10 * _HOUR:
        return f"{_rounded(seconds, _HOUR)} h"
    step = 5 if seconds < _HOUR else 10
    hours, minutes = divmod(step * _rounded(seconds, step * _MINUTE), 60)
    return " ".join([f"{hours} h"] * (hours > 0) + [f"{minutes} min"] * (minutes > 0))


def a_pair(pace: float) -> str:
    """The pace itself: to ten seconds below a minute and a half, else to the minute."""
    if pace < 1.5 * _MINUTE:
        return f"{10 * max(1, _rounded(pace, 10))} s"
    return f"{_rounded(pace, _MINUTE)} min"


def _rounded(value: float, step: int) -> int:
    """How many steps, the half up: Python's own rounding would call 2.5 minutes two."""
    return int(value / step + 0.5)
