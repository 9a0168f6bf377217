"""What is proposed after three rounds below the bar, and from what it is read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.proposals import (
    ROUNDS,
    Case,
    Facing,
    below_in_a_row,
    facing,
    line_of,
    propose,
)
from rubrics.document import Rubric, parse

PLAIN = Case("C2", "The first sentence names the cause of loss.", below=3)
TWO_QUESTIONS = "Lists every open item and names an owner."
MEASURED = "The summary has at most 150 words."


def test_nothing_is_proposed_before_the_third_round() -> None:
    assert propose(replace(PLAIN, below=2, text=TWO_QUESTIONS)) is None
    assert propose(replace(PLAIN, below=3, text=TWO_QUESTIONS)) is not None


@pytest.mark.parametrize(
    ("case", "way", "why"),
    [
        (replace(PLAIN, text=TWO_QUESTIONS), "split", "asks two things at once"),
        (replace(PLAIN, text=TWO_QUESTIONS, was_split=True), "split", "at once again"),
        (replace(PLAIN, text=MEASURED), "automatic", "can be measured by code"),
        (
            replace(PLAIN, facing=Facing(splits=7, same=5, cited=4)),
            "ruling",
            "the same two raters stand on opposite sides in 5 of 7 splits and both cite it",
        ),
        (
            replace(PLAIN, facing=Facing(splits=7, same=5, cited=1)),
            "ruling",
            "the same two raters differ in 5 of 7 splits",
        ),
        (replace(PLAIN, wordings=3), "ruling", "3 wordings have not settled it"),
        (PLAIN, "ruling", "nothing in its wording can be split or measured"),
    ],
)
def test_the_way_follows_from_what_is_known(case: Case, way: str, why: str) -> None:
    found = propose(case)
    assert found is not None
    assert found.way == way
    assert why in found.why
    assert found.sentence.startswith("C2 has stayed below the bar for 3 rounds: ")


def test_what_raters_argue_weighs_more_than_the_wording() -> None:
    argued = Facing(splits=5, same=5, cited=5)
    found = propose(replace(PLAIN, text=TWO_QUESTIONS, facing=argued))
    assert found is not None
    assert found.way == "ruling"
    silent = propose(replace(PLAIN, text=TWO_QUESTIONS, facing=replace(argued, cited=0)))
    assert silent is not None
    assert silent.way == "split"


@given(
    st.builds(
        Case,
        key=st.sampled_from(["G1", "C2"]),
        text=st.text(max_size=80),
        below=st.integers(0, 9),
        wordings=st.integers(1, 5),
        was_split=st.booleans(),
        facing=st.builds(
            Facing, splits=st.integers(0, 9), same=st.integers(0, 9), cited=st.integers(0, 9)
        ),
    )
)
def test_every_long_case_gets_one_way_with_its_reason(case: Case) -> None:
    found = propose(case)
    assert (found is not None) == (case.below >= ROUNDS)
    if found is not None:
        assert found.why.startswith("since ")
        assert str(case.below) in found.sentence


# ---- Who faces whom


def test_splits_that_follow_one_line_are_counted_with_their_citations() -> None:
    units = [
        {1: ("yes", True), 2: ("no", True), 3: ("yes", False)},
        {1: ("yes", True), 2: ("no", False), 3: ("yes", False)},
        {1: ("yes", True), 2: ("no", True), 3: ("no", False)},
        {1: ("yes", False), 2: ("yes", False), 3: ("yes", False)},
    ]
    assert facing(units) == Facing(splits=3, same=3, cited=2)


def test_whoever_changes_sides_stands_on_none() -> None:
    units = [{1: ("yes", True), 2: ("no", True)}, {1: ("no", True), 2: ("yes", True)}]
    assert facing(units) == Facing(splits=2, same=1, cited=1)


@given(
    st.lists(
        st.dictionaries(
            st.integers(1, 4), st.tuples(st.sampled_from(["yes", "no", "na"]), st.booleans())
        )
    )
)
def test_no_more_are_cited_than_are_the_same_and_no_more_of_those_than_splits(
    units: list[dict[int, tuple[str, bool]]],
) -> None:
    found = facing([dict(unit) for unit in units])
    assert 0 <= found.cited <= found.same <= found.splits <= len(units)


# ---- Lines over versions


def rubric(criteria: str) -> Rubric:
    return parse(f"task: t\ncriteria:\n{criteria}").rubric


def test_a_line_follows_names_splits_and_merges() -> None:
    first = rubric("  - {id: C1, check: One.}\n  - {id: C2, check: Two.}\n")
    merged = rubric("  - {id: C3, check: Both., lineage: {merged_from: [C1, C2]}}\n")
    split = rubric(
        "  - {id: C4, check: A., lineage: {split_from: [C3]}}\n"
        "  - {id: C5, check: B., lineage: {split_from: [C3]}}\n"
    )
    assert line_of("C5", [first, merged, split]) == [("C5",), ("C3",), ("C1", "C2")]


def test_a_line_ends_where_the_check_was_new() -> None:
    first = rubric("  - {id: C1, check: One.}\n")
    second = rubric("  - {id: C1, check: One.}\n  - {id: C2, check: Two.}\n")
    assert line_of("C2", [first, second]) == [("C2",), ()]
    assert line_of("C2", []) == []


@pytest.mark.parametrize(
    ("alphas", "below"),
    [
        ([0.5, 0.6, 0.7], 3),
        ([0.5, 0.9, 0.7], 1),
        ([0.5, 0.6, 0.8], 0),
        ([0.5, None, 0.7], 2),
        ([None, None], 0),
        ([], 0),
    ],
)
def test_rounds_below_the_bar_are_counted_from_the_latest(
    alphas: list[float | None], below: int
) -> None:
    assert below_in_a_row(alphas, 0.8) == below


@given(st.lists(st.none() | st.floats(-1, 1)), st.floats(0, 1))
def test_what_is_undefined_neither_counts_nor_breaks_a_row(
    alphas: list[float | None], bar: float
) -> None:
    defined: list[float | None] = [alpha for alpha in alphas if alpha is not None]
    assert below_in_a_row(alphas, bar) == below_in_a_row(defined, bar)
