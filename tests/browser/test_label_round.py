"""A whole round from the home page to the end: by the keyboard alone, and without a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from annotate.models import Batch, Vote
from tests.ballots import make_label_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]


@pytest.fixture
def batch(
    transactional_db: None,
    live_server: LiveServer,
    project: Project,
    expert: User,
    other_expert: User,
) -> Batch:
    return make_label_round(project, expert, other_expert, size=3)


def tab_to(page: Page, selector: str, *, most: int = 60) -> None:
    """Press Tab until what has the focus is what is looked for."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"Tab never reached {selector}")


def is_at(page: Page, heading: str) -> None:
    """The page is there and answers to keys."""
    expect(page.locator("h1")).to_have_text(heading)
    expect(page.locator("#ballot")).to_have_attribute("data-ready", "")


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def test_a_whole_round_is_labelled_by_the_keyboard_alone(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert)
    page.goto("/")
    tab_to(page, f"a[href*='/label/{batch.public_id}']")
    page.keyboard.press("Enter")
    is_at(page, "Pair 1 of 3")
    press(page, "g f k l f 2 c 1 Control+Enter")
    # The second is put off with a reason, typed into the box that the key opens.
    is_at(page, "Pair 2 of 3")
    press(page, "d n")
    page.keyboard.type("Ask about the roof.")
    page.keyboard.press("Enter")
    is_at(page, "Pair 3 of 3")
    # Back to the first by a key, a look at it, and forward again.
    page.keyboard.press("h")
    is_at(page, "Pair 1 of 3")
    expect(page.locator(".spine-note.sent")).to_contain_text(
        "A change counts once it is sent again."
    )
    page.keyboard.press("m")
    is_at(page, "Pair 3 of 3")
    press(page, "k f g f j f j Enter")
    # What was put off comes back at the end, says why, and has what was entered.
    is_at(page, "Pair 2 of 3")
    expect(page.locator("#put-off")).to_have_text("You put this pair off: Ask about the roof.")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    press(page, "f j g f j f j 0 3 o k Control+Enter")
    expect(page.locator("h1")).to_have_text("You are done: 3 of 3")
    assert Vote.objects.filter(rater__user=expert, current=True).count() == 3
    # From the list into a pair, and an amendment, without a hand on the mouse.
    tab_to(page, ".own-pairs a")
    page.keyboard.press("Enter")
    is_at(page, "Pair 1 of 3")
    expect(page.locator("#send")).to_contain_text("Send again")
    press(page, "ArrowUp ArrowUp f Escape Control+Enter")
    expect(page.locator("h1")).to_have_text("You are done: 3 of 3")


def test_a_whole_round_is_labelled_without_a_script(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert, java_script_enabled=False)
    page.goto("/")
    page.locator(f"a[href*='/label/{batch.public_id}']").first.click()
    expect(page.locator("h1")).to_have_text("Pair 1 of 3")
    page.get_by_role("button", name="Rest pass").click()
    answer(page, {"C1": "yes no", "C2": "yes yes"})
    page.get_by_role("button", name="C1", exact=True).click()
    page.locator('[name="preference"][value="2"]').check(force=True)
    page.locator("#send").click()
    expect(page.locator("h1")).to_have_text("Pair 2 of 3")
    page.locator("#skip summary").click()
    page.locator("#skip_reason").fill("Ask about the roof.")
    page.get_by_role("button", name="Put off to the end").click()
    # Both fail: what the answer should have been can be written in the same go.
    expect(page.locator("h1")).to_have_text("Pair 3 of 3")
    answer(page, {"G1": "fail fail", "G2": "pass pass", "C1": "yes yes", "C2": "yes yes"})
    page.locator("#rewrite").fill("The hail of 04/11.")
    page.locator("#send").click()
    expect(page.locator("h1")).to_have_text("Pair 2 of 3")
    expect(page.locator("#put-off")).to_contain_text("Ask about the roof.")
    page.get_by_role("link", name="Back").click()
    expect(page.locator("h1")).to_have_text("Pair 3 of 3")
    expect(page.locator("#rewrite")).to_have_value("The hail of 04/11.")
    page.get_by_role("link", name="Forward").click()
    expect(page.locator("h1")).to_have_text("Pair 2 of 3")
    answer(page, {"G1": "pass fail", "G2": "pass pass", "C1": "yes yes", "C2": "yes yes"})
    page.locator("#send").click()
    expect(page.locator("h1")).to_have_text("You are done: 3 of 3")
    assert Vote.objects.get(rewrite="The hail of 04/11.").cites == ["G1"]


def answer(page: Page, given: dict[str, str]) -> None:
    for key, values in given.items():
        for side, value in zip(("Left", "Right"), values.split(), strict=True):
            page.locator(f"#label-{key}-{side} [value={value}]").check(force=True)
