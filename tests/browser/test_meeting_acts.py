"""The dialogs of the meeting's acts by keyboard: where the hand begins, what stays in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.actions.meetings import start_meeting
from annotate.disagreements import differing, unit_code
from annotate.models import Edit
from rubrics.models import RubricVersion
from tests.annotate.test_meeting_acts import RUBRIC
from tests.making import make_rubric_version, make_voted_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page
    from pytest_django.live_server_helper import LiveServer

    from annotate.models import Batch
    from projects.models import Project, User

    OpenPage = Callable[..., Page]
    Serious = Callable[[Page], list[str]]
    At = Callable[[Page, str], None]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def batch(
    transactional_db: None,
    live_server: LiveServer,
    project: Project,
    lead: User,
    expert: User,
    other_expert: User,
) -> Batch:
    version = make_rubric_version(project, RUBRIC)
    answers = [
        [{"C1": "yes yes", "preference": "A_much"}, {"C1": "no yes", "preference": "B_much"}]
    ]
    made = make_voted_round(project, [expert, other_expert], answers, version=version)
    start_meeting(batch=made, minutes=60, acting_user=lead)
    return made


@pytest.fixture
def at(batch: Batch, lead: User) -> At:
    def go(page: Page, key: str) -> None:
        item = next(one for one in differing([batch], reader=lead).all if one.unit.key == key)
        places = [batch.project.slug, batch.public_id, unit_code(item.unit)]
        page.goto(reverse("annotate:meeting_unit", args=places))
        page.wait_for_load_state()

    return go


def opened(page: Page, key: str, name: str) -> Locator:
    page.keyboard.press(key)
    dialog = page.get_by_role("dialog", name=name)
    expect(dialog).to_be_visible()
    return dialog


def test_on_the_preference_the_hand_begins_at_the_choice_of_a_check(
    signed_in: OpenPage, lead: User, at: At, serious: Serious
) -> None:
    page = signed_in(lead)
    at(page, "preference")
    dialog = opened(page, "w", "Reword")
    choice = dialog.get_by_label("Check")
    expect(choice).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("Choose the check")
    expect(choice).to_be_focused()
    assert serious(page) == []
    choice.select_option("C1")
    expect(dialog.get_by_label("The check")).to_have_value(
        "The first sentence names the cause of loss."
    )
    dialog.get_by_label("The check").fill("It names what broke.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog", name="In the draft of version 2 now")).to_be_visible()
    assert Edit.objects.get().keys == ["C1"]


def test_a_weight_changes_from_the_preference(signed_in: OpenPage, lead: User, at: At) -> None:
    page = signed_in(lead)
    at(page, "preference")
    dialog = opened(page, "g", "Weight, scale or procedure")
    expect(dialog.get_by_role("radio", name="The procedure")).to_be_focused()
    expect(dialog.get_by_label("Criterion", exact=True)).to_be_hidden()
    page.keyboard.press("ArrowDown")
    dialog.get_by_label("Criterion", exact=True).select_option("C2")
    dialog.get_by_label("Weight", exact=True).fill("4")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog", name="In the draft of version 2 now")).to_be_visible()
    assert RubricVersion.objects.get(number=2).criteria.get(key="C2").weight == 4


def test_an_anchor_with_nothing_selected_begins_with_its_words(
    signed_in: OpenPage, lead: User, at: At
) -> None:
    page = signed_in(lead)
    at(page, "C1")
    dialog = opened(page, "a", "Add as anchor")
    expect(dialog.get_by_role("textbox", name="Words of your own")).to_be_focused()
    expect(dialog.get_by_role("radio", name="Words of your own")).to_be_hidden()
    expect(dialog.get_by_text("select a passage first")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("]")
    dialog = opened(page, "a", "Add as anchor")
    expect(dialog.get_by_role("radio", name="as you have selected it")).to_be_checked()
    expect(dialog.get_by_text("select a passage first")).to_be_hidden()


def test_a_merge_begins_at_the_first_check_that_is_not_ticked(
    signed_in: OpenPage, lead: User, at: At
) -> None:
    page = signed_in(lead)
    at(page, "C1")
    dialog = opened(page, "m", "Merge")
    expect(dialog.get_by_role("checkbox", name="C2")).to_be_focused()
    expect(dialog.get_by_text("The quote is missing.")).to_be_hidden()
    page.keyboard.press("Space")
    expect(dialog.get_by_text("The quote is missing.")).to_be_visible()


@pytest.mark.parametrize("scripted", [True, False])
def test_a_rule_shows_the_field_that_it_asks_for(
    signed_in: OpenPage, lead: User, at: At, scripted: bool
) -> None:
    page = signed_in(lead, java_script_enabled=scripted)
    at(page, "C1")
    page.get_by_role("button", name="Check by code").click()
    fields = {
        "number": page.get_by_label("How many"),
        "share": page.get_by_label("Share of the prompt"),
        "lines": page.get_by_label("Words, patterns, headings or languages"),
        "schema": page.get_by_label("The schema"),
    }
    rules = {
        "max_words": "number",
        "max_prompt_overlap": "share",
        "must_not_match": "lines",
        "headings": "lines",
        "json_schema": "schema",
        "json": "",
    }
    for rule, asked in rules.items():
        page.get_by_label("The rule").select_option(rule)
        for name, field in fields.items():
            expect(field).to_be_visible(visible=name == asked)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_what_sends_a_split_stays_in_view_however_long_it_is(
    signed_in: OpenPage, lead: User, at: At, serious: Serious, width: int, height: int
) -> None:
    page = signed_in(lead)
    page.set_viewport_size({"width": width, "height": height})
    at(page, "C1")
    dialog = opened(page, "s", "Split")
    expect(dialog.get_by_label("Check 1")).to_be_focused()
    expect(dialog.get_by_label("Check 3")).to_be_hidden()
    send = dialog.get_by_role("button", name="Put it into the draft")
    expect(send).to_be_in_viewport(ratio=1)
    dialog.get_by_text("Another part").first.click()
    expect(dialog.get_by_label("Check 3")).to_be_visible()
    dialog.get_by_label("It broke.").select_option("2")
    expect(send).to_be_in_viewport(ratio=1)
    assert serious(page) == []
    assert dialog.evaluate("(box) => box.scrollWidth <= box.clientWidth")
