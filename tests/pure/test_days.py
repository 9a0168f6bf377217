from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.days import day_of, today_and_this_week, week_of

BERLIN = "Europe/Berlin"
# 29 March 2026 has 23 hours in Berlin; 1 January 2027 lies in the last week of 2026.
LABELS = [
    datetime(2026, 3, 29, 22, 30, tzinfo=UTC),
    datetime(2026, 3, 29, 21, 59, 59, tzinfo=UTC),
    datetime(2026, 12, 31, 23, 30, tzinfo=UTC),
]
MOMENTS = st.datetimes(
    datetime(2020, 1, 1),  # noqa: DTZ001
    datetime(2040, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


def test_wf_08_days_and_weeks_are_the_projects_own() -> None:
    assert [week_of(at, BERLIN) for at in LABELS] == ["2026-W14", "2026-W13", "2026-W53"]
    assert [f"{day_of(at, BERLIN):%Y-%m-%d %a}" for at in LABELS] == [
        "2026-03-30 Mon",
        "2026-03-29 Sun",
        "2027-01-01 Fri",
    ]
    assert [week_of(at, "UTC") for at in LABELS] == ["2026-W13", "2026-W13", "2026-W53"]


@pytest.mark.parametrize("server", ["UTC", "Pacific/Auckland", "America/Los_Angeles"])
def test_wf_08_the_servers_zone_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    monkeypatch.setenv("TZ", server)
    time.tzset()
    try:
        assert [week_of(at, BERLIN) for at in LABELS] == ["2026-W14", "2026-W13", "2026-W53"]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_wf_08_counts_turn_at_the_projects_midnight() -> None:
    # Monday, half past midnight in Berlin: Sunday's label is of another day and another week.
    now = datetime(2026, 3, 29, 22, 40, tzinfo=UTC)
    assert today_and_this_week(LABELS[:2], now, BERLIN) == (1, 1)
    assert today_and_this_week(LABELS[:2], now, "UTC") == (2, 2)


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        day_of(datetime(2026, 3, 29), BERLIN)  # noqa: DTZ001


@given(MOMENTS, st.integers(-12, 14))
def test_the_same_moment_in_another_zone_is_on_the_same_day(at: datetime, hours: int) -> None:
    elsewhere = at.astimezone(timezone(timedelta(hours=hours)))
    assert day_of(elsewhere, BERLIN) == day_of(at, BERLIN)
    assert week_of(elsewhere, BERLIN) == week_of(at, BERLIN)


@given(st.lists(MOMENTS, max_size=20), MOMENTS)
def test_what_is_of_today_is_of_this_week(moments: list[datetime], now: datetime) -> None:
    today, week = today_and_this_week([*moments, now], now, BERLIN)
    assert 1 <= today <= week <= len(moments) + 1
