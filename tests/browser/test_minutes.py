"""Minutes as a browser shows and prints them: what was decided first, the rest folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.actions.sorting import sort_disagreement
from annotate.disagreements import differing
from tests.annotate.test_meeting import RUBRIC
from tests.making import make_rubric_version, make_voted_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = "() => [document.documentElement.scrollWidth, innerWidth]"


@pytest.fixture
def minutes(
    signed_in: Callable[..., Page],
    live_server: LiveServer,
    project: Project,
    lead: User,
    expert: User,
    other_expert: User,
) -> Page:
    """One disagreement decided in words, one sorted without any."""
    version = make_rubric_version(project, RUBRIC)
    answers = [[{"C1": "yes yes"}, {"C1": "no yes"}], [{"C2": "yes yes"}, {"C2": "yes no"}]]
    batch = make_voted_round(project, [expert, other_expert], answers, version=version)
    for one, note in zip(differing([batch], reader=lead).all, ("A slip.", ""), strict=True):
        sort_disagreement(
            batch=batch,
            unit=one.unit,
            kind="slip",
            note=note,
            suggestion=one.suggestion,
            acting_user=lead,
        )
    page = signed_in(lead)
    page.goto(reverse("annotate:minutes", args=[project.slug, batch.public_id]))
    return page


def test_what_was_sorted_without_a_word_opens_by_keyboard(
    minutes: Page, serious: Callable[[Page], list[str]]
) -> None:
    expect(minutes.get_by_role("article")).to_have_count(1)
    table = minutes.get_by_role("table")
    expect(table).to_be_hidden()
    minutes.get_by_text("1 sorted without a word: 1 slip").focus()
    minutes.keyboard.press("Enter")
    expect(table).to_be_visible()
    for width in (1280, 390):
        minutes.set_viewport_size({"width": width, "height": 844})
        content, screen = minutes.evaluate(WIDTHS)
        assert content <= screen
        for scheme in ("light", "dark"):
            minutes.emulate_media(color_scheme=scheme)
            assert serious(minutes) == []


def test_what_is_folded_is_printed_all_the_same(minutes: Page) -> None:
    minutes.emulate_media(media="print")
    expect(minutes.get_by_role("table")).to_be_visible()
