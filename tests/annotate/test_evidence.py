"""Passages on their way: from the form to the draft, to the vote, back, and to the lead's page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.actions.votes import VoteRefused, save_draft, submit_vote
from annotate.evidence import MAX_FIELD
from annotate.models import Assignment, Batch, Evidence, Part, RenderedText, Vote
from tests.ballots import filled, first_of, make_label_round, submission
from tests.crawling import html_of

if TYPE_CHECKING:
    from projects.models import Project, User

LEFT, RIGHT = "The hose parted. It **leaked** 😀 on.", "Nobody came."


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


def with_texts(assignment: Assignment, left: str = LEFT, right: str = RIGHT) -> Assignment:
    for key, text in zip(assignment.seen_order, (left, right), strict=True):
        Part.objects.filter(subject=assignment.subject, key=key).update(text=text)
    return assignment


@pytest.fixture
def mine(batch: Batch, expert: User) -> Assignment:
    """Under BA, so that what is seen on the left is B."""
    return with_texts(first_of(batch, expert, "BA"))


def row(check: str, side: str, quote: str, /, **changes: Any) -> dict[str, Any]:
    text = {"Left": "The hose parted. It leaked 😀 on.\n", "Right": "Nobody came.\n"}[side]
    start = text.index(quote)
    return {
        "check": check,
        "side": side,
        "start": start,
        "end": start + len(quote),
        "quote": quote,
        **changes,
    }


def field(*rows: dict[str, Any]) -> str:
    return json.dumps(list(rows))


HOSE = row("C1", "Left", "hose parted")
CAME = row("G1", "Right", "Nobody came")
ON = row("C1", "Left", "on.")


def submit(assignment: Assignment, user: User, **changes: str) -> Vote:
    return submit_vote(
        assignment=assignment, form=filled(**changes), submit_key=uuid4(), acting_user=user
    )


def stored(vote: Vote) -> list[tuple[str, str, int, int, str]]:
    return list(vote.evidence.values_list("criterion__key", "part_key", "start", "end", "quote"))


def url_of(assignment: Assignment) -> str:
    return reverse("annotate:label_pair", args=[assignment.public_id])


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


# ---- The vote


@pytest.mark.parametrize(("order", "left", "right"), [("AB", "A", "B"), ("BA", "B", "A")])
def test_wf_10_evidence_is_stored_by_response_whatever_order_it_was_seen_in(
    batch: Batch, expert: User, order: str, left: str, right: str
) -> None:
    mine = with_texts(first_of(batch, expert, order))
    vote = submit(mine, expert, evidence=field(CAME, HOSE, ON, HOSE))
    assert sorted(stored(vote)) == sorted(
        [
            ("C1", left, 4, 15, "hose parted"),
            ("C1", left, 29, 32, "on."),
            ("G1", right, 0, 11, "Nobody came"),
        ]
    )


def test_a_vote_without_evidence_reads_no_text(mine: Assignment, expert: User) -> None:
    with CaptureQueriesContext(connection) as asked:
        submit(mine, expert)
    tables = ("annotate_evidence", "annotate_part", "annotate_renderedtext")
    assert not [query for query in asked if any(table in query["sql"] for table in tables)]


def test_an_amendment_of_the_evidence_alone_is_a_revision_and_the_same_again_is_none(
    mine: Assignment, expert: User
) -> None:
    first = submit(mine, expert, evidence=field(HOSE))
    assert submit(mine, expert, evidence=field(HOSE)) == first
    second = submit(mine, expert, evidence=field(CAME))
    assert (second.revision, second.current) == (2, True)
    assert [one[0] for one in stored(second)] == ["G1"]
    assert [one[0] for one in stored(first)] == ["C1"]
    third = submit(mine, expert)
    assert third.revision == 3
    assert stored(third) == []


def test_a_late_retry_of_an_amended_vote_changes_nothing(mine: Assignment, expert: User) -> None:
    key = uuid4()
    form = filled(evidence=field(HOSE))
    submit_vote(assignment=mine, form=form, submit_key=key, acting_user=expert)
    amended = submit(mine, expert, evidence=field(CAME))
    late = submit_vote(assignment=mine, form=form, submit_key=key, acting_user=expert)
    assert late == amended
    assert Vote.objects.count() == 2


BAD = {
    "outside the text": (row("C1", "Left", "on.", end=90), "lies outside the text"),
    "another quote": (row("C1", "Left", "on.", quote="off"), "does not stand at its place"),
    "empty": (row("C1", "Left", "on.", end=29), "is empty"),
    "too long": (row("C1", "Left", "on.", quote="x" * 2_001), "is too long"),
    "an unknown check": (row("C1", "Left", "on.", check="C9"), "no such check"),
    "an unknown side": (row("C1", "Left", "on.", side="A"), "is no response"),
    "a bare number": (7, "did not arrive whole"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_evidence_is_refused_with_its_reason_and_nothing_is_lost(
    mine: Assignment, expert: User, name: str
) -> None:
    bad, words = BAD[name]
    sent = json.dumps([HOSE, bad])
    with pytest.raises(VoteRefused) as refused:
        submit(mine, expert, evidence=sent)
    assert set(refused.value.problems) == {"evidence"}
    assert words in refused.value.problems["evidence"]
    mine.refresh_from_db()
    assert mine.draft["evidence"] == sent
    assert mine.draft["label:C1:Right"] == "no"
    assert not Vote.objects.exists()
    answer = client_of(expert).post(url_of(mine), submission(evidence=sent))
    page = html_of(answer)
    assert answer.status_code == 422
    assert '<a href="#evidence">' in page
    assert words in page
    assert ">hose parted</mark>" in page
    assert "[C1] decides: [Left] names the cause." in page


@pytest.mark.parametrize("sent", ["{", "7", "[" * 50_000, "x" * (MAX_FIELD + 5)])
def test_what_is_no_list_of_passages_is_refused_and_can_be_taken_away(
    mine: Assignment, expert: User, sent: str
) -> None:
    client = client_of(expert)
    assert client.post(url_of(mine), submission(evidence=sent)).status_code == 422
    page = html_of(client.get(url_of(mine)))
    assert 'value="detach:all"' in page
    assert 'id="evidence-error"' in page
    mine.refresh_from_db()
    form = {**filled(), "evidence": mine.draft["evidence"], "action": "detach:all"}
    assert client.post(url_of(mine), form).status_code == 303
    mine.refresh_from_db()
    assert "evidence" not in mine.draft
    assert client.post(url_of(mine), submission()).status_code == 303
    assert Vote.objects.count() == 1


def test_half_characters_and_nul_are_refused_not_broken_on(mine: Assignment, expert: User) -> None:
    sent = field(HOSE).replace("hose", "\\ud83d\\u0000")
    answer = client_of(expert).post(url_of(mine), submission(evidence=sent))
    assert answer.status_code == 422
    assert "does not stand at its place" in html_of(answer)


def test_a_text_nobody_has_rendered_yet_is_rendered_for_it(mine: Assignment, expert: User) -> None:
    RenderedText.objects.all().delete()
    assert stored(submit(mine, expert, evidence=field(HOSE)))


def test_a_closed_round_takes_no_evidence_and_shows_what_was_sent(
    mine: Assignment, expert: User, batch: Batch
) -> None:
    submit(mine, expert, evidence=field(HOSE))
    close_round(batch=batch, acting_user=None)
    client = client_of(expert)
    answer = client.post(url_of(mine), submission(evidence=field(CAME)))
    assert answer.status_code == 409
    assert ">Nobody came</mark>" in html_of(answer)
    page = html_of(client.get(url_of(mine)))
    assert ">hose parted</mark>" in page
    assert "detach:" not in page
    assert [one.quote for one in Evidence.objects.all()] == ["hose parted"]


# ---- The draft and the page


def test_a_draft_keeps_evidence_as_it_is_seen_and_shows_it_again(
    mine: Assignment, expert: User
) -> None:
    form = filled(evidence=field(HOSE, CAME), C1_Left="no")
    save_draft(assignment=mine, form=form, acting_user=expert)
    mine.refresh_from_db()
    assert mine.draft["evidence"] == form["evidence"]
    page = html_of(client_of(expert).get(url_of(mine)))
    assert 'class="evidence is-fail" data-check="C1" data-starts="C1"' in page
    assert ">hose parted</mark>" in page
    assert '<mark class="evidence" data-check="G1"' in page
    assert "G1, Right, passages attached: </span>1</a>" in page
    assert "G1, Left, passages attached: </span>0</a>" in page
    assert "data-check" in page.split('id="text-Left"')[1].split("</article>")[0]


def test_an_empty_list_is_no_evidence(mine: Assignment, expert: User) -> None:
    save_draft(assignment=mine, form=filled(evidence="[]"), acting_user=expert)
    mine.refresh_from_db()
    assert "evidence" not in mine.draft


def test_a_draft_of_another_text_is_kept_and_said(mine: Assignment, expert: User) -> None:
    save_draft(assignment=mine, form=filled(evidence=field(HOSE, CAME)), acting_user=expert)
    with_texts(mine, left="It is all different by now, and long enough.")
    page = html_of(client_of(expert).get(url_of(mine)))
    assert "hose parted”, does not stand at its place in the text any more" in page
    assert ">Nobody came</mark>" in page
    assert ">hose parted</mark>" not in page
    mine.refresh_from_db()
    assert len(json.loads(mine.draft["evidence"])) == 2
    assert client_of(expert).post(url_of(mine), submission(**mine.draft)).status_code == 422
    form = {**filled(), "evidence": mine.draft["evidence"], "action": "detach:1"}
    client_of(expert).post(url_of(mine), form)
    mine.refresh_from_db()
    assert [one["check"] for one in json.loads(mine.draft["evidence"])] == ["G1"]
    assert client_of(expert).post(url_of(mine), submission(**mine.draft)).status_code == 303


def test_hostile_quotes_stay_text(mine: Assignment, expert: User) -> None:
    hostile = "</q><script>probe()</script>\"'"
    with_texts(mine, left=f"One {hostile} two")
    quote = "</q><script>probe()</script>\"'"
    sent = field(row("C1", "Left", "hose", start=4, end=4 + len(quote), quote=quote))
    save_draft(assignment=mine, form=filled(evidence=sent), acting_user=expert)
    page = html_of(client_of(expert).get(url_of(mine)))
    assert "<script>probe()" not in page
    assert "&lt;/q&gt;&lt;script&gt;probe()&lt;/script&gt;\"'</mark>" in page
    assert stored(submit(mine, expert, evidence=sent))[0][-1] == quote


# ---- The lead's page of one pair


def lead_page(lead: User, mine: Assignment) -> str:
    address = reverse("annotate:subject", args=[mine.batch.project.slug, mine.subject.public_id])
    return html_of(client_of(lead).get(address))


def test_the_lead_sees_who_quoted_what_for_which_check_in_the_responses(
    mine: Assignment, expert: User, other_expert: User, lead: User, batch: Batch
) -> None:
    submit(mine, expert, evidence=field(HOSE), C1_Left="no")
    theirs = Assignment.objects.get(batch=batch, subject=mine.subject, rater__user=other_expert)
    Assignment.objects.filter(pk=theirs.pk).update(order="AB")
    theirs.refresh_from_db()
    right = row("G1", "Left", "hose parted", side="Right")
    submit(theirs, other_expert, evidence=field(right))
    page = lead_page(lead, mine)
    parts = page.split('<section class="part">')
    assert "<mark" not in parts[1]
    assert "<h2>B</h2>" in parts[2]
    assert 'data-check="C1 G1" data-starts="C1 expert G1 other_expert"' in parts[2]
    assert "is-fail" in parts[2]
    anchors = [f"evidence-{one.pk}" for one in Evidence.objects.all()]
    for anchor in anchors:
        assert f'<span id="{anchor}"></span>' in parts[2]
        assert f'<q><a href="#{anchor}">hose parted</a></q>' in page


def test_evidence_alone_is_listed_and_an_older_revision_is_not(
    mine: Assignment, expert: User, lead: User
) -> None:
    gate = {"G1_Left": "fail", "preference": "", "rationale": ""}
    submit(mine, expert, evidence=field(CAME), **gate)
    submit(mine, expert, evidence=field(HOSE), **gate)
    page = lead_page(lead, mine)
    assert ">hose parted</a></q>" in page
    assert "Nobody came</mark>" not in page
    assert ">Nobody came</a></q>" not in page


def test_a_passage_whose_words_are_gone_is_listed_without_a_place(
    mine: Assignment, expert: User, lead: User
) -> None:
    submit(mine, expert, evidence=field(HOSE, ON))
    with_texts(mine, left="First the hose parted, they say.")
    page = lead_page(lead, mine)
    assert ">hose parted</mark>" in page
    assert '<q>on.</q> <span class="quiet">no longer in the text</span>' in page


def test_names_are_hidden_where_the_round_hides_them(
    mine: Assignment, expert: User, lead: User, batch: Batch
) -> None:
    Batch.objects.filter(pk=batch.pk).update(anonymous_raters=True)
    submit(mine, expert, evidence=field(HOSE))
    page = lead_page(lead, mine)
    assert 'data-starts="C1 Rater 1"' in page
    assert "C1 expert" not in page


def test_who_gives_a_pair_its_known_answer_sees_no_passage_of_a_rater(
    mine: Assignment, expert: User, lead: User
) -> None:
    submit(mine, expert, evidence=field(HOSE))
    address = reverse(
        "annotate:subject_gold", args=[mine.batch.project.slug, mine.subject.public_id]
    )
    answer = client_of(lead).get(address, follow=True)
    assert answer.status_code == 200
    assert "<mark" not in html_of(answer)
