"""Safe HTML to the text that is read, and marks over it. The browser's own `textContent` is held
against this in tests/browser/test_readable.py."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.rendering import render, source
from annotate.rendering.readable import Mark, readable, with_marks

SAMPLES = {
    "words": "One two three.",
    "entities": "AT&T says <b>\"no\"</b> & 'yes'; &copy; &lt;",
    "astral": "Flags 🇩🇪 and 👩‍👩‍👧, then 𝒳.",
    "rtl": "שלום **עולם** and مرحبا",
    "table": "| item | price |\n|:--|--:|\n| hose | `$5` |\n| tap | **$7** |",
    "lists": "1. one\n   - two\n     - three\n2. four\n\n   a paragraph",
    "code": "```python\ndef f(x):\n\n    return '<tag>' if x & 1 else \"\"\n```",
    "formula": "With $a_1 + b_2$ there, and\n\n$$x^2$$\n\nthe end.",
    "not drawn": r"A wrong one: $\frobnicate{x}$ stays as it is.",
    "quote": "> said\n> he\n>\n> > again",
    "image": "![a cat](https://example.invalid/cat.png) beside",
    "breaks": "line one\nline two  \nline three\n\n---\n\nafter",
    "controls": "red \x1b[31mtext\x1b[0m and a\x00nul",
    "nothing": "",
}


def visible(html: str) -> str:
    """The text without our code: no tag of these samples has a “>” in its attributes."""
    from html import unescape

    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL)))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_text_is_what_stands_between_the_tags(name: str) -> None:
    html = render(SAMPLES[name])
    assert readable(html) == visible(html)


def test_formulas_and_extras_for_screen_readers_count_as_nothing() -> None:
    assert readable(render("With $a$ there.")) == "With  there.\n"
    html = (
        '<p>a<span class="note vh"><b>for <svg aria-label="x>y"><path d="M"/></svg></b></span>b</p>'
    )
    assert readable(html) == "ab"
    assert readable('<p title="vh">a<span class="vhs">b</span></p>') == "ab"


def test_a_verbatim_text_keeps_its_first_line_breaks() -> None:
    """The browser drops one line break of <pre>: ours."""
    assert readable(source("\n\nafter two")) == "\n\nafter two"
    assert readable(source("a < b")) == "a < b"


def test_quoted_attributes_may_hold_what_looks_like_the_end_of_a_tag() -> None:
    assert readable('<a href="https://x.invalid/?a>b">link</a> on') == "link on"


def marked(html: str) -> list[tuple[str, str]]:
    """Each mark: the checks it names, and its text."""
    return [
        (names, visible(text))
        for names, text in re.findall(
            r'<mark class="evidence[^"]*" data-check="([^"]*)"[^>]*>(.*?)</mark>', html, re.DOTALL
        )
    ]


def test_a_mark_stands_around_its_place() -> None:
    html = with_marks("<p>One two three.</p>\n", [Mark(4, 7, "C2", by="<Bo>")])
    assert html == (
        '<p>One <mark class="evidence" data-check="C2" data-starts="C2 &lt;Bo&gt;"'
        ' title="Evidence for C2 (&lt;Bo&gt;)">two</mark> three.</p>\n'
    )


def test_a_mark_that_crosses_elements_stands_in_each_and_starts_once() -> None:
    html = with_marks("<p>One <b>two</b></p>\n<p>three</p>", [Mark(0, 13, "C1")])
    assert marked(html) == [("C1", "One "), ("C1", "two"), ("C1", "three")]
    assert html.count("data-starts") == 1


def test_where_marks_overlap_the_stretch_they_share_names_both() -> None:
    html = with_marks("<p>One two three.</p>", [Mark(0, 7, "C1"), Mark(4, 13, "C2", fails=True)])
    assert marked(html) == [("C1", "One "), ("C1 C2", "two"), ("C2", " three")]
    assert html.count('data-starts="C2"') == 1
    assert html.count("is-fail") == 2


def test_two_checks_on_one_place_share_a_mark() -> None:
    html = with_marks("<p>One two</p>", [Mark(0, 3, "G1"), Mark(0, 3, "C2"), Mark(0, 3, "G1")])
    assert marked(html) == [("G1 C2", "One")]
    assert 'data-starts="G1 C2"' in html


def test_raters_who_chose_the_same_stretch_are_named_together() -> None:
    marks = [Mark(0, 3, "C2", by="Ann"), Mark(0, 3, "C2", by="Bo"), Mark(0, 3, "G1", by="Bo")]
    html = with_marks("<p>One two</p>", marks)
    assert 'data-check="C2 G1" data-starts="C2 Ann, Bo G1 Bo"' in html
    assert 'title="Evidence for C2 (Ann, Bo), G1 (Bo)"' in html


def test_layout_between_rows_and_blocks_gets_no_mark() -> None:
    html = render(SAMPLES["table"])
    whole = with_marks(html, [Mark(0, len(readable(html)), "C1")])
    assert not re.search(r"<(?:table|thead|tbody|tr)\b[^>]*>\s*<mark", whole)
    assert [text for _, text in marked(whole)] == ["item", "price", "hose", "$5", "tap", "$7"]


def test_what_lies_outside_the_text_is_not_shown() -> None:
    assert with_marks("<p>ab</p>", [Mark(7, 9, "C1")]) == "<p>ab</p>"
    assert with_marks("<p>ab</p>", []) == "<p>ab</p>"


def test_a_name_is_never_html() -> None:
    html = with_marks("<p>ab</p>", [Mark(0, 1, '"><b>', by='"><i>', id='"><u>')])
    assert "<b>" not in html
    assert "<i>" not in html
    assert "<u>" not in html


def test_each_mark_can_be_led_to() -> None:
    html = with_marks("<p>abc</p>", [Mark(0, 2, "C1", id="e1"), Mark(1, 2, "C2", id="e2")])
    assert html.index('id="e1"') < html.index('id="e2"') < html.index(">b<")


texts = st.one_of(
    st.sampled_from(sorted(SAMPLES.values())),
    st.lists(st.sampled_from(sorted(SAMPLES.values())), max_size=4).map("\n\n".join),
    st.text(max_size=200),
    st.text(alphabet="ab<>&\"'`*_|-# \n\\$[]()!~:1.", max_size=120),
)


@given(texts, st.lists(st.tuples(st.integers(0, 90), st.integers(1, 60)), max_size=5))
def test_marks_change_nothing_of_the_text_and_cover_what_they_should(
    text: str, places: list[tuple[int, int]]
) -> None:
    html = render(text)
    read = readable(html)
    assert read == visible(html) or ">" in text
    marks = [Mark(start, start + length, f"C{n}") for n, (start, length) in enumerate(places, 1)]
    shown = with_marks(html, marks)
    assert readable(shown) == read
    assert re.sub(r"</?mark[^>]*>", "", shown).count("<") == html.count("<")
    for mark in marks:
        wanted = "".join(read[mark.start : mark.end].split())
        covered = "".join(
            "".join(words.split()) for names, words in marked(shown) if mark.tag in names.split()
        )
        assert covered == wanted


@given(texts, st.lists(st.integers(0, 300), min_size=2, max_size=6, unique=True))
def test_marks_side_by_side_never_share_a_stretch(text: str, cuts: list[int]) -> None:
    html = render(text)
    marks = [Mark(a, b, f"C{n}") for n, (a, b) in enumerate(pairwise(sorted(cuts)))]
    assert all(" " not in names for names, _ in marked(with_marks(html, marks)))


def test_a_hundred_thousand_characters_take_no_time() -> None:
    from time import perf_counter

    html = render("word **bold** & `code`\n\n" * 6_000)
    began = perf_counter()
    read = readable(html)
    with_marks(html, [Mark(n * 1_000, n * 1_000 + 1_500, f"C{n % 5}") for n in range(50)])
    assert len(read) > 100_000
    assert perf_counter() - began < 1.5
