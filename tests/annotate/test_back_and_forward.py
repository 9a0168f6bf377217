"""From pair to pair among those that were sent, by links that a key may press."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.actions.votes import skip, submit_vote
from annotate.models import Assignment, Batch
from tests.ballots import filled, make_label_round

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=4)


@pytest.fixture
def queue(batch: Batch, expert: User, client: Client) -> list[Assignment]:
    client.force_login(expert)
    return list(batch.assignments.filter(rater__user=expert).order_by("position"))


def send(*assignments: Assignment) -> None:
    for assignment in assignments:
        user = assignment.rater.user
        assert user is not None
        submit_vote(assignment=assignment, form=filled(), submit_key=uuid4(), acting_user=user)


def url_of(assignment: Assignment, name: str = "label_pair") -> str:
    return reverse(f"annotate:{name}", args=[assignment.public_id])


def test_back_leads_to_what_was_sent_before_and_forward_to_what_was_sent_after(
    client: Client, queue: list[Assignment]
) -> None:
    send(*queue[:3])
    fourth, third, second = queue[3], queue[2], queue[1]
    assert client.get(url_of(fourth, "label_previous"))["Location"] == url_of(third)
    assert client.get(url_of(third, "label_previous"))["Location"] == url_of(second)
    assert client.get(url_of(second, "label_following"))["Location"] == url_of(third)


def test_what_was_put_off_stands_after_what_was_not(
    client: Client, queue: list[Assignment], expert: User
) -> None:
    skip(assignment=queue[0], reason="Later.", acting_user=expert)
    send(*queue[1:])
    assert client.get(url_of(queue[0], "label_previous"))["Location"] == url_of(queue[3])
    send(queue[0])
    assert client.get(url_of(queue[3], "label_following"))["Location"] == url_of(queue[0])


def test_at_the_ends_stand_the_list_of_own_pairs_and_the_next_open_one(
    client: Client, batch: Batch, queue: list[Assignment]
) -> None:
    send(*queue[:2])
    mine = reverse("annotate:label_mine", args=[batch.public_id])
    onward = reverse("annotate:label_next", args=[batch.public_id])
    assert client.get(url_of(queue[0], "label_previous"))["Location"] == mine
    assert client.get(url_of(queue[1], "label_following"))["Location"] == onward


def test_the_page_shows_only_the_ways_that_there_are(
    client: Client, batch: Batch, queue: list[Assignment]
) -> None:
    first = client.get(url_of(queue[0])).content.decode()
    assert 'id="previous"' not in first
    assert 'id="following"' not in first
    send(*queue[:2])
    open_one = client.get(url_of(queue[2])).content.decode()
    assert 'id="previous"' in open_one
    assert 'id="skip"' in open_one
    sent = client.get(url_of(queue[1])).content.decode()
    assert 'id="following"' in sent
    # A pair with a vote is not put off any more.
    assert 'id="skip"' not in sent
    close_round(batch=batch, acting_user=None)
    assert 'id="following"' in client.get(url_of(queue[1])).content.decode()


def test_others_pairs_lead_nowhere(
    client: Client, batch: Batch, queue: list[Assignment], other_expert: User
) -> None:
    other = batch.assignments.filter(rater__user=other_expert)[0]
    for name in ("label_previous", "label_following"):
        assert client.get(url_of(other, name)).status_code == 404
        assert client.post(url_of(queue[0], name)).status_code == 405


def test_why_a_pair_was_put_off_is_said_when_it_comes_back_and_may_be_changed(
    client: Client, queue: list[Assignment], expert: User
) -> None:
    skip(assignment=queue[0], reason="Ask about <hail>.", acting_user=expert)
    page = client.get(url_of(queue[0])).content.decode()
    assert "You put this pair off: Ask about &lt;hail&gt;." in page
    assert 'maxlength="500">Ask about &lt;hail&gt;.</textarea>' in page
    send(queue[0])
    assert "You put this pair off" not in client.get(url_of(queue[0])).content.decode()
