"""Texts of 100,000 characters, and the rendering cases where they speak of a browser."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.labelling import path_of, press
from tests.browser.reading import ANSWERING, LENGTH, LONG, MEASURE, VIEWS, assignment_with
from tests.making import make_member, make_project

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = pytest.mark.django_db(transaction=True)

# What a key may cost beside 100,000 characters, in turns of the same key beside a short text: the
# machine may be busy, and is so for both. The figure itself is measured by benchmarks/reading.py.
AT_MOST = 12
# Below this a frame is a frame, whatever it is divided by.
LEAST_MS = 16


def test_re_05_one_long_word_moves_nothing_out_of_reach(
    transactional_db: None,
    signed_in: OpenPage,
    live_server: LiveServer,
    project: Project,
    expert: User,
) -> None:
    right = "short \x1b[31mred\x1b[0m\n\n```\n" + "y" * 2_000 + "\n```"
    assignment = assignment_with(project, expert, LONG["no blank"], right)
    page = signed_in(expert)
    # Rendered ahead, as a round's job does.
    page.request.get(path_of(assignment))
    start = time.monotonic()
    page.goto(path_of(assignment), wait_until="commit")
    page.wait_for_function("() => document.querySelector('#ballot[data-ready]')")
    press(page, "f")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")
    print(f"time to interactive {time.monotonic() - start:.2f} s")
    assert time.monotonic() - start < 2 * 3  # two seconds on a machine of its own

    widths = "() => [document.documentElement.scrollWidth, innerWidth]"
    assert page.evaluate(widths) == [1280, 1280]
    panes = [page.locator(f"#text-{side}").bounding_box() for side in ("Left", "Right")]
    assert panes[0] is not None
    assert panes[1] is not None
    assert panes[0]["width"] == panes[1]["width"]
    expect(page.locator("#send")).to_be_in_viewport(ratio=1)
    pane = page.locator("#text-Left")
    assert pane.evaluate("(pane) => pane.scrollWidth <= pane.clientWidth")
    pane.evaluate("(pane) => { pane.scrollTop = pane.scrollHeight; }")
    assert pane.evaluate(
        """(pane) => {
            const range = document.createRange(), text = pane.querySelector("p").lastChild;
            range.setStart(text, text.length - 3);
            range.setEnd(text, text.length);
            const end = range.getBoundingClientRect(), box = pane.getBoundingClientRect();
            return `${range}` === "END" && end.bottom <= box.bottom && end.right <= box.right;
        }"""
    )
    expect(page.locator("#text-Right")).to_contain_text("␛[31mred␛[0m")
    code = page.locator("#text-Right .code")
    assert code.evaluate("(code) => code.scrollWidth > code.clientWidth")
    assert page.locator("#text-Right").evaluate("(pane) => pane.scrollWidth <= pane.clientWidth")
    press(page, "v")
    expect(page.locator("#text-Left > .view-source")).to_be_visible()
    assert pane.evaluate("(pane) => pane.scrollWidth <= pane.clientWidth")
    assert page.evaluate(widths) == [1280, 1280]


def test_re_03_formulas_are_drawn_and_amounts_stay_words(
    transactional_db: None,
    signed_in: OpenPage,
    live_server: LiveServer,
    project: Project,
    expert: User,
) -> None:
    text = (
        "Price rose from $5 to $7 (a 40% gain). With $a_1 + b_2 = c_3$ and "
        "$$x_{n+1} = x_n * r * (1 - x_n)$$ and \\(f_*=g_*\\). Also \\$3. "
        "Wrong: $\\frac{1$. The rest."
    )
    page = signed_in(expert)
    page.goto(path_of(assignment_with(project, expert, text, "Short.", context=text)))
    press(page, "p")
    for place in (page.locator("#text-Left"), page.locator(".file-context")):
        drawn = place.locator("svg.formula")
        assert [one.get_attribute("aria-label") for one in drawn.all()] == [
            "a_1 + b_2 = c_3",
            "x_{n+1} = x_n * r * (1 - x_n)",
            "f_*=g_*",
        ]
        expect(drawn.first).to_be_visible()
        expect(place).to_contain_text("$5 to $7 (a 40% gain)")
        expect(place).to_contain_text("$3")
        expect(place.locator(".formula-source")).to_have_text("$\\frac{1$")
        expect(place).to_contain_text("The rest.")
        expect(place.locator("em")).to_have_count(0)


@pytest.mark.parametrize("kind", sorted(LONG))
def test_a_key_beside_a_long_text_costs_what_it_costs_beside_a_short_one(
    transactional_db: None,
    signed_in: OpenPage,
    live_server: LiveServer,
    project: Project,
    expert: User,
    kind: str,
) -> None:
    text = LONG[kind]
    assert len(text) >= LENGTH
    other = text.replace("claim", "case").replace("line 77", "row 77")
    long = assignment_with(project, expert, text, other, context=text)
    elsewhere = make_project("short-texts")
    someone = make_member(elsewhere, "expert", username="reads_short_texts")
    short = assignment_with(elsewhere, someone, "A claim.", "A case.", context="A file.")
    pages = [signed_in(expert), signed_in(someone)]
    for page, assignment in zip(pages, (long, short), strict=True):
        page.goto(path_of(assignment))
        expect(page.locator("#ballot")).to_have_attribute("data-ready", "")
        for view in ("v", "b", "b"):
            press(page, view)
    # In turns, so that what else the machine does holds up both.
    took: list[list[list[float]]] = [[], []]
    for _ in range(3):
        for page, times in zip(pages, took, strict=True):
            page.bring_to_front()
            times.append([value for _, value in page.evaluate(MEASURE, ANSWERING + VIEWS)])
    # Of each press its best time: what else the machine did is in the others.
    long_ms, short_ms = ([min(press) for press in zip(*times, strict=True)] for times in took)
    ratios = [here / max(there, LEAST_MS) for here, there in zip(long_ms, short_ms, strict=True)]
    print(kind, f"{max(long_ms):.0f} ms at most, {max(ratios):.1f} times a short pair")
    assert max(ratios) < AT_MOST
