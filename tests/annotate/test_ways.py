"""The way from one page to the next: after publishing, and after a meeting."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

from django.urls import reverse

from annotate.actions.meetings import start_meeting
from annotate.disagreements import differing
from annotate.models import Batch
from rubrics.actions import publish
from rubrics.models import RubricVersion

# The room and its people are those of the meeting.
from tests.annotate.test_meeting import (  # noqa: F401
    at,
    batch,
    item,
    meeting,
    reworded,
    room,
    sorted_as,
)
from tests.making import make_member, make_round, make_version, make_voted_round

if TYPE_CHECKING:
    from django.test import Client

    from annotate.disagreements import Differing
    from projects.models import Project, User


def page_of(client: Client, user: User, address: str) -> str:
    client.force_login(user)
    response = client.get(address)
    assert response.status_code == 200
    return unescape(response.content.decode())


def test_a_published_version_leads_to_its_first_round(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    first = make_version(project)
    address = reverse("rubrics:version", args=["claims", "summaries", 1])
    start = f'href="/p/claims/rounds/new/?version={first.pk}">Start a round with version 1</a>'
    assert start in page_of(client, lead, address)
    assert "Start a round with" not in page_of(client, expert, address)
    made = make_round(project, [expert, other_expert], version=first)
    assert "Start a round with" not in page_of(client, lead, address)
    Batch.objects.filter(pk=made.pk).update(simulated=True)
    assert start in page_of(client, lead, address)
    make_version(project, number=2)
    assert "Start a round with" not in page_of(client, lead, address)


def test_a_meeting_and_its_minutes_lead_to_what_became_of_the_rubric(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
    meeting: object,  # noqa: F811
) -> None:
    rubric = batch.version.rubric
    href = reverse("annotate:version_edits", args=["claims", rubric.slug, 2])
    sorted_as(batch, item, lead, "ambiguity", "A cause is what broke.")
    assert href not in room.get(at(batch, "minutes")).content.decode()
    reworded(batch, item, lead, "It names what broke.")
    link = f'<a href="{href}">Draft of version 2: what asked for each change</a>'
    assert link in room.get(at(batch, "minutes")).content.decode()
    assert link in room.get(at(batch, "meeting_unit", item)).content.decode()
    draft = RubricVersion.objects.get(rubric=rubric, number=2)
    publish(version=draft, change_note="Clearer.", acting_user=lead)
    link = f'<a href="{href}">Version 2: what asked for each change</a>'
    assert link in room.get(at(batch, "minutes")).content.decode()


def test_the_meeting_says_that_a_gate_left_nothing_to_ask(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    decides = {"G1": "pass fail", "rationale": "B fails [G1]."}
    said = [{"preference": "A_much"}, {"preference": "B_much"}, decides]
    third = make_member(project, "expert", username="third")
    made = make_voted_round(project, [expert, other_expert, third], [said])
    found = next(one for one in differing([made], reader=lead).all if one.unit.key == "preference")
    start_meeting(batch=made, minutes=30, acting_user=lead)
    page = page_of(client, lead, at(made, "meeting_unit", found))
    assert "Not asked: G1 decides" in page
    assert "No answer" not in page
