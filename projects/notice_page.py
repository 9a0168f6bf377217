"""The notices of a person, by the day of the project that each is about."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING
from uuid import UUID
from zoneinfo import ZoneInfo

from projects.models import Notice, User

if TYPE_CHECKING:
    from datetime import date, datetime

SHOWN = 50


@dataclass(frozen=True)
class Line:
    notice: Notice
    at: datetime

    @property
    def day(self) -> date:
        return self.at.date()


@dataclass(frozen=True)
class Day:
    date: date
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class NoticePage:
    days: tuple[Day, ...]
    unread: int
    # The newest one shown, and the last one where older ones follow.
    newest: UUID | None
    older: UUID | None
    first: bool


def notice_page(user: User, *, before: UUID | None = None) -> NoticePage:
    """Paged by key: pages keep their places while new notices come in."""
    readable = Notice.objects.readable_by(user).select_related("project")
    last = readable.filter(public_id=before).first() if before else None
    rows = list((readable.filter(pk__lt=last.pk) if last else readable)[: SHOWN + 1])
    shown = rows[:SHOWN]
    lines = [
        Line(notice, notice.created_at.astimezone(ZoneInfo(notice.project.time_zone)))
        for notice in shown
    ]
    # Where the zones of projects differ, days may interleave; each is listed once.
    lines.sort(key=lambda line: (line.day, line.notice.pk), reverse=True)
    return NoticePage(
        days=tuple(Day(day, tuple(found)) for day, found in groupby(lines, lambda line: line.day)),
        unread=Notice.objects.readable_by(user).unread().count(),
        newest=shown[0].public_id if shown else None,
        older=shown[-1].public_id if len(rows) > SHOWN else None,
        first=last is None,
    )


def key_of(given: str) -> UUID | None:
    """The id in an address or a form; none where it is no id."""
    try:
        return UUID(given)
    except ValueError:
        return None
