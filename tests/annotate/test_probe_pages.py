"""Pages of probe pairs and waivers: what a lead plants, reads and decides."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.actions.waivers import waive
from annotate.models import Batch, Slot, Subject, Waiver
from annotate.verdicts import keep_verdicts
from projects.models import Membership
from tests.annotate.test_probes import FAILS_G2, make_probes, make_rubric, start, vote_all
from tests.annotate.test_waivers import tried
from tests.gold import make_gold
from tests.making import make_member, make_pair, make_pairs

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User
    from rubrics.models import RubricVersion

ONLY_G1 = {"G1": "pass fail", "G2": "", "C1": "yes", "C2": "", "preference": ""}
REASON = "Both raters caught every planted failure."


@pytest.fixture
def version(project: Project) -> RubricVersion:
    return make_rubric(project)


@pytest.fixture
def probes(project: Project, version: RubricVersion) -> list[Subject]:
    make_pairs(project, 12)
    return make_probes(project, version, 3)


@pytest.fixture
def batch(version: RubricVersion, probes: list[Subject], expert: User, other_expert: User) -> Batch:
    """Closed: expert caught both probes, other_expert none."""
    made = start(version, expert, other_expert, probes=probes[:2])
    vote_all(made, expert)
    vote_all(made, other_expert, catches=False)
    return close_round(batch=made, acting_user=None)


def page_of(client: Client, user: User, route: str, *args: Any, query: str = "") -> str:
    client.force_login(user)
    response = client.get(reverse(route, args=["claims", *args]) + query)
    assert response.status_code == 200
    return unescape(" ".join(response.content.decode().split()))


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


# ---- The report


def test_the_report_says_apart_what_raters_caught(client: Client, batch: Batch, lead: User) -> None:
    page = page_of(client, lead, "annotate:round", 1)
    said = text_of(page)
    assert "2 planted failures of G2, none caught by both raters." in said
    assert "3 pairs, 2 raters, 6 votes" in said
    # Planted, expert, other_expert, both together, the interval of 0 of 2, wrongly failed.
    row = said.split("No coverage decision that the file lacks. 2 2 of 2 0 of 2 0 of 2 0%–")[1]
    assert row.startswith("66% 0 of 4")


def test_every_count_of_probes_leads_to_its_pairs(client: Client, batch: Batch, lead: User) -> None:
    page = page_of(client, lead, "annotate:round", 1)
    section = page.split('id="probes"')[1].split("</section>")[0]
    hrefs = re.findall(r'href="([^"]+/probes/[^"]*)"', section)
    assert len(hrefs) == 6
    for href in hrefs:
        response = client.get(href)
        assert response.status_code == 200
        wrongly = "show=wrongly" in href
        assert ("probe-0" in response.content.decode()) != wrongly


def test_a_report_without_probes_has_no_such_part(
    client: Client,
    project: Project,
    version: RubricVersion,
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    make_pairs(project, 3)
    made = start(version, expert, other_expert, probes=[])
    close_round(batch=made, acting_user=None)
    assert "Probe pairs</h2>" not in page_of(client, lead, "annotate:round", 1)


def test_the_pairs_behind_the_counts_show_what_is_known_and_who_missed_it(
    client: Client, batch: Batch, lead: User
) -> None:
    page = page_of(client, lead, "annotate:probes", batch.public_id, query="?check=G2")
    assert page.count('class="odd"') == 2
    assert "pass, not what is known" in text_of(page).replace(" ,", ",")
    assert ">probe-0</a>" in page
    assert "G1" not in text_of(page.split("<tbody>")[1])


def test_one_check_of_many_pairs_takes_as_many_queries_as_of_few(
    client: Client,
    project: Project,
    version: RubricVersion,
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    make_pairs(project, 8)
    few = start(version, expert, other_expert, probes=make_probes(project, version, 1))
    close_round(batch=few, acting_user=None)
    more = [make_pair(project, f"more-{n}") for n in range(6)]
    for pair in more:
        make_gold(pair, version, FAILS_G2, use="probe")
    many = start(version, expert, other_expert, probes=more)
    vote_all(many, expert)
    close_round(batch=many, acting_user=None)

    def queries(batch: Batch) -> int:
        page_of(client, lead, "annotate:probes", batch.public_id)
        with CaptureQueriesContext(connection) as found:
            page_of(client, lead, "annotate:probes", batch.public_id)
        # Signing in is the test's own.
        return len([one for one in found if "session" not in one["sql"].lower()])

    assert queries(few) == queries(many) <= 20


def test_nothing_is_told_of_probes_before_the_round_is_closed(
    client: Client,
    version: RubricVersion,
    probes: list[Subject],
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    made = start(version, expert, other_expert, probes=probes)
    client.force_login(lead)
    for route, args in (("probes", [made.public_id]), ("waive", [1, "G2"])):
        assert client.get(reverse(f"annotate:{route}", args=["claims", *args])).status_code == 403
    page = page_of(client, lead, "annotate:round", 1)
    assert "probe" not in page.lower()


def test_the_page_of_a_pair_says_where_it_was_a_probe(
    client: Client, batch: Batch, probes: list[Subject], lead: User
) -> None:
    plain = Subject.objects.filter(slots__batch=batch, slots__role=Slot.Role.NORMAL).first()
    assert plain is not None
    pages = [
        text_of(page_of(client, lead, "annotate:subject", one.public_id))
        for one in (probes[0], plain)
    ]
    assert ["probe pair" in page for page in pages] == [True, False]


# ---- Starting a round


def test_the_page_offers_probes_and_says_how_many_are_missing(
    client: Client, batch: Batch, version: RubricVersion, lead: User
) -> None:
    page = text_of(page_of(client, lead, "annotate:round_new"))
    assert "G2 has 0 of 10 units with fail: 1 probe pair that fails G2 is ready." in page
    assert "probe-2: fails G2 on B" in page
    assert "probe-0: fails G2 on B. An expert has had it before" in page
    assert "G1 has 0 of 10 units with fail, and no probe pair that fails G1 is ready." in page


def test_pairs_that_an_expert_has_had_are_not_offered_as_ready(
    client: Client,
    project: Project,
    version: RubricVersion,
    probes: list[Subject],
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    made = start(version, expert, other_expert, probes=probes)
    for user in (expert, other_expert):
        vote_all(made, user)
    close_round(batch=made, acting_user=None)
    page = text_of(page_of(client, lead, "annotate:round_new"))
    assert "and an expert has had all 3 probe pairs that fail G2 before." in page
    assert "Tick them below" not in page
    assert "Set known answers for more probes, and they are offered here." in page
    make_gold(make_pair(project, "later"), version, FAILS_G2, use="probe")
    page = text_of(page_of(client, lead, "annotate:round_new"))
    assert "Tick them below" in page


def test_other_versions_are_listed_in_a_sentence(
    client: Client, project: Project, probes: list[Subject], lead: User
) -> None:
    for number in (2, 3):
        make_rubric(project, number, f"Words {number}.")
    page = text_of(page_of(client, lead, "annotate:round_new"))
    assert "version 3; see version 2 or version 1 ." in page


def test_the_page_says_how_many_pairs_the_experts_have_not_seen(
    client: Client,
    project: Project,
    version: RubricVersion,
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    make_pairs(project, 9)
    start(version, expert, other_expert, probes=[])
    client.force_login(lead)
    page = text_of(page_of(client, lead, "annotate:round_new"))
    size = Slot.objects.values("subject").distinct().count()
    assert f"9 pairs with texts of their own are here; {9 - size} of them are fresh for" in page
    assert "fresh for the experts, and no other is drawn. Import more" in page
    ticked = {"raters": [lead.pk], "version": version.pk, "size": 3}
    again = client.post(reverse("annotate:round_new", args=["claims"]), ticked)
    said = text_of(unescape(" ".join(again.content.decode().split())))
    assert "9 of them are fresh for the raters ticked" in said


def test_whoever_comes_for_one_check_finds_its_probes_ticked(
    client: Client, batch: Batch, lead: User
) -> None:
    plain = page_of(client, lead, "annotate:round_new")
    ticked = page_of(client, lead, "annotate:round_new", query="?check=G2")
    assert len(re.findall(r'name="probes"[^>]*checked', plain)) == 0
    assert len(re.findall(r'name="probes"[^>]*checked', ticked)) == 1


def test_an_answer_of_an_older_version_is_offered_with_what_it_no_longer_says(
    client: Client, project: Project, probes: list[Subject], lead: User
) -> None:
    make_rubric(project, 2, "Other words.")
    page = text_of(page_of(client, lead, "annotate:round_new"))
    assert "probe-0: fails G2 on B. Answered under version 1, which says nothing of C1" in page
    assert "Ready for version 2: 3 fail G2." in page


def new_round(raters: list[User], version: RubricVersion, *probes: Subject) -> dict[str, Any]:
    return {
        "version": version.pk,
        "raters": [user.pk for user in raters],
        "size": 3,
        "probes": [probe.pk for probe in probes],
    }


def test_chosen_probes_are_planted(
    client: Client,
    version: RubricVersion,
    probes: list[Subject],
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    client.force_login(lead)
    form = new_round([expert, other_expert], version, probes[0])
    assert client.post(reverse("annotate:round_new", args=["claims"]), form).status_code == 302
    planted = Slot.objects.filter(role=Slot.Role.PROBE)
    assert set(planted.values_list("subject__external_id", flat=True)) == {"probe-0"}


def test_a_refused_probe_is_told_at_its_field_and_nothing_is_started(
    client: Client,
    batch: Batch,
    version: RubricVersion,
    probes: list[Subject],
    lead: User,
    expert: User,
    third_expert: User,
) -> None:
    client.force_login(lead)
    form = new_round([expert, third_expert], version, probes[0])
    response = client.post(reverse("annotate:round_new", args=["claims"]), form)
    assert response.status_code == 422
    assert "expert has had probe-0 before" in unescape(response.content.decode())
    assert Batch.objects.rounds().count() == 1


def test_a_lead_among_the_raters_of_probes_is_named_beside_the_raters(
    client: Client, version: RubricVersion, probes: list[Subject], lead: User, expert: User
) -> None:
    client.force_login(lead)
    other = make_member(version.rubric.project, "lead", username="other_lead")
    form = new_round([expert, other], version, probes[0])
    response = client.post(reverse("annotate:round_new", args=["claims"]), form)
    assert response.status_code == 422
    assert "other_lead is a lead of Claims" in unescape(response.content.decode())
    assert not Batch.objects.rounds().exists()


def test_a_lead_who_rates_is_not_offered_the_probes_of_their_own_queue(
    client: Client,
    version: RubricVersion,
    probes: list[Subject],
    expert: User,
    other_expert: User,
) -> None:
    start(version, expert, other_expert, probes=probes[:1])
    Membership.objects.create(project=version.rubric.project, user=expert, role="lead")
    page = page_of(client, expert, "annotate:round_new")
    assert "probe-0" not in page
    assert "probe-1" in page


# ---- Known answers


def test_the_form_of_a_later_version_begins_with_what_still_holds(
    client: Client, project: Project, version: RubricVersion, probes: list[Subject], lead: User
) -> None:
    later = make_rubric(project, 2, "Other words.")
    page = page_of(
        client, lead, "annotate:subject_gold", probes[0].public_id, query=f"?version={later}"
    )
    said = text_of(page)
    assert "Filled in from the answer under version 1" in said
    assert "C1 is asked otherwise since and left open" in said
    assert re.search(r'name="label:G2:Right" value="fail"[^>]*checked', page)
    assert not re.search(r'name="label:C1:Left"[^>]*checked', page)
    assert re.search(r'name="use" value="probe"[^>]*checked', page)


def test_the_list_counts_probes(
    client: Client, version: RubricVersion, probes: list[Subject], lead: User
) -> None:
    assert "3 probes" in text_of(page_of(client, lead, "annotate:gold"))


# ---- Waivers


def waive_page(client: Client, user: User, key: str = "G2") -> str:
    return page_of(client, user, "annotate:waive", 1, key)


def test_the_waiver_shows_the_evidence_first(client: Client, batch: Batch, lead: User) -> None:
    page = waive_page(client, lead)
    said = text_of(page)
    assert "Waive G2?" in said
    assert "0 of 10 needed, among 6 units" in said
    assert "2 planted failures of G2, none caught by both raters." in said
    assert 'name="reason"' in page


def test_without_a_reason_the_form_says_so_and_nothing_is_waived(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    url = reverse("annotate:waive", args=["claims", 1, "G2"])
    response = client.post(url, {"reason": "  "})
    assert response.status_code == 422
    assert "Say why volume may begin without it" in response.content.decode()
    assert not Waiver.objects.exists()


def test_a_waiver_stands_on_report_rounds_list_and_project_page(
    client: Client, batch: Batch, lead: User
) -> None:
    keep_verdicts(batch)
    client.force_login(lead)
    url = reverse("annotate:waive", args=["claims", 1, "G2"])
    response = client.post(url, {"reason": f"{REASON} <b>"})
    assert response.headers["Location"] == reverse("annotate:round", args=["claims", 1])
    report = page_of(client, lead, "annotate:round", 1)
    assert f"By {lead}" in text_of(report)
    assert f"{REASON} <b>" in report
    assert (
        f"{REASON} &lt;b&gt;"
        in client.get(reverse("annotate:round", args=["claims", 1])).content.decode()
    )
    rounds = text_of(page_of(client, lead, "annotate:rounds"))
    assert f"G2 is waived by {lead}" in rounds
    assert REASON in rounds
    assert "cleared or waived" in rounds
    project = text_of(page_of(client, lead, "annotate:project"))
    assert "G2 waived" in project


def test_a_withdrawn_waiver_is_told_with_who_and_when(
    client: Client, batch: Batch, version: RubricVersion, lead: User
) -> None:
    waive(version=version, key="G2", reason=REASON, acting_user=lead)
    assert "G2 is waived" in text_of(waive_page(client, lead))
    url = reverse("annotate:withdraw_waiver", args=["claims", 1, "G2"])
    assert client.get(url).status_code == 405
    for _ in range(2):
        response = client.post(url)
        assert response.headers["Location"] == reverse("annotate:waive", args=["claims", 1, "G2"])
    said = text_of(waive_page(client, lead))
    assert f"Withdrawn by {lead}" in said
    assert "Waive G2?" in said


@pytest.mark.parametrize("key", ["G9", "preference", "outcome"])
def test_a_check_that_volume_does_not_wait_for_has_no_such_page(
    client: Client, batch: Batch, lead: User, key: str
) -> None:
    client.force_login(lead)
    url = reverse("annotate:waive", args=["claims", 1, key])
    assert client.get(url).status_code == 404
    assert client.post(url, {"reason": REASON}).status_code == 404
    assert client.post(f"{url}withdraw/").status_code == 404


def test_the_step_of_a_report_leads_to_waiver_or_missed_probes(
    client: Client,
    version: RubricVersion,
    probes: list[Subject],
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    made = start(version, expert, other_expert, probes=probes[:2])
    vote_all(made, expert)
    vote_all(made, other_expert)
    close_round(batch=made, acting_user=None)
    for key in ("G1", "C1"):
        waive(version=version, key=key, reason=REASON, acting_user=None)
    page = page_of(client, lead, "annotate:round", 1)
    step = page.split('<div class="next">')[1].split("</div>")[0]
    assert "Raters caught all 2 planted failures of G2: waive it for that reason" in step
    assert reverse("annotate:waive", args=["claims", 1, "G2"]) in step


def test_the_button_on_home_and_project_page_leads_where_the_sentence_says(
    client: Client,
    version: RubricVersion,
    probes: list[Subject],
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    made = start(version, expert, other_expert, probes=probes[:2])
    vote_all(made, expert)
    vote_all(made, other_expert)
    batch = close_round(batch=made, acting_user=None)
    for key in ("G1", "C1"):
        waive(version=version, key=key, reason=REASON, acting_user=None)
    keep_verdicts(batch)
    href = reverse("annotate:waive", args=["claims", 1, "G2"])
    button = f'<a class="btn btn-primary" href="{href}">Waive G2</a>'
    project_page = reverse("annotate:project", args=["claims"])
    for url in ("/", project_page):
        client.force_login(lead)
        page = client.get(url).content.decode()
        assert button in page
        assert "Read round 1" not in page
    # Once nothing holds volume closed, the decisions are read in the report.
    waive(version=version, key="G2", reason=REASON, acting_user=None)
    report = reverse("annotate:round", args=["claims", 1])
    assert f'href="{report}#decisions">See the decisions</a>' in client.get("/").content.decode()


def test_more_rounds_and_probes_take_no_more_queries(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    """With everything that a next step can rest on: probes, a waiver, a long history."""

    def queries(route: str, *args: Any) -> int:
        page_of(client, lead, route, *args)
        with CaptureQueriesContext(connection) as found:
            client.get(reverse(route, args=["claims", *args]))
        return len(found)

    raters = [expert, other_expert]
    counts = []
    for number in range(1, 7):
        last = tried(project, raters, number, f"Worded {number} times.")
        make_gold(make_pair(project, f"p-{number}"), last.version, ONLY_G1, use="probe")
        if number in (4, 6):
            waive(version=last.version, key="G1", reason=REASON, acting_user=None)
            of_report = queries("annotate:round", last.number)
            of_waiver = queries("annotate:waive", last.number, "C1")
            counts.append((of_report, of_waiver, queries("annotate:rounds")))
    assert counts[0] == counts[1]
    assert counts[1][0] <= 40
    assert counts[1][1] <= 20


def test_three_rounds_below_the_bar_bring_a_proposal_to_the_report(
    client: Client,
    project: Project,
    version: RubricVersion,
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    raters = [expert, other_expert]
    for number in (2, 3):
        tried(project, raters, number, f"Worded {number} times.")
    last = tried(project, raters, 4, "Lists every open item and names an owner.")
    page = text_of(page_of(client, lead, "annotate:round", last.number))
    assert "C1 has stayed below the bar for 3 rounds: split it, since" in page
