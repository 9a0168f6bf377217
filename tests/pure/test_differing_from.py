"""When a rater stands apart from the others, and how what they said is put into words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.decisions import margins_of
from annotate.differing_from import (
    Scale,
    measured,
    nominal,
    ordered,
    preference,
    sentence,
    stands_apart,
    told,
)

FIVE = ("A_much", "A_slight", "tie", "B_slight", "B_much")
PREFERENCE = preference(margins_of(FIVE))
ONE_TO_FIVE = ordered(("1", "2", "3", "4", "5"))

CODES = st.sampled_from(("pass", "fail", "na"))
STOPS = st.sampled_from(FIVE)
POINTS = st.sampled_from(("1", "2", "3", "4", "5", "na"))


@pytest.mark.parametrize(
    ("own", "others", "apart"),
    [
        ("pass", ["fail", "fail"], True),
        ("pass", ["fail"], True),
        ("pass", ["pass", "fail"], False),  # with one of them, against the other
        ("pass", ["na", "fail"], False),  # the others have no answer in common
        ("pass", ["fail", "fail", "pass"], True),
        ("pass", ["fail", "fail", "pass", "pass"], False),
        ("na", ["pass", "pass"], True),
        ("pass", ["na", "na"], True),
        ("pass", [], False),
    ],
)
def test_a_label_stands_apart_where_most_of_the_others_share_another(
    own: str, others: list[str], apart: bool
) -> None:
    assert stands_apart(own, others, nominal()) is apart


@pytest.mark.parametrize(
    ("own", "others", "apart"),
    [
        ("A_slight", ["B_slight", "B_slight"], True),  # two steps and another side
        ("A_much", ["A_slight", "A_slight"], False),  # the same side
        ("tie", ["A_slight", "A_slight"], False),  # another side, one step
        ("tie", ["A_much", "A_much"], True),
        ("A_slight", ["tie", "tie"], False),
        ("A_much", ["tie", "tie"], True),
        ("A_much", ["B_much", "A_much"], False),
        ("tie", ["A_much", "B_much"], False),  # the others lie on both sides
        ("A_slight", ["tie", "B_slight", "B_much"], True),  # two of three are far
        ("A_slight", ["tie", "tie", "B_much"], False),
    ],
)
def test_a_preference_stands_apart_by_side_and_by_more_than_a_step(
    own: str, others: list[str], apart: bool
) -> None:
    assert stands_apart(own, others, PREFERENCE) is apart


def test_on_three_points_a_tie_is_close_to_both_ends() -> None:
    scale = preference(margins_of(("A", "tie", "B")))
    assert not stands_apart("tie", ["A", "A"], scale)
    assert stands_apart("A", ["B", "B"], scale)


@pytest.mark.parametrize(
    ("own", "others", "apart"),
    [
        ("1", ["3", "4"], True),
        ("1", ["2", "2"], False),
        ("3", ["1", "5"], False),
        ("na", ["4", "5"], True),
        ("4", ["na", "na"], True),
        ("4", ["na", "4"], False),
        ("1", ["na", "5", "5"], True),
    ],
)
def test_on_a_longer_scale_a_step_is_close(own: str, others: list[str], apart: bool) -> None:
    assert stands_apart(own, others, ONE_TO_FIVE) is apart


def test_a_measured_value_is_close_within_a_tenth_of_its_range() -> None:
    scale = measured((0, 100), ["5", "15", "16", "na"])
    assert not stands_apart("5", ["15", "15"], scale)
    assert stands_apart("5", ["16", "16"], scale)
    assert stands_apart("na", ["16", "16"], scale)


SCALES = ((nominal(), CODES), (PREFERENCE, STOPS), (ONE_TO_FIVE, POINTS))


@given(st.data())
def test_who_agrees_with_all_others_never_stands_apart(data: st.DataObject) -> None:
    scale, codes = data.draw(st.sampled_from(SCALES))
    own = data.draw(codes)
    assert not stands_apart(own, [own] * data.draw(st.integers(0, 5)), scale)


@given(st.data())
def test_the_order_of_the_others_says_nothing(data: st.DataObject) -> None:
    scale, codes = data.draw(st.sampled_from(SCALES))
    own, others = data.draw(codes), data.draw(st.lists(codes, max_size=6))
    mixed = data.draw(st.permutations(others))
    assert stands_apart(own, others, scale) == stands_apart(own, mixed, scale)


@given(st.data())
def test_one_more_who_agrees_never_sets_anybody_apart(data: st.DataObject) -> None:
    scale, codes = data.draw(st.sampled_from(SCALES))
    own, others = data.draw(codes), data.draw(st.lists(codes, max_size=6))
    if not stands_apart(own, others, scale):
        assert not stands_apart(own, [*others, own], scale)


@given(st.data())
def test_of_two_raters_both_stand_apart_or_neither(data: st.DataObject) -> None:
    scale, codes = data.draw(st.sampled_from(SCALES))
    one, other = data.draw(codes), data.draw(codes)
    assert stands_apart(one, [other], scale) == stands_apart(other, [one], scale)


@given(STOPS, st.lists(STOPS, max_size=6))
def test_the_sides_of_a_pair_are_alike(own: str, others: list[str]) -> None:
    turned = dict(zip(FIVE, reversed(FIVE), strict=True))
    mirrored = [turned[code] for code in others]
    assert stands_apart(own, others, PREFERENCE) == stands_apart(turned[own], mirrored, PREFERENCE)


@given(st.lists(CODES, min_size=3, max_size=3))
def test_of_three_raters_at_most_one_stands_apart_on_a_label(codes: list[str]) -> None:
    apart = [
        stands_apart(own, [*codes[:n], *codes[n + 1 :]], Scale()) for n, own in enumerate(codes)
    ]
    assert sum(apart) <= 1


# ---- In words


@pytest.mark.parametrize(
    ("others", "words"),
    [
        (["fail"], "The other said fail."),
        (["fail", "fail"], "Both others said fail."),
        (["fail"] * 3, "All 3 others said fail."),
        (["fail", "pass", "fail"], "2 of the 3 others said fail, 1 pass."),
        (["a", "b", "c", "a"], "2 of the 4 others said a, 1 b, 1 c."),
    ],
)
def test_what_the_others_said_is_a_count_without_names(others: list[str], words: str) -> None:
    assert sentence(told(others)) == words


@given(st.lists(CODES, min_size=1, max_size=6))
def test_every_other_is_counted_once(others: list[str]) -> None:
    assert sum(times for _, times in told(others)) == len(others)
    assert all(answer in sentence(told(others)) for answer in others)
