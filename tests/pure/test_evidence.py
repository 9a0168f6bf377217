"""The `evidence` field of a ballot: what stands, what is refused and in which words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.ballot import Ballot, Check, Order
from annotate.evidence import (
    MAX_FIELD,
    MAX_PASSAGES,
    MAX_QUOTE,
    Passage,
    as_field,
    canonical,
    in_order,
    kept,
    place_of,
    read,
    seen,
    short,
    without,
)

SIDES = ("Left", "Right")
BALLOT = Ballot(
    checks=(
        Check("G1", "gate", ("pass", "fail"), False, SIDES),
        Check("C2", "criterion", ("yes", "no"), True, SIDES),
        Check("C3", "criterion", ("yes", "no"), False, ("",)),
    ),
    preference=(),
    ask_after_gate=False,
)
TEXTS = {"Left": "The hose parted at the crimp. 😀 It leaked.", "Right": "Water " * 1_000}


def passage(check: str, side: str, quote: str) -> Passage:
    start = TEXTS[side].index(quote)
    return Passage(check, side, start, start + len(quote), quote)


def row(**changes: Any) -> dict[str, Any]:
    return {"check": "C2", "side": "Left", "start": 4, "end": 8, "quote": "hose", **changes}


def refusal(*rows: Any) -> str:
    reading = read(json.dumps(list(rows)), BALLOT, TEXTS)
    assert reading.passages == ()
    return reading.problem


def test_what_is_written_is_read_again() -> None:
    given = (passage("C2", "Left", "hose"), passage("G1", "Right", "Water"))
    reading = read(as_field(given), BALLOT, TEXTS)
    assert (reading.passages, reading.given, reading.problem) == (given, given, "")
    assert as_field(()) == ""
    assert read("", BALLOT, TEXTS).passages == ()


def test_places_are_code_points() -> None:
    leaked = passage("C2", "Left", "leaked")
    assert leaked.start == 35
    assert read(as_field([leaked]), BALLOT, TEXTS).passages == (leaked,)


def test_a_check_about_the_whole_pair_takes_evidence_from_either_side() -> None:
    given = (passage("C3", "Left", "hose"), passage("C3", "Right", "Water"))
    assert read(as_field(given), BALLOT, TEXTS).passages == given


def test_each_passage_counts_once_in_the_order_of_the_text_then_of_the_rubric() -> None:
    hose, crimp = passage("C2", "Left", "hose"), passage("C2", "Left", "crimp")
    gate, right = passage("G1", "Left", "hose"), passage("G1", "Right", "Water")
    assert in_order([right, crimp, hose, gate, hose], BALLOT) == (gate, hose, crimp, right)


def test_an_unknown_check_is_refused() -> None:
    assert refusal(row(check="C9")) == "Evidence for “C9”: no such check is asked here."


def test_an_unknown_side_is_refused() -> None:
    for side in ("A", "Middle", ""):
        assert f"“{side}” is no response. It is Left or Right." in refusal(row(side=side))


@pytest.mark.parametrize(
    "field", ["{", "no", "[" * 100_000, "[1e999,", '[{"start": ' + "9" * 5_000]
)
def test_what_is_no_json_is_refused(field: str) -> None:
    assert read(field, BALLOT, TEXTS).problem == (
        "The evidence did not arrive whole: select the passages again."
    )


@pytest.mark.parametrize("field", ["{}", '"C2"', "7", "null", "NaN"])
def test_what_is_no_list_is_refused(field: str) -> None:
    assert "not a list of passages" in read(field, BALLOT, TEXTS).problem


@pytest.mark.parametrize(
    "bad",
    [
        7,
        None,
        [],
        {},
        row(start=True, end=True),
        row(start="4"),
        row(end=8.0),
        row(check=None),
        row(quote=["hose"]),
        row(side=1),
    ],
)
def test_a_row_that_lacks_something_is_refused(bad: object) -> None:
    assert "did not arrive whole" in refusal(bad)


def test_too_many_are_refused_and_none_is_lost() -> None:
    rows = [row(start=n, end=n + 1, quote=TEXTS["Right"][n], side="Right") for n in range(61)]
    rows = [one for one in rows if one["quote"].strip()]
    assert len(rows) == 51
    reading = read(json.dumps(rows), BALLOT, TEXTS)
    assert reading.problem.startswith(f"Keep the evidence to {MAX_PASSAGES} passages: there are 51")
    assert len(reading.given) == 51


def test_a_passage_that_is_too_long_is_refused() -> None:
    text = TEXTS["Right"]
    long = row(side="Right", start=0, end=MAX_QUOTE + 1, quote=text[: MAX_QUOTE + 1])
    assert "is too long: 2,001 characters, at most 2,000." in refusal(long)
    just = row(side="Right", start=0, end=MAX_QUOTE - 1, quote=text[: MAX_QUOTE - 1])
    assert read(json.dumps([just]), BALLOT, TEXTS).problem == ""
    assert "is too long" in refusal(row(quote="x" * 5_000))


def test_an_empty_passage_is_refused() -> None:
    for empty in (row(end=4), row(start=8, end=4), row(quote=""), row(start=3, end=4, quote=" ")):
        assert refusal(empty) == "The evidence for C2 in Left is empty: select some text."


def test_a_passage_outside_the_text_is_refused() -> None:
    words = "lies outside the text, which has 42 characters."
    assert words in refusal(row(start=40, end=43, quote="ked"))
    assert words in refusal(row(start=-3, end=1, quote="hose"))
    assert words in refusal(row(start=10**30, end=10**30 + 4))


def test_a_quote_that_stands_elsewhere_or_nowhere_is_refused() -> None:
    assert "“hose”, does not stand at its place" in refusal(row(start=5, end=9))
    assert "“boot”, does not stand at its place" in refusal(row(quote="boot"))


def test_one_refused_passage_leaves_the_others_standing_and_all_of_them_given() -> None:
    field = json.dumps([row(), row(quote="boot"), row(check="C9")])
    reading = read(field, BALLOT, TEXTS)
    assert reading.passages == (passage("C2", "Left", "hose"),)
    assert set(reading.refused) == {2, 3}
    assert [one.quote for one in reading.given] == ["hose", "boot", "hose"]


def test_half_characters_can_be_said_and_stored() -> None:
    field = '[{"check":"C2","side":"Left","start":4,"end":8,"quote":"\\ud83d\\u0000x"}]'
    reading = read(field, BALLOT, TEXTS)
    assert reading.problem.encode()
    assert reading.given[0].quote == "?\ufffdx"


def test_a_draft_keeps_the_field_as_it_came() -> None:
    assert kept('[{"stale": 1}]') == '[{"stale": 1}]'
    assert kept("[]") == kept(None) == kept("  ") == ""
    long = kept("x" * (MAX_FIELD * 2))
    assert "too long" in read(long, BALLOT, TEXTS).problem


def test_a_passage_is_taken_away_by_its_place() -> None:
    hose, water = passage("C2", "Left", "hose"), passage("G1", "Right", "Water")
    field = as_field([hose, water])
    assert without(field, "1") == as_field([water])
    assert without(field, "3") == without(field, "x") == field
    assert without(without(field, "1"), "1") == ""
    assert without(field, "all") == without("{", "all") == ""
    assert without("{", "1") == "{"


def test_a_text_rendered_anew_gives_a_quote_back_where_it_stands_once() -> None:
    hose = passage("C2", "Left", "hose")
    assert place_of(hose, TEXTS["Left"]) == (4, 8)
    assert place_of(hose, "A hose") == (2, 6)
    assert place_of(hose, "hose and hose") is None
    assert place_of(hose, "none") is None
    assert place_of(Passage("C2", "Left", 4, 8, ""), "none") is None


def test_a_quote_is_shown_on_one_line() -> None:
    assert short("one\n\n two") == "one two"
    assert short("word " * 40) == ("word " * 12).strip()[:59] + "…"


passages = st.builds(
    Passage,
    check=st.sampled_from(["G1", "C2", "C3"]),
    side=st.sampled_from(SIDES),
    start=st.integers(0, 20),
    end=st.integers(0, 20),
    quote=st.text(max_size=20),
)


@given(st.lists(passages, max_size=8), st.sampled_from(["AB", "BA"]))
def test_what_is_stored_is_what_was_seen(made: list[Passage], order: Order) -> None:
    stored = canonical(made, order)
    assert {one.side for one in stored} <= {"A", "B"}
    assert list(seen(stored, order)) == made
    for before, after in zip(made, stored, strict=True):
        assert after.side == order[SIDES.index(before.side)]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["check", "side", "start", "end", "quote"]), inner)
        ),
    )
)
def test_whatever_arrives_is_read_or_refused_in_words(value: object) -> None:
    reading = read(json.dumps(value), BALLOT, TEXTS)
    assert reading.passages == () or not reading.refused
    assert reading.problem or value == []


@given(st.lists(st.tuples(st.integers(0, 42), st.integers(0, 42)), max_size=6))
def test_every_true_stretch_of_the_text_stands(places: list[tuple[int, int]]) -> None:
    text = TEXTS["Left"]
    made = [Passage("C2", "Left", a, b, text[a:b]) for a, b in places if text[a:b].strip()]
    reading = read(as_field(made), BALLOT, TEXTS)
    assert reading.problem == ""
    assert set(reading.passages) == set(made)
    assert list(reading.passages) == sorted(reading.passages, key=lambda one: (one.start, one.end))
