"""Seven lines before the first thousand pairs: what a project has, and where each is done."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.actions.gold import Known, set_gold
from annotate.models import Batch, Disagreement, Release, Subject
from projects.models import Membership
from tests.making import (
    make_pair,
    make_project,
    make_round,
    make_rubric_version,
    make_version,
    make_voted_round,
)

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

SAME: dict[str, str] = {"C1": "yes no"}
OTHER = {"C1": "no yes"}


def page_of(client: Client, user: User, query: str = "") -> str:
    client.force_login(user)
    response = client.get(reverse("annotate:readiness", args=["claims"]) + query)
    assert response.status_code == 200
    return unescape(" ".join(response.content.decode().split()))


def lines_of(page: str) -> list[str]:
    found = page.split('<ol class="lines plain">')[1].split("</ol>")[0].split("<li")[1:]
    return [" ".join(re.sub(r"<[^>]*>", " ", one.split(">", 1)[1]).split()) for one in found]


def test_a_project_without_a_rubric_begins_with_one(
    client: Client, project: Project, lead: User
) -> None:
    page = page_of(client, lead)
    assert "None of seven lines are done. Write a rubric and publish it." in page
    assert len(lines_of(page)) == 7
    make_version(project, published=False)
    assert "Publish the rubric." in page_of(client, lead)


def test_each_line_says_how_far_it_is_from_what_the_project_holds(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    said = [[SAME, SAME]] * 4 + [[SAME, OTHER]] * 6
    batch = make_voted_round(project, [expert, other_expert], said)
    criterion = batch.version.criteria.get(key="C1")
    subject = Subject.objects.filter(slots__batch=batch)[0]
    Disagreement.objects.create(
        batch=batch,
        subject=subject,
        criterion=criterion,
        part_key="A",
        kind="slip",
        sorted_at=timezone.now(),
    )
    page = page_of(client, lead)
    lines = lines_of(page)
    assert "partly" in lines[0]
    assert "1 of 12" in lines[0]
    assert lines[1].startswith("done")
    assert "1 gate, 1 criterion, 5 points" in lines[1]
    assert "0 of 2" in lines[2]
    assert "Version 1, 1 round: C1 broken; G1 undefined." in lines[4]
    assert "0 of 50" in lines[5]
    assert "20 votes are kept" in lines[6]
    assert "Sort the 11 disagreements that have no kind yet." in page
    href = reverse("annotate:disagreements", args=["claims", batch.public_id])
    assert f'<a class="btn btn-primary" href="{href}">Sort disagreements</a>' in page
    assert "10 of 1000" in page


def test_figures_of_an_open_round_are_in_no_line(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    said = [[SAME, OTHER]] * 3
    make_voted_round(project, [expert, other_expert], said, close=False)
    lines = lines_of(page_of(client, lead))
    assert "No votes have been compared yet." in lines[0]
    assert "no round" in lines[4]
    assert "See the round" in lines[4]


def test_simulated_raters_bring_a_project_no_further(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[SAME, OTHER]] * 3, simulated=True)
    page = page_of(client, lead)
    first, *_, fifth, _, last = lines_of(page)
    said = "No votes have been compared yet. Simulated raters do not count here. none found"
    assert f"{said} Import votes" in first
    assert "Simulated raters do not count here." in fifth
    assert "Start a round" in last
    assert "0 of 1000" in page


def hrefs_of(page: str) -> list[str]:
    return re.findall(r'<p class="line-link"><a href="([^"]*)"', page)


def test_a_round_that_nobody_voted_in_is_nothing_to_sort_or_to_decide(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    empty = make_voted_round(project, [expert, other_expert], [[None, None]])
    page = page_of(client, lead)
    assert "No votes have been compared yet." in lines_of(page)[0]
    hrefs = hrefs_of(page)
    assert (hrefs[0], hrefs[6]) == ("/p/claims/import/", "/p/claims/rounds/new/")
    made = make_voted_round(project, [expert, other_expert], [[SAME, OTHER]], version=empty.version)
    hrefs = hrefs_of(page_of(client, lead))
    assert hrefs[0] == reverse("annotate:disagreements", args=["claims", made.public_id])
    assert hrefs[6] == "/p/claims/rounds/2/#decisions"


def test_imported_votes_hold_past_disagreements_too(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[SAME, OTHER]] * 2)
    Batch.objects.filter(pk=batch.pk).update(kind="imported", name="old", number=None)
    lines = lines_of(page_of(client, lead))
    assert "0 of 4" in lines[0]
    assert "no round" in lines[4]


def test_known_answers_count_while_nobody_has_had_their_pair(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    version = make_version(project)
    fails = {("G1", "A"): "fail", ("G1", "B"): "pass", ("C1", "A"): "yes", ("C1", "B"): "yes"}
    for n in range(2):
        set_gold(
            subject=make_pair(project, f"gold-{n}"),
            version=version,
            known=Known(labels=fails, why="Planted."),
            acting_user=lead,
        )
    line = lines_of(page_of(client, lead))[5]
    assert "2 of 50" in line
    assert "2 have one now" in line


def test_an_export_makes_the_last_line_whole(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[SAME, SAME]] * 2)
    Release.objects.create(
        project=project, batch=batch, format="trl", policy="one_sided", manifest={}
    )
    assert lines_of(page_of(client, lead))[6].startswith("done")


def test_another_rubric_of_the_project_has_lines_of_its_own(
    client: Client, project: Project, lead: User
) -> None:
    make_version(project, task="letters")
    make_rubric_version(project, "task: calls\ncriteria:\n  - {id: C1, check: Polite.}\n")
    page = page_of(client, lead)
    assert '<a href="?rubric=letters">See letters</a>' in page
    assert "1 criterion" in lines_of(page)[1]
    assert "1 gate, 1 criterion" in lines_of(page_of(client, lead, "?rubric=letters"))[1]
    assert "1 criterion" in lines_of(page_of(client, lead, "?rubric=nothing"))[1]


def test_another_project_counts_for_nothing(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    elsewhere = make_project("elsewhere")
    version = make_version(elsewhere)
    for rater in (expert, other_expert):
        Membership.objects.create(project=elsewhere, user=rater, role="expert")
    make_voted_round(elsewhere, [expert, other_expert], [[SAME, OTHER]] * 2, version=version)
    assert "There is no rubric yet." in lines_of(page_of(client, lead))[1]


def test_the_queries_do_not_grow_with_rounds_and_versions(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    client.force_login(lead)
    url = reverse("annotate:readiness", args=["claims"])

    def count() -> int:
        client.get(url)
        with CaptureQueriesContext(connection) as found:
            assert client.get(url).status_code == 200
        return len(found)

    raters = [expert, other_expert]
    make_voted_round(project, raters, [[SAME, OTHER]])
    small = count()
    for number in range(2, 7):
        version = make_version(project, number=number)
        for _ in range(2):
            make_voted_round(project, raters, [[SAME, OTHER]] * 2, version=version)
    make_round(project, raters, version=version)
    assert count() == small < 12
