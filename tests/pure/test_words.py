"""Words that every page says alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrics.document import SCALES
from rubrics.words import (
    bar_words,
    counted_noun,
    joined,
    label_words,
    listed,
    number_words,
    seen_words,
    value_words,
)

NAMES = [f"C{number}" for number in range(1, 8)]


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, ""), (1, "C1"), (2, "C1 and C2"), (3, "C1, C2 and C3"), (5, "C1, C2, C3, C4 and C5")],
)
def test_names_in_a_row_are_all_said(number: int, words: str) -> None:
    assert joined(NAMES[:number]) == words


def test_names_may_be_a_choice() -> None:
    assert joined(NAMES[:3], last="or") == "C1, C2 or C3"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, ""),
        (1, "C1"),
        (4, "C1, C2, C3 and C4"),
        (5, "C1, C2, C3 and 2 more"),
        (7, "C1, C2, C3 and 4 more"),
    ],
)
def test_a_short_sentence_names_four_at_most(number: int, words: str) -> None:
    assert listed(NAMES[:number]) == words


@pytest.mark.parametrize(("times", "words"), [(0, "0 pairs"), (1, "1 pair"), (2, "2 pairs")])
def test_one_alone_is_singular(times: int, words: str) -> None:
    assert counted_noun(times, "pair") == words


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_in_words_is_the_number(number: float) -> None:
    assert float(number_words(number)) == number


@pytest.mark.parametrize(
    ("value", "words"), [(3.0, "3"), (0.1, "0.1"), ("only_partly", "only partly"), ("yes", "yes")]
)
def test_a_value_is_written_as_people_write_it(value: str | float, words: str) -> None:
    assert value_words(value) == words


@pytest.mark.parametrize(
    ("code", "words", "seen"),
    [
        ("A_much", "A much", "Right much"),
        ("A_slight", "A slightly", "Right slightly"),
        ("tie", "tie", "tie"),
        ("B_clear", "B clearly", "Left clearly"),
        ("B", "B", "Left"),
        ("B_by_a_mile", "B by a mile", "Left by a mile"),
    ],
)
def test_a_preference_is_said_by_side_and_by_what_was_seen(
    code: str, words: str, seen: str
) -> None:
    """The rater saw B on the left."""
    assert (label_words(code), seen_words(code, "BA")) == (words, seen)


@pytest.mark.parametrize("points", SCALES)
def test_no_two_points_of_a_preference_are_said_alike(points: int) -> None:
    assert len({label_words(code) for code in SCALES[points]}) == points


@pytest.mark.parametrize(
    ("code", "words"),
    [("na", "N/A"), ("pass", "pass"), ("only_partly", "only partly"), ("slight", "slight")],
)
def test_a_label_is_said_without_its_code(code: str, words: str) -> None:
    assert label_words(code) == words


@pytest.mark.parametrize(("bar", "words"), [(0.8, "0.80"), (0.667, ".667"), (0.9, "0.90")])
def test_bars_are_written_as_people_do(bar: float, words: str) -> None:
    assert bar_words(bar) == words
