"""On which day and in which ISO week something fell, by the clock of the project. Pure.

Neither the server's zone nor the reader's matters, and a day may have 23 hours.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from zoneinfo import ZoneInfo


def day_of(at: datetime, zone: str) -> date:
    """The calendar day of a moment. Raises ValueError for one without a zone of its own."""
    if at.tzinfo is None:
        raise ValueError("A moment has a time zone of its own.")
    return at.astimezone(ZoneInfo(zone)).date()


def week_of(at: datetime, zone: str) -> str:
    """The ISO week of a moment, such as 2026-W53, which holds the first days of 2027."""
    year, week, _ = day_of(at, zone).isocalendar()
    return f"{year}-W{week:02}"


def today_and_this_week(moments: Iterable[datetime], now: datetime, zone: str) -> tuple[int, int]:
    """How many of the moments fall on the day of `now`, and how many in its week."""
    today, week = day_of(now, zone), week_of(now, zone)
    moments = list(moments)
    on_day = sum(day_of(at, zone) == today for at in moments)
    return on_day, sum(week_of(at, zone) == week for at in moments)
