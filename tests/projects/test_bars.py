"""The bars of a project: set from a terminal, refused in words, shown on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from projects.models import Event
from tests.projects.test_people import refusal, run

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

TO = ("set_bars", "--project", "claims")


def test_bars_are_set_with_what_stood_before_in_the_audit(
    project: Project, lead: User, client: Client
) -> None:
    said = run(*TO, "--clear", "0.85", "--thin", "waits", "--as", "lead")
    assert said.strip() == (
        "Claims: clears from 0.85, tentative from 0.667; clearing thin waits for another round."
    )
    project.refresh_from_db()
    assert (project.bar, project.tentative_bar, project.thin_waits) == (0.85, 0.667, True)
    event = Event.objects.get(verb="project.bars_set")
    assert event.actor == lead
    assert event.data["before"] == {"bar": 0.8, "tentative_bar": 0.667, "thin_waits": False}
    assert event.data["after"] == {"bar": 0.85, "tentative_bar": 0.667, "thin_waits": True}
    client.force_login(lead)
    page = " ".join(client.get("/p/claims/").content.decode().split())
    assert "Bar 0.850, tentative from 0.667; what clears thin waits for another round" in page
    assert "The bars of the project set" in page


def test_what_is_not_named_stays_and_the_same_again_changes_nothing(project: Project) -> None:
    run(*TO, "--tentative", "0.7")
    run(*TO, "--thin", "waits")
    run(*TO, "--thin", "waits", "--tentative", "0.7")
    project.refresh_from_db()
    assert (project.bar, project.tentative_bar, project.thin_waits) == (0.8, 0.7, True)
    assert Event.objects.filter(verb="project.bars_set").count() == 2
    run(*TO, "--thin", "clears")
    project.refresh_from_db()
    assert not project.thin_waits


def test_the_page_says_nothing_of_thin_where_it_is_enough(
    project: Project, lead: User, client: Client
) -> None:
    client.force_login(lead)
    page = client.get("/p/claims/").content.decode()
    assert "tentative from" in page
    assert "clears thin" not in page


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ((), "Nothing to set: give --clear, --tentative or --thin."),
        (("--clear", "0.5", "--tentative", "0.4"), "Bar “0.5”: Ensure this value is greater"),
        (("--clear", "1.2"), "Bar “1.2”: Ensure this value is less"),
        (("--tentative", "0.9"), "Tentative from 0.9 and clear from 0.8: what clears must lie"),
        (("--clear", "nan"), "Tentative from 0.667 and clear from nan: what clears must lie"),
        (("--thin", "perhaps"), "invalid choice"),
    ],
)
def test_bars_that_cannot_be_are_refused_in_words(
    project: Project, flags: tuple[str, ...], words: str
) -> None:
    assert words in refusal(*TO, *flags)
    project.refresh_from_db()
    assert (project.bar, project.tentative_bar, project.thin_waits) == (0.8, 0.667, False)
    assert not Event.objects.filter(verb="project.bars_set").exists()
