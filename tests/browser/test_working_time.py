"""Working time and the offer of a pause, under a clock that the test turns."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotate.models import Assignment, Batch, Vote
from tests.ballots import first_of, make_label_round, submission
from tests.browser.labelling import ABORTED, answer_all, path_of, press

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = pytest.mark.django_db(transaction=True)

OFFER = "45 minutes without a pause. Take five; your place is kept."


@pytest.fixture
def batch(
    transactional_db: None,
    live_server: LiveServer,
    project: Project,
    expert: User,
    other_expert: User,
) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


@pytest.fixture
def mine(batch: Batch, expert: User) -> Assignment:
    """Opened an hour ago: the clock on the server's wall is not turned."""
    assignment = first_of(batch, expert, "AB")
    opened = timezone.now() - timedelta(hours=1)
    Assignment.objects.filter(batch=batch).update(opened_at=opened)
    return assignment


@pytest.fixture
def page(signed_in: OpenPage, mine: Assignment, expert: User) -> Page:
    page = signed_in(expert)
    page.clock.install()
    page.goto(path_of(mine))
    return page


def active(assignment: Assignment) -> int:
    assignment.refresh_from_db()
    return assignment.active_s


def saved(page: Page, keys: str) -> None:
    """Press, and let the save's delay pass."""
    with page.expect_response("**/draft/"):
        press(page, keys)
        page.clock.run_for(600)


def work(page: Page, minutes: int) -> None:
    """A hand on the page, twice a minute."""
    for _ in range(2 * minutes):
        page.keyboard.press("Shift")
        page.clock.fast_forward(30_000)


def test_a_pause_counts_as_half_a_minute_at_most_and_drafts_do_not_double_it(
    page: Page, mine: Assignment
) -> None:
    press(page, "Shift")
    page.clock.fast_forward(20_000)
    saved(page, "f")
    assert 20 <= active(mine) <= 22
    page.clock.fast_forward(10 * 60_000)
    for keys in ("j", "x", "x"):
        saved(page, keys)
    assert 50 <= active(mine) <= 56
    answer_all(page)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert 50 <= active(mine) <= 60
    assert Vote.objects.get().active_s == active(mine)


def test_visits_add_up_and_an_amended_vote_holds_the_sum(page: Page, mine: Assignment) -> None:
    press(page, "Shift")
    page.clock.fast_forward(25_000)
    answer_all(page)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    first = Vote.objects.get().active_s
    assert first is not None
    page.goto(path_of(mine))
    press(page, "Shift")
    page.clock.fast_forward(25_000)
    press(page, "5 Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    second = Vote.objects.get(current=True).active_s
    assert second is not None
    assert first + 24 <= second <= first + 35


def test_reading_that_was_never_saved_is_carried_to_the_next_visit(
    page: Page, mine: Assignment
) -> None:
    press(page, "Shift")
    page.clock.fast_forward(25_000)
    page.goto("/account/")
    page.goto(path_of(mine))
    assert active(mine) == 0
    saved(page, "f")
    assert 25 <= active(mine) <= 30


def test_seconds_are_counted_once_though_the_answer_was_lost(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append(ABORTED)
    press(page, "Shift")
    page.clock.fast_forward(20_000)
    page.route("**/draft/", lambda route: (route.fetch(), route.abort()), times=1)
    press(page, "f")
    page.clock.run_for(600)
    expect(page.locator("#saved")).to_contain_text("No connection")
    assert 20 <= active(mine) <= 22
    with page.expect_response("**/draft/"):
        page.clock.run_for(5_000)
    assert active(mine) <= 22


def test_without_a_script_nothing_is_measured(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert, java_script_enabled=False)
    page.goto(path_of(mine))
    for name, value in submission().items():
        if name.startswith("label:"):
            page.locator(f'[name="{name}"][value="{value}"]').check(force=True)
    page.locator('[name="preference"][value="2"]').check(force=True)
    page.locator("#rationale").fill("[C1] decides.")
    page.get_by_role("button", name="Send and next").last.click()
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert Vote.objects.get().active_s is None


# ---- The offer of a pause


def test_a_pause_is_offered_after_45_minutes_over_pages_and_again_after_20(
    page: Page, mine: Assignment, batch: Batch
) -> None:
    strip = page.locator("#told")
    work(page, 30)
    page.goto(f"/label/{batch.public_id}/mine/")
    page.goto(path_of(mine))
    work(page, 14)
    expect(strip).to_be_hidden()
    work(page, 2)
    expect(strip).to_contain_text("without a pause. Take five; your place is kept.")
    # In the bar's place, without a focus taken; reached by the keyboard.
    assert page.evaluate("document.activeElement.closest('#told')") is None
    press(page, "f")
    assert page.locator(".cell :checked").count() == 1
    strip.get_by_role("button", name="Go on").focus()
    press(page, "Enter")
    expect(strip).to_be_hidden()
    work(page, 19)
    expect(strip).to_be_hidden()
    work(page, 2)
    expect(strip).to_contain_text("without a pause")
    strip.get_by_role("button", name="Pause").click()
    expect(page).to_have_url(page.url.split("/label/")[0] + "/")


def test_five_minutes_away_are_a_pause(page: Page, mine: Assignment) -> None:
    strip = page.locator("#told")
    work(page, 40)
    page.clock.fast_forward(5 * 60_000 + 1)
    work(page, 40)
    expect(strip).to_be_hidden()
    work(page, 6)
    expect(strip).to_contain_text(OFFER[3:])


def test_nobody_is_asked_in_the_middle_of_a_sentence(page: Page, mine: Assignment) -> None:
    work(page, 44)
    press(page, "r")
    for _ in range(60):
        page.keyboard.type("a")
        page.clock.run_for(1500)
    expect(page.locator("#told")).to_be_hidden()
    page.clock.run_for(10_000)
    expect(page.locator("#told")).to_be_visible()
    expect(page.locator("#rationale")).to_be_focused()
