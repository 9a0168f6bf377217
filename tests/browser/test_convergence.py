"""The loop by the keyboard alone: a round, its meeting, a new version, a fresh round."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from annotate.actions.simulated_votes import simulate_round
from annotate.models import AnchorSource, Assignment, Batch, Disagreement, Edit
from rubrics.models import RubricVersion
from tests.making import make_member, make_pair, make_rubric_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]

RUBRIC = """
task: file-summaries
name: File summaries
rubric_version: 1
gates:
  - {id: G1, title: Amounts match, check: Every amount is the one in the file.}
criteria:
  - {id: C1, weight: 3, title: Open items with owners, check: Lists every open item and its owner.}
  - {id: C2, weight: 1, check: The first sentence names the cause of loss.}
preference: {scale: 5}
"""
ROUND = 40


@pytest.fixture
def pairs(project: Project) -> None:
    for n in range(2 * ROUND):
        make_pair(
            project,
            f"pair-{n}",
            prompt=f"Summarise file {n}.",
            context=f"The file of claim {n}.",
            response_a=f"Claim {n} is about hail. The roofer owes a quote. The desk waits.",
            response_b=f"Hail hit the roof of claim {n}. Everything else is open.",
        )


def tab_to(page: Page, selector: str, *, most: int = 120) -> None:
    """Press Tab until what has the focus is what is looked for."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"Tab never reached {selector}")


def follow(page: Page, selector: str, path: str | re.Pattern[str]) -> None:
    tab_to(page, selector)
    page.keyboard.press("Enter")
    page.wait_for_url(path)


def start_round(page: Page, number: int) -> Batch:
    """The form as it stands: the newest version, the three experts, forty fresh pairs."""
    page.goto("/p/claims/rounds/new/")
    tab_to(page, "#id_seed")
    page.keyboard.type(str(number))
    tab_to(page, "form.form button.btn-primary")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/rounds/{number}/")
    # People label for hours; here the simulator sends the votes, and the round says so.
    Batch.objects.filter(number=number).update(simulated=True)
    return Batch.objects.get(number=number)


def label_and_close(page: Page, batch: Batch, *, profile: str) -> None:
    simulate_round(batch=batch, seed=7, acting_user=None, name=profile)
    assert not Assignment.objects.filter(batch=batch).exclude(state="submitted").exists()
    page.goto(f"/p/claims/rounds/{batch.number}/close/")
    tab_to(page, "form button.btn-primary")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/rounds/{batch.number}/")
    expect(page.locator("h1")).to_have_text(f"Round {batch.number}")


def act(page: Page, key: str) -> None:
    page.keyboard.press(key)
    expect(page.locator("#act")).to_be_visible()


def test_from_an_open_round_to_a_criterion_that_clears(
    signed_in: OpenPage, live_server: LiveServer, project: Project, lead: User, pairs: None
) -> None:
    for name in ("amara", "bruno", "chen"):
        make_member(project, "expert", username=name)
    make_rubric_version(project, RUBRIC)
    page = signed_in(lead)

    first = start_round(page, 1)
    label_and_close(page, first, profile="unclear")

    # The meeting, opened from the report of the round.
    follow(page, "a[href$='/meeting/']", "**/meeting/")
    tab_to(page, ".m-begin button.btn-primary")
    page.keyboard.press("Enter")
    expect(page.locator("#sorting")).to_be_visible()
    # The agenda leads to the disagreements of one check.
    follow(page, ".m-where > a", "**/meeting/")
    follow(page, "td[data-l=open] a[href*='check=C1']", re.compile(r"check=C1"))
    expect(page.locator("h1")).to_contain_text("C1")

    # A sentence of the response becomes an example.
    page.keyboard.press("]")
    page.keyboard.press("]")
    act(page, "a")
    passage = page.evaluate("() => JSON.parse(document.querySelector('[name=selected]').value)")
    page.keyboard.press("Control+Enter")
    # Passes or fails: nothing is chosen for the lead.
    expect(page.locator("#act")).to_contain_text("Say whether it passes or fails")
    tab_to(page, "#act [name=verdict]", most=20)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#act")).to_contain_text("In the draft of version 2")
    page.keyboard.press("Escape")

    # Split in one is refused, in two it is done.
    act(page, "s")
    parts = page.locator("#act textarea[name^=text]")
    parts.nth(0).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("Lists every open item.")
    parts.nth(1).focus()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#act")).to_contain_text("two checks or more")
    expect(parts.nth(0)).to_have_value("Lists every open item.")
    parts.nth(1).focus()
    page.keyboard.type("Names an owner for each open item.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#act")).to_contain_text("split from C1")
    page.keyboard.press("Escape")

    page.keyboard.press("2")
    page.keyboard.press("d")
    page.keyboard.type("Completeness and ownership were judged as one.")
    here = page.locator("h1").inner_text()
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).not_to_have_text(here)
    row = Disagreement.objects.get(kind="ambiguity")
    assert (row.note, row.sorted_by) == ("Completeness and ownership were judged as one.", lead)
    assert set(Edit.objects.filter(disagreements=row).values_list("kind", flat=True)) == {
        "anchor",
        "split",
    }
    assert AnchorSource.objects.get().subject == row.subject

    # The draft holds it all, and asks for the notes that the meeting wrote already.
    draft = RubricVersion.objects.get(number=2)
    anchored = draft.criteria.get(key="C1").anchors.values_list("text", flat=True)
    assert set(anchored) <= {passage["quote"]}
    page.goto("/p/claims/rubrics/file-summaries/2/publish/")
    for box in page.locator(".publish textarea[name^='note:']").all():
        if box.input_value().endswith(": "):
            box.focus()
            page.keyboard.press("Control+End")
            page.keyboard.type("the meeting asked for it.")
    tab_to(page, ".publish form button.btn-primary")
    page.keyboard.press("Enter")
    page.wait_for_url("**/file-summaries/2/?revision=1")
    version = RubricVersion.objects.get(number=2)
    assert version.status == "published"
    assert {"C1", "C3"} <= set(version.change_notes)

    second = start_round(page, 2)
    assert second.version == version
    used = [set(batch.slots.values_list("subject", flat=True)) for batch in (first, second)]
    assert (len(used[1]), used[0] & used[1]) == (ROUND, set())
    label_and_close(page, second, profile="careful")

    # Round after round: one check became two, and each has cleared.
    page.goto("/p/claims/history/file-summaries/")
    table = page.locator("table").first
    expect(table).to_contain_text("Round 1, version 1")
    expect(table).to_contain_text("Round 2, version 2")
    expect(table).to_contain_text("Split")
    expect(page.locator(".next p").first).to_contain_text("version 2")

    # The exit rule: what is missing stands in one sentence, and a waiver needs its reason.
    page.goto("/p/claims/rounds/2/")
    step = page.locator(".next")
    expect(step).to_contain_text("Volume stays closed: G1 is not testable yet")
    follow(page, "a[href*='/waive/G1']", "**/waive/G1/")
    tab_to(page, "#reason")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#reason-error")).to_be_visible()
    page.locator("#reason").focus()
    page.keyboard.type("Amounts are compared with the file by a program.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rounds/2/")
    expect(step).to_contain_text("Every check of version 2 has cleared or is waived (G1)")
