from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.models import Assignment, Batch, Vote
from projects.models import Membership
from tests.ballots import filled, first_of, make_label_round, submission

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase
    from django.test import Client
    from pytest_django import DjangoAssertNumQueries

    from projects.models import Project, User

SECRETS = (
    "model-alpha",
    "model-beta",
    "external-",
    "secret-metadata",
    "batch_of_origin",
    "A_much",
    "B_slight",
    "other_expert",
    "gold",
    "canonical",
    "hash of",
)


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


@pytest.fixture
def mine(batch: Batch, expert: User, client: Client) -> Assignment:
    client.force_login(expert)
    return first_of(batch, expert, "BA")


def url_of(assignment: Assignment, name: str = "label_pair") -> str:
    return reverse(f"annotate:{name}", args=[assignment.public_id])


def next_url(batch: Batch) -> str:
    return reverse("annotate:label_next", args=[batch.public_id])


def html_of(response: HttpResponseBase) -> str:
    assert isinstance(response, HttpResponse)
    return response.content.decode()


def text_of(response: HttpResponseBase) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html_of(response))))


def draft_of(assignment: Assignment) -> dict[str, object]:
    assignment.refresh_from_db()
    return dict(assignment.draft)


# ---- The page


def test_the_page_shows_the_pair_as_this_rater_sees_it(client: Client, mine: Assignment) -> None:
    page = text_of(client.get(url_of(mine)))
    n = mine.subject.external_id[-1]
    assert f"Summarise file {n}." in page
    # Under BA the second response stands on the left.
    assert page.index(f"Canonical second text {n}") < page.index(f"Canonical first text {n}")
    assert "Amounts match the file" in page
    assert "Estimate $18,240.50." in page
    assert "Pair 1 of 2" in page


def test_nothing_is_preselected(client: Client, mine: Assignment) -> None:
    assert b" checked" not in client.get(url_of(mine)).content


def test_the_scale_runs_from_left_to_right_as_seen(client: Client, mine: Assignment) -> None:
    html = client.get(url_of(mine)).content.decode()
    scale = html[html.index('class="scale"') :]
    words = re.findall(r"<b>(\w+)</b> <span>(\w+)</span>", scale)
    assert words == [
        ("Left", "much"),
        ("Left", "slightly"),
        ("Tie", "equal"),
        ("Right", "slightly"),
        ("Right", "much"),
    ]


def test_the_page_and_its_source_are_blind(
    client: Client, batch: Batch, mine: Assignment, other_expert: User
) -> None:
    html = client.get(url_of(mine)).content.decode()
    shown = html.replace("Canonical first text", "").replace("Canonical second text", "")
    leaked = [secret for secret in SECRETS if secret in shown]
    assert leaked == []
    assert str(mine.subject.public_id) not in html


def test_wf_05_the_other_raters_vote_is_nowhere_before_and_after_ones_own(
    client: Client, batch: Batch, mine: Assignment, other_expert: User
) -> None:
    theirs = Assignment.objects.get(
        batch=batch, rater__user=other_expert, subject_id=mine.subject_id
    )
    client.force_login(other_expert)
    said = submission(rationale="[C1] The other rater's own words.")
    assert client.post(url_of(theirs), said).status_code == 303
    vote = Vote.objects.get()

    client.force_login(mine.rater.user)  # type: ignore[arg-type]
    pages = [client.get(url_of(mine)), client.get(next_url(batch), follow=True)]
    client.post(url_of(mine), submission(preference="4"))
    pages += [client.get(url_of(mine)), client.get(next_url(batch), follow=True)]
    pages.append(client.get(reverse("annotate:label_mine", args=[batch.public_id])))
    for page in pages:
        html = html_of(page)
        for secret in ("own words", "other_expert", str(vote.public_id), str(theirs.public_id)):
            assert secret not in html
    for name in ("label_pair", "label_draft"):
        assert client.post(url_of(theirs, name), filled()).status_code == 404
    assert client.get(url_of(theirs)).status_code == 404


def test_the_page_costs_few_queries(
    client: Client, mine: Assignment, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(url_of(mine))
    # Session, person, assignment, membership, texts, rendered texts, own progress, own pace (of
    # the batch, then, as long as there is little of it, of all votes): none but short ones.
    with django_assert_max_num_queries(9):
        client.get(url_of(mine))


def test_sending_costs_few_queries(
    client: Client, mine: Assignment, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(20):
        client.post(url_of(mine), submission())


def test_markup_in_a_response_stays_text(client: Client, mine: Assignment) -> None:
    mine.subject.parts.filter(key="A").update(text="<script>alert(1)</script> {{ 7|add:7 }}")
    html = client.get(url_of(mine)).content.decode()
    assert "<script>alert" not in html
    assert "{{ 7|add:7 }}" in unescape(html)


def test_an_empty_response_is_said_to_be_empty(client: Client, mine: Assignment) -> None:
    mine.subject.parts.filter(key="A").update(text="")
    assert "This response is empty." in text_of(client.get(url_of(mine)))


# ---- Sending


def test_sending_leads_to_the_next_pair_and_then_to_the_end(
    client: Client, batch: Batch, mine: Assignment
) -> None:
    sent = client.post(url_of(mine), submission())
    assert sent.status_code == 303
    following = Assignment.objects.of_rater(mine.rater).filter(batch=batch).open().get()
    assert sent["Location"] == url_of(following)
    last = client.post(url_of(following), submission())
    assert last["Location"] == next_url(batch)
    assert "You are done: 2 of 2" in text_of(client.get(next_url(batch)))


def test_the_next_page_is_the_first_open_pair(
    client: Client, batch: Batch, mine: Assignment
) -> None:
    assert client.get(next_url(batch))["Location"] == url_of(mine)


def test_a_double_click_is_one_vote(client: Client, mine: Assignment) -> None:
    form = submission()
    assert [client.post(url_of(mine), form).status_code for _ in range(2)] == [303, 303]
    assert Vote.objects.count() == 1


def test_an_amended_vote_is_a_new_revision(client: Client, mine: Assignment) -> None:
    client.post(url_of(mine), submission())
    page = client.get(url_of(mine))
    assert "A change counts once it is sent again" in text_of(page)
    assert page.content.count(b" checked") == 9
    client.post(url_of(mine), submission(preference="5"))
    assert list(Vote.objects.order_by("revision").values_list("revision", "current")) == [
        (1, False),
        (2, True),
    ]


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"C1_Left": ""}, "#label-C1-Left", "C1 is not answered for Left"),
        ({"C1_Left": "maybe"}, "#label-C1-Left", "“maybe” is not an answer to C1"),
        ({"C1_Left": "na"}, "#label-C1-Left", "“na” is not an answer to C1"),
        ({"G1_Left": "fail"}, "#preference", "G1 decides this pair"),
        ({"preference": ""}, "#preference", "a tie is one of them"),
        ({"preference": "9"}, "#preference", "one of the 5 stops"),
        ({"rationale": "[C9] decides."}, "#rationale", "C9 is not in this rubric"),
        ({"rationale": ""}, "#rationale", "Say in a few words what decided"),
        ({"rationale": "It reads better."}, "#rationale", "Cite the gate or criterion"),
    ],
)
def test_a_refused_answer_says_where_and_keeps_everything(
    client: Client, mine: Assignment, changes: dict[str, str], field: str, words: str
) -> None:
    response = client.post(url_of(mine), submission(**changes))
    assert response.status_code == 422
    html = response.content.decode()
    assert f'<a href="{field}">' in html
    assert text_of(response).count(words) == 2, "once in the summary, once beside the field"
    assert f'id="{field[1:]}"' in html
    rationale = changes.get("rationale", filled()["rationale"])
    assert rationale in unescape(html)
    assert not Vote.objects.exists()
    assert draft_of(mine).get("rationale", "") == rationale


def test_both_sides_failing_needs_no_preference(client: Client, mine: Assignment) -> None:
    form = submission(G1_Left="fail", G1_Right="fail", preference="", rationale="")
    assert client.post(url_of(mine), form).status_code == 303
    page = client.get(url_of(mine))
    assert "Both fail (G1): not a preference pair" in text_of(page)


def test_after_a_deciding_gate_the_preference_is_disabled_and_still_there(
    client: Client, mine: Assignment
) -> None:
    form = {**filled(G1_Left="fail", preference=""), "action": "save"}
    client.post(url_of(mine), form)
    html = client.get(url_of(mine)).content.decode()
    assert re.search(r'<fieldset class="scale" id="preference"[^>]* disabled>', html)
    assert "G1 fails on Left only: Right wins." in html


# ---- Buttons that work without a script


def test_saving_keeps_the_draft_and_comes_back(client: Client, mine: Assignment) -> None:
    half = {"action": "save", "label:G1:Left": "pass", "rationale": "so far"}
    assert client.post(url_of(mine), half)["Location"] == url_of(mine)
    page = client.get(url_of(mine)).content
    assert page.count(b" checked") == 1
    assert b"so far" in page
    assert draft_of(mine) == {"label:G1:Left": "pass", "rationale": "so far"}


def test_rest_pass_answers_only_what_is_open(client: Client, mine: Assignment) -> None:
    client.post(url_of(mine), {"action": "all_pass", "label:G1:Left": "fail"})
    assert draft_of(mine) == {
        "label:G1:Left": "fail",
        "label:G1:Right": "pass",
        "label:G2:Left": "pass",
        "label:G2:Right": "pass",
        "all_pass": True,
    }


def test_a_chip_puts_its_token_into_the_text(client: Client, mine: Assignment) -> None:
    for token in ("C1", "Left"):
        form = {"action": f"insert:{token}", "rationale": draft_of(mine).get("rationale", "So:")}
        assert client.post(url_of(mine), form)["Location"] == f"{url_of(mine)}#rationale"
    assert draft_of(mine)["rationale"] == "So: [C1] [Left] "
    client.post(url_of(mine), {"action": "insert:C9", "rationale": "as it was"})
    assert draft_of(mine)["rationale"] == "as it was"


def test_skipping_keeps_what_was_entered_and_puts_the_pair_off(
    client: Client, batch: Batch, mine: Assignment
) -> None:
    form = {"action": "skip", "skip_reason": "Ask first.", "label:G1:Left": "pass"}
    sent = client.post(url_of(mine), form)
    assert sent["Location"] != url_of(mine)
    assert draft_of(mine) == {"label:G1:Left": "pass"}
    assert (mine.state, mine.skip_reason) == ("skipped", "Ask first.")
    assert "skipped" in text_of(client.get(reverse("annotate:label_mine", args=[batch.public_id])))


@pytest.mark.parametrize("action", ["delete", "", "Submit", "insert", "keys "])
def test_an_unknown_action_writes_nothing(client: Client, mine: Assignment, action: str) -> None:
    client.post(url_of(mine), {**filled(), "action": "save"})
    before = draft_of(mine)
    assert client.post(url_of(mine), {"action": action, "rationale": "q"}).status_code == 400
    assert draft_of(mine) == before
    assert not Vote.objects.exists()


# ---- The draft


def test_a_draft_is_acknowledged_with_its_revision(client: Client, mine: Assignment) -> None:
    first = client.post(url_of(mine, "label_draft"), {"label:G1:Left": "fail"}).json()
    second = client.post(url_of(mine, "label_draft"), filled()).json()
    assert (first["revision"], second["revision"]) == (1, 2)
    assert "saved" in client.get(url_of(mine)).content.decode()


def test_a_draft_survives_the_session(client: Client, mine: Assignment, expert: User) -> None:
    client.post(url_of(mine, "label_draft"), filled(rationale="Long thoughts [C1]."))
    client.logout()
    refused = client.post(url_of(mine, "label_draft"), filled(rationale="lost?"))
    assert refused.status_code == 302
    client.force_login(expert)
    assert "Long thoughts [C1]." in client.get(url_of(mine)).content.decode()


def test_saved_is_said_only_of_what_is_stored(client: Client, mine: Assignment) -> None:
    assert 'data-state="saved"' not in client.get(url_of(mine)).content.decode()
    client.post(url_of(mine, "label_draft"), filled())
    assert 'data-state="saved"' in client.get(url_of(mine)).content.decode()


def test_a_draft_after_a_vote_leaves_the_vote(client: Client, mine: Assignment) -> None:
    client.post(url_of(mine), submission())
    client.post(url_of(mine, "label_draft"), filled(preference="5"))
    assert Vote.objects.get().labels.get(criterion__key="preference").code == "B_slight"


def test_a_draft_does_not_write_over_what_another_tab_saved(
    client: Client, mine: Assignment
) -> None:
    address = url_of(mine, "label_draft")
    assert 'data-revision="0"' in client.get(url_of(mine)).content.decode()
    saved = client.post(address, filled(preference="1", known_revision="0"))
    refused = client.post(address, filled(preference="5", known_revision="0"))
    assert (saved.status_code, refused.status_code) == (200, 409)
    assert refused.json()["reason"] == "elsewhere"
    assert draft_of(mine)["preference"] == "1"
    assert 'data-revision="1"' in client.get(url_of(mine)).content.decode()
    assert client.post(address, filled(preference="5", known_revision="1")).status_code == 200


@pytest.mark.parametrize("known", ["", "0"])
def test_a_draft_sent_again_after_its_answer_was_lost_is_acknowledged(
    client: Client, mine: Assignment, known: str
) -> None:
    for _ in range(2):
        sent = client.post(url_of(mine, "label_draft"), filled(known_revision=known))
        assert sent.status_code == 200
    assert "known_revision" not in draft_of(mine)


def reread_state(assignment: Assignment) -> str:
    return Assignment.objects.get(pk=assignment.pk).state


# ---- Two tabs without a script


@pytest.mark.parametrize("action", ["save", "submit", "skip", "all_pass", "insert:C1"])
def test_a_later_tab_without_a_script_is_shown_both_and_chooses(
    client: Client, mine: Assignment, action: str
) -> None:
    page = client.get(url_of(mine)).content.decode()
    assert '<input type="hidden" name="known_revision" value="0">' in page
    other = {**filled(preference="1", rationale="[C1] there"), "action": "save"}
    client.post(url_of(mine), {**other, "known_revision": "0"})
    here = {**filled(rationale="[C1] here"), "action": action, "known_revision": "0"}
    refused = client.post(url_of(mine), here)
    html = refused.content.decode()
    assert refused.status_code == 409
    assert draft_of(mine)["rationale"] == "[C1] there"
    assert not Vote.objects.exists()
    assert reread_state(mine) == "assigned"
    notice = html.partition('id="other-version"')[2].partition("</ul>")[0]
    assert "<b>Preference</b>: Left much" in notice
    assert "(here: Left slightly)" in notice
    assert "<b>Rationale</b>: [C1] there" in notice
    # The form holds this tab's, and knows of the other: sent again, it stands.
    assert "[C1] here</textarea>" in html
    assert '<input type="hidden" name="known_revision" value="1">' in html
    client.post(url_of(mine), {**here, "known_revision": "1", "action": "save"})
    assert draft_of(mine)["rationale"] == "[C1] here"


def test_the_same_form_sent_twice_without_a_script_is_no_conflict(
    client: Client, mine: Assignment
) -> None:
    form = {**submission(), "known_revision": "0"}
    assert [client.post(url_of(mine), form).status_code for _ in range(2)] == [303, 303]
    assert Vote.objects.count() == 1


# ---- What was sent, and what was changed since


def closed_note(client: Client, mine: Assignment) -> str:
    html = client.get(url_of(mine)).content.decode()
    return html.partition('id="closed"')[2].partition("</div>")[0]


def test_what_is_changed_after_sending_is_said_until_it_is_sent_again(
    client: Client, mine: Assignment, batch: Batch
) -> None:
    pairs = reverse("annotate:label_mine", args=[batch.public_id])
    client.post(url_of(mine), submission(preference="1"))
    assert "Changed since" not in client.get(url_of(mine)).content.decode()
    client.post(url_of(mine, "label_draft"), filled(preference="2"))
    assert "Changed since, not sent again" in client.get(url_of(mine)).content.decode()
    listed = client.get(pairs).content.decode()
    assert "1 of 2 sent, 1 changed since and not sent again" in listed
    assert "changed, not sent again" in listed
    client.post(url_of(mine), submission(preference="2"))
    assert "Changed since" not in client.get(url_of(mine)).content.decode()
    assert "changed" not in client.get(pairs).content.decode().partition("<ol")[2]


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_a_closed_round_shows_the_vote_and_not_what_was_changed_after_it(
    client: Client, mine: Assignment, batch: Batch, order: str
) -> None:
    Assignment.objects.filter(pk=mine.pk).update(order=order)
    sent = filled(preference="1", rationale="[C1] counts: [Left] names it.")
    client.post(url_of(mine), {**sent, "unclear:C2": "1", **submission(preference="1"), **sent})
    vote = Vote.objects.get()
    client.post(url_of(mine, "label_draft"), filled(preference="2", rationale="[C1] never counted"))
    close_round(batch=batch, acting_user=None)
    html = client.get(url_of(mine)).content.decode()
    assert "[C1] counts: [Left] names it.</textarea>" in html
    assert "never counted" not in html
    assert re.search(r'name="preference" value="1"[^>]*checked', html)
    assert re.search(r'name="label:C1:Right" value="no"[^>]*checked', html)
    assert re.search(r'name="unclear:C2"[^>]*checked', html)
    assert "not sent again: below is what you sent" in closed_note(client, mine)
    assert vote.labels.get(criterion__key="C1", part_key=order[1]).code == "no"


def test_a_closed_round_says_what_was_never_sent(
    client: Client, mine: Assignment, batch: Batch
) -> None:
    client.post(url_of(mine, "label_draft"), filled(rationale="typed in vain"))
    close_round(batch=batch, acting_user=None)
    assert "You sent nothing for this pair" in closed_note(client, mine)
    assert "typed in vain" in client.get(url_of(mine)).content.decode()


# ---- Refusals


@pytest.mark.parametrize("name", ["label_pair", "label_draft"])
@pytest.mark.parametrize("who", ["other_expert", "third_expert", "lead", "outsider", "stranger"])
def test_an_assignment_is_its_own_raters_alone(
    client: Client, mine: Assignment, request: pytest.FixtureRequest, name: str, who: str
) -> None:
    client.force_login(request.getfixturevalue(who))
    assert client.post(url_of(mine, name), submission()).status_code == 404
    if name == "label_pair":
        assert client.get(url_of(mine)).status_code == 404
    assert not Vote.objects.exists()


@pytest.mark.parametrize("name", ["label_next", "label_mine"])
@pytest.mark.parametrize("who", ["third_expert", "lead", "outsider", "stranger"])
def test_a_batch_is_labelled_by_its_raters_alone(
    client: Client, batch: Batch, request: pytest.FixtureRequest, name: str, who: str
) -> None:
    client.force_login(request.getfixturevalue(who))
    url = reverse(f"annotate:{name}", args=[batch.public_id])
    assert client.get(url).status_code == 404


def test_who_has_left_the_project_labels_no_more(
    client: Client, batch: Batch, mine: Assignment, expert: User
) -> None:
    Membership.objects.filter(user=expert).delete()
    assert client.get(url_of(mine)).status_code == 404
    assert client.get(next_url(batch)).status_code == 404


def test_an_anonymous_visitor_signs_in_first(client: Client, mine: Assignment) -> None:
    client.logout()
    assert client.get(url_of(mine))["Location"].startswith(reverse("projects:login"))


def test_a_closed_round_refuses_a_vote_and_shows_what_was_typed(
    client: Client, batch: Batch, mine: Assignment
) -> None:
    close_round(batch=batch, acting_user=None)
    response = client.post(url_of(mine), submission(rationale="[C1] Typed in vain."))
    assert response.status_code == 409
    assert "[C1] Typed in vain." in unescape(response.content.decode())
    assert "Not sent: the round has been closed." in text_of(response)
    refused = client.post(url_of(mine, "label_draft"), filled())
    assert (refused.status_code, refused.json()["reason"]) == (409, "closed")
    assert not Vote.objects.exists()


def test_a_closed_round_can_still_be_read(client: Client, batch: Batch, mine: Assignment) -> None:
    client.post(url_of(mine), submission())
    close_round(batch=batch, acting_user=None)
    page = client.get(url_of(mine))
    assert page.status_code == 200
    assert "votes no longer change" in text_of(page)
    assert "The round is closed: 1 of 2 sent" in text_of(client.get(next_url(batch)))


def test_only_the_allowed_methods(client: Client, batch: Batch, mine: Assignment) -> None:
    assert client.get(url_of(mine, "label_draft")).status_code == 405
    assert client.post(next_url(batch)).status_code == 405
    assert client.put(url_of(mine)).status_code == 405


def test_the_page_is_never_kept_by_the_browser(client: Client, mine: Assignment) -> None:
    assert "no-store" in client.get(url_of(mine))["Cache-Control"]


def test_a_broken_submit_key_is_a_page_of_its_own(client: Client, mine: Assignment) -> None:
    form = {**submission(), "submit_key": "not a key"}
    assert client.post(url_of(mine), form).status_code == 303
    assert Vote.objects.get().submit_key is not None
    assert Vote.objects.get().submit_key != uuid4()


def test_opening_is_noted_once(client: Client, mine: Assignment) -> None:
    client.get(url_of(mine))
    mine.refresh_from_db()
    first = mine.opened_at
    assert first is not None
    client.get(url_of(mine))
    mine.refresh_from_db()
    assert mine.opened_at == first


# ---- Simulated rounds


@pytest.mark.parametrize("simulated", [True, False])
def test_what_a_simulation_answered_is_marked_for_the_rater_in_whose_name_it_was(
    client: Client, mine: Assignment, simulated: bool
) -> None:
    Batch.objects.filter(pk=mine.batch_id).update(simulated=simulated)
    own = reverse("annotate:label_mine", args=[mine.batch.public_id])
    for address in (url_of(mine), own):
        page = client.get(address).content.decode()
        assert ("simulated raters" in page) == simulated
