"""Every page that the table of routes knows: accessible in both themes, as wide as the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.test_access import PAGES, label
from tests.world import World, make_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page as BrowserPage
    from pytest_django.live_server_helper import LiveServer

    OpenPage = Callable[..., BrowserPage]
    Serious = Callable[[BrowserPage], list[str]]

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = "() => [document.documentElement.scrollWidth, innerWidth]"
# What has moved since the first paint without a hand on the page.
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => done(sum), 50));
})"""
PARTS = 3
# Files, and what scripts put into a page: no pages of their own.
NO_PAGES = (
    "annotate:disagreements_csv",
    "annotate:label_difference",
    "annotate:label_source",
    "annotate:meeting_names",
    "annotate:minutes_file",
    "annotate:refused_report",
    "annotate:refused_rows",
    "annotate:rounds_csv",
    "projects:login_here",
    "rubrics:source",
)
# Words as long as people write them, where each may be as long as it likes.
LONG = "A paragraph about water, roofs and what the adjuster owes to whom. " * 12


def addresses(world: World) -> Iterator[tuple[str, str, str]]:
    """(name, person, address) of every page that is shown to somebody."""
    yield "projects:login", "", "/login/"
    for entry in PAGES:
        if entry.get == 200 and entry.route not in NO_PAGES:
            yield label(entry), entry.may[0], world.address(entry.route, entry.which)


@pytest.fixture
def world(transactional_db: None, live_server: LiveServer) -> World:
    return make_world(LONG, short="summaries, northern region")


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_is_accessible_and_as_wide_as_the_screen(
    signed_in: OpenPage, world: World, serious: Serious, part: int
) -> None:
    found: dict[str, object] = {}
    pages: dict[str, BrowserPage] = {}
    for name, person, address in list(addresses(world))[part::PARTS]:
        if person not in pages:
            pages[person] = signed_in(world.people[person] if person else None)
        page = pages[person]
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="light")
        page.goto(address)
        wrong: list[object] = []
        if (shifted := page.evaluate(SHIFTS)) >= 0.01:
            wrong.append(f"moved by {shifted:.3f} after the first paint")
        wrong += serious(page)
        page.emulate_media(color_scheme="dark")
        wrong += [f"dark: {one}" for one in serious(page)]
        page.set_viewport_size({"width": 390, "height": 844})
        content, screen = page.evaluate(WIDTHS)
        if content > screen:
            wrong.append(f"{content} px wide on a screen of {screen}")
        wrong += [f"390 px: {one}" for one in serious(page)]
        if wrong:
            found[f"{name} as {person or 'visitor'}"] = wrong
    assert found == {}
