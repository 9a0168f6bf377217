"""A split decided with the keyboard alone, and the way of an expert to where they differed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Batch, Edit, Ruling
from tests.annotate.ruled import asked, decided, split_round
from tests.making import make_member, make_project

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(transactional_db: None) -> Project:
    return make_project()


@pytest.fixture
def owner(project: Project) -> User:
    return make_member(project, "policy_owner", username="owner")


@pytest.fixture
def raters(project: Project) -> list[User]:
    return [make_member(project, "expert", username=f"expert{n}") for n in range(3)]


@pytest.fixture
def batch(project: Project, raters: list[User]) -> Batch:
    return split_round(project, raters)


def tab_to(page: Page, selector: str, most: int = 80) -> None:
    """With the Tab key alone, as far as it takes."""
    for _ in range(most):
        if page.evaluate("(found) => document.activeElement?.matches(found)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def test_a_split_is_decided_and_its_rule_written_by_keyboard_alone(
    signed_in: OpenPage, batch: Batch, owner: User
) -> None:
    ruling = asked(batch)
    page = signed_in(owner)
    page.goto("/")
    tab_to(page, "a.btn-primary")
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Rulings")
    tab_to(page, "a.btn-primary")
    page.keyboard.press("Enter")
    expect(heading).to_have_text("A split to rule on")
    tab_to(page, "input[name=decision]")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    tab_to(page, "textarea[name=answer]")
    page.keyboard.type("The rubric is silent on it.")
    tab_to(page, "button[value=decide]")
    page.keyboard.press("Enter")
    expect(heading).to_have_text("A rule was missing")
    tab_to(page, "select[name=kind]")
    expect(page.locator("select[name=kind]")).to_have_value("reword:C1")
    tab_to(page, "textarea[name=text]")
    page.keyboard.type("The first sentence names the proximate cause.")
    tab_to(page, "button[value=rule]")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("Reworded: C1, in version 2 of summaries.")
    ruling.refresh_from_db()
    assert (ruling.decision, ruling.answer) == ("missing", "The rubric is silent on it.")
    assert Edit.objects.get().ruling == ruling


def test_a_refused_decision_is_said_where_it_is_missing(
    signed_in: OpenPage, batch: Batch, owner: User
) -> None:
    ruling = asked(batch)
    page = signed_in(owner)
    page.goto(reverse("annotate:ruling", args=["claims", ruling.public_id]))
    right = page.get_by_label("The label that is right")
    expect(right).to_be_hidden()
    page.get_by_role("radio", name="One side is right").check()
    expect(right).to_be_visible()
    page.get_by_label("Why").fill("See the file.")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_text("Say which label is right: yes, no.")).to_be_visible()
    expect(page.get_by_label("Why")).to_have_value("See the file.")
    page.get_by_label("The label that is right").select_option("no")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("One side is right: no")
    assert Ruling.objects.get().right_code == "no"


def test_an_expert_goes_from_the_notice_to_where_they_differed(
    signed_in: OpenPage, batch: Batch, raters: list[User]
) -> None:
    page = signed_in(raters[2])
    page.goto(reverse("projects:notices"))
    page.get_by_role("button", name="where you differed").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Round 1: where you differed")
    expect(page.locator("main")).to_contain_text("You said no. Both others said yes.")
    page.get_by_role("link", name="Look at the first pair").click()
    expect(page.locator("body")).to_contain_text("Response A of")


def test_the_wording_follows_the_check_that_is_chosen_until_somebody_writes(
    signed_in: OpenPage, batch: Batch, owner: User
) -> None:
    ruling = decided(batch, "missing")
    page = signed_in(owner)
    page.goto(reverse("annotate:ruling", args=["claims", ruling.public_id]))
    kind, text = page.locator("select[name=kind]"), page.locator("textarea[name=text]")
    wordings = dict(batch.version.criteria.values_list("key", "text"))
    expect(text).to_have_value(wordings["C1"])
    kind.select_option("reword:G1")
    expect(text).to_have_value(wordings["G1"])
    kind.select_option("add:gate")
    expect(text).to_have_value("")
    text.fill("My own words.")
    kind.select_option("reword:C1")
    expect(text).to_have_value("My own words.")
