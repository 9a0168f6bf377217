"""What differs between two texts, word by word."""

from __future__ import annotations

import re
import time
from html import unescape
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotate.diff_panes import FOLDED_FROM, KEPT_BESIDE, diff_panes
from annotate.diffing import ENOUGH, Difference, difference, word_places, words_of
from annotate.rendering.characters import show_controls

WORDS = st.sampled_from(
    ["the", "claim", "pays", "$18,240.50", "don't", "然", "否", ".", "**", "\n"]
)
TEXT = st.lists(WORDS | st.text(max_size=4), max_size=40).map(" ".join) | st.text(max_size=60)


def of(left: str, right: str) -> Difference:
    found = difference(left, right)
    assert found is not None
    return found


def shown(found: Difference) -> list[str]:
    """Runs as `=words`, or `-left+right` where they differ."""
    return [
        f"={run.left.strip()}" if run.kind == "same" else f"-{run.left.strip()}+{run.right.strip()}"
        for run in found.runs
    ]


# ---- Nothing is lost or invented


@settings(deadline=None, max_examples=400)
@given(TEXT, TEXT)
@example("", "")
@example(" \n", "\t")
@example("a b", "a b ")
@example("one two three. four", "one two three. one two three. four")
def test_without_what_was_put_in_or_left_out_either_text_comes_back(left: str, right: str) -> None:
    found = difference(left, right)
    if found is None:
        return
    assert "".join(run.left for run in found.runs) == left
    assert "".join(run.right for run in found.runs) == right
    for run in found.runs:
        if run.kind == "same":
            assert words_of(run.left) == words_of(run.right)
            assert run.words == len(words_of(run.left))


@settings(deadline=None, max_examples=200)
@given(TEXT, st.data())
def test_a_text_is_compared_with_itself_changed_here_and_there(
    text: str, data: st.DataObject
) -> None:
    words = text.split(" ")
    for _ in range(min(len(words) // 8, 3)):
        words[data.draw(st.integers(0, len(words) - 1))] = data.draw(WORDS)
    other = " ".join(words)
    found = difference(text, other)
    if found is not None:
        assert "".join(run.left for run in found.runs) == text
        assert "".join(run.right for run in found.runs) == other
        assert ENOUGH <= found.ratio <= 1


@settings(deadline=None, max_examples=200)
@given(TEXT, TEXT)
def test_which_text_stands_left_changes_nothing_but_the_sides(left: str, right: str) -> None:
    """Else the difference would tell which of the two the program holds as its first."""
    one, other = difference(left, right), difference(right, left)
    assert (one is None) == (other is None)
    if one and other:
        assert [(run.kind, run.right, run.left) for run in one.runs] == [
            (run.kind, run.left, run.right) for run in other.runs
        ]
        assert one.ratio == other.ratio


@given(TEXT)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    found = of(text, text)
    assert (found.changes, found.ratio) == (0, 1.0)


# ---- What a reader sees


def test_only_the_words_that_differ_are_changes() -> None:
    left = "The policy pays $18,240.50 for the roof. Send the form by Friday."
    right = "The policy pays $18,420.50 for the roof. Please send the form by Friday."
    assert shown(of(left, right)) == [
        "=The policy pays $",
        "-18,240.50+18,420.50",
        "=for the roof.",
        "-Send+Please send",
        "=the form by Friday.",
    ]


def test_white_space_is_no_difference() -> None:
    assert of("one two\n\nthree", "one  two three\n").changes == 0


def test_a_moved_sentence_leaves_one_place_and_appears_in_the_other() -> None:
    left = "First we look. Then we think hard. Last we act."
    right = "Then we think hard. Last we act. First we look."
    assert shown(of(left, right)) == [
        "-First we look.+",
        "=Then we think hard. Last we act.",
        "-+First we look.",
    ]


def test_a_mere_comma_between_two_changes_is_no_common_ground() -> None:
    left = "It names cause, date and sum in one line for all to see."
    right = "It names who, when and sum in one line for all to see."
    assert shown(of(left, right))[1] == "-cause, date+who, when"


def test_chinese_is_compared_by_the_character() -> None:
    assert shown(of("然而他不会来", "然而她不会来")) == ["=然而", "-他+她", "=不会来"]


def test_texts_with_less_than_half_of_their_words_in_common_are_not_compared() -> None:
    assert difference("one two three four", "one six seven eight") is None
    assert difference("one two three four", "one two seven eight") is not None
    assert difference("", "anything") is None
    assert of("", "").changes == 0


# ---- Long and hostile texts


def _prose(random: Random, count: int) -> str:
    """Words as frequent as in a language (Zipf), in sentences of seventeen."""
    words = random.choices(range(3_000), [1 / (n + 1) for n in range(3_000)], k=count)
    return "".join(f"w{word}{'. ' if n % 17 == 16 else ' '}" for n, word in enumerate(words))


def _changed(random: Random, text: str, share: float) -> str:
    return " ".join("new" if random.random() < share else word for word in text.split(" "))


def _letters(random: Random, count: int) -> str:
    """Two words alone: what costs difflib most."""
    sentence = "".join(random.choice("xy") + " " for _ in range(240))
    return "".join(f"{sentence} part {n} ends here . " for n in range(count))


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6])
def test_long_texts_take_a_fraction_of_a_second(share: float) -> None:
    random = Random(1)
    text = _prose(random, 20_000)
    other = _changed(random, text, share)
    start = time.process_time()
    found = diff_panes(text, other)
    assert time.process_time() - start < 2
    assert found.in_order == (share < 0.5)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x\n" * 50_000, "x\n" * 49_000),
        ("x y\n" * 25_000, "y x\n" * 25_000),
        ("x" * 100_000, "x" * 100_000 + " END"),
        (". " * 50_000, ". " * 40_000 + "end"),
        ("\n" * 100_000, "\n" * 99_999 + "a"),
    ],
)
def test_the_worst_texts_are_answered_in_seconds(left: str, right: str) -> None:
    start = time.process_time()
    diff_panes(left, right)
    assert time.process_time() - start < 3


def test_a_text_of_two_words_is_answered_in_seconds() -> None:
    random = Random(1)
    left, right = _letters(random, 60), _letters(random, 60)
    start = time.process_time()
    diff_panes(left, right)
    assert time.process_time() - start < 5


# ---- As HTML


def text_of(html: str) -> str:
    """What the pane shows of its own text: without elements and what they say beside it."""
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<summary>[^<]*</summary>", "", html)))


@settings(deadline=None, max_examples=200)
@given(TEXT, TEXT)
@example("<img src=x onerror=probe()> & a b", "<img src=x onerror=probe()> & a c")
@example("a \x1b[31m b c\r\nd", "a \x1b[31m b c\rd")
def test_each_pane_holds_its_whole_text_escaped_once(left: str, right: str) -> None:
    found = diff_panes(left, right)
    for html, text in ((found.left, left), (found.right, right)):
        assert text_of(html) == show_controls(text, marks=True)
        tags = set(re.findall(r"<(\w+)", html))
        assert tags <= {"div", "mark", "b", "span", "details", "summary"}


def test_both_panes_number_their_changes_alike() -> None:
    found = diff_panes("alpha two three four five six", "one two three four five six seven")
    assert found.changes == 2
    numbers = [re.findall(r'data-n="(\d+)"', html) for html in (found.left, found.right)]
    assert numbers == [["1", "2"], ["1", "2"]]
    assert '<mark class="only-here" data-n="1">alpha</mark>' in found.left
    assert '<span class="only-there" data-n="2"' in found.left
    assert found.percent_same == 77


def test_a_single_difference_in_a_long_text_is_never_called_all_the_same() -> None:
    text = _prose(Random(2), 2_000)
    found = diff_panes(text + "end", text + "END")
    assert found.percent_same == 99


def test_a_long_stretch_that_is_alike_is_folded_but_for_what_stands_beside_a_change() -> None:
    same = "".join(f"word{n} " for n in range(FOLDED_FROM + 10))
    found = diff_panes(f"old {same}tail end x", f"new {same}tail end y")
    for html in (found.left, found.right):
        folded = re.findall(r"<summary>(\d+) words alike</summary>([^<]*)<", html)
        [(count, text)] = folded
        assert int(count) == len(word_places(text)) == FOLDED_FROM + 12 - 2 * KEPT_BESIDE
