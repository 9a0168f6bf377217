"""The page of components shows what there is, and what there is serves the real pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from annotate.pages.components import components
from annotate.reliability import Status

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import User

TEMPLATES = Path("templates")
PAGE = TEMPLATES / "annotate" / "components.html"
PARTS = {path.name for path in (TEMPLATES / "components").glob("*.html")}
INCLUDES = re.compile(r"""include\s+["']([\w/]+\.html)["']""")
# What a template tag draws with a template of its own (projects/templatetags/bar.py).
TAGS = {"base.html": {"components/bar.html"}}


def reached_from(start: str) -> set[str]:
    """Every template that one includes or extends, directly or not."""
    found, todo = set[str](), [start]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        text = (TEMPLATES / name).read_text()
        todo += INCLUDES.findall(text)
        todo += re.findall(r'extends "([\w/]+\.html)"', text)
        todo += TAGS.get(name, set())
    return found


def test_every_part_stands_on_the_page_of_components() -> None:
    shown = {name.removeprefix("components/") for name in reached_from("annotate/components.html")}
    assert shown >= PARTS, PARTS - shown


def test_every_part_serves_a_real_page() -> None:
    pages = [
        path.relative_to(TEMPLATES).as_posix()
        for path in TEMPLATES.rglob("*.html")
        if path != PAGE and path.parent != TEMPLATES / "components"
    ]
    used = set[str]().union(*map(reached_from, pages))
    used = {name.removeprefix("components/") for name in used}
    assert used >= PARTS, PARTS - used


def test_the_sample_rows_hold_every_status() -> None:
    assert {line.row.status for line in components().lines} == set(Status)


@pytest.mark.django_db
def test_the_page_shows_real_lists_without_a_row_in_any_table(
    client: Client, stranger: User
) -> None:
    client.force_login(stranger)
    page = client.get(reverse("annotate:components")).content.decode()
    for said in (
        "3 of 5 checks cleared",
        "Volume: C3 broken; C4 not testable yet.",
        "About 20 min left, at 2 min a pair.",
        "not started",
        'id="keys"',
        'class="told"',
        "The answer on CP-26-0942 is kept.",
    ):
        assert said in page, said
    assert "/p/components/" not in page
