"""A form that was refused shows what is missing, however long its page is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.annotate.ruled import asked, split_round
from tests.making import make_member, make_pair, make_project, make_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from annotate.models import Batch
    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(transactional_db: None) -> Project:
    return make_project()


@pytest.fixture
def lead(project: Project) -> User:
    return make_member(project, "lead", "policy_owner", username="lead")


@pytest.fixture
def batch(project: Project) -> Batch:
    raters = [make_member(project, "expert", username=f"expert{n}") for n in range(2)]
    return split_round(project, raters)


def at_the_field(page: Page, selector: str, words: str) -> None:
    expect(page.locator(selector)).to_be_focused()
    expect(page.locator(selector)).to_be_in_viewport()
    expect(page.get_by_text(words)).to_be_in_viewport()


def test_a_decision_without_a_choice_comes_back_at_the_choice(
    signed_in: OpenPage, batch: Batch, lead: User
) -> None:
    ruling = asked(batch)
    page = signed_in(lead, viewport={"width": 1280, "height": 500})
    page.goto(reverse("annotate:ruling", args=["claims", ruling.public_id]))
    page.get_by_role("button", name="Decide").click()
    at_the_field(page, "input[name=decision] >> nth=0", "Choose one of the four decisions.")
    assert page.evaluate("scrollY") > 0


def test_a_waiver_without_a_reason_comes_back_at_the_reason(
    signed_in: OpenPage, batch: Batch, lead: User
) -> None:
    page = signed_in(lead, viewport={"width": 1280, "height": 500})
    page.goto(reverse("annotate:waive", args=["claims", batch.number, "G1"]))
    page.get_by_role("button", name="Waive G1").click()
    at_the_field(page, "#reason", "Say why")


def test_a_round_that_cannot_start_comes_back_at_what_is_missing(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_version(project)
    make_pair(project)
    make_member(project, "expert", username="expert")
    page = signed_in(lead, viewport={"width": 1280, "height": 400})
    page.goto(reverse("annotate:round_new", args=["claims"]))
    page.get_by_role("button", name="Start the round").click()
    expect(page.locator("[aria-invalid=true]").first).to_be_focused()
    expect(page.locator(".field .error").first).to_be_in_viewport()


def test_a_page_that_was_not_refused_keeps_the_focus_where_it_was(
    signed_in: OpenPage, batch: Batch, lead: User
) -> None:
    page = signed_in(lead)
    page.goto(reverse("annotate:gold", args=["claims"]) + "?pair=nowhere")
    assert page.evaluate("document.activeElement === document.body")
