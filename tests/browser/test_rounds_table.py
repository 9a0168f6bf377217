"""The rounds table as it is drawn: an arrow from one cell into two rows, and cards on a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from projects.models import Membership
from rubrics.actions import import_rubric, publish
from tests.making import make_member, make_project, make_voted_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from projects.models import User

    OpenPage = Callable[..., Page]

pytestmark = pytest.mark.django_db(transaction=True)

FIRST = """
task: summaries
criteria:
  - {id: C1, check: Open items are complete and owned.}
  - {id: C2, check: The first sentence names the cause of loss.}
preference: {scale: 5}
"""
SECOND = """
task: summaries
criteria:
  - {id: C1, check: Lists every open item., lineage: {split_from: C1}}
  - {id: C3, check: Names an owner for each open item., lineage: {split_from: C1}}
  - {id: C2, check: The first sentence names the cause and the date of loss.}
preference: {scale: 5}
"""
ADDRESS = "/p/claims/history/summaries/"
# The ends of the arrow and the middles of the figures that it leads to, from the top.
ENDS = """() => {
  const fork = document.querySelector(".fork").getBoundingClientRect();
  const drawn = document.querySelector(".fork path").getAttribute("d");
  const ends = [...drawn.matchAll(/M16 \\S+ 20 (\\S+) 16/g)];
  const rows = [...document.querySelectorAll("tbody tr")].slice(0, 2);
  const last = (row) => [...row.querySelectorAll(".measured:not(.covered) .fig")].at(-1);
  const boxes = rows.map((row) => last(row).getBoundingClientRect());
  return [
    ends.map((end) => fork.top + (Number(end[1]) / 100) * fork.height),
    boxes.map((box) => [box.top, box.bottom]),
  ];
}"""
WIDTHS = "() => [document.documentElement.scrollWidth, innerWidth]"


@pytest.fixture
def lead(transactional_db: None) -> User:
    project = make_project()
    lead = make_member(project, "lead", username="lead")
    raters = [make_member(project, "expert", username=name) for name in ("one", "two")]
    assert Membership.objects.filter(project=project).count() == 3
    for source in (FIRST, SECOND):
        draft = import_rubric(project=project, source=source, acting_user=lead)
        version = publish(version=draft, change_note="Tried.", acting_user=lead)
        keys = [check.key for check in version.criteria.asked() if check.kind == "criterion"]
        said = dict.fromkeys(keys, "yes no")
        make_voted_round(project, raters, [[said, said]] * 6, version=version)
    return lead


def test_the_arrow_of_a_split_ends_at_the_figures_of_both_rows(
    signed_in: OpenPage, lead: User
) -> None:
    page = signed_in(lead)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(ADDRESS)
    ends, figures = page.evaluate(ENDS)
    assert len(ends) == len(figures) == 2
    for end, (top, bottom) in zip(ends, figures, strict=True):
        assert top - 4 <= end <= bottom + 12


def test_on_a_phone_each_check_is_a_card_that_says_the_split_in_words(
    signed_in: OpenPage, lead: User
) -> None:
    page = signed_in(lead)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(ADDRESS)
    content, screen = page.evaluate(WIDTHS)
    assert content <= screen
    card = page.locator(".rounds tbody tr", has_text="Names an owner for each open item.")
    text = " ".join(card.inner_text().split())
    assert "Round 1, version 1 1.00" in text
    assert "Split in two C1 1.00, then C1 1.00 / C3 1.00" in text
    assert "Round 2, version 2 1.00" in text
    assert not page.locator(".fork").first.is_visible()


def test_the_switch_and_the_file_are_reached_by_keyboard(signed_in: OpenPage, lead: User) -> None:
    page = signed_in(lead)
    page.goto(ADDRESS)
    page.get_by_role("link", name="Download as CSV").focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "summaries-rounds.csv"
