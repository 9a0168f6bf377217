from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.rounds import close_round
from projects.models import Membership
from tests.making import (
    make_pair,
    make_pairs,
    make_project,
    make_round,
    make_version,
    make_votes,
)

if TYPE_CHECKING:
    from django.test import Client

    from annotate.models import Batch
    from projects.models import Project, User

HOME = "/"


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_round(project, [expert, other_expert], size=3)


def page_for(client: Client, user: User) -> str:
    client.force_login(user)
    response = client.get(HOME)
    assert response.status_code == 200
    return response.content.decode()


def test_an_expert_sees_how_far_and_one_button(client: Client, batch: Batch, expert: User) -> None:
    make_votes(batch, expert, 1)
    page = page_for(client, expert)
    assert "1 of 3 pairs labelled in round 1" in page
    assert page.count(reverse("annotate:label_next", args=[batch.public_id])) == 1
    assert "Label the next pair" in page


def test_an_expert_sees_nothing_about_others(
    client: Client, batch: Batch, expert: User, other_expert: User
) -> None:
    before = without_token(page_for(client, expert))
    make_votes(batch, other_expert)
    after = without_token(page_for(client, expert))
    assert before == after
    assert "other_expert" not in after
    assert reverse("annotate:round", args=["claims", 1]) not in after


def test_an_expert_who_has_finished_may_look_again(
    client: Client, batch: Batch, expert: User
) -> None:
    make_votes(batch, expert)
    page = page_for(client, expert)
    assert "All 3 pairs of round 1 have your vote" in page
    assert "See your votes" in page


def test_a_closed_round_is_no_longer_offered(
    client: Client, batch: Batch, expert: User, lead: User
) -> None:
    close_round(batch=batch, acting_user=lead)
    page = page_for(client, expert)
    assert "nothing open" in page
    assert str(batch.public_id) not in page


def test_a_lead_sees_who_is_how_far(
    client: Client, batch: Batch, expert: User, other_expert: User, lead: User
) -> None:
    make_votes(batch, expert)
    make_votes(batch, other_expert, 1)
    page = page_for(client, lead)
    assert "other_expert has 2 pairs left in round 1" in page
    assert 'aria-label="expert: 3 of 3"' in page
    assert 'aria-label="other_expert: 1 of 3"' in page
    assert reverse("annotate:round", args=["claims", 1]) in page


def test_a_lead_is_told_when_everyone_has_finished(
    client: Client, batch: Batch, expert: User, other_expert: User, lead: User
) -> None:
    make_votes(batch, expert)
    make_votes(batch, other_expert)
    page = page_for(client, lead)
    assert "Everyone has finished round 1" in page
    assert "needs you" in page


def test_a_lead_with_a_rubric_and_pairs_can_start_a_round(
    client: Client, project: Project, lead: User
) -> None:
    make_version(project)
    make_pair(project)
    page = page_for(client, lead)
    assert "Start the first round" in page
    assert reverse("annotate:round_new", args=["claims"]) in page


def test_simulated_raters_are_marked(
    client: Client, batch: Batch, lead: User, expert: User
) -> None:
    batch.simulated = True
    batch.save()
    assert "simulated raters" in page_for(client, lead)


def test_a_lead_who_rates_keeps_their_own_place(
    client: Client, project: Project, lead: User, expert: User
) -> None:
    Membership.objects.create(project=project, user=lead, role="expert")
    batch = make_round(project, [lead, expert], size=2)
    page = page_for(client, lead)
    assert "Round 1 is open: 2 pairs wait for your vote" in page
    assert page.count(reverse("annotate:label_next", args=[batch.public_id])) == 1
    make_votes(batch, lead)
    assert "expert has 2 pairs left in round 1" in page_for(client, lead)


def test_people_of_no_project_are_told_so(client: Client, stranger: User) -> None:
    assert "No project yet" in page_for(client, stranger)


def test_people_of_another_project_see_theirs_alone(
    client: Client, batch: Batch, outsider: User
) -> None:
    page = page_for(client, outsider)
    assert "Elsewhere" in page
    assert "Claims" not in page


def test_an_expert_who_has_left_sees_no_round(client: Client, batch: Batch, expert: User) -> None:
    Membership.objects.filter(user=expert).delete()
    page = page_for(client, expert)
    assert str(batch.public_id) not in page


def test_what_needs_you_comes_first(client: Client, lead: User, batch: Batch) -> None:
    other = make_project("zebra")
    Membership.objects.create(project=other, user=lead, role="lead")
    page = page_for(client, lead)
    assert page.index("Zebra") < page.index("Claims")


@pytest.mark.parametrize("role", ["lead", "expert"])
def test_three_projects_or_thirty_take_at_most_twelve_queries(
    client: Client, lead: User, expert: User, third_expert: User, role: str
) -> None:
    me = {"lead": lead, "expert": third_expert}[role]

    def queries(count: int) -> int:
        for n in range(count):
            grow(f"p{count}-{n}", me, role, [third_expert, expert])
        client.force_login(me)
        with CaptureQueriesContext(
            connection,
        ) as seen:
            page = client.get(HOME).content.decode()
        assert page.count('class="project') >= count
        return len(seen)

    few, many = queries(3), queries(27)
    assert few == many <= 12


def grow(slug: str, me: User, role: str, raters: list[User]) -> None:
    project = make_project(slug)
    for rater in raters:
        Membership.objects.get_or_create(project=project, user=rater, role="expert")
    Membership.objects.get_or_create(project=project, user=me, role=role)
    make_votes(make_round(project, raters, size=2), raters[0], 1)
    make_pairs(project, 2, prefix="fresh")


def test_home_is_for_people_who_signed_in(client: Client, db: None) -> None:
    assert client.get(HOME)["Location"] == "/login/?next=/"


def test_nothing_is_posted_to_home(client: Client, lead: User) -> None:
    client.force_login(lead)
    assert client.post(HOME).status_code == 405


def without_token(page: str) -> str:
    """The page but for the tokens against forged requests, which differ each time."""
    lines = page.splitlines()
    return "\n".join(line for line in lines if "csrf" not in line.lower())
