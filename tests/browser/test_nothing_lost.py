"""What is entered is on the server or in this browser, and the page says which."""

from __future__ import annotations

import itertools
import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotate.actions.rounds import close_round
from annotate.actions.votes import save_draft
from annotate.models import Assignment, Batch, Vote
from projects.models import Membership
from tests.ballots import first_of, make_label_round
from tests.browser.conftest import sign_in
from tests.browser.labelling import (
    ABORTED,
    ALL_ANSWERED,
    OFFLINE,
    answer_all,
    kept,
    kept_keys,
    path_of,
    press,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Route
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]

DRAFTS = "**/draft/"


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


def reread(assignment: Assignment) -> Assignment:
    assignment.refresh_from_db()
    return assignment


def lose_answer(route: Route) -> None:
    """The server takes it; the browser never hears."""
    route.fetch()
    route.abort()


def votes() -> list[tuple[int, bool]]:
    return list(Vote.objects.order_by("revision").values_list("revision", "current"))


# ---- Saved


def test_saved_is_said_after_the_server_acknowledged_a_revision_and_not_before(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append("status of 500")
    page.route(DRAFTS, lambda route: route.fulfill(status=500, body="broken"))
    press(page, "f")
    expect(page.locator("#saved")).to_have_text("No answer, 1 change kept here")
    page.route(DRAFTS, lambda route: route.fulfill(status=200, body="<p>a proxy's page</p>"))
    press(page, "j")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#saved")).to_contain_text("2 changes kept here")
    page.unroute(DRAFTS)
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    assert reread(mine).draft == {"label:G1:Left": "pass", "label:G1:Right": "pass"}


def test_while_somebody_types_without_a_pause_the_draft_is_at_most_ten_seconds_old(
    page: Page, mine: Assignment
) -> None:
    page.clock.install()
    page.reload()
    press(page, "r")
    with page.expect_response(DRAFTS):
        # Never a rest as long as the shortest delay; six seconds of it.
        for _ in range(30):
            page.keyboard.type("a")
            page.clock.run_for(200)
    assert len(reread(mine).draft["rationale"]) >= 20


def test_what_is_changed_back_before_it_was_posted_is_not_for_ever_on_its_way(
    page: Page, mine: Assignment
) -> None:
    press(page, "x x")
    expect(page.locator("#saved")).to_have_text("")
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    press(page, "x x")
    expect(page.locator("#saved")).to_contain_text("Saved ")


# ---- In this browser


def test_what_is_entered_is_kept_by_person_and_pair_until_the_vote_is_acknowledged(
    page: Page, mine: Assignment, expert: User, batch: Batch
) -> None:
    answer_all(page)
    record = kept(page, mine, expert)
    assert record is not None
    assert record["fields"]["rationale"] == "[C1] decides."
    everything = page.evaluate("() => JSON.stringify(localStorage)")
    for secret in ("Canonical", "Summarise", "18,240", "expert"):
        assert secret not in everything
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert kept(page, mine, expert) is None


def test_answers_that_did_not_reach_the_server_are_restored_and_said(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors.append(ABORTED)
    page.route(DRAFTS, lambda route: route.abort())
    press(page, "f k x")
    expect(page.locator("#saved")).to_have_text("No connection, 3 changes kept here")
    assert reread(mine).draft == {}
    page.unroute(DRAFTS)
    page.reload()
    expect(page.locator("#told")).to_contain_text(
        "Restored from this browser: 3 answers that had not reached the server."
    )
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    assert reread(mine).draft["label:G1:Right"] == "fail"
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("#told")).to_be_hidden()
    page.reload()
    expect(page.locator("#told")).to_be_hidden()


def test_a_restore_can_be_undone(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors.append(ABORTED)
    press(page, "d")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.route(DRAFTS, lambda route: route.abort())
    press(page, "f ArrowUp f j")
    expect(page.locator("#saved")).to_contain_text("kept here")
    page.unroute(DRAFTS)
    page.reload()
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")
    with page.expect_event("load"):
        page.locator("#told").get_by_role("button", name="Undo").click()
    expect(page.locator("#told")).to_be_hidden()
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    assert reread(mine).draft == {"label:G1:Left": "fail"}


def test_what_the_server_has_newer_from_elsewhere_is_not_overwritten(
    page: Page, mine: Assignment, expert: User
) -> None:
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    save_draft(assignment=mine, form={"label:G1:Left": "fail"}, acting_user=expert)
    page.reload()
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    expect(page.locator("#told")).to_be_hidden()


@pytest.mark.parametrize(("choice", "left"), [("Take them", "pass"), ("Leave them", "fail")])
def test_where_both_went_on_the_person_chooses(
    page: Page,
    mine: Assignment,
    expert: User,
    expected_errors: list[str],
    choice: str,
    left: str,
) -> None:
    expected_errors.append(ABORTED)
    page.route(DRAFTS, lambda route: route.abort())
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("kept here")
    save_draft(assignment=mine, form={"label:G1:Left": "fail"}, acting_user=expert)
    page.unroute(DRAFTS)
    page.reload()
    strip = page.locator("#told")
    expect(strip).to_contain_text("saved elsewhere since")
    strip.get_by_text("What differs").click()
    expect(strip).to_contain_text("G1 Left: pass here, fail there")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    button = strip.get_by_role("button", name=choice)
    if choice == "Take them":
        # The other scripts learn of it by starting anew.
        with page.expect_event("load"):
            button.click()
    else:
        button.click()
    expect(strip).to_be_hidden()
    expect(page.locator("#label-G1-Left :checked")).to_have_value(left)
    page.reload()
    expect(strip).to_be_hidden()
    assert reread(mine).draft["label:G1:Left"] == left


@pytest.mark.parametrize(
    "blocked",
    [
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }})",
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }",
    ],
    ids=["blocked", "full"],
)
def test_without_storage_the_page_works_and_says_what_it_cannot_keep(
    signed_in: OpenPage,
    mine: Assignment,
    expert: User,
    expected_errors: list[str],
    blocked: str,
) -> None:
    expected_errors.append(ABORTED)
    page = signed_in(expert)
    page.add_init_script(blocked)
    page.goto(path_of(mine))
    page.route(DRAFTS, lambda route: route.abort())
    press(page, "f j")
    expect(page.locator("#saved")).to_have_text("No connection, 2 changes on this page only")
    page.unroute(DRAFTS)
    answer_all(page)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert votes() == [(1, True)]


def test_copies_older_than_a_fortnight_go_whoever_they_belong_to(page: Page) -> None:
    old = (timezone.now() - timedelta(days=15)).timestamp() * 1000
    page.evaluate(
        """(old) => {
            localStorage.setItem("calibrant:draft:0000:x", JSON.stringify({at: old, fields: {}}));
            localStorage.setItem("calibrant:draft:0000:y", "broken");
            localStorage.setItem("calibrant:draft:0000:z", JSON.stringify({at: Date.now()}));
        }""",
        old,
    )
    page.goto("/")
    keys = kept_keys(page)
    assert [key[-1] for key in keys if ":0000:" in key] == ["z"]


# ---- Offline


def test_offline_is_said_counted_and_made_good(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    page.context.set_offline(True)
    press(page, "f k x")
    expect(page.locator("#saved")).to_have_text("Offline, 3 changes kept here")
    page.context.set_offline(False)
    expect(page.locator("#saved")).to_contain_text("Saved ")
    assert set(reread(mine).draft) == {"label:G1:Left", "label:G1:Right", "unclear:G2"}


def test_a_vote_sent_while_offline_goes_by_itself_once_and_the_next_pair_opens(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    answer_all(page)
    page.context.set_offline(True)
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_have_text("Offline: sent when it is back")
    expect(page.locator("#say")).to_contain_text("sent by itself when the connection is back")
    press(page, "Control+Enter")
    assert not Vote.objects.exists()
    page.context.set_offline(False)
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert votes() == [(1, True)]


def test_a_page_closed_while_offline_loses_nothing_the_next_page_of_the_app_sends(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    page.context.set_offline(True)
    answer_all(page, "[C1] " + "written on a train " * 100)
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_have_text("Offline: sent when it is back")
    context = page.context
    page.close()
    context.set_offline(False)
    home = context.new_page()
    home.goto("/account/")
    expect(home.locator(".outbox")).to_contain_text("kept of 1 pair has reached the server")
    assert votes() == [(1, True)]
    assert Vote.objects.get().rationale.endswith("written on a train ")
    assert kept(home, mine, expert) is None


def test_a_draft_of_a_closed_page_is_brought_by_another_page(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    page.context.set_offline(True)
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("Offline")
    context = page.context
    page.close()
    context.set_offline(False)
    context.new_page().goto("/")
    expect(context.pages[-1].locator(".outbox")).to_contain_text("has reached the server")
    assert reread(mine).draft == {"label:G1:Left": "pass"}


def test_the_same_page_opened_again_sends_what_waited_on_it(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors += [OFFLINE]
    answer_all(page)
    page.context.set_offline(True)
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_contain_text("Offline")
    context, address = page.context, page.url
    page.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(address)
    expect(again.locator("h1")).to_have_text("Pair 2 of 2")
    assert votes() == [(1, True)]


def test_what_is_changed_while_a_vote_waits_is_a_draft_over_it(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    answer_all(page)
    page.context.set_offline(True)
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_contain_text("Offline")
    page.locator("#rationale").fill("[C1] decides, and more.")
    page.context.set_offline(False)
    expect(page.locator("#told")).to_contain_text("sent as it stood when you sent it")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    assert Vote.objects.get().rationale == "[C1] decides."
    assert reread(mine).draft["rationale"] == "[C1] decides, and more."
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert votes() == [(1, False), (2, True)]


def test_a_round_that_closed_meanwhile_keeps_what_was_entered(
    page: Page, mine: Assignment, expert: User, batch: Batch, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    page.context.set_offline(True)
    answer_all(page, "[C1] typed in vain")
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_contain_text("Offline")
    close_round(batch=batch, acting_user=None)
    page.context.set_offline(False)
    expect(page.locator("#closed")).to_contain_text("Not sent: the round has been closed.")
    expect(page.locator("#rationale")).to_have_value("[C1] typed in vain")
    page.goto(path_of(mine))
    strip = page.locator("#told")
    expect(strip).to_contain_text("closed before these answers")
    strip.get_by_text("What differs").click()
    expect(strip).to_contain_text("typed in vain")
    strip.get_by_role("button", name="Delete them here").click()
    assert kept(page, mine, expert) is None
    assert not Vote.objects.exists()


# ---- Lost answers, double clicks, the way back


def test_an_answer_that_is_lost_on_its_way_back_makes_no_second_vote(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append(ABORTED)

    answer_all(page)
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.route(path_of(mine), lose_answer, times=1)
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_contain_text("No connection")
    assert votes() == [(1, True)]
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert votes() == [(1, True)]


def test_a_draft_whose_answer_was_lost_does_not_stand_in_the_way_of_the_next(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append(ABORTED)

    page.route(DRAFTS, lose_answer, times=1)
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("No connection")
    press(page, "j")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    assert reread(mine).draft == {"label:G1:Left": "pass", "label:G1:Right": "pass"}
    assert reread(mine).draft_revision == 2


def test_wf_01_wf_06_a_double_click_on_send_is_one_vote_and_opens_one_pair(
    page: Page, mine: Assignment
) -> None:
    answer_all(page)
    page.locator("#send").dblclick()
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    assert votes() == [(1, True)]
    assert list(Vote.objects.values_list("assignment", flat=True)) == [mine.pk]


def test_back_after_sending_shows_the_vote_and_sending_it_again_changes_nothing(
    page: Page, mine: Assignment
) -> None:
    answer_all(page)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    page.go_back()
    expect(page.locator("#rationale")).to_have_value("[C1] decides.")
    expect(page.locator("#told")).to_be_hidden()
    page.locator("#send").click()
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert votes() == [(1, True)]


def test_wf_06_a_second_answer_is_a_revision_and_the_colleagues_stands_beside_it(
    signed_in: OpenPage, page: Page, batch: Batch, mine: Assignment, other_expert: User
) -> None:
    theirs = Assignment.objects.get(batch=batch, rater__user=other_expert, subject=mine.subject)
    answer_all(page)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    colleague = signed_in(other_expert)
    colleague.goto(path_of(theirs))
    answer_all(colleague)
    press(colleague, "Control+Enter")
    expect(colleague.locator("h1")).not_to_have_text(f"Pair {theirs.position} of 2")
    page.goto(path_of(mine))
    press(page, "5")
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    rows = Vote.objects.values_list("rater__user__username", "revision", "current")
    assert sorted(rows) == [
        ("expert", 1, False),
        ("expert", 2, True),
        ("other_expert", 1, True),
    ]


def test_wf_10_what_is_picked_on_the_left_is_stored_by_its_response_in_every_revision(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert)
    for order, digit in (("AB", "1"), ("BA", "5"), ("BA", "1")):
        Assignment.objects.filter(pk=mine.pk).update(order=order)
        page.goto(path_of(mine))
        answer_all(page) if digit == "1" and order == "AB" else press(page, digit)
        if order == "AB":
            press(page, "Escape 1")
        press(page, "Control+Enter")
        expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    preferences = Vote.objects.order_by("revision").values_list("revision", "current")
    assert [revision for revision, _ in preferences] == [1, 2, 3]
    codes = [
        vote.labels.get(criterion__key="preference").code
        for vote in Vote.objects.order_by("revision")
    ]
    assert codes == ["A_much", "A_much", "B_much"]


# ---- Two tabs


def test_of_two_tabs_the_other_hears_at_once(page: Page, mine: Assignment, expert: User) -> None:
    later = page.context.new_page()
    later.goto(path_of(mine))
    press(later, "f")
    expect(page.locator("#told")).to_contain_text("is being changed in another tab just now")
    expect(later.locator("#saved")).to_contain_text("Saved ")
    page.locator("#told").get_by_role("button", name="Load the other").click()
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")
    later.bring_to_front()
    answer_all(later)
    press(later, "Control+Enter")
    expect(page.locator("#told")).to_contain_text("sent from another tab")


@pytest.mark.parametrize(("choice", "left"), [("Keep mine", "fail"), ("Load the other", "pass")])
def test_of_two_tabs_the_later_one_is_told_what_differs_and_chooses(
    signed_in: OpenPage, page: Page, mine: Assignment, expert: User, choice: str, left: str
) -> None:
    newer = signed_in(expert)
    newer.goto(path_of(mine))
    press(newer, "f j")
    expect(newer.locator("#saved")).to_contain_text("Saved ")
    press(page, "d")
    expect(page.locator("#saved")).to_have_text("Not saved: changed in another tab")
    strip = page.locator("#told")
    expect(strip).to_contain_text("What you entered stays on this page.")
    strip.get_by_text("What differs").click()
    expect(strip).to_contain_text("G1 Left: fail here, pass there")
    expect(strip).to_contain_text("G1 Right: nothing here, pass there")
    press(page, "Control+Enter")
    assert reread(mine).draft["label:G1:Left"] == "pass"
    press(page, "Escape")
    with page.expect_response(lambda response: response.ok and str(mine.public_id) in response.url):
        strip.get_by_role("button", name=choice).click()
    expect(page.locator("#saved")).to_contain_text("Saved")
    page.wait_for_load_state()
    expect(strip).to_be_hidden()
    expect(page.locator("#label-G1-Left :checked")).to_have_value(left)
    page.reload()
    expect(page.locator("#label-G1-Left :checked")).to_have_value(left)
    assert reread(mine).draft["label:G1:Left"] == left


def test_what_a_tab_could_not_save_outlives_it(
    signed_in: OpenPage, page: Page, mine: Assignment, expert: User
) -> None:
    save_draft(assignment=mine, form={"label:G1:Left": "pass"}, acting_user=expert)
    press(page, "d")
    expect(page.locator("#told")).to_contain_text("changed in another tab")
    page.reload()
    expect(page.locator("#told")).to_contain_text("saved elsewhere since")
    page.locator("#told").get_by_role("button", name="Take them").click()
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")


def test_a_tab_that_learns_of_another_only_when_it_sends_asks_first(
    page: Page, mine: Assignment
) -> None:
    answer_all(page)
    expect(page.locator("#saved")).to_contain_text("Saved ")
    Assignment.objects.filter(pk=mine.pk).update(draft={}, draft_revision=99)
    press(page, "Control+Enter")
    expect(page.locator("#told")).to_contain_text("It was not sent.")
    assert not Vote.objects.exists()
    page.locator("#told").get_by_role("button", name="Keep mine").click()
    press(page, "r Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert votes() == [(1, True)]


def test_two_tabs_without_a_connection_keep_both_in_one_browser(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    first, second = page, page.context.new_page()
    second.goto(path_of(mine))
    third = page.context.new_page()
    third.goto(path_of(mine))
    context = page.context
    context.set_offline(True)
    for tab, words in ((first, "first words"), (second, "second words"), (third, "third words")):
        tab.bring_to_front()
        tab.locator("#rationale").fill(words)
        expect(tab.locator("#saved")).to_contain_text("Offline")
    # A look at a tab that has said all it has to say takes nothing away either.
    first.bring_to_front()
    for tab in (first, second, third):
        tab.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(path_of(mine))
    strip, found = again.locator("#told"), set()
    for _ in range(3):
        expect(strip).to_be_visible()
        found.add(again.locator("#rationale").input_value())
        if "restored" in (strip.get_attribute("data-kind") or ""):
            strip.get_by_role("button", name="Keep").click()
            expect(again.locator("#saved")).to_contain_text("Saved ")
            again.reload()
        else:
            with again.expect_navigation():
                strip.get_by_role("button", name="Take them").click()
            expect(again.locator("#rationale")).not_to_have_value(next(iter(found)))
    found.add(again.locator("#rationale").input_value())
    assert found == {"first words", "second words", "third words"}
    again.reload()
    expect(strip).to_be_hidden()


def test_what_one_of_two_tabs_has_brought_to_the_server_is_not_offered_again(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    other = page.context.new_page()
    other.goto(path_of(mine))
    page.context.set_offline(True)
    page.bring_to_front()
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("Offline")
    other.bring_to_front()
    press(other, "d")
    expect(other.locator("#saved")).to_contain_text("Offline")
    page.context.set_offline(False)
    for tab in (page, other):
        expect(tab.locator("#saved")).to_contain_text(re.compile("Saved |Not saved: changed"))
    conflicting = (
        other if "elsewhere" in (other.locator("#told").get_attribute("data-kind") or "") else page
    )
    conflicting.bring_to_front()
    conflicting.locator("#told").get_by_role("button", name="Keep mine").click()
    expect(conflicting.locator("#saved")).to_contain_text("Saved ")
    conflicting.reload()
    expect(conflicting.locator("#told")).to_be_hidden()


def test_sending_twice_without_an_answer_still_notices_another_tab(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors += [ABORTED, OFFLINE]
    answer_all(page)
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.route(path_of(mine), lambda route: route.abort())
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_contain_text("No connection")
    page.locator("#rationale").fill("[C1] decides, said again.")
    press(page, "Control+Enter")
    mine.refresh_from_db()
    save_draft(assignment=mine, form={"rationale": "from the other tab"}, acting_user=expert)
    page.unroute(path_of(mine))
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#told")).to_contain_text("It was not sent.")
    assert reread(mine).draft == {"rationale": "from the other tab"}
    assert not Vote.objects.exists()


def test_sending_twice_where_the_first_had_arrived_amends_it(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append(ABORTED)
    answer_all(page)
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.locator("#rationale").fill("[C1] decides, first.")
    page.route(path_of(mine), lose_answer, times=1)
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_contain_text("No connection")
    page.locator("#rationale").fill("[C1] decides, second.")
    press(page, "Control+Enter")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert votes() == [(1, False), (2, True)]
    assert Vote.objects.get(current=True).rationale == "[C1] decides, second."


def test_a_form_that_another_tab_overtook_is_asked_about_under_a_script_too(
    page: Page, mine: Assignment, expert: User
) -> None:
    save_draft(assignment=mine, form={"label:G1:Left": "fail"}, acting_user=expert)
    with page.expect_navigation():
        page.evaluate(
            """() => {
                const form = document.getElementById("ballot");
                form.querySelector("[name='label:G1:Left'][value=pass]").checked = true;
                HTMLFormElement.prototype.submit.call(form);
            }"""
        )
    expect(page.locator("#told")).to_contain_text("changed in another tab")
    expect(page.locator("#other-version")).to_have_count(0)
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")
    page.locator("#told").get_by_role("button", name="Keep mine").click()
    expect(page.locator("#saved")).to_contain_text("Saved ")
    assert reread(mine).draft == {"label:G1:Left": "pass"}


# ---- Refused

PLACES = """() => [...document.querySelectorAll(".crit, .cell, .bar > *, #send, .resp, .scale")]
    .map((one) => [one.id || one.className, one.getBoundingClientRect().toJSON()])"""


def test_a_refused_answer_is_told_at_its_field_and_takes_nothing_away(
    page: Page, mine: Assignment
) -> None:
    answer_all(page, "Nothing is cited here.")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.evaluate("window.stays = true")
    before = page.evaluate(PLACES)
    press(page, "Control+Enter")
    error = page.locator("#rationale-error")
    expect(error).to_contain_text("Cite the gate or criterion that decided")
    expect(page.locator("#say")).to_contain_text("Not sent yet. Cite the gate")
    expect(page.locator("#rationale")).to_be_focused()
    expect(page.locator("#rationale")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#rationale")).to_have_attribute("aria-describedby", "rationale-error")
    expect(page.locator("#rationale")).to_have_value("Nothing is cited here.")
    assert page.evaluate("window.stays") is True
    assert page.evaluate(PLACES) == before
    expect(page.locator("#undo")).to_be_enabled()
    page.locator("#rationale").fill("[C1] decides.")
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert votes() == [(1, True)]


# ---- The sign in the bar

LOOK = """(state) => {
    const sign = document.getElementById("saved");
    sign.dataset.state = state;
    const dot = getComputedStyle(sign, "::before"), own = getComputedStyle(sign);
    return [own.color, dot.backgroundColor, dot.borderRadius, dot.boxShadow].join(" ");
}"""


def test_every_state_of_saving_looks_its_own_way(page: Page) -> None:
    states = ["saved", "saving", "failed", "offline", "closed"]
    assert len({page.evaluate(LOOK, state) for state in states}) == len(states)


@pytest.mark.parametrize("width", [1024, 1100, 1280, 1440])
def test_whatever_is_said_of_saving_lies_over_nothing_and_moves_nothing(
    page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    before = page.evaluate(PLACES)
    page.evaluate(
        """() => labelPage.saved.show("offline", "No connection, 12 changes on this page only")"""
    )
    assert page.evaluate(PLACES) == before
    boxes = page.evaluate(
        """() => [...document.querySelectorAll(".bar > :not(.told, .vh), .progress > *")]
            .filter((one) => one.checkVisibility() && !one.matches(".progress"))
            .map((one) => one.getBoundingClientRect()).map(({left, right}) => [left, right])
            .sort((a, b) => a[0] - b[0])"""
    )
    assert all(right <= left for (_, right), (left, _) in itertools.pairwise(boxes)), boxes
    title = page.locator("#saved").get_attribute("title")
    assert title == "No connection, 12 changes on this page only"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("saved", "Saved"),
        ("saving", "Saving…"),
        ("offline", "Offline 12"),
        ("offline", "Unsent 12"),
        ("failed", "Not saved"),
        ("failed", "Too long"),
        ("saved", "Not sent"),
    ],
)
def test_on_a_phone_the_short_words_fit_beside_all_that_the_bar_can_hold(
    signed_in: OpenPage, mine: Assignment, expert: User, state: str, words: str
) -> None:
    page = signed_in(expert, viewport={"width": 390, "height": 800})
    page.goto(path_of(mine))
    answer_all(page)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    page.goto(path_of(mine))
    page.evaluate("document.querySelector('.progress > span').lastChild.data = ' of 40'")
    page.evaluate("([state, short]) => labelPage.saved.show(state, 'x', {short})", [state, words])
    expect(page.locator("#saved")).to_have_text(words)
    sign = "document.getElementById('saved')"
    assert page.evaluate(f"{sign}.scrollWidth <= {sign}.clientWidth")
    assert page.evaluate("document.querySelector('.bar').scrollWidth") <= 390


def test_on_a_phone_the_way_to_sign_in_is_in_the_bar(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert, viewport={"width": 390, "height": 800})
    page.goto(path_of(mine))
    press(page, "f")
    expect(page.locator("#saved")).to_have_text("Saved")
    page.context.clear_cookies(name="sessionid")
    press(page, "k")
    page.get_by_role("dialog").get_by_role("button", name="Not now").click()
    button = page.locator("#saved").get_by_role("button", name="Sign in")
    box = button.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    button.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_only_failing_and_recovering_is_read_out(page: Page, expected_errors: list[str]) -> None:
    expected_errors.append(OFFLINE)
    says = page.locator("#saved-says")
    assert page.locator("#saved").get_attribute("role") is None
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    expect(says).to_have_text("")
    page.context.set_offline(True)
    press(page, "k")
    expect(says).to_have_text("Offline, 1 change kept here")
    press(page, "x")
    expect(page.locator("#saved")).to_contain_text("2 changes")
    expect(says).to_have_text("Offline, 1 change kept here")
    page.context.set_offline(False)
    expect(says).to_contain_text("Saved ")


def test_keys_that_cannot_be_taken_over_are_said_to_stay(
    page: Page, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    page.context.set_offline(True)
    press(page, "?")
    page.locator("#keys-of").select_option(index=1)
    page.get_by_role("button", name="Use these keys").click()
    expect(page.locator("#say")).to_contain_text(
        "Your keys stay as they were: there is no connection"
    )
    expect(page.locator("#keys")).to_be_hidden()


# ---- Bad input


def test_a_rationale_that_looks_like_evidence_is_kept_as_it_was_written(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors.append(OFFLINE)
    whole = '[{"quote":"so it reads","start":1,"end":3,"side":"Left"}]'
    page.context.set_offline(True)
    page.locator("#rationale").fill(whole)
    expect(page.locator("#saved")).to_contain_text("Offline")
    assert (kept(page, mine, expert) or {})["fields"]["rationale"] == whole
    address, context = page.url, page.context
    page.close()
    context.set_offline(False)
    home = context.new_page()
    home.goto("/account/")
    expect(home.locator(".outbox")).to_contain_text("has reached the server")
    assert reread(mine).draft["rationale"] == whole
    home.goto(address)
    expect(home.locator("#rationale")).to_have_value(whole)


def test_a_rationale_of_a_megabyte_is_refused_in_words_and_kept_whole(
    page: Page, mine: Assignment, expert: User
) -> None:
    text = "[C1] " + "a" * 1_000_000
    press(page, ALL_ANSWERED)
    page.locator("#rationale").fill(text)
    press(page, "Control+Enter")
    expect(page.locator("#rationale-error")).to_contain_text(
        "Shorten the rationale to 20,000 characters: it has 1,000,005, all of them kept here."
    )
    assert page.locator("#rationale").input_value() == text
    assert reread(mine).draft["rationale"] == text
    page.locator("#rationale").fill("[C1] Short.")
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")


def test_more_than_the_server_takes_at_once_is_said_and_stays(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append("status of 413")
    text = "[C1] " + "a" * 6_000_000
    press(page, ALL_ANSWERED)
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.evaluate(
        """(text) => {
            const area = document.getElementById("rationale");
            area.value = text;
            area.dispatchEvent(new Event("input", {bubbles: true}));
        }""",
        text,
    )
    expect(page.locator("#saved")).to_contain_text("Too long to save", timeout=20_000)
    press(page, "Control+Enter")
    expect(page.locator("#say")).to_contain_text("All of it stays on this page")
    assert page.evaluate("document.getElementById('rationale').value.length") == len(text)
    page.locator("#rationale").fill("[C1] Short.")
    expect(page.locator("#saved")).to_contain_text("Saved ")


def test_wf_11_whoever_leaves_while_a_page_is_open_keeps_the_text_and_no_label_is_lost(
    page: Page, mine: Assignment, expert: User, expected_errors: list[str]
) -> None:
    expected_errors.append("status of 404")
    answer_all(page)
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    Membership.objects.filter(user=expert).delete()
    page.locator("#rationale").fill("Half a thought")
    expect(page.locator("#told")).to_contain_text("no longer yours to label")
    expect(page.locator("#rationale")).to_have_value("Half a thought")
    assert votes() == [(1, True)]


def test_a_lost_token_is_fetched_anew(
    page: Page, mine: Assignment, expected_errors: list[str]
) -> None:
    expected_errors.append("status of 403")
    page.context.clear_cookies(name="csrftoken")
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    assert reread(mine).draft == {"label:G1:Left": "pass"}


def test_wf_05_a_colleague_at_the_same_browser_finds_nothing_of_anothers_words(
    page: Page,
    batch: Batch,
    mine: Assignment,
    other_expert: User,
    live_server: LiveServer,
    expected_errors: list[str],
) -> None:
    """One browser, one after the other: its storage is the same, and what is left in it counts."""
    expected_errors.append(OFFLINE)
    theirs = Assignment.objects.get(batch=batch, rater__user=other_expert, subject=mine.subject)
    answer_all(page, "[C1] Quillfeather decides.")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.context.set_offline(True)
    page.locator("#rationale").fill("[C1] Quillfeather decides, not yet on the server.")
    expect(page.locator("#saved")).to_contain_text("Offline")
    storage = "() => JSON.stringify({...localStorage, ...sessionStorage})"
    assert "Quillfeather" in page.evaluate(storage)
    page.context.set_offline(False)
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.goto("/account/")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")
    assert "Quillfeather" not in page.evaluate(storage)
    sign_in(page.context, other_expert, live_server.url)
    seen: list[str] = []
    page.on("response", lambda response: seen.append(response.url))
    page.goto(path_of(theirs))
    press(page, "f")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    expect(page.locator("#told")).to_be_hidden()
    assert page.locator("#rationale").input_value() == ""
    assert "Quillfeather" not in page.content()
    assert "Quillfeather" not in page.evaluate(storage)
    assert not any(str(mine.public_id) in url for url in seen)
