"""Debian's chromium, a live server with its static files, and pages that report what went wrong."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import BrowserContext, ConsoleMessage, Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import User

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NO_BROWSER = f"BROWSER TESTS DID NOT RUN: there is no chromium at {CHROMIUM} (apt install chromium)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)
            if not CHROMIUM.exists():
                item.add_marker(pytest.mark.skip(reason=NO_BROWSER))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not CHROMIUM.exists():
        terminalreporter.write_sep("!", NO_BROWSER, red=True, bold=True)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": str(CHROMIUM), "args": FLAGS}


@pytest.fixture
def browser_context_args(
    browser_context_args: dict[str, Any], live_server: LiveServer
) -> dict[str, Any]:
    return {**browser_context_args, "base_url": live_server.url}


def sign_in(context: BrowserContext, user: User, url: str) -> None:
    """The session of a signed-in person, without the way over the sign-in page."""
    client = Client()
    client.force_login(user)
    context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": url}]
    )


@pytest.fixture
def expected_errors() -> list[str]:
    """Parts of what chromium reports as errors and a test has asked for; it may add to them."""
    # A refusal is an answer, which chromium reports as a failed load.
    return ["status of 409", "status of 422"]


@pytest.fixture
def signed_in(
    new_context: Callable[..., BrowserContext],
    live_server: LiveServer,
    expected_errors: list[str],
) -> Iterator[Callable[..., Page]]:
    """A page of somebody who is signed in, or of a visitor; errors and policy violations in it
    fail the test."""
    said: list[str] = []

    def note(message: ConsoleMessage) -> None:
        expected = any(part in message.text for part in expected_errors)
        if message.type == "error" and not expected:
            said.append(f"{message.text} {message.location['url']}")

    def open_page(user: User | None, **options: Any) -> Page:
        context = new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        if user is not None:
            sign_in(context, user, live_server.url)
        page = context.new_page()
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("console", note)
        return page

    yield open_page
    assert said == []


@pytest.fixture
def serious() -> Callable[[Page], list[str]]:
    """The serious and critical findings of axe on a page."""
    from axe_playwright_python.sync_playwright import Axe

    def findings(page: Page) -> list[str]:
        violations = Axe().run(page).response["violations"]
        return [
            f"{one['id']} {node['target']}: {node['failureSummary']}"
            for one in violations
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]

    return findings
