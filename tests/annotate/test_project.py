from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.runners import RUNNERS
from annotate.models import Batch
from annotate.pages.changes import JOBS, SENTENCES
from projects.models import Event, Job
from tests.making import make_round, make_version, make_votes

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

PAGE = "/p/claims/"


def page_for(client: Client, user: User) -> str:
    client.force_login(user)
    response = client.get(PAGE)
    assert response.status_code == 200
    return response.content.decode()


def test_a_lead_sees_all_that_the_project_holds(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert], size=2)
    make_votes(batch, expert)
    Batch.objects.create(
        project=project, version=batch.version, kind=Batch.Kind.IMPORTED, name="earlier-votes"
    )
    page = page_for(client, lead)
    for shown in ("Round 1", "summaries", "earlier-votes", "other_expert"):
        assert shown in page
    assert 'aria-label="Votes: 2 of 4"' in page
    assert "Round 1 started" in [said for said, _, _ in lately(page)]


def test_an_expert_sees_their_round_the_rubric_and_the_lead(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert], size=2)
    make_votes(batch, other_expert)
    page = page_for(client, expert)
    assert 'aria-label="Labelled: 0 of 2"' in page
    assert "Lead: lead" in page
    assert "version 1" in page
    for hidden in ("other_expert", "Votes: 2 of 4", "Lately", "imported vote sets"):
        assert hidden not in page


def test_only_the_latest_revision_of_a_version_is_listed(
    client: Client, project: Project, lead: User
) -> None:
    make_version(project, number=1)
    make_version(project, number=2, published=False)
    page = page_for(client, lead)
    listed = page.partition("<h2>Lately</h2>")[0]
    assert listed.count("version 1</a>") == listed.count("version 2</a>") == 1
    assert "draft" in page


@pytest.mark.parametrize("who", ["outsider", "stranger"])
def test_others_learn_nothing(
    client: Client, project: Project, who: str, request: pytest.FixtureRequest
) -> None:
    client.force_login(request.getfixturevalue(who))
    assert client.get(PAGE).status_code == 404


def test_more_rounds_take_no_more_queries(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    version = make_version(project)

    def queries() -> int:
        make_round(project, [expert, other_expert], version=version)
        client.force_login(lead)
        with CaptureQueriesContext(connection) as seen:
            client.get(PAGE)
        return len(seen)

    few = queries()
    for _ in range(5):
        many = queries()
    assert few == many <= 17


def test_nothing_is_posted_to_a_project(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)
    assert client.post(PAGE).status_code == 405


def test_votes_of_a_simulation_are_not_made_here(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert], size=3)
    make_votes(batch, expert)
    made = "<dt>votes made here</dt><dd>3</dd>"
    assert made in page_for(client, lead)
    simulated = make_round(project, [expert, other_expert], size=2, version=batch.version)
    make_votes(simulated, expert)
    Batch.objects.filter(pk=simulated.pk).update(simulated=True)
    assert made in page_for(client, lead)


# ---- Lately


def lately(page: str) -> list[tuple[str, str, str]]:
    """(what, who, where it leads) of each line of the list of changes."""
    part = page.partition('<caption class="vh">Recent changes</caption>')[2].partition("</table>")[
        0
    ]
    lines = []
    for row in re.findall(r"<tr>(.*?)</tr>", part, re.DOTALL)[1:]:
        _, who, what = re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)
        href = re.search(r'href="([^"]*)"', what)
        lines.append((re.sub(r"<[^>]*>", "", what), who, href[1] if href else ""))
    return lines


def happened(project: Project, verb: str, target: object = "", **data: object) -> Event:
    return Event.objects.create(project=project, verb=verb, target=str(target), data=data)


def test_equal_changes_in_a_row_are_one_and_lead_where_there_is_a_page(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert], size=2)
    expert.first_name, expert.last_name = "Amara", "Lindqvist"
    expert.save()
    Event.objects.all().delete()
    job = Job.objects.create(project=project, kind="render", state="done")
    happened(project, "round.started", batch)
    happened(project, "job.started", job)
    happened(project, "job.done", job)
    happened(project, "member.added", "expert", role="judge engineer")
    for _ in range(9):
        happened(project, "gold.set", batch.version)
    happened(project, "rubric.published", batch.version)
    happened(project, "rubric.published", "gone@7")
    happened(project, "import.appeared", "subjects from claims.jsonl", created=1200)
    happened(project, "upload.pruned", "claims.jsonl")
    happened(project, "practice.begun", batch)
    assert lately(page_for(client, lead)) == [
        ("The file claims.jsonl cleared away, as it is no longer needed", "by itself", ""),
        ("1,200 pairs from claims.jsonl imported", "command line", ""),
        ("gone@7 published", "command line", ""),
        (
            "summaries, version 1 published",
            "command line",
            reverse("rubrics:version", args=["claims", "summaries", 1]),
        ),
        (
            "9 known answers set under summaries, version 1",
            "command line",
            reverse("annotate:gold", args=["claims"]),
        ),
        ("Amara Lindqvist added as judge engineer", "command line", ""),
        (
            "The texts of a batch prepared",
            "command line",
            reverse("projects:job", args=["claims", job.public_id]),
        ),
        ("Round 1 started", "command line", reverse("annotate:round", args=["claims", 1])),
    ]


def test_different_people_targets_and_roles_are_never_one(
    client: Client, project: Project, lead: User, expert: User
) -> None:
    happened(project, "member.added", "expert", role="expert")
    happened(project, "member.added", "expert", role="lead")
    happened(project, "member.added", "lead", role="lead")
    Event.objects.filter(pk=happened(project, "member.added", "lead", role="lead").pk).update(
        actor=lead
    )
    assert [said for said, _, _ in lately(page_for(client, lead))][:4] == [
        "lead added as lead",
        "lead added as lead",
        "expert added as lead",
        "expert added as expert",
    ]


def test_every_change_to_a_project_has_a_sentence() -> None:
    written = "".join(
        path.read_text()
        for room in ("projects", "rubrics", "annotate")
        for path in Path(room).rglob("*.py")
    )
    recorded = set(
        re.findall(r'(?:record|_record_role|_forget)\(\s*(?:\w+, )?"(\w+\.\w+)"', written)
    )
    recorded |= set(re.findall(r'"(gold\.\w+)" if', written))
    elsewhere = ("account.", "assignment.", "job.", "practice.", "user.", "vote.")
    of_projects = {verb for verb in recorded if not verb.startswith(elsewhere)}
    assert of_projects
    assert of_projects <= set(SENTENCES), of_projects - set(SENTENCES)
    for kinds in JOBS.values():
        assert set(kinds) == set(RUNNERS)
