"""SIGKILL to a real web server while a pair is labelled."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from playwright.sync_api import expect

from tests.browser.labelling import answer_all, press
from tests.installation import Installation, installed

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Route

# The page tries again by itself, ever more rarely.
BACK_MS = 90_000


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    yield from installed(tmp_path, postgres_url=None)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_wf_03_a_vote_outlives_a_killed_server_and_is_one(
    installation: Installation, browser: Browser
) -> None:
    installation.manage("collectstatic", "--no-input", "--verbosity", "0")
    installation.call("project", "claims", "ann", "bo")
    installation.call("round_of", "claims", 2, "ann", "bo")
    port = free_port()
    web = installation.start_web(port)
    page = browser.new_context(base_url=f"http://127.0.0.1:{port}").new_page()
    page.goto("/login/")
    page.get_by_label("Username").fill("ann")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    batch = UUID(installation.value("SELECT public_id FROM annotate_batch"))
    page.goto(f"/label/{batch}/")
    heading = page.locator("h1")
    expect(heading).to_have_text("Pair 1 of 2")

    # Between the draft and the vote.
    answer_all(page, "[C1] before.")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    installation.kill(web)
    page.locator("#rationale").fill("[C1] after.")
    expect(page.locator("#saved")).to_have_text("No connection, 1 change kept here")
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_have_text("No connection: sent when it is back")
    web = installation.start_web(port)
    expect(heading).to_have_text("Pair 2 of 2", timeout=BACK_MS)
    assert installation.rows("SELECT rationale FROM annotate_vote") == [("[C1] after.",)]

    # Between taking the vote and saying so.
    killed: list[subprocess.Popen[bytes]] = []

    def take_and_die(route: Route) -> None:
        route.fetch()
        installation.kill(web)
        killed.append(web)
        route.abort()

    answer_all(page, "[C1] the second.")
    expect(page.locator("#saved")).to_contain_text("Saved ")
    page.route("**/label/pair/*/", take_and_die, times=1)
    press(page, "Control+Enter")
    expect(page.locator("#saved")).to_contain_text("No connection")
    assert killed == [web]
    installation.start_web(port)
    expect(heading).to_have_text("You are done: 2 of 2", timeout=BACK_MS)
    assert installation.value("SELECT count(*) FROM annotate_vote") == 2
    assert installation.value("SELECT count(*) FROM annotate_vote WHERE current") == 2
