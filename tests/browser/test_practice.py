"""First-run practice as its rater goes through it: by the keyboard alone, and with plain forms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from annotate.models import Assignment, Batch, Vote
from tests.ballots import make_label_round
from tests.gold import make_practice
from tests.making import make_vote

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]
    Serious = Callable[[Page], list[str]]

pytestmark = pytest.mark.django_db(transaction=True)

FEEDBACK = re.compile(r"/feedback/$")


@pytest.fixture
def batch(
    transactional_db: None,
    live_server: LiveServer,
    project: Project,
    expert: User,
    other_expert: User,
) -> Batch:
    batch = make_label_round(project, expert, other_expert, size=2)
    make_practice(project, batch)
    return batch


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def reach(page: Page, name: str) -> None:
    """Tab until the control of that name has the focus; it must be within a few steps."""
    wanted = page.get_by_text(name, exact=True)
    for _ in range(20):
        page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"“{name}” is not reached by Tab")


def answer(page: Page) -> None:
    """Gates pass, C1 differs, slightly Left, said by keys."""
    expect(page.locator(".crit.now")).to_have_id("row-G1")
    press(page, "g f k f j 2")
    expect(page.locator("#rationale")).to_be_focused()
    page.keyboard.type("c1 decides.")
    press(page, "Control+Enter")
    expect(page).to_have_url(FEEDBACK)


def test_practice_is_gone_through_by_the_keyboard_alone(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(f"/label/{batch.public_id}/")
    expect(page.locator("h1")).to_have_text("Three practice pairs first")
    reach(page, "Start")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Pair 1 of 3")
    Assignment.objects.filter(batch__kind="practice").update(order="AB")
    page.reload()
    for n in range(3):
        expect(page.locator("h1")).to_have_text(f"Pair {n + 1} of 3")
        expect(page.locator(".spine-note")).to_contain_text("practice")
        answer(page)
        expect(page.locator("h1")).to_have_text(f"Practice pair {n + 1} of 3")
        expect(page.locator(".next p")).to_have_text(
            "All 9 answers are the same as the known ones."
        )
        if n < 2:
            reach(page, "Next practice pair")
            page.keyboard.press("Enter")
    expect(page.locator(".sheet")).to_contain_text("All 27 answers are the same")
    reach(page, "Start the round")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Pair 1 of 2")
    expect(page.locator(".spine-note")).to_have_count(0)
    assert Vote.objects.filter(batch__kind="practice").count() == 3
    assert not Vote.objects.of_batches(batch).exists()


def test_practice_works_without_a_script(signed_in: OpenPage, batch: Batch, expert: User) -> None:
    page = signed_in(expert, java_script_enabled=False)
    page.goto(f"/label/{batch.public_id}/")
    page.get_by_role("button", name="Start").click()
    for check in ("G1", "G2", "C1", "C2"):
        for side in ("Left", "Right"):
            yes = "pass" if check.startswith("G") else "yes"
            box = f'input[name="label:{check}:{side}"][value="{yes}"]'
            page.locator(box).check(force=True)
    page.locator('input[name="preference"][value="3"]').check(force=True)
    page.locator("#rationale").fill("[C1] is even.")
    page.locator("#send").click()
    expect(page).to_have_url(FEEDBACK)
    expect(page.locator("table.told")).to_contain_text("C1")
    page.get_by_role("link", name="Next practice pair").click()
    expect(page.locator("h1")).to_have_text("Pair 2 of 3")
    # Back is no second try.
    page.go_back()
    page.go_back()
    expect(page).to_have_url(FEEDBACK)


def test_not_now_leads_to_the_round(signed_in: OpenPage, batch: Batch, expert: User) -> None:
    page = signed_in(expert)
    page.goto(f"/label/{batch.public_id}/")
    reach(page, "Not now, go to the round")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Pair 1 of 2")
    page.goto(f"/label/{batch.public_id}/mine/")
    page.get_by_role("link", name="Practise on 3 pairs").click()
    expect(page.locator("h1")).to_have_text("Three practice pairs first")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_pages_of_practice_and_of_known_answers_hold_at_every_width_and_theme(
    signed_in: OpenPage,
    serious: Serious,
    batch: Batch,
    expert: User,
    lead: User,
    width: int,
    scheme: str,
) -> None:
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page = signed_in(expert, **options)
    pages = [f"/label/{batch.public_id}/practice/"]
    page.goto(pages[0])
    fine(page, serious)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/label/pair/**")
    fine(page, serious)
    first = Assignment.objects.filter(batch__kind="practice").order_by("position")
    vote = make_vote(first.select_related("batch__version", "rater__user", "subject")[0])
    page.goto(f"/label/pair/{vote.assignment.public_id}/feedback/")  # type: ignore[union-attr]
    fine(page, serious)
    leads = signed_in(lead, **options)
    leads.goto("/p/claims/gold/")
    fine(leads, serious)
    leads.locator(".gold-list a").first.click()
    leads.wait_for_url("**/gold/?version=*")
    fine(leads, serious)


def fine(page: Page, serious: Serious) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert serious(page) == []
