"""The report of a round and of imported votes: what it shows, and to whom."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Batch, Label, Subject, Vote
from annotate.pages.report import report
from annotate.verdicts import kept_verdicts
from projects.models import Rater
from rubrics.models import RubricVersion
from tests.making import (
    make_member,
    make_pair,
    make_round,
    make_version,
    make_vote,
    make_voted_round,
)

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

ALIKE = {"C1": "yes no"}
SWAPPED = {"C1": "no yes"}


def page_of(client: Client, user: User, number: int = 1) -> str:
    client.force_login(user)
    response = client.get(reverse("annotate:round", args=["claims", number]))
    assert response.status_code == 200
    return unescape(" ".join(response.content.decode().split()))


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def make_import(
    project: Project, labels: list[dict[str, tuple[str, str]]], *, anonymous: bool = False
) -> Batch:
    """Imported votes: for each subject, by rater, the C1 labels of A and B."""
    version = make_version(project)
    batch = Batch.objects.create(
        project=project,
        version=version,
        kind=Batch.Kind.IMPORTED,
        name="old study/2019",
        anonymous_raters=anonymous,
    )
    criterion = version.criteria.get(key="C1")
    for n, said in enumerate(labels):
        subject = make_pair(project, f"imported-{n}")
        for name, codes in said.items():
            rater, _ = Rater.objects.get_or_create(project=project, kind="imported", name=name)
            vote = Vote.objects.create(batch=batch, subject=subject, rater=rater)
            for part, code in zip("AB", codes, strict=True):
                Label.objects.create(vote=vote, criterion=criterion, part_key=part, code=code)
    return batch


def test_a_lead_reads_alpha_interval_status_and_what_to_do(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    said = [[ALIKE, ALIKE]] * 4 + [[ALIKE, SWAPPED]] * 6
    make_voted_round(project, [expert, other_expert], said)
    page = page_of(client, lead)
    # 20 units, 12 of them split, 20 yes and 20 no: 1 - (12/20)/(2*20*20/(40*39)) = -0.17.
    assert "−0.17" in page
    assert "Volume stays closed: C1 is broken. Settle its 12 disagreements" in page
    assert "Read the disagreements" in page
    assert "Raters differ on 12 units." in page
    splits = reverse("annotate:disagreements", args=["claims", Batch.objects.get().public_id])
    assert page_of(client, lead).count(f'href="{splits}?check=C1"') >= 3
    assert "broken" in page
    assert "10 pairs, 2 raters, 20 votes" in page


def test_every_row_has_a_drawing_that_says_its_numbers_in_words(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[ALIKE, ALIKE], [ALIKE, SWAPPED]])
    page = page_of(client, lead)
    drawings = re.findall(r'<svg class="plot" role="img" aria-label="([^"]*)">', page)
    assert [drawing.split(":")[0] for drawing in drawings] == ["G1", "C1", "Preference", "Outcome"]
    assert drawings[0] == "G1: undefined"
    assert re.fullmatch(r"C1: alpha 0\.1[23](, interval .*|, without an interval)", drawings[1])
    assert "style=" not in page


def test_ag_01_the_page_says_that_a_check_is_not_computable_and_why(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[{}, {}]] * 2)
    page = page_of(client, lead)
    assert "No variation: all 8 labels are pass." in page
    assert "undefined" in page
    assert not re.search(r"\bnan\b", page, re.IGNORECASE)
    assert "pass: 8" in text_of(page)


def test_ag_02_the_label_counts_and_a_note_stand_beside_a_nought(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[{}, {}]] * 9 + [[{}, {"G1": "pass fail"}]])
    page = page_of(client, lead)
    assert "Low variation" in page
    assert "pass: 39 fail: 1" in text_of(page)


def test_ag_05_raters_who_share_no_unit_are_said_so(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[ALIKE, None], [None, SWAPPED]])
    page = page_of(client, lead)
    assert "No unit has two or more ratings (4 ratings on 4 units)." in page
    assert "No two raters share a unit." in page
    assert "0 of 2 pairs have two votes or more (0.0%)" in text_of(page)


def test_ag_09_reversed_labels_are_flagged(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[ALIKE, SWAPPED]] * 2)
    page = page_of(client, lead)
    assert "−0.75" in page
    assert "check for reversed labels or sides" in page


def test_a_pooled_report_says_so_and_shows_the_rounds_own_figure(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    version = make_version(project)
    raters = [expert, other_expert]
    make_voted_round(project, raters, [[ALIKE, SWAPPED]] * 2, version=version)
    make_voted_round(project, raters, [[ALIKE, ALIKE]] * 2, version=version)
    page = page_of(client, lead, 2)
    assert "Pooled over rounds 1 and 2 of version 1" in page
    assert "1.00 alone" in page
    assert "pooled=1" in page


def test_raters_are_compared_two_by_two_and_the_odd_one_is_named(
    client: Client,
    project: Project,
    lead: User,
    expert: User,
    other_expert: User,
    third_expert: User,
) -> None:
    said = [[ALIKE, ALIKE, ALIKE]] * 3 + [[ALIKE, ALIKE, SWAPPED]]
    batch = make_voted_round(project, [expert, other_expert, third_expert], said)
    matrix = report(batch, lead).matrix
    assert matrix is not None
    assert [row.rater.name for row in matrix.rows] == ["expert", "other_expert", "third_expert"]
    # 16 units of G1 and C1; the third differs on two. Against the rest: 28 of 32.
    words = [[cell.words if cell else "" for cell in row.cells] for row in matrix.rows]
    assert words == [["", "1.0", ".88"], ["1.0", "", ".88"], [".88", ".88", ""]]
    assert matrix.rows[2].rest is not None
    assert (matrix.rows[2].rest.words, matrix.rows[2].rest.of) == (".88", 32)
    assert matrix.sentence == (
        "third_expert stood alone most often: 2 of 2 lone dissents, 2 of them on C1."
    )
    # C1, first against third: 6 of 8 equal, both half yes: (3/4 - 1/2)/(1/2).
    kappas = {key: tuple(kappa.words for kappa in found) for key, found in matrix.kappas}
    assert kappas["C1"] == ("1.00", "0.50", "0.50")
    assert kappas["G1"] == (None, None, None)
    assert "third_expert stood alone" in page_of(client, lead)


def test_decisions_are_summed_by_policy_and_double_failures_go_to_the_rewrite_queue(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    both_fail = {"G1": "fail"}
    fails_b = {"G1": "pass fail"}
    split = [{"preference": "A_much"}, {"preference": "B_slight"}]
    said = [[both_fail, both_fail], [fails_b, fails_b], split, [fails_b, {}]]
    batch = make_voted_round(project, [expert, other_expert], said)
    found = report(batch, lead).decisions
    assert found is not None
    assert (found.pairs, found.rewrite) == (4, 1)
    one_sided = found.policies[0]
    assert one_sided.outcomes == {"A": 1, "tie": 0, "B": 0, "both_fail": 1}
    assert one_sided.reasons == (
        ("gate_contested", "a gate is contested", 1),
        ("unresolved_disagreement", "raters prefer different sides", 1),
    )
    page = page_of(client, lead)
    assert "manage.py export_pairs --project claims --round 1" in page
    assert "1 goes to the rewrite queue" in text_of(page)


def test_gaps_are_listed_with_the_words_and_the_order_they_were_written_under(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    silent = {"rationale": "The left one is <b>kinder</b>.", "nothing_says_it": "on"}
    unclear = {"unclear:C1": "on"}
    batch = make_voted_round(project, [expert, other_expert], [[silent, unclear]])
    page = page_of(client, lead)
    assert (
        "1 vote says that nothing in the rubric covers the case; 1 marks a check as unclear" in page
    )
    assert "nothing says it" in page
    assert "C1 unclear" in page
    order = Vote.objects.get(batch=batch, nothing_says_it=True).get_order_display()
    assert f"written with {order}" in page
    client.force_login(lead)
    raw = client.get(reverse("annotate:round", args=["claims", 1])).content.decode()
    assert "&lt;b&gt;kinder&lt;/b&gt;" in raw


def test_simulated_raters_are_marked(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[{}, {}]], simulated=True)
    page = page_of(client, lead)
    assert "simulated raters" in page
    assert "nobody has read these pairs" in page


def test_an_open_round_shows_who_is_how_far_and_no_figures(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[{}, None]] * 2, close=False)
    page = page_of(client, lead)
    assert "2 of 4 votes are in" in page
    assert "Alpha" not in page


def test_imported_votes_have_a_report_under_any_name(
    client: Client, project: Project, lead: User
) -> None:
    make_import(project, [{"ann": ("yes", "no"), "bo": ("yes", "yes")}] * 2)
    client.force_login(lead)
    response = client.get(reverse("annotate:imported", args=["claims", "old study/2019"]))
    page = response.content.decode()
    assert response.status_code == 200
    assert "imported votes" in page
    assert "ann" in page
    assert "Volume" not in page


def test_anonymous_raters_have_no_figures_of_their_own(
    client: Client, project: Project, lead: User
) -> None:
    said = [{"slot-1": ("yes", "no"), "slot-2": ("yes", "yes")}] * 2
    make_import(project, said, anonymous=True)
    client.force_login(lead)
    url = reverse("annotate:imported", args=["claims", "old study/2019"])
    page = client.get(url).content.decode()
    assert "The raters of these votes are anonymous" in page
    assert "slot-1" not in page


def test_a_lead_who_still_rates_sees_no_words_of_others_on_the_same_texts(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    version = make_version(project)
    silent = {"rationale": "Only the tone differs.", "nothing_says_it": "on"}
    make_voted_round(project, [expert, other_expert], [[silent, {}]], version=version)
    known = Subject.objects.get()
    assert "Only the tone differs." in page_of(client, lead)
    # The lead sits in a round of their own that happens to hold the same texts.
    newcomer = make_member(project, "expert", username="newcomer")
    make_round(project, [lead, newcomer], size=1, version=version)
    Subject.objects.exclude(pk=known.pk).update(content_hash=known.content_hash)
    assert "Only the tone differs." not in page_of(client, lead)


def test_reports_are_for_leads(
    client: Client, project: Project, expert: User, other_expert: User, outsider: User
) -> None:
    make_import(project, [])
    version = RubricVersion.objects.get()
    make_voted_round(project, [expert, other_expert], [[{}, {}]], version=version)
    urls = [
        reverse("annotate:round", args=["claims", 1]),
        reverse("annotate:imported", args=["claims", "old study/2019"]),
    ]
    for user, status in ((expert, 403), (outsider, 404)):
        client.force_login(user)
        assert [client.get(url).status_code for url in urls] == [status] * 2


def test_a_missing_round_or_import_is_not_found(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)
    assert client.get(reverse("annotate:round", args=["claims", 9])).status_code == 404
    for name in ("x", "a/b"):
        assert client.get(reverse("annotate:imported", args=["claims", name])).status_code == 404


def test_the_report_takes_no_more_queries_for_more_pairs(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    client.force_login(lead)

    def queries(number: int) -> int:
        url = reverse("annotate:round", args=["claims", number])
        client.get(url)
        with CaptureQueriesContext(connection) as found:
            client.get(url)
        return len(found)

    raters = [expert, other_expert]
    silent = {"nothing_says_it": "on"}
    make_voted_round(project, raters, [[silent, SWAPPED]] * 2, version=make_version(project))
    make_voted_round(
        project, raters, [[silent, SWAPPED]] * 9, version=make_version(project, number=2)
    )
    assert queries(1) == queries(2) <= 29


def test_an_amended_vote_changes_the_report_of_the_closing_round(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[ALIKE, SWAPPED]], close=False)
    make_vote(batch.assignments.get(rater__user=other_expert), ALIKE)
    Batch.objects.filter(pk=batch.pk).update(closed_at=batch.created_at)
    assert "1 pair, 2 raters, 2 votes" in text_of(page_of(client, lead))
    assert "1.00" in page_of(client, lead)


def test_reading_a_report_writes_what_homes_say_of_it_where_that_is_missing(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    """After the bars have moved, say, or with a new release."""
    batch = make_voted_round(project, [expert, other_expert], [[ALIKE, SWAPPED]])
    assert kept_verdicts([batch]) == {}
    page_of(client, lead)
    assert kept_verdicts([batch])[batch.pk].checks == 2
    type(project).objects.filter(pk=project.pk).update(bar=0.9)
    batch.project.refresh_from_db()
    assert kept_verdicts([batch]) == {}
    page_of(client, lead)
    assert kept_verdicts([batch])[batch.pk].checks == 2
