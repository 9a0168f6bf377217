"""How a lead gets from one page of a round to the next, and what the bar leads to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.urls import reverse

from annotate.models import Batch
from rubrics.actions import publish
from rubrics.models import RubricVersion
from tests.making import make_member, make_round, make_version, make_voted_round

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

SAID: list[list[dict[str, str] | None]] = [[{"C1": "yes no"}, {"C1": "no yes"}]]


def page_of(client: Client, user: User, address: str) -> str:
    client.force_login(user)
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def links_of(page: str, label: str) -> dict[str, str]:
    """Name → address of each link of a navigation."""
    nav = page.split(f'aria-label="{label}">')[1].split("</nav>")[0]
    return {name: href for href, name in re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', nav)}


def test_a_closed_round_leads_to_its_disagreements_and_to_all_rounds_of_its_rubric(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], SAID)
    page = page_of(client, lead, reverse("annotate:round", args=["claims", 1]))
    links = links_of(page, "Round 1")
    assert links["Disagreements"] == reverse(
        "annotate:disagreements", args=["claims", batch.public_id]
    )
    assert links["Round after round"] == "/p/claims/history/summaries/"
    assert '<a href="/p/claims/rounds/1/" aria-current="page">Report</a>' in page
    there = page_of(client, lead, links["Disagreements"])
    assert f'<a href="{links["Disagreements"]}" aria-current="page">Disagreements</a>' in there


def test_a_round_of_an_earlier_version_leads_to_what_came_of_it(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], SAID)
    assert "version 2 has come" not in page_of(client, lead, "/p/claims/rounds/1/")
    make_version(project, number=2, published=False)
    assert "version 2 has come" not in page_of(client, lead, "/p/claims/rounds/1/")
    publish(version=RubricVersion.objects.get(number=2), change_note="Why.", acting_user=None)
    page = page_of(client, lead, "/p/claims/rounds/1/")
    assert "Round 1 tried version 1; version 2 has come since." in page
    assert 'href="/p/claims/history/summaries/">Round after round</a>' in page


def test_an_open_round_has_no_such_rooms_yet(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_round(project, [expert, other_expert])
    page = page_of(client, lead, reverse("annotate:round", args=["claims", 1]))
    assert 'class="rooms"' not in page


def test_imported_votes_have_no_other_rounds(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], SAID)
    Batch.objects.filter(pk=batch.pk).update(kind="imported", name="old", number=None)
    page = page_of(client, lead, reverse("annotate:imported", args=["claims", "old"]))
    links = links_of(page, "old")
    assert "Disagreements" in links
    assert "Round after round" not in links


def test_the_rounds_and_the_project_link_to_the_table_once_for_each_rubric(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    version = make_voted_round(project, [expert, other_expert], SAID).version
    make_voted_round(project, [expert, other_expert], SAID, version=version)
    rounds = page_of(client, lead, reverse("annotate:rounds", args=["claims"]))
    assert rounds.count('href="/p/claims/history/summaries/"') == 1
    overview = page_of(client, lead, reverse("annotate:project", args=["claims"]))
    assert overview.count('href="/p/claims/history/summaries/"') == 1
    assert 'href="/p/claims/history/summaries/">Round after round</a>' in overview
    assert 'href="/p/claims/readiness/">Readiness</a>' in overview
    assert 'href="/p/claims/checks/">Automatic checks</a>' in overview


def test_the_bar_has_rulings_for_those_who_ask_and_those_who_decide(
    client: Client, project: Project, lead: User, expert: User
) -> None:
    owner = make_member(project, "policy_owner", username="owner")
    address = reverse("annotate:project", args=["claims"])
    assert "Rulings" in links_of(page_of(client, lead, address), "Main")
    assert "Rulings" in links_of(page_of(client, owner, address), "Main")
    assert "Rulings" not in links_of(page_of(client, expert, address), "Main")


def test_pages_about_what_code_decides_stand_in_the_room_of_the_rubrics(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], SAID)
    page = page_of(client, lead, reverse("annotate:checks", args=["claims"]))
    assert '<a href="/p/claims/rubrics/" aria-current="page">Rubrics</a>' in page
    readiness = page_of(client, lead, reverse("annotate:readiness", args=["claims"]))
    assert '<a href="/p/claims/" aria-current="page">Overview</a>' in readiness
