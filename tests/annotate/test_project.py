from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Batch
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
    for shown in ("Round 1", "summaries", "earlier-votes", "other_expert", "round started"):
        assert shown in page
    assert 'aria-label="Votes: 2 of 4"' in page


def test_an_expert_sees_their_round_the_rubric_and_the_lead(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert], size=2)
    make_votes(batch, other_expert)
    page = page_for(client, expert)
    assert 'aria-label="Labelled: 0 of 2"' in page
    assert "Lead: lead" in page
    assert "version 1" in page
    for hidden in ("other_expert", "Votes: 2 of 4", "round started", "imported vote sets"):
        assert hidden not in page


def test_only_the_latest_revision_of_a_version_is_listed(
    client: Client, project: Project, lead: User
) -> None:
    make_version(project, number=1)
    make_version(project, number=2, published=False)
    page = page_for(client, lead)
    assert page.count("version 1</a>") == page.count("version 2</a>") == 1
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
