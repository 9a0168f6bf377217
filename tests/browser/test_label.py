"""One pair from start to end: by the keyboard alone, and with plain forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from annotate.models import Assignment, Batch, Vote
from tests.ballots import PREFERENCE_ONLY, SCALES, first_of, make_label_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]
    Serious = Callable[[Page], list[str]]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def batch(
    transactional_db: None,
    live_server: LiveServer,
    project: Project,
    expert: User,
    other_expert: User,
) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


def path_of(assignment: Assignment) -> str:
    return f"/label/pair/{assignment.public_id}/"


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def test_a_pair_is_labelled_by_the_keyboard_alone(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    assignment = first_of(batch, expert, "BA")
    page = signed_in(expert)
    page.goto(f"/label/{batch.public_id}/")
    assert page.url.endswith(path_of(assignment))
    expect(page.locator(".crit.now")).to_have_id("row-G1")
    press(page, "f")
    expect(page.locator(".crit.now")).to_have_id("row-G1")
    press(page, "j")
    expect(page.locator(".crit.now")).to_have_id("row-G2")
    press(page, "g")
    expect(page.locator("#gate-says")).to_have_text(
        "No gate decides: criteria, then the preference."
    )
    press(page, "f k l f")
    expect(page.locator(".crit.now")).to_have_count(0)
    press(page, "2")
    expect(page.locator("#rationale")).to_be_focused()
    page.keyboard.type("c1 decides.")
    expect(page.locator("#rationale")).to_have_value("[C1] decides.")
    press(page, "Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")

    vote = Vote.objects.get()
    labels = {
        (key, part): code
        for key, part, code in vote.labels.values_list("criterion__key", "part_key", "code")
    }
    assert labels == {
        ("G1", "A"): "pass",
        ("G1", "B"): "pass",
        ("G2", "A"): "pass",
        ("G2", "B"): "pass",
        ("C1", "B"): "yes",
        ("C1", "A"): "no",
        ("C2", "B"): "yes",
        ("C2", "A"): "na",
        ("preference", ""): "B_slight",
    }
    assert vote.rationale == "[C1] decides."
    assert vote.detail == {"all_pass": True}


def test_nothing_moves_while_a_pair_is_labelled(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(first_of(batch, expert)))
    places = """() => [...document.querySelectorAll(".crit, #preference, #send")]
        .map((box) => box.getBoundingClientRect().top)"""
    before = page.evaluate(places)
    press(page, "d j g")
    expect(page.locator(".stop input").first).to_be_disabled()
    assert page.evaluate(places) == before
    press(page, "u u u f j g f j f k")
    expect(page.locator(".stop input").first).to_be_enabled()
    press(page, "4")
    assert page.evaluate(places) == before


def test_a_deciding_gate_disables_the_preference_and_says_who_wins(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(first_of(batch, expert)))
    press(page, "d j g")
    expect(page.locator("#gate-says")).to_contain_text("G1 fails on Left only: Right wins.")
    press(page, "f j f k Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert not Vote.objects.get().labels.filter(criterion__key="preference").exists()


def test_keys_rest_while_something_is_typed(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(first_of(batch, expert)))
    press(page, "r")
    page.keyboard.type("fjgxnu 1 0 ?")
    assert page.locator(".cell :checked").count() == 0
    expect(page.locator("#rationale")).to_have_value("fjgxnu 1 0 ?")
    press(page, "Escape f")
    expect(page.locator("#label-G1-Left :checked")).to_have_count(0)
    press(page, "ArrowUp ArrowUp ArrowUp ArrowUp f")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")


def test_undo_unclear_anchors_prompt_and_the_list_of_keys(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(first_of(batch, expert)))
    press(page, "a")
    expect(page.locator("#anchor-panel")).to_contain_text("Estimate $18,240.50.")
    press(page, "a")
    expect(page.locator("#anchor-panel")).to_be_hidden()
    press(page, "x f u")
    expect(page.locator(".cell :checked")).to_have_count(0)
    expect(page.locator('[name="unclear:G1"]')).to_be_checked()
    press(page, "p")
    expect(page.locator(".file-body")).to_be_visible()
    press(page, "?")
    expect(page.locator("#keys")).to_be_visible()
    press(page, "f Escape")
    expect(page.locator("#keys")).to_be_hidden()
    expect(page.locator(".cell :checked")).to_have_count(0)


def test_what_is_entered_is_on_the_server_before_it_is_called_saved(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    assignment = first_of(batch, expert)
    page = signed_in(expert)
    page.goto(path_of(assignment))
    with page.expect_response("**/draft/") as answered:
        press(page, "f")
    assert answered.value.status == 200
    expect(page.locator("#saved")).to_contain_text("Saved ")
    assignment.refresh_from_db()
    assert assignment.draft == {"label:G1:Left": "pass"}
    page.reload()
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")


def test_a_pair_is_labelled_with_plain_forms(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert, java_script_enabled=False)
    page.goto(path_of(first_of(batch, expert, "AB")))
    page.get_by_role("button", name="Rest pass").click()
    for name in ("C1, Left", "C2, Left", "C2, Right"):
        page.get_by_role("group", name=name).get_by_role("radio", name="yes").check(force=True)
    page.get_by_role("group", name="C1, Right").get_by_role("radio", name="no").check(force=True)
    page.get_by_role("button", name="C1", exact=True).click()
    expect(page.locator("#rationale")).to_have_value("[C1] ")
    page.get_by_role("button", name="Send and next").last.click()
    expect(page.locator("#errors")).to_contain_text("Choose a preference")
    page.locator('[name="preference"][value="1"]').check(force=True)
    page.get_by_role("button", name="Send and next").last.click()
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    vote = Vote.objects.get()
    assert vote.labels.get(criterion__key="preference").code == "A_much"
    assert vote.cites == ["C1"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_accessible_and_as_wide_as_the_screen(
    signed_in: OpenPage,
    batch: Batch,
    expert: User,
    serious: Serious,
    width: int,
    scheme: str,
) -> None:
    page = signed_in(expert, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(path_of(first_of(batch, expert)))
    widths = "() => [document.documentElement.scrollWidth, innerWidth]"
    assert page.evaluate(widths) == [width, width]
    assert serious(page) == []
    press(page, "d j a")
    assert serious(page) == []
    press(page, "a f g f j f k")
    assert page.evaluate(widths) == [width, width]
    assert serious(page) == []
    page.goto(f"/label/{batch.public_id}/mine/")
    assert page.evaluate(widths) == [width, width]
    assert serious(page) == []


def test_a_finger_finds_every_answer_on_a_narrow_screen(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert, viewport={"width": 390, "height": 844}, has_touch=True)
    page.goto(path_of(first_of(batch, expert, "AB")))
    for box in page.locator(".crit.now .opt").all():
        size = box.bounding_box()
        assert size is not None
        assert size["height"] >= 44
        assert size["width"] >= 44
    for key, mark in (("G1", "pass"), ("G2", "pass"), ("C1", "pass"), ("C2", "fail")):
        for side in ("Left", "Right"):
            page.locator(f"#label-{key}-{side} .opt-{mark}").tap()
    page.locator(".stop").nth(2).tap()
    page.locator("#rationale").fill("[C2] Equal.")
    page.locator("#send").tap()
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert Vote.objects.get().labels.get(criterion__key="preference").code == "tie"


def test_a_rubric_of_a_preference_alone_takes_three_keys(
    transactional_db: None, signed_in: OpenPage, project: Project, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert, rubric=PREFERENCE_ONLY)
    page = signed_in(expert)
    page.goto(path_of(first_of(batch, expert, "BA")))
    press(page, "1 o k Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    vote = Vote.objects.get()
    assert vote.labels.get().code == "B"
    assert vote.rationale == "ok"


def test_longer_scales_and_numbers_are_answered_by_digits(
    transactional_db: None, signed_in: OpenPage, project: Project, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert, rubric=SCALES)
    page = signed_in(expert)
    page.goto(path_of(first_of(batch, expert, "AB")))
    press(page, "4 2")
    page.keyboard.type("12.5")
    press(page, "Enter")
    page.keyboard.type("7")
    press(page, "Enter f Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    rows = Vote.objects.get().labels.values_list("criterion__key", "part_key", "code", "number")
    assert set(rows) == {
        ("C1", "A", "4", None),
        ("C1", "B", "2", None),
        ("C2", "A", "", 12.5),
        ("C2", "B", "", 7.0),
        ("C3", "", "yes", None),
    }
