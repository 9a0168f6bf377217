"""WF-03: a session that ends, another person at the same machine, and signing out for good."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import expect

from annotate.models import Assignment, Batch, Vote
from tests.ballots import first_of, make_label_round
from tests.browser.conftest import sign_in
from tests.browser.labelling import OFFLINE, answer_all, kept, kept_keys, key_of, path_of, press

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "correct horse battery"
LONG = "[C1] " + "a long answer " * 285


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
    return first_of(batch, expert, "AB")


@pytest.fixture
def page(signed_in: OpenPage, mine: Assignment, expert: User) -> Page:
    page = signed_in(expert)
    page.goto(path_of(mine))
    return page


def end_sessions() -> None:
    Session.objects.all().delete()


def give(page: Page, name: str, password: str = PASSWORD) -> None:
    dialog = page.locator("#sign-in")
    # A form that was just sent still stands there, its button off, and goes with what is typed.
    expect(dialog.get_by_role("button", name="Sign in").first).to_be_enabled()
    dialog.get_by_label("Username").fill(name)
    dialog.get_by_label("Password").fill(password)
    with page.expect_response("**/login/here/"):
        dialog.get_by_role("button", name="Sign in").click()


def test_wf_03_signed_out_it_is_never_called_saved_and_nothing_is_lost(
    page: Page, mine: Assignment, expert: User
) -> None:
    answer_all(page, LONG[:4000])
    expect(page.locator("#saved")).to_contain_text("Saved ")
    end_sessions()
    page.locator("#rationale").press("End")
    page.keyboard.type("!")
    press(page, "Control+Enter")
    dialog = page.locator("#sign-in")
    expect(dialog).to_be_visible()
    expect(page.locator("#saved")).to_contain_text("Not saved: ")
    expect(page.locator("#rationale")).to_have_value(LONG[:4000] + "!")
    assert not Vote.objects.exists()
    give(page, "expert", "wrong")
    expect(dialog).to_contain_text("do not belong together")
    expect(dialog.get_by_label("Username")).to_have_value("expert")
    give(page, "expert")
    # Sent by itself, with the token that signing in has made.
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert Vote.objects.get().rationale == LONG[:4000] + "!"
    assert kept(page, mine, expert) is None


def test_wf_03_a_save_that_meets_no_session_goes_on_after_signing_in_over_the_page(
    page: Page, mine: Assignment
) -> None:
    end_sessions()
    press(page, "f")
    expect(page.locator("#sign-in")).to_be_visible()
    # Not into the password, should somebody be in the middle of a word.
    expect(page.locator("#sign-in h2")).to_be_focused()
    press(page, "j")
    assert page.locator(".cell :checked").count() == 1
    give(page, "expert")
    expect(page.locator("#sign-in")).to_be_hidden()
    expect(page.locator("#saved")).to_contain_text("Saved ")
    mine.refresh_from_db()
    assert mine.draft == {"label:G1:Left": "pass"}


def test_the_dialog_can_be_put_off_and_comes_back_when_something_is_sent(
    page: Page, mine: Assignment
) -> None:
    end_sessions()
    press(page, "f")
    expect(page.locator("#sign-in")).to_be_visible()
    press(page, "Escape")
    answer_all(page)
    expect(page.locator("#sign-in")).to_be_hidden()
    press(page, "Control+Enter")
    expect(page.locator("#sign-in")).to_be_visible()
    page.get_by_role("button", name="Not now").click()
    expect(page.locator("#say")).to_contain_text("sent once you sign in")
    page.get_by_role("button", name="sign in").click()
    give(page, "expert")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert Vote.objects.count() == 1


def test_wf_03_signed_in_again_in_another_tab_there_is_nothing_to_ask(
    page: Page, mine: Assignment, expert: User, live_server: LiveServer
) -> None:
    end_sessions()
    press(page, "f")
    expect(page.locator("#sign-in")).to_be_visible()
    sign_in(page.context, expert, live_server.url)
    page.get_by_role("button", name="Not now").click()
    page.get_by_role("button", name="sign in").click()
    expect(page.locator("#saved")).to_contain_text("Saved ")
    expect(page.locator("#sign-in")).to_be_hidden()


def test_locked_out_is_said_inside_and_the_text_stays(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append("status of 429")
    answer_all(page, LONG)
    end_sessions()
    press(page, "Control+Enter")
    for _ in range(5):
        give(page, "expert", "wrong")
    dialog = page.locator("#sign-in")
    expect(dialog).to_contain_text("Try again in 15 minutes")
    expect(page.locator("#rationale")).to_have_value(LONG)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    dialog.get_by_role("button", name="Try again").click()
    give(page, "expert")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert Vote.objects.get().rationale == LONG


def test_wf_03_nothing_of_the_first_person_is_sent_under_the_name_of_another(
    page: Page, mine: Assignment, expert: User, batch: Batch, other_expert: User
) -> None:
    answer_all(page, LONG)
    end_sessions()
    press(page, "Control+Enter")
    give(page, "other_expert")
    dialog = page.locator("#sign-in")
    expect(dialog).to_contain_text("Nothing of it is sent under another name")
    dialog.get_by_role("button", name="Leave it").click()
    expect(page.locator("#told")).to_contain_text("Somebody else is signed in now")
    expect(page.locator("#rationale")).to_have_value(LONG)
    press(page, "r Control+Enter")
    expect(page.locator("#say")).to_contain_text("Not sent.")
    assert not Vote.objects.exists()
    assert not Assignment.objects.filter(rater__user=other_expert, draft__has_key="rationale")
    page.locator("#told").get_by_role("button", name="Sign in as before").click()
    expect(dialog).to_contain_text("Somebody else is signed in")
    dialog.get_by_role("button", name="Sign in as that person").click()
    give(page, "expert")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert Vote.objects.get().rater.user == expert


def test_wf_03_another_person_in_the_same_browser_never_sees_or_sends_the_copy(
    page: Page,
    mine: Assignment,
    expert: User,
    other_expert: User,
    batch: Batch,
    live_server: LiveServer,
    expected_errors: list[str],
) -> None:
    expected_errors.append(OFFLINE)
    context = page.context
    context.set_offline(True)
    answer_all(page, "[C1] Quillfeather decides.")
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_contain_text("Offline")
    page.close()
    context.set_offline(False)
    sign_in(context, other_expert, live_server.url)
    page = context.new_page()
    theirs = Assignment.objects.get(batch=batch, rater__user=other_expert, subject=mine.subject)
    for address in ("/", path_of(theirs), f"/label/{batch.public_id}/mine/"):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert "Quillfeather" not in page.content()
    expect(page.locator(".outbox")).to_have_count(0)
    assert not Vote.objects.exists()
    assert key_of(mine, expert) in kept_keys(page)
    # Once they are back, it is theirs.
    sign_in(context, expert, live_server.url)
    page.goto("/")
    expect(page.locator(".outbox")).to_contain_text("has reached the server")
    assert Vote.objects.get().rater.user == expert


# ---- Signing out


def test_signing_out_leaves_nothing_of_the_person_in_the_browser(
    page: Page, mine: Assignment, expert: User
) -> None:
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.evaluate("localStorage.setItem('theme', 'dark')")
    page.evaluate(
        "localStorage.setItem('calibrant:draft:0000:x', JSON.stringify({at: Date.now()}))"
    )
    page.goto("/")
    assert key_of(mine, expert) in kept_keys(page)
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("h1")).to_have_text("Sign in")
    # What is others' stays theirs, and the colours are nobody's.
    assert kept_keys(page) == ["calibrant:draft:0000:x"]
    assert page.evaluate("localStorage.getItem('theme')") == "dark"


def test_signing_out_warns_while_something_has_not_reached_the_server(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors += ["net::ERR_FAILED"]
    page.context.route("**/draft/", lambda route: route.abort())
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("kept here")
    page.goto("/")
    expect(page.locator(".outbox")).to_contain_text("Answers to 1 pair are kept in this browser")
    page.get_by_role("button", name="Sign out").click()
    warning = page.get_by_role("dialog")
    expect(warning).to_contain_text("Answers to 1 pair are kept in this browser only.")
    press(page, "Enter")
    expect(warning).to_be_hidden()
    assert key_of(mine, expert) in kept_keys(page)
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign out and delete them").click()
    expect(page.locator("h1")).to_have_text("Sign in")
    assert kept_keys(page) == []


def test_a_pair_that_is_still_open_goes_with_the_sign_out(page: Page, mine: Assignment) -> None:
    answer_all(page, "[C1] Quillfeather decides.")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    other = page.context.new_page()
    other.goto("/")
    other.get_by_role("button", name="Sign out").click()
    expect(other.locator("h1")).to_have_text("Sign in")
    expect(page.locator("h1")).to_have_text("Sign in")
    assert kept_keys(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_dialog_and_the_strip_are_accessible_and_move_nothing(
    signed_in: OpenPage,
    mine: Assignment,
    expert: User,
    serious: Callable[[Page], list[str]],
    width: int,
    scheme: str,
) -> None:
    page = signed_in(expert, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(path_of(mine))
    places = """() => [...document.querySelectorAll(".bar > :not(.told, .saved), .crit, #send")]
        .filter((box) => box.offsetParent).map((box) => box.getBoundingClientRect().top)"""
    before = page.evaluate(places)
    Assignment.objects.filter(pk=mine.pk).update(draft={"rationale": "other"}, draft_revision=9)
    press(page, "x")
    expect(page.locator("#told")).to_be_visible()
    assert page.evaluate(places) == before
    assert serious(page) == []
    page.locator("#told").get_by_role("button", name="Keep mine").focus()
    press(page, "Enter")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    end_sessions()
    press(page, "x")
    expect(page.locator("#sign-in [type=password]")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    assert page.evaluate(places) == before
    assert serious(page) == []
