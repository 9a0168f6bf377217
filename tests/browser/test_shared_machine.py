"""RE-01 and the shared machine, in a real browser: nothing runs, nothing leaves, nothing stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.test_security import SHORT, TEXTS
from tests.world import World, make_world

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

ROUTES = {
    "lead": (
        ("annotate:home", ""),
        ("annotate:project", ""),
        ("annotate:round", "closed"),
        ("annotate:imported", ""),
        ("annotate:units", "closed"),
        ("annotate:subject", "closed"),
        ("projects:job", ""),
        ("rubrics:version", ""),
        ("rubrics:version", "draft"),
        ("rubrics:publish", ""),
    ),
    "rater": (
        ("annotate:home", ""),
        ("annotate:label_pair", ""),
        ("annotate:label_mine", ""),
        ("rubrics:version", ""),
    ),
}

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]


@pytest.fixture
def world(transactional_db: None, live_server: LiveServer) -> World:
    return make_world("\n\n".join(TEXTS), short=SHORT)


def test_back_after_signing_out_shows_nothing(signed_in: Callable[..., Page], world: World) -> None:
    page = signed_in(world.people["lead"])
    private = (world.address("annotate:subject"), world.address("annotate:units"), "/p/claims/")
    for address in private:
        page.goto(address)
        expect(page.locator("h1")).not_to_have_text("Sign in")
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("h1")).to_have_text("Sign in")
    for _ in private:
        page.go_back()
        expect(page.locator("h1")).to_have_text("Sign in")
        assert "claims" not in page.content().replace("/p/claims/", "").lower()


@pytest.mark.parametrize("person", sorted(ROUTES))
def test_re_01_no_planted_text_runs_or_fetches_anything(
    signed_in: Callable[..., Page], world: World, live_server: LiveServer, person: str
) -> None:
    page = signed_in(world.people[person])
    calls: list[str] = []
    asked: list[str] = []
    page.expose_function("probe", lambda: calls.append("called"))
    page.on("request", lambda request: asked.append(request.url))
    for route, which in ROUTES[person]:
        page.goto(world.address(route, which))
        expect(page.locator("h1").first).to_be_attached()
        for summary in page.locator("details:not([open]) > summary").all():
            if summary.is_visible():
                # What one opens may lie over the next.
                summary.evaluate("opener => opener.click()")
        if route == "annotate:label_pair":
            for key, view in (("v", ".view-source"), ("b", ".view-difference")):
                page.keyboard.press(key)
                expect(page.locator(f"#text-Right > {view}")).to_be_visible()
            page.keyboard.press("/")
            page.keyboard.type("<img src=x onerror=probe()>")
            expect(page.locator("#find-counts")).not_to_be_empty()
    assert calls == []
    assert [url for url in asked if not url.startswith(live_server.url)] == []
