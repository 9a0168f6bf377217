"""Homes, notices and asking again, as people meet them: by keyboard, on a phone, in the dark."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotate.models import Assignment, Batch, Vote
from projects.models import Membership, Notice
from tests.ballots import make_label_round
from tests.making import make_votes

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from projects.models import Project, User

    Open = Callable[..., Page]
    Findings = Callable[[Page], list[str]]

PHONE = {"viewport": {"width": 390, "height": 800}}
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
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    """Two days old: whoever has not begun is waited for."""
    batch = make_label_round(project, expert, other_expert, size=4)
    make_votes(batch, expert, 1)
    Vote.objects.update(active_s=165)
    Batch.objects.update(created_at=timezone.now() - timedelta(days=2))
    return batch


def as_wide_as_the_screen(page: Page) -> bool:
    return bool(
        page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    )


@pytest.mark.parametrize("look", LOOKS)
def test_homes_and_notices_are_accessible_and_as_wide_as_the_screen(
    signed_in: Open, serious: Findings, batch: Batch, lead: User, expert: User, look: dict[str, str]
) -> None:
    Membership.objects.create(project=batch.project, user=lead, role="expert")
    for user, addresses in ((lead, ("/", "/p/claims/rounds/1/")), (expert, ("/", "/notices/"))):
        page = signed_in(user, **look)
        for address in addresses:
            page.goto(address)
            assert serious(page) == [], address
            assert as_wide_as_the_screen(page), address


def test_on_a_phone_the_bell_and_every_room_are_in_reach(
    signed_in: Open, batch: Batch, lead: User
) -> None:
    lead.first_name, lead.last_name = "Wilhelmina Alexandrina", "Featherstonehaugh-Cholmondeley"
    lead.save()
    for _ in range(120):
        Notice.objects.create(user=lead, project=batch.project, verb="x", text="Told.", path="/")
    page = signed_in(lead, **PHONE)
    page.goto("/p/claims/rounds/1/")
    # The wordmark leads to the projects here.
    places = page.locator(".bar :is(nav a, .bell, .bar-person, button):visible")
    assert places.count() >= 7
    for n in range(places.count()):
        box = places.nth(n).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390, places.nth(n).inner_text()
        assert box["height"] >= 40
    assert as_wide_as_the_screen(page)


def test_a_notice_is_read_by_keyboard(signed_in: Open, batch: Batch, expert: User) -> None:
    page = signed_in(expert)
    page.goto("/")
    bell = page.get_by_role("link", name="1 unread notice")
    bell.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Notices")).to_be_visible()
    notice = page.get_by_role("button", name="Unread: Round 1 is open to you")
    page.get_by_role("button", name="Mark all as read").focus()
    page.keyboard.press("Tab")
    expect(notice).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/label/**")
    page.goto("/")
    expect(page.get_by_role("link", name="Notices, none unread")).to_be_visible()


def test_a_lead_asks_by_keyboard_and_the_rater_is_told(
    signed_in: Open, batch: Batch, lead: User, other_expert: User
) -> None:
    page = signed_in(lead)
    page.goto("/")
    ask = page.get_by_role("button", name="Ask other_expert again")
    ask.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Asked to go on with round 1: other_expert.")).to_be_visible()
    assert ask.count() == 0
    theirs = signed_in(other_expert)
    theirs.goto("/notices/")
    expect(theirs.get_by_text("lead asks you to go on with round 1: 4 pairs wait")).to_be_visible()


def test_enter_in_the_sentence_asks_all_who_wait(signed_in: Open, batch: Batch, lead: User) -> None:
    page = signed_in(lead)
    page.goto("/p/claims/rounds/1/")
    page.get_by_label("A sentence to go with it").fill("We meet on Friday.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Asked to go on with round 1: expert, other_expert.")).to_be_visible()


def test_the_label_page_says_the_time_left(
    signed_in: Open, project: Project, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert, size=8)
    make_votes(batch, expert, 5)
    Vote.objects.update(active_s=165)
    page = signed_in(expert)
    own = Assignment.objects.of_user(expert).unanswered().order_by("position")[0]
    page.goto(f"/label/pair/{own.public_id}/")
    # 165 s a pair, three pairs.
    expect(page.locator(".progress")).to_contain_text("8 min left")
    page.goto("/")
    expect(page.get_by_text("About 8 min at your pace.")).to_be_visible()


def test_without_scripts_notices_are_read_and_raters_asked(
    signed_in: Open, batch: Batch, lead: User, other_expert: User
) -> None:
    page = signed_in(lead, java_script_enabled=False)
    page.goto("/p/claims/rounds/1/")
    page.get_by_label("A sentence to go with it").fill("We meet on Friday.")
    page.get_by_role("button", name="Ask again other_expert").click()
    expect(page.get_by_text("Asked to go on with round 1: other_expert.")).to_be_visible()
    theirs = signed_in(other_expert, java_script_enabled=False)
    theirs.goto("/notices/")
    theirs.get_by_role("button", name="We meet on Friday.").click()
    theirs.wait_for_url("**/label/**")
    assert Notice.objects.unread().filter(user=other_expert).count() == 1
