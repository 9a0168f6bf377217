from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.pace import FEWEST, RECENT, a_pair, pace_of, roughly, time_left

SECONDS = st.integers(0, 100_000)


def minutes_in(words: str) -> int:
    found = re.fullmatch(r"(?:(\d+) h)? ?(?:(\d+) min)?", words)
    assert found is not None, words
    return 60 * int(found[1] or 0) + int(found[2] or 0)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "1 min"),
        (89, "1 min"),
        (90, "2 min"),
        (9 * 60 + 29, "9 min"),
        (9 * 60 + 31, "10 min"),
        (12 * 60, "10 min"),
        (13 * 60, "15 min"),
        (58 * 60, "1 h"),
        (64 * 60, "1 h"),
        (112 * 60, "1 h 50 min"),
        (10 * 3600 - 1, "10 h"),
        (13.4 * 3600, "13 h"),
    ],
)
def test_time_is_said_roughly(seconds: float, words: str) -> None:
    assert roughly(seconds) == words


@given(SECONDS)
def test_rough_words_are_off_by_half_a_step_at_most(seconds: int) -> None:
    said = 60 * minutes_in(roughly(seconds))
    assert abs(said - seconds) <= max(60, 0.21 * seconds)


@given(SECONDS, SECONDS)
def test_more_time_never_reads_as_less(one: int, other: int) -> None:
    shorter, longer = sorted((one, other))
    assert minutes_in(roughly(shorter)) <= minutes_in(roughly(longer))


def test_time_is_not_negative() -> None:
    with pytest.raises(ValueError, match="not negative"):
        roughly(-1)


def test_one_long_lunch_does_not_change_the_pace() -> None:
    assert pace_of([160, 170, 180, 3600, 150], []) == 170


def test_the_rubric_comes_first_then_all_votes_then_silence() -> None:
    assert pace_of([100] * FEWEST, [900] * 9) == 100
    assert pace_of([], [900] * FEWEST) == 900
    assert pace_of([], []) is None
    assert time_left(None, 40) == ""


def test_four_votes_tell_no_pace_of_the_rest() -> None:
    assert pace_of([5] * 4, [5] * 4) is None
    assert pace_of([5] * 4, [*[5] * 4, *[100] * 5]) == 100


def test_only_the_last_votes_count() -> None:
    assert pace_of([60] * RECENT + [900] * 100, []) == 60


@given(st.lists(st.integers(0, 10_000), max_size=60), st.lists(st.integers(0, 10_000), max_size=60))
def test_the_pace_lies_among_the_votes_it_is_of(rubric: list[int], all_votes: list[int]) -> None:
    found = pace_of(rubric, all_votes)
    used = next((one[:RECENT] for one in (rubric, all_votes) if len(one) >= FEWEST), [])
    assert (found is None) == (not used)
    if found is not None:
        assert min(used) <= found <= max(used)


@given(st.floats(1, 3600), st.integers(1, 400))
def test_more_pairs_never_take_less_time(pace: float, pairs: int) -> None:
    assert minutes_in(time_left(pace, pairs)) <= minutes_in(time_left(pace, pairs + 1))


def test_forty_pairs_at_165_seconds() -> None:
    assert time_left(165, 40) == "1 h 50 min"
    assert time_left(165, 0) == ""


@pytest.mark.parametrize(
    ("pace", "words"), [(0, "10 s"), (44, "40 s"), (45, "50 s"), (89, "90 s"), (165, "3 min")]
)
def test_a_pace_is_said_roughly(pace: float, words: str) -> None:
    assert a_pair(pace) == words
