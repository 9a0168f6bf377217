"""Working time: seconds with a hand on the page, as far as the clock on the wall allows. Pure."""

from __future__ import annotations


def counted(said_s: int, *, so_far_s: int, wall_s: float) -> int:
    """How many of the seconds that a page reports are added to those counted so far.

    `wall_s` has passed since the pair was first opened: nobody works longer than that, whatever a
    page says, so that the sum never exceeds it. Never negative.
    """
    return max(0, min(said_s, int(wall_s) - so_far_s))
