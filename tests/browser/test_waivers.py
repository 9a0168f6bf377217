"""From a report's probe pairs to a waiver and back, by keyboard, in both themes and widths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from annotate.actions.rounds import close_round
from annotate.models import Batch, Waiver
from tests.annotate.test_probes import make_probes, make_rubric, start, vote_all
from tests.making import make_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from projects.models import Project, User

    Open = Callable[..., Page]
    Findings = Callable[[Page], list[str]]

REASON = "One rater caught both; the other has read the anchors since."


@pytest.fixture
def batch(transactional_db: None, project: Project, expert: User, other_expert: User) -> Batch:
    make_pairs(project, 4)
    version = make_rubric(project)
    made = start(version, expert, other_expert, probes=make_probes(project, version))
    vote_all(made, expert)
    vote_all(made, other_expert, catches=False)
    return close_round(batch=made, acting_user=None)


def test_a_lead_reads_the_probes_and_waives_a_check_by_keyboard(
    signed_in: Open, batch: Batch, lead: User
) -> None:
    page = signed_in(lead)
    page.goto("/p/claims/rounds/1/")
    page.get_by_role("link", name="2", exact=True).first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Probe pairs")).to_be_visible()
    page.get_by_role("link", name="Round 1").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Waive G2…").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Waive G2?")).to_be_visible()
    page.get_by_role("button", name="Waive G2").press("Enter")
    expect(page.get_by_text("Say why volume may begin without it")).to_be_visible()
    assert not Waiver.objects.exists()
    field = page.get_by_label("Why volume may begin without it")
    field.focus()
    page.keyboard.type(REASON)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Waive G2")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("G2 is waived in version 1.")).to_be_visible()
    expect(page.locator(".status", has_text="waived")).to_be_visible()
    page.get_by_role("link", name="The waiver").press("Enter")
    page.get_by_role("button", name="Withdraw the waiver").press("Enter")
    expect(page.get_by_text("volume waits for it again")).to_be_visible()
    assert Waiver.objects.get().withdrawn_by == lead


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_of_probes_and_waivers_are_accessible_and_as_wide_as_the_screen(
    signed_in: Open, serious: Findings, batch: Batch, lead: User, width: int, scheme: str
) -> None:
    page = signed_in(lead, viewport={"width": width, "height": 900}, color_scheme=scheme)
    probes = f"/p/claims/batches/{batch.public_id}/probes/?check=G2"
    for address in ("rounds/1/", "rounds/1/waive/G2/", "rounds/new/?check=G2"):
        page.goto(f"/p/claims/{address}")
        assert (address, serious(page), _overflow(page)) == (address, [], 0)
    page.get_by_role("checkbox", name="probe-0").check()
    page.goto(probes)
    assert (serious(page), _overflow(page)) == ([], 0)
    Waiver.objects.create(
        rubric=batch.version.rubric, number=1, key="G2", reason=REASON, given_by=lead
    )
    for address in ("rounds/1/", "rounds/1/waive/G2/", "rounds/"):
        page.goto(f"/p/claims/{address}")
        assert (address, serious(page), _overflow(page)) == (address, [], 0)


def _overflow(page: Page) -> int:
    wide: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return max(0, wide)
