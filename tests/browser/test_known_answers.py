"""Withdrawing a known answer is asked about first, with scripts and without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from annotate.models import GoldAnswer
from tests.ballots import RUBRIC
from tests.gold import make_gold
from tests.making import make_pair, make_rubric_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from projects.models import Project, User

    Open = Callable[..., Page]
    Findings = Callable[[Page], list[str]]


@pytest.fixture
def address(transactional_db: None, project: Project) -> str:
    pair = make_pair(project, "the pair", prompt="Summarise.")
    make_gold(pair, make_rubric_version(project, RUBRIC))
    return f"/p/claims/subjects/{pair.public_id}/gold/"


def test_a_dialog_asks_before_an_answer_is_withdrawn(
    signed_in: Open, serious: Findings, address: str, lead: User
) -> None:
    page = signed_in(lead)
    page.goto(address)
    page.get_by_label("Why this is right").fill("Typed and not yet kept.")
    page.get_by_role("link", name="Withdraw it").click()
    dialog = page.get_by_role("dialog", name="Withdraw the answer on the pair?")
    expect(dialog.get_by_role("button", name="Keep it")).to_be_focused()
    assert serious(page) == []
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(page.get_by_label("Why this is right")).to_have_value("Typed and not yet kept.")
    assert GoldAnswer.objects.count() == 1
    page.get_by_role("link", name="Withdraw it").click()
    dialog.get_by_role("button", name="Withdraw the answer").click()
    expect(page.get_by_text("The answer on the pair is withdrawn.")).to_be_visible()
    assert not GoldAnswer.objects.exists()


def test_without_scripts_a_page_asks(signed_in: Open, address: str, lead: User) -> None:
    page = signed_in(lead, java_script_enabled=False)
    page.goto(address)
    page.get_by_role("link", name="Withdraw it").click()
    page.get_by_role("link", name="Keep it").click()
    assert GoldAnswer.objects.count() == 1
    page.get_by_role("link", name="Withdraw it").click()
    page.get_by_role("button", name="Withdraw the answer").click()
    expect(page.get_by_text("The answer on the pair is withdrawn.")).to_be_visible()
    assert not GoldAnswer.objects.exists()
