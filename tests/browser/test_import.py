"""A lead brings pairs in by the browser alone, from the file to the first round."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from annotate.actions import jobs
from annotate.actions.runners import RUNNERS
from annotate.models import Subject
from projects.models import Job
from tests.making import make_version

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]
    Serious = Callable[[Page], list[str]]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "var"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [
        {"uid": f"p{n}", "question": f"Why {n}?", "answer_1": f"So {n}.", "answer_2": "Not so."}
        for n in range(45)
    ]
    made = tmp_path / "from elsewhere.jsonl"
    made.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return made


def work() -> None:
    """What a worker does when the bell rings."""
    jobs.run(Job.objects.latest("id").pk, RUNNERS)


def bring(page: Page, file: Path) -> None:
    page.goto("/p/claims/import/")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/import/*-*/")


@pytest.mark.parametrize("scripts", [True, False])
def test_from_a_file_to_the_first_round(
    signed_in: OpenPage,
    live_server: LiveServer,
    project: Project,
    lead: User,
    expert: User,
    other_expert: User,
    file: Path,
    scripts: bool,
) -> None:
    make_version(project)
    page = signed_in(lead, java_script_enabled=scripts)
    page.goto("/p/claims/")
    page.get_by_role("link", name="Import pairs", exact=True).first.click()
    bring(page, file)
    expect(page.get_by_label("question is")).to_have_value("prompt")
    expect(page.get_by_label("answer_2 is")).to_have_value("response_b")
    page.get_by_label("answer_1 is").select_option("")
    page.get_by_role("button", name="Check the whole file").click()
    expect(page.get_by_role("alert")).to_contain_text("No field is chosen as “response A”")
    page.get_by_label("answer_1 is").select_option(label="response A")
    page.get_by_role("button", name="Show the first rows again").click()
    expect(page.get_by_text("So 0.", exact=True).last).to_be_visible()
    page.get_by_role("button", name="Check the whole file").click()
    page.wait_for_url("**/jobs/**")
    work()
    page.reload()
    expect(page.get_by_text("Every row is good.")).to_be_visible()
    assert not Subject.objects.exists()
    page.get_by_role("link", name="Import it").click()
    page.get_by_role("button", name="Import", exact=True).click()
    page.wait_for_url("**/jobs/**")
    work()
    page.reload()
    page.get_by_role("link", name="See the project").click()
    page.get_by_role("link", name="Start a round").first.click()
    page.get_by_label("Pairs", exact=True).fill("40")
    page.get_by_role("button", name="Start the round").click()
    expect(page.get_by_text("is open: its raters can label now")).to_be_visible()


def test_a_refusal_stands_beside_the_file_and_the_page_goes_on(
    signed_in: OpenPage, live_server: LiveServer, project: Project, lead: User, tmp_path: Path
) -> None:
    sheet = tmp_path / "pairs.xlsx"
    sheet.write_bytes(b"PK\x03\x04")
    page = signed_in(lead)
    page.goto("/p/claims/import/")
    page.get_by_label("File", exact=True).set_input_files(sheet)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_contain_text("CSV UTF-8")
    expect(page.get_by_role("button", name="Upload")).to_be_enabled()


def test_a_file_over_the_limit_is_not_even_sent(
    signed_in: OpenPage,
    live_server: LiveServer,
    project: Project,
    lead: User,
    file: Path,
    settings: Any,
) -> None:
    settings.CALIBRANT_MAX_UPLOAD_MB = 0
    page = signed_in(lead)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.goto("/p/claims/import/")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("0 MB is the most")).to_be_visible()
    assert "POST" not in sent


DROP = """(text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "dropped.jsonl"));
  for (const kind of ["dragover", "drop"]) {
    document.body.dispatchEvent(
      new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }),
    );
  }
}"""


def test_a_file_may_be_dropped_anywhere_on_the_page(
    signed_in: OpenPage, live_server: LiveServer, project: Project, lead: User, file: Path
) -> None:
    page = signed_in(lead)
    page.goto("/p/claims/import/")
    page.evaluate(DROP, file.read_text())
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/import/*-*/")
    expect(page.get_by_role("heading", name="dropped.jsonl")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_pages_are_sound_in_both_themes_and_at_both_widths(
    signed_in: OpenPage,
    serious: Serious,
    live_server: LiveServer,
    project: Project,
    lead: User,
    file: Path,
    scheme: str,
    width: int,
) -> None:
    make_version(project)
    page = signed_in(lead, color_scheme=scheme, viewport={"width": width, "height": 800})
    page.goto("/p/claims/import/")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    bring(page, file)
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_label("uid is").select_option("")
    page.get_by_role("button", name="Check the whole file").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert serious(page) == []


def test_the_road_goes_by_the_keyboard_alone(
    signed_in: OpenPage, live_server: LiveServer, project: Project, lead: User, file: Path
) -> None:
    page = signed_in(lead)
    page.goto("/p/claims/import/")
    chosen = page.get_by_label("File", exact=True)
    chosen.set_input_files(file)
    chosen.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Upload")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/import/*-*/")
    button = page.get_by_role("button", name="Import", exact=True)
    for _ in range(40):
        if button.evaluate("(one) => one === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs/**")
    work()
    assert Subject.objects.count() == 45
