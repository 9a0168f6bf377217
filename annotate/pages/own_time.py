"""A rater's own pace, the time left at it, and how much they did lately: nothing about others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import connection
from django.utils import timezone

from annotate import pace
from annotate.days import today_and_this_week
from annotate.models import Batch, Vote

if TYPE_CHECKING:
    from annotate.querysets import VoteQuerySet
    from projects.models import Project, User

# Pace is of the last 20 measured votes; they are looked for among so many, so that no page reads
# a rater's whole past.
LOOKED_AT = 60
FAR = """
SELECT
  (SELECT COUNT(*) FROM annotate_assignment
   WHERE rater_id = %s AND batch_id = %s AND state = 'submitted'),
  (SELECT MAX(position) FROM annotate_assignment WHERE rater_id = %s AND batch_id = %s)
"""
# No week is longer, summer time included.
_A_WEEK = timedelta(days=7, hours=2)


@dataclass(frozen=True)
class OwnPace:
    """(seconds, rubric) of a person's measured votes, newest first."""

    measured: tuple[tuple[int, int], ...]

    def of(self, rubric_id: int) -> float | None:
        own = [seconds for seconds, rubric in self.measured if rubric == rubric_id]
        return pace.pace_of(own, [seconds for seconds, _ in self.measured])

    def left(self, rubric_id: int, pairs: int) -> str:
        return pace.time_left(self.of(rubric_id), pairs)

    def a_pair(self, rubric_id: int) -> str:
        found = self.of(rubric_id)
        return "" if found is None else pace.a_pair(found)


@dataclass(frozen=True)
class Lately:
    """Pairs first sent today and this week, by the clock of the project."""

    today: int = 0
    week: int = 0


def own_pace(user: User) -> OwnPace:
    return _pace(Vote.objects.filter(rater__user=user))


def far(rater_id: int, batch_id: int) -> tuple[int, int]:
    """(sent, all) pairs of a rater in a batch. Places run from 1, so the last one counts them.

    In plain SQL, since it is asked at every pair: two looks at indexes, at any size of the batch.
    """
    with connection.cursor() as cursor:
        cursor.execute(FAR, [rater_id, batch_id, rater_id, batch_id])
        done, last = cursor.fetchone()
    return done, last


def time_left(rater_id: int, batch: Batch, pairs: int) -> str:
    """What so many pairs of a batch take a rater: at the pace of this batch, once there is one."""
    if pairs < 1 or batch.closed_at is not None or batch.simulated or batch.is_practice:
        return ""
    votes = Vote.objects.filter(rater=rater_id)
    here = votes.filter(batch=batch).current().newest_first()
    last = [s for s in here.values_list("active_s", flat=True)[: pace.RECENT] if s is not None]
    if len(last) == pace.RECENT:
        return pace.time_left(pace.pace_of(last, ()), pairs)
    return _pace(votes).left(batch.version.rubric_id, pairs)


def _pace(votes: VoteQuerySet) -> OwnPace:
    rows = (
        votes.current()
        .newest_first()
        .values_list("active_s", "batch__version__rubric_id", "batch__kind", "batch__simulated")[
            :LOOKED_AT
        ]
    )
    return OwnPace(
        tuple(
            (seconds, rubric)
            for seconds, rubric, kind, simulated in rows
            if seconds is not None and not simulated and kind != Batch.Kind.PRACTICE
        )
    )


def lately(
    user: User, projects: Iterable[Project], now: datetime | None = None
) -> dict[int, Lately]:
    """By project. An amended vote counts where its pair was first sent."""
    now = now or timezone.now()
    sent: dict[int, list[datetime]] = defaultdict(list)
    first = Vote.objects.filter(rater__user=user, revision=1, at__gt=now - _A_WEEK)
    asked = first.exclude(batch__simulated=True).exclude(batch__kind=Batch.Kind.PRACTICE)
    for project_id, at in asked.order_by().values_list("batch__project_id", "at"):
        if at is not None:
            sent[project_id].append(at)
    return {
        project.pk: Lately(*today_and_this_week(sent[project.pk], now, project.time_zone))
        for project in projects
    }
