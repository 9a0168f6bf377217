"""The pairs behind a number, and one pair with every vote on it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.rounds import rater_for
from annotate.models import Batch, Part, Subject, Vote
from annotate.pages.units import PAGE
from annotate.templatetags.rationale import pieces
from tests.making import make_rubric_version, make_version, make_voted_round

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

ALIKE = {"C1": "yes no"}
SWAPPED = {"C1": "no yes"}
MEASURED = """
task: measured
criteria:
  - id: C1
    check: Words of padding.
    level: interval
    range: [0, 100]
"""


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    said = [
        [ALIKE, ALIKE],
        [ALIKE, {"C1": "yes", "preference": "A_much"}],
        [{"G1": "fail"}, {"G1": "fail"}],
    ]
    return make_voted_round(project, [expert, other_expert], said)


def found(client: Client, batch: Batch, **filters: object) -> list[tuple[str, str]]:
    """(pair, part) of each unit that the page lists."""
    response = client.get(url_of(batch, **filters))
    assert response.status_code == 200
    return [
        (line.unit.subject.external_id, line.unit.part) for line in response.context["found"].lines
    ]


def url_of(batch: Batch, **filters: object) -> str:
    route = reverse("annotate:units", args=["claims", batch.public_id])
    return f"{route}?{urlencode(filters)}"


def test_units_can_be_chosen_by_what_was_said_by_whom(
    client: Client, batch: Batch, lead: User, expert: User, other_expert: User
) -> None:
    client.force_login(lead)
    other = rater_for(batch.project, other_expert).pk
    every = [(f"pair-0-{n}", part) for n in range(3) for part in "AB"]
    assert found(client, batch, criterion="C1") == every
    assert found(client, batch, criterion="C1", differ=1) == [("pair-0-1", "B")]
    assert found(client, batch, criterion="C1", value="no") == [
        ("pair-0-0", "B"),
        ("pair-0-1", "B"),
    ]
    assert found(client, batch, criterion="C1", value="no", rater=other) == [("pair-0-0", "B")]
    assert found(client, batch, criterion="G1", off="pass") == [
        ("pair-0-2", "A"),
        ("pair-0-2", "B"),
    ]


def test_outcomes_and_decisions_lead_to_their_pairs(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    whole = [("pair-0-0", ""), ("pair-0-1", ""), ("pair-0-2", "")]
    assert found(client, batch, criterion="outcome") == whole
    assert found(client, batch, criterion="outcome", differ=1) == whole[1:2]
    assert found(client, batch, criterion="outcome", value="tie") == whole[:2]
    assert found(client, batch, criterion="outcome", decision="both_fail") == whole[2:]
    assert found(client, batch, criterion="outcome", decision="undecided") == whole[1:2]
    majority = {"decision": "undecided", "policy": "majority"}
    assert found(client, batch, criterion="outcome", **majority) == whole[1:2]
    assert found(client, batch, criterion="preference", decision="tie") == whole[:1]


def test_numbers_are_found_as_numbers(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    version = make_rubric_version(project, MEASURED)
    said = [[{"C1": "3 4"}, {"C1": "3 5"}]]
    batch = make_voted_round(project, [expert, other_expert], said, version=version)
    client.force_login(lead)
    assert found(client, batch, criterion="C1", differ=1) == [("pair-0-0", "B")]
    assert found(client, batch, criterion="C1", value="3.0") == [("pair-0-0", "A")]


def test_the_list_can_cover_all_rounds_of_the_version(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    version = make_version(project)
    raters = [expert, other_expert]
    make_voted_round(project, raters, [[ALIKE, ALIKE]], version=version)
    batch = make_voted_round(project, raters, [[ALIKE, ALIKE]], version=version)
    client.force_login(lead)
    assert len(found(client, batch, criterion="C1")) == 2
    assert len(found(client, batch, criterion="C1", pooled=1)) == 4


def test_long_lists_come_in_pages_with_as_many_queries_as_short_ones(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    raters = [expert, other_expert]
    short = make_voted_round(project, raters, [[{}, {}]] * 2, version=make_version(project))
    long = make_voted_round(
        project,
        raters,
        [[{}, None]] * (PAGE // 2 + 1),
        version=make_version(project, number=2),
    )
    client.force_login(lead)
    assert len(found(client, long, criterion="C1")) == PAGE
    assert len(found(client, long, criterion="C1", page=2)) == 2
    assert len(found(client, long, criterion="C1", page="none")) == PAGE
    counts = []
    for batch in (short, long):
        with CaptureQueriesContext(connection) as queries:
            client.get(url_of(batch, criterion="C1", differ=""))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_an_unknown_check_is_not_found_and_odd_filters_are_left_out(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    assert client.get(url_of(batch, criterion="C9")).status_code == 404
    odd = {"rater": "me", "decision": "perhaps", "policy": "dice"}
    assert len(found(client, batch, criterion="C1", **odd)) == 6
    assert found(client, batch, criterion="C1", value="y?s", rater="9" * 40) == []
    assert found(client, batch, criterion="C1", value="nan") == []


def test_units_are_for_leads_of_the_project(
    client: Client, batch: Batch, expert: User, outsider: User
) -> None:
    subject = Subject.objects.first()
    assert subject is not None
    urls = [
        url_of(batch, criterion="C1"),
        reverse("annotate:subject", args=["claims", subject.public_id]),
    ]
    for user, status in ((expert, 403), (outsider, 404)):
        client.force_login(user)
        assert [client.get(url).status_code for url in urls] == [status] * 2


def test_a_lead_who_rates_in_an_open_round_sees_none_of_its_votes(
    client: Client, project: Project, lead: User, expert: User
) -> None:
    batch = make_voted_round(project, [lead, expert], [[{}, {}]], close=False)
    client.force_login(lead)
    subject = Subject.objects.get()
    assert client.get(url_of(batch, criterion="C1")).status_code == 403
    page = reverse("annotate:subject", args=["claims", subject.public_id])
    assert client.get(page).status_code == 403


def test_nobody_sees_the_votes_behind_the_figures_of_an_open_round(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[{}, {}]], close=False)
    client.force_login(lead)
    response = client.get(url_of(batch, criterion="C1"))
    assert response.status_code == 403
    assert "open when it is closed" in response.content.decode()


def test_a_pair_shows_its_texts_and_every_vote_side_by_side(
    client: Client, batch: Batch, lead: User
) -> None:
    subject = Subject.objects.get(external_id="pair-0-1")
    Part.objects.filter(subject=subject, key="A").update(text="**Bold** <script>alert(1)</script>")
    client.force_login(lead)
    response = client.get(reverse("annotate:subject", args=["claims", subject.public_id]))
    page = response.content.decode()
    assert "<strong>Bold</strong>" in page
    assert "<script>alert" not in page
    shown = response.context["shown"].batches[0]
    assert shown.raters == ("expert", "other_expert")
    labels = {(answer.criterion.key, answer.part): answer for answer in shown.answers}
    assert labels["C1", "B"].labels == ("no", "yes")
    assert labels["C1", "B"].differ
    assert labels["preference", ""].labels == ("tie", "A much")
    assert 'They are alike <span class="chip">C1</span>.' in page
    assert page.count("written with") == 2


def test_a_pair_without_votes_or_text_is_still_a_page(
    client: Client, project: Project, lead: User
) -> None:
    subject = Subject.objects.create(project=project, external_id="bare")
    Part.objects.create(subject=subject, key="A", text=None)
    client.force_login(lead)
    response = client.get(reverse("annotate:subject", args=["claims", subject.public_id]))
    assert "The text was not imported." in response.content.decode()
    assert "No vote yet" in response.content.decode()


def test_what_a_rationale_cites_stands_out_and_other_brackets_stay_prose() -> None:
    vote = Vote(rationale="[C1] decides: [A] names it [sic], [C1 maybe].", cites=["C1"])
    assert pieces(vote) == [
        ("C1", True),
        (" decides: ", False),
        ("A", True),
        (" names it ", False),
        ("[sic]", False),
        (", [C1 maybe].", False),
    ]
