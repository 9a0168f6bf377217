"""The list of disagreements by keyboard and by mouse, on a wide screen and on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.actions.meetings import start_meeting
from annotate.models import Disagreement
from tests.making import make_voted_round

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from annotate.models import Batch
    from projects.models import Project, User

    Open = Callable[..., Page]
    Findings = Callable[[Page], list[str]]

ALIKE = {"C1": "yes no"}
PHONE = {"viewport": {"width": 390, "height": 844}}
LOOKS = [
    pytest.param({"color_scheme": "light"}, id="wide, light"),
    pytest.param({"color_scheme": "dark"}, id="wide, dark"),
    pytest.param({**PHONE, "color_scheme": "light"}, id="phone, light"),
    pytest.param({**PHONE, "color_scheme": "dark"}, id="phone, dark"),
]


@pytest.fixture
def project(transactional_db: None, project: Project) -> Project:
    return project


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User, third_expert: User) -> Batch:
    """Three splits on C1, and a preference on opposite sides with equal labels."""
    said = [
        *[[ALIKE, ALIKE, {"C1": "yes yes"}]] * 3,
        [ALIKE] * 3,
        [{"preference": "A_much"}, {"preference": "B_slight"}, {}],
    ]
    return make_voted_round(project, [expert, other_expert, third_expert], said)


def address(batch: Batch) -> str:
    return reverse("annotate:disagreements", args=[batch.project.slug, batch.public_id])


@pytest.fixture
def page(signed_in: Open, batch: Batch, lead: User) -> Page:
    page = signed_in(lead)
    page.goto(address(batch))
    return page


def row(page: Page, place: int) -> Locator:
    return page.locator("[data-split]").nth(place)


def kinds() -> list[str]:
    return list(Disagreement.objects.order_by("pk").values_list("kind", flat=True))


def test_a_list_is_sorted_with_the_keyboard_alone(page: Page) -> None:
    page.keyboard.press("j")
    expect(row(page, 0)).to_be_focused()
    page.keyboard.press("1")
    expect(row(page, 0).get_by_role("button", name="Slip")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(row(page, 1)).to_be_focused()
    expect(page.locator("#open-C1")).to_have_text("2 open")
    expect(page.locator("#accept-C1")).to_have_text("Accept all 2 suggestions on C1")
    expect(page.locator("#said")).to_contain_text("C1: slip.")
    page.keyboard.press("2")
    expect(row(page, 2)).to_be_focused()
    expect(page.locator("#open-C1")).to_have_text("1 open")
    page.keyboard.press("k")
    expect(row(page, 1)).to_be_focused()
    page.keyboard.press("0")
    expect(page.locator("#open-C1")).to_have_text("2 open")
    expect(page.locator("#step")).to_contain_text("3 still open")
    assert kinds() == ["slip", ""]


def test_a_key_leads_from_a_row_to_its_place_in_the_meeting_and_before_it_to_its_start(
    page: Page, batch: Batch, lead: User
) -> None:
    page.keyboard.press("m")
    expect(page, "no row is chosen yet").to_have_url(re.compile(r"/disagreements/$"))
    page.keyboard.press("j")
    page.keyboard.press("m")
    expect(page).to_have_url(re.compile(r"/meeting/\?check=C1$"))
    start_meeting(batch=batch, minutes=60, acting_user=lead)
    page.goto(address(batch))
    for key in "jjm":
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile(r"/meeting/[0-9a-f-]{36}\.C1\.B/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("C1")


def test_enter_takes_what_is_suggested(page: Page) -> None:
    last = row(page, 3)
    expect(last).to_contain_text("Weighting")
    for _ in range(4):
        page.keyboard.press("j")
    expect(last).to_be_focused()
    page.keyboard.press("Enter")
    expect(last.get_by_role("button", name="Weighting")).to_have_attribute("aria-pressed", "true")
    expect(last, "there is no row after it").to_be_focused()
    assert kinds() == ["weighting"]


def test_keys_in_a_filter_are_for_the_filter(page: Page) -> None:
    page.keyboard.press("j")
    page.get_by_label("Kind, chosen or suggested").focus()
    page.keyboard.press("1")
    page.keyboard.press("j")
    expect(page.get_by_label("Kind, chosen or suggested")).to_be_focused()
    assert kinds() == []


def test_a_button_leaves_the_focus_on_its_row(page: Page) -> None:
    row(page, 1).get_by_role("button", name="Legitimate").click()
    expect(row(page, 1)).to_be_focused()
    expect(row(page, 1).get_by_role("button", name="Legitimate")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.reload()
    expect(row(page, 1).get_by_role("button", name="Legitimate")).to_have_attribute(
        "aria-pressed", "true"
    )


def test_all_suggestions_of_a_check_are_accepted_by_one_button(page: Page) -> None:
    page.get_by_role("button", name="Accept all 3 suggestions on C1").click()
    expect(page.locator("#open-C1")).to_have_text("all sorted")
    assert len(kinds()) == 3
    expect(row(page, 0)).to_be_focused()
    page.keyboard.press("j")
    expect(row(page, 1)).to_be_focused()


def test_the_last_row_of_a_check_is_sorted_and_nothing_moves(page: Page) -> None:
    tops = (
        "[...document.querySelectorAll('[data-split]')]"
        ".map(one => one.getBoundingClientRect().top + scrollY)"
    )
    for place in range(2):
        row(page, place).get_by_role("button", name="Slip").click()
        expect(row(page, place)).to_contain_text("was suggested")
    before = page.evaluate(tops)
    page.keyboard.press("Escape")
    row(page, 2).get_by_role("button", name="Slip").click()
    expect(page.locator("#accept-C1")).to_have_text("All sorted on C1")
    expect(page.locator("#accept-C1 button")).to_be_disabled()
    assert page.evaluate(tops)[:3] == before[:3]


def test_without_scripts_the_buttons_sort_just_the_same(
    signed_in: Open, batch: Batch, lead: User
) -> None:
    page = signed_in(lead, java_script_enabled=False)
    page.goto(address(batch))
    row(page, 0).get_by_role("button", name="Slip").click()
    expect(row(page, 0).get_by_role("button", name="Slip")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert kinds() == ["slip"]


@pytest.mark.parametrize("look", LOOKS)
def test_a_half_sorted_list_is_accessible_and_as_wide_as_the_screen(
    signed_in: Open, serious: Findings, batch: Batch, lead: User, look: dict[str, object]
) -> None:
    page = signed_in(lead, **look)
    page.goto(address(batch))
    row(page, 0).get_by_role("button", name="Slip").click()
    expect(row(page, 0)).to_contain_text("was suggested")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
