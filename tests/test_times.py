"""Times are told in the zone of the project: on pages, and in what replaces a part of one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from annotate.access import assignment_for, own_batch_for
from annotate.disagreements import differing, unit_code
from annotate.meetings import meeting_for
from annotate.models import Disagreement, Meeting, Vote
from projects.access import project_for
from projects.middleware import times_of_project
from tests.annotate.ruled import split_round
from tests.making import make_round, make_votes

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.http import HttpRequest
    from django.test import Client, RequestFactory

    from projects.models import Project, User

# Far from UTC the whole year, and by half an hour.
ZONE = "Asia/Kolkata"


@pytest.fixture
def project(project: Project) -> Project:
    project.time_zone = ZONE
    project.save()
    return project


def times_in(page: str) -> list[str]:
    return re.findall(r"\d{1,2} [A-Z][a-z]{2}, \d\d:\d\d", page)


def told(moment: datetime | None) -> str:
    assert moment is not None
    local = moment.astimezone(ZoneInfo(ZONE))
    return f"{local.day} {local:%b, %H:%M}"


def test_a_sorted_row_tells_the_time_that_its_page_tells(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = split_round(project, [expert, other_expert])
    client.force_login(lead)
    route = reverse("annotate:disagreements", args=["claims", batch.public_id])
    unit = unit_code(differing([batch], reader=lead).all[0].unit)
    headers = {"HX-Request": "true"}
    row = client.post(route, {"unit": unit, "kind": "slip"}, headers=headers)
    page = client.get(route)
    at = Disagreement.objects.get().sorted_at
    assert times_in(row.content.decode()) == times_in(page.content.decode()) == [told(at)]


def test_raters_read_when_they_sent_a_vote_by_the_same_clock(
    client: Client, project: Project, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    make_votes(batch, expert, 1)
    client.force_login(expert)
    mine = client.get(reverse("annotate:label_mine", args=[batch.public_id])).content.decode()
    vote = Vote.objects.get()
    assert vote.assignment is not None
    pair = client.get(reverse("annotate:label_pair", args=[vote.assignment.public_id]))
    assert times_in(mine) == [told(vote.at)]
    assert told(vote.at) in times_in(pair.content.decode())


def test_every_door_to_a_project_sets_its_clock(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    own = batch.assignments.filter(rater__user=expert)[0]
    Meeting.objects.create(batch=batch, started_by=lead, minutes=30)
    doors: dict[str, Callable[[], object]] = {
        "project": lambda: project_for(lead, "claims"),
        "batch": lambda: own_batch_for(expert, batch.public_id),
        "assignment": lambda: assignment_for(expert, own.public_id),
        "meeting": lambda: meeting_for(lead, "claims", batch.public_id),
    }
    for name, door in doors.items():
        with timezone.override(None):
            door()
            assert timezone.get_current_timezone_name() == ZONE, name


def test_the_clock_of_one_request_is_not_that_of_the_next(rf: RequestFactory) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        found = timezone.get_current_timezone_name()
        timezone.activate(ZONE)
        return HttpResponse(found)

    ask = times_of_project(view)
    assert [ask(rf.get("/")).content for _ in range(2)] == [b"UTC", b"UTC"]
    assert timezone.get_current_timezone_name() == "UTC"


def test_a_page_that_fails_leaves_no_clock_behind(rf: RequestFactory) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        timezone.activate(ZONE)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        times_of_project(view)(rf.get("/"))
    assert timezone.get_current_timezone_name() == "UTC"


def test_after_a_project_elsewhere_home_tells_no_time_of_it(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)
    assert client.get("/p/claims/").status_code == 200
    assert timezone.get_current_timezone_name() == "UTC"
