"""What a tired hand does on the label page: the wrong key, a second thought, a press beside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.ballots import first_of, make_label_round
from tests.browser.labelling import path_of, press

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = pytest.mark.django_db(transaction=True)

DEMO = (Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "rubric.yaml").read_text()
ANSWERED = "g f j f j f j f j"


@pytest.fixture
def page(
    transactional_db: None,
    live_server: LiveServer,
    signed_in: OpenPage,
    project: Project,
    expert: User,
    other_expert: User,
) -> Page:
    batch = make_label_round(project, expert, other_expert, size=2, rubric=DEMO)
    page = signed_in(expert)
    page.goto(path_of(first_of(batch, expert, "AB")))
    expect(page.locator("#ballot")).to_have_attribute("data-ready", "")
    return page


def chosen(page: Page) -> int:
    return page.locator(".cell :checked, .stop :checked").count()


def test_undo_takes_back_answers_and_never_a_typed_text(page: Page) -> None:
    press(page, f"{ANSWERED} 2")
    text = "One. Two. Three. Four. Five."
    page.keyboard.type(text)
    press(page, "Escape u")
    expect(page.locator("#say")).to_have_text("Undone: the preference.")
    expect(page.locator("#rationale")).to_have_value(text)
    press(page, "u u")
    expect(page.locator("#say")).to_have_text("Undone: C4 Left.")
    expect(page.locator("#rationale")).to_have_value(text)
    press(page, "Shift+Tab")
    expect(page.locator("#saved")).to_contain_text("Saved")
    page.reload()
    expect(page.locator("#rationale")).to_have_value(text)


def test_the_browser_undoes_what_was_typed_and_a_citation_too(page: Page) -> None:
    press(page, "r")
    page.keyboard.type("see c2")
    expect(page.locator("#rationale")).to_have_value("see [C2]")
    press(page, "Control+z")
    expect(page.locator("#rationale")).not_to_have_value("see [C2]")
    expect(page.locator("#rationale")).not_to_have_value("")


@pytest.mark.parametrize("keys", ["Space", "f Space", "g Space", f"{ANSWERED} Space"])
def test_space_answers_nothing(page: Page, keys: str) -> None:
    before, _, _ = keys.rpartition("Space")
    press(page, before)
    answered = chosen(page)
    press(page, "Space Space")
    assert chosen(page) == answered


def test_space_scrolls_the_text_of_the_open_cell_and_the_radios_are_a_tab_away(page: Page) -> None:
    page.locator("#text-Right .prose").evaluate("(text) => { text.style.minHeight = '300vh'; }")
    press(page, "f")
    expect(page.locator("#label-G1-Right")).to_be_focused()
    press(page, "Space")
    page.wait_for_function("() => document.querySelector('#text-Right').scrollTop > 0")
    press(page, "Tab Space")
    expect(page.locator("#label-G1-Right :checked")).to_have_count(1)


def test_a_digit_that_was_meant_for_a_check_gives_no_preference(page: Page) -> None:
    press(page, "2")
    expect(page.locator("#say")).to_contain_text("Gates first")
    press(page, "g 2")
    expect(page.locator("#say")).to_contain_text("Criteria first")
    expect(page.locator(".stop :checked")).to_have_count(0)
    expect(page.locator(".crit.now")).to_have_id("row-C1")


def test_anchors_in_the_last_step_are_those_that_are_written_about(page: Page) -> None:
    panel = page.locator("#anchor-panel")
    press(page, ANSWERED)
    press(page, "a")
    expect(panel).to_have_attribute("aria-label", "Anchors of C4")
    press(page, "a r")
    page.keyboard.type("g2 and c3, then [Left] ")
    press(page, "Escape a")
    expect(panel).to_have_attribute("aria-label", "Anchors of C3")


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("c2", "[C2]"),
        ("g10", "g10"),
        ("G10 of G1.", "G10 of [G1]."),
        ("c2x", "c2x"),
        ("(c4)", "([C4])"),
        ("c2, c3", "[C2], [C3]"),
    ],
)
def test_a_word_is_cited_at_once_and_let_go_when_it_goes_on(
    page: Page, typed: str, text: str
) -> None:
    press(page, "r")
    page.keyboard.type(typed)
    expect(page.locator("#rationale")).to_have_value(text)


def test_an_open_box_closes_when_something_else_is_pressed(page: Page) -> None:
    skip, evidence = page.locator("#skip"), page.locator("#evidence")
    for box in (skip, evidence):
        box.locator("summary").click()
        expect(box).to_have_attribute("open", "")
        box.locator(".pop-body").click(position={"x": 5, "y": 5})
        expect(box).to_have_attribute("open", "")
        page.locator("#text-Left").click()
        expect(box).not_to_have_attribute("open", "")


def test_letter_keys_can_be_switched_off_in_this_browser(page: Page) -> None:
    press(page, "?")
    page.get_by_label("Letter keys off").check()
    press(page, "Escape d g 2 n u")
    assert chosen(page) == 0
    page.reload()
    press(page, "d g")
    assert chosen(page) == 0
    page.locator("#keys-button").click()
    page.get_by_label("Letter keys off").uncheck()
    press(page, "Escape d")
    assert chosen(page) == 1


def test_after_the_keys_are_chosen_the_address_and_the_form_are_as_before(page: Page) -> None:
    page.goto(page.url + "#ballot")
    page.reload()
    expect(page.locator("#ballot")).to_have_attribute("data-ready", "")
    assert "#" not in page.evaluate("() => location.href")
    expect(page.locator("#ballot")).to_have_css("outline-style", "none")
