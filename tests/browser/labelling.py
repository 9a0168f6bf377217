"""What the browser tests of the label page share: keys, addresses, what the browser keeps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from projects.browser_key import browser_key

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from annotate.models import Assignment
    from projects.models import User

# Gates pass, C1 differs, Left slightly; the focus is in the rationale then.
ALL_ANSWERED = "g f k f j 2"
OFFLINE = "net::ERR_INTERNET_DISCONNECTED"
ABORTED = "net::ERR_FAILED"


def path_of(assignment: Assignment) -> str:
    return f"/label/pair/{assignment.public_id}/"


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def answer_all(page: Page, rationale: str = "[C1] decides.") -> None:
    press(page, ALL_ANSWERED)
    page.locator("#rationale").fill(rationale)


def key_of(assignment: Assignment, user: User) -> str:
    return f"calibrant:draft:{browser_key(user)}:{assignment.public_id}"


def kept(page: Page, assignment: Assignment, user: User) -> dict[str, Any] | None:
    """What the browser keeps of a pair for a person."""
    text = page.evaluate("(key) => localStorage.getItem(key)", key_of(assignment, user))
    return json.loads(text) if text else None


def kept_keys(page: Page) -> list[str]:
    keys: list[str] = page.evaluate("() => Object.keys(localStorage)")
    return [key for key in keys if key.startswith("calibrant:draft:")]
