from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.meeting_time import Clock

CLOCKS = st.builds(Clock, passed=st.integers(0, 10**6), minutes=st.integers(5, 240))


@pytest.mark.parametrize(
    ("passed", "minutes", "left", "here"),
    [
        (0, 60, "60:00 left", "0.00%"),
        (21 * 60 + 20, 60, "38:40 left", "35.56%"),
        (59 * 60 + 59, 60, "0:01 left", "99.97%"),
        (60 * 60, 60, "Time is up", "100.00%"),
        (60 * 60 + 59, 60, "Time is up", "100.00%"),
        (64 * 60 + 30, 60, "4 min over", "100.00%"),
    ],
)
def test_what_is_left_in_words(passed: int, minutes: int, left: str, here: str) -> None:
    assert (Clock(passed, minutes).left, Clock(passed, minutes).here) == (left, here)


@given(CLOCKS)
def test_the_ruler_runs_from_end_to_end_and_its_past_comes_first(clock: Clock) -> None:
    strokes = clock.strokes
    assert (strokes[0].x, strokes[-1].x) == ("0.00%", "100.00%")
    places = [float(stroke.x[:-1]) for stroke in strokes]
    assert places == sorted(places)
    done = [stroke.is_done for stroke in strokes]
    assert done == sorted(done, reverse=True)
    assert len(strokes) <= 92


@given(CLOCKS)
def test_the_pointer_never_leaves_the_ruler(clock: Clock) -> None:
    assert 0 <= float(clock.here[:-1]) <= 100
