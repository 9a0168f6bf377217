"""What each of two texts says that stands nowhere in the other."""

from __future__ import annotations

import re
import time
from html import unescape
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotate.diff_panes import diff_panes
from annotate.one_sided import one_sided

WORDS = st.sampled_from(
    ["The", "claim", "claims", "paid", "$18,240.50", "18240.50", "04/11", "don't", "然", ".", "\n"]
)
TEXT = st.lists(WORDS | st.text(max_size=6), max_size=40).map(" ".join) | st.text(max_size=60)


def marked(left: str, right: str) -> list[list[str]]:
    pairs = zip((left, right), one_sided(left, right), strict=True)
    return [[text[own.start : own.end] for own in found] for text, found in pairs]


def numbers(left: str, right: str) -> list[list[str]]:
    pairs = zip((left, right), one_sided(left, right), strict=True)
    return [[text[i:j] for own in found for i, j in own.numbers] for text, found in pairs]


# ---- Rules that hold for any two texts


@settings(deadline=None, max_examples=400)
@given(TEXT, TEXT)
@example("", "04/11")
def test_marks_are_in_order_apart_and_hold_their_numbers(left: str, right: str) -> None:
    for text, found in zip((left, right), one_sided(left, right), strict=True):
        at = 0
        for own in found:
            assert at <= own.start < own.end <= len(text)
            at = own.end
            within = own.start
            for start, end in own.numbers:
                assert within <= start < end <= own.end
                within = end


@settings(deadline=None, max_examples=300)
@given(TEXT, TEXT)
def test_swapping_the_texts_swaps_the_sides(left: str, right: str) -> None:
    """Else it would tell which of the two is stored first."""
    assert one_sided(left, right) == one_sided(right, left)[::-1]


@settings(deadline=None, max_examples=300)
@given(TEXT, TEXT)
def test_what_stands_in_both_is_marked_in_neither(left: str, right: str) -> None:
    assert one_sided(left, left) == ((), ())
    # Whatever the order: a text that holds all of the other lacks nothing of it.
    own, _ = one_sided(left, f"{right}\n{left}")
    assert own == ()


# ---- What a reader sees


def test_an_amount_a_date_and_a_name_that_the_other_lacks_are_marked() -> None:
    left = "Mitigation came to $4,150 and was paid on 02/02 to North Pier."
    right = "To North Pier, paid on 2/02, mitigation came to $4,510. Okafor inspected."
    assert marked(left, right) == [["4,150"], ["4,510", "Okafor inspected"]]
    assert numbers(left, right) == [["4,150"], ["4,510"]]


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("4,510", "4510"),
        ("4,510.00", "4510"),
        ("04/11", "4/11"),
        ("the estimate", "estimates"),
        ("estimated", "estimate"),
        ("the adjuster's", "Adjuster"),
        ("the insured’s", "insured's"),
    ],
)
def test_another_spelling_is_no_difference(one: str, same: str) -> None:
    assert one_sided(one, same) == ((), ())


@pytest.mark.parametrize(("one", "other"), [("0.05", "0.5"), ("40%", "40"), ("1,5", "15")])
def test_another_number_is_one(one: str, other: str) -> None:
    assert numbers(one, other) == [[one], [other]]


def test_a_sentence_of_its_own_is_marked_as_one() -> None:
    left = "The roof leaks. Food had been left in the refrigerator since 05/07."
    own, _ = one_sided(left, "A roof that leaks.")
    assert [(one.kind, left[one.start : one.end]) for one in own] == [
        ("sentence", "Food had been left in the refrigerator since 05/07")
    ]


def test_small_words_are_no_news() -> None:
    assert marked("It is what it was, with them.", "Nobody") == [[], ["Nobody"]]


# ---- In the panes


def test_below_the_bar_the_panes_mark_what_only_their_side_says() -> None:
    left = "Paid <b>$4,150</b> in February after the audit of the invoice by Pell."
    found = diff_panes(left, "The dog tore a screen door; $4,510 is open.")
    assert not found.in_order
    assert found.changes == found.only_left + found.only_right > 0
    assert '<b class="own-number">4,150</b>' in found.left
    assert '<b class="own-number">4,510</b>' in found.right
    assert unescape(re.sub(r"<[^>]*>", "", found.left)) == left
    places = re.findall(r'data-n="(\d+)"', found.left + found.right)
    assert places == [str(n) for n in range(1, found.changes + 1)]


@pytest.mark.parametrize(
    "piece", ["word{} ", "1,", "{}/{},", "{}x", "Sentence {} here.\n", "x", "1" * 99 + "x ", "a-"]
)
def test_texts_of_100000_characters_take_a_fraction_of_a_second(piece: str) -> None:
    random = Random(1)
    left, right = (
        "".join(piece.format(random.random(), 7) for _ in range(100_000 // len(piece)))[:100_000]
        for _ in range(2)
    )
    start = time.process_time()
    one_sided(left, right)
    assert time.process_time() - start < 2
