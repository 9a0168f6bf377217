"""Drafts, votes by script and working time, as the endpoints answer them."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.models import Assignment, Batch, Vote
from tests.ballots import filled, first_of, make_label_round, submission

if TYPE_CHECKING:
    from projects.models import Project, User

BY_SCRIPT = {"accept": "application/json"}


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


@pytest.fixture
def mine(batch: Batch, expert: User, client: Client) -> Assignment:
    client.force_login(expert)
    assignment = first_of(batch, expert, "AB")
    Assignment.objects.filter(pk=assignment.pk).update(
        opened_at=timezone.now() - timedelta(minutes=10)
    )
    assignment.refresh_from_db()
    return assignment


def draft(client: Client, assignment: Assignment, **form: Any) -> Any:
    address = reverse("annotate:label_draft", args=[assignment.public_id])
    return client.post(address, form)


def send(client: Client, assignment: Assignment, form: dict[str, Any]) -> Any:
    address = reverse("annotate:label_pair", args=[assignment.public_id])
    return client.post(address, form, headers=BY_SCRIPT)


def reread(assignment: Assignment) -> Assignment:
    return Assignment.objects.get(pk=assignment.pk)


# ---- By script


def test_a_script_learns_where_to_go_and_fetches_the_page_itself(
    client: Client, batch: Batch, mine: Assignment
) -> None:
    answer = send(client, mine, submission())
    following = Assignment.objects.of_rater(mine.rater).filter(batch=batch).open().get()
    assert answer.json() == {
        "next": reverse("annotate:label_pair", args=[following.public_id]),
        "revision": 1,
    }
    assert Vote.objects.count() == 1


def test_a_browsers_form_is_answered_with_a_page(client: Client, mine: Assignment) -> None:
    address = reverse("annotate:label_pair", args=[mine.public_id])
    browsers = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    assert client.post(address, submission(), headers=browsers).status_code == 303


def test_what_is_missing_is_said_by_field_and_kept(client: Client, mine: Assignment) -> None:
    answer = send(client, mine, submission(preference="", rationale="so far"))
    assert answer.status_code == 422
    assert answer.json()["errors"]["preference"] == "Choose a preference; a tie is one of them."
    # The page goes on from there: what the server holds now, and its revision.
    assert answer.json()["revision"] == reread(mine).draft_revision == 1
    assert answer.json()["draft"] == reread(mine).draft
    assert reread(mine).draft["rationale"] == "so far"


def test_a_vote_from_an_older_page_is_told_what_stands_instead(
    client: Client, mine: Assignment
) -> None:
    draft(client, mine, **filled(preference="1"), known_revision="0")
    answer = send(client, mine, {**submission(), "known_revision": "0"})
    assert (answer.status_code, answer.json()["reason"]) == (409, "elsewhere")
    assert answer.json()["revision"] == 1
    assert answer.json()["draft"]["preference"] == "1"
    assert not Vote.objects.exists()
    assert send(client, mine, {**submission(), "known_revision": "1"}).status_code == 200


def test_a_vote_for_a_closed_round_is_told_so(
    client: Client, batch: Batch, mine: Assignment
) -> None:
    close_round(batch=batch, acting_user=None)
    answer = send(client, mine, submission())
    assert (answer.status_code, answer.json()["reason"]) == (409, "closed")


def test_skipping_by_script_leads_on_as_well(client: Client, mine: Assignment) -> None:
    form = {**filled(), "action": "skip", "skip_reason": "Later.", "known_revision": "0"}
    assert "next" in send(client, mine, form).json()
    assert (reread(mine).state, reread(mine).skip_reason) == ("skipped", "Later.")


@pytest.mark.parametrize("known", ["0", "", "-1", "1.5", "99999999999", "abc"])
def test_a_vote_sent_again_changes_nothing_and_leaves_a_newer_draft(
    client: Client, mine: Assignment, known: str
) -> None:
    form = {**submission(), "known_revision": "0", "active_s": "60"}
    assert send(client, mine, form).status_code == 200
    draft(client, mine, **filled(rationale="[C1] second thoughts"))
    again = send(client, mine, {**form, "known_revision": known})
    # Of a draft that this page has not sent it learns no revision, which it would overwrite by.
    assert (again.status_code, again.json()["revision"]) == (200, None)
    assert Vote.objects.get().rationale == "[C1] decides: [A] names the cause."
    assert reread(mine).draft["rationale"] == "[C1] second thoughts"
    assert reread(mine).active_s == 60


# ---- What a draft holds


def test_a_draft_sent_again_makes_no_revision(client: Client, mine: Assignment) -> None:
    sent = [draft(client, mine, **filled(), known_revision="0").json() for _ in range(3)]
    assert [answer["revision"] for answer in sent] == [1, 1, 1]


def test_a_draft_from_an_older_revision_is_refused_and_shown_what_stands(
    client: Client, mine: Assignment
) -> None:
    draft(client, mine, **filled(preference="1"), known_revision="0")
    refused = draft(client, mine, **filled(preference="5"), known_revision="0")
    assert refused.status_code == 409
    assert refused.json()["draft"]["preference"] == "1"
    assert reread(mine).draft["preference"] == "1"


def test_a_megabyte_of_rationale_is_refused_and_comes_back_whole(
    client: Client, mine: Assignment
) -> None:
    text = "[C1] " + "ä" * 500_000
    address = reverse("annotate:label_pair", args=[mine.public_id])
    page = client.post(address, submission(rationale=text))
    assert page.status_code == 422
    assert "it has 500,005, all of them kept here" in page.content.decode()
    assert text in page.content.decode()
    assert reread(mine).draft["rationale"] == text
    assert not Vote.objects.exists()


def test_more_than_a_form_may_hold_is_answered_in_words(client: Client, mine: Assignment) -> None:
    before = reread(mine).draft
    for name in ("label_pair", "label_draft"):
        address = reverse(f"annotate:{name}", args=[mine.public_id])
        response = client.post(address, submission(rationale="a" * 6_000_000))
        assert response.status_code == 413
        assert "what you typed is still there" in response.content.decode()
    assert reread(mine).draft == before


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("{nonsense", "application/json"),
        (json.dumps({"label:G1:Left": "pass"}), "application/json"),
        ("--x\r\nnothing", "multipart/form-data; boundary=x"),
        ("", "application/x-www-form-urlencoded"),
    ],
)
def test_a_body_that_is_no_form_is_refused_and_clears_nothing(
    client: Client, mine: Assignment, body: str, kind: str
) -> None:
    draft(client, mine, **filled())
    address = reverse("annotate:label_draft", args=[mine.public_id])
    assert client.post(address, body, content_type=kind).status_code == 400
    assert reread(mine).draft["preference"] == "2"


def test_without_a_token_nothing_is_written(mine: Assignment, expert: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(expert)
    assert draft(client, mine, **filled()).status_code == 403
    assert send(client, mine, submission()).status_code == 403
    assert reread(mine).draft_revision == 0


# ---- Working time


def test_seconds_add_up_over_saves_and_stand_on_the_vote(client: Client, mine: Assignment) -> None:
    draft(client, mine, **filled(preference="1"), known_revision="0", active_s="20")
    draft(client, mine, **filled(preference="2"), known_revision="1", active_s="15")
    send(client, mine, {**submission(), "known_revision": "2", "active_s": "5"})
    assert reread(mine).active_s == 40
    assert Vote.objects.get().active_s == 40


def test_a_resend_is_not_counted_twice(client: Client, mine: Assignment) -> None:
    for _ in range(3):
        draft(client, mine, **filled(), known_revision="0", active_s="20")
    for _ in range(3):
        send(client, mine, {**submission(), "known_revision": "1", "active_s": "10"})
    assert reread(mine).active_s == 30


def test_a_vote_sent_again_by_its_key_is_not_counted_twice(
    client: Client, mine: Assignment
) -> None:
    form = {**submission(), "known_revision": "0", "active_s": "30"}
    for _ in range(3):
        assert send(client, mine, form).status_code == 200
    assert reread(mine).active_s == 30


def test_nobody_works_longer_than_the_pair_has_been_open(client: Client, mine: Assignment) -> None:
    draft(client, mine, **filled(), known_revision="0", active_s="999999999")
    assert 600 <= reread(mine).active_s <= 605


@pytest.mark.parametrize("said", ["-5", "1e9", "abc", "٣", "", "9999999999", "0"])
def test_nonsense_counts_nothing(client: Client, mine: Assignment, said: str) -> None:
    answer = draft(client, mine, **filled(), known_revision="0", active_s=said)
    assert answer.status_code == 200
    assert reread(mine).active_s == 0


def test_a_page_that_was_never_opened_has_no_time(client: Client, mine: Assignment) -> None:
    Assignment.objects.filter(pk=mine.pk).update(opened_at=None)
    draft(client, mine, **filled(), known_revision="0", active_s="20")
    assert reread(mine).active_s == 0


def test_seconds_without_a_revision_are_not_counted(client: Client, mine: Assignment) -> None:
    draft(client, mine, **filled(), active_s="20")
    assert reread(mine).active_s == 0


def test_a_plain_form_measures_nothing(client: Client, mine: Assignment) -> None:
    address = reverse("annotate:label_pair", args=[mine.public_id])
    client.post(address, submission())
    assert Vote.objects.get().active_s is None
    assert "active_s" not in reread(mine).draft


def test_a_key_of_a_draft_names_nobody(client: Client, mine: Assignment, expert: User) -> None:
    page = client.get(reverse("annotate:label_pair", args=[mine.public_id])).content.decode()
    key = page.partition('data-person="')[2].partition('"')[0]
    assert len(key) == 16
    assert "expert" not in key
    assert f'data-pair="{mine.public_id}"' in page
    assert key in client.get("/").content.decode()
