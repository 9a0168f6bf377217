from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.actions.asking import ASK_EVERY, MAX_NOTE, AskRefused, ask_again
from annotate.actions.rounds import close_round
from annotate.models import Batch
from projects.models import Event, Membership, Notice, Rater, User
from tests.making import make_member, make_round, make_votes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from projects.models import Project

ROUND = "/p/claims/rounds/1/"
ASK = f"{ROUND}ask/"


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_round(project, [expert, other_expert], size=3)


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def rater_of(user: User) -> Rater:
    return Rater.objects.get(user=user)


def asked() -> list[Notice]:
    return list(Notice.objects.filter(verb=Notice.Verb.ASKED_AGAIN).order_by("user__username"))


def page_after(user: User, form: Mapping[str, object]) -> str:
    return as_(user).post(ASK, form, follow=True).content.decode()


def test_a_lead_asks_one_rater_with_a_sentence(batch: Batch, lead: User, expert: User) -> None:
    make_votes(batch, expert, 1)
    page = page_after(lead, {"rater": rater_of(expert).pk, "note": "We meet on Friday."})
    assert "Asked to go on with round 1: expert." in page
    (notice,) = asked()
    assert notice.user == expert
    assert notice.text == (
        "lead asks you to go on with round 1: 2 pairs wait for your vote. “We meet on Friday.”"
    )
    assert notice.path == reverse("annotate:label_next", args=[batch.public_id])
    event = Event.objects.get(verb="rater.asked_again")
    assert (event.actor, event.target) == (lead, "Round 1")
    assert event.data == {"rater": rater_of(expert).pk, "note": "We meet on Friday."}


def test_all_who_wait_are_asked_at_once(
    batch: Batch, lead: User, expert: User, other_expert: User
) -> None:
    make_votes(batch, expert)
    page = page_after(lead, {"note": ""})
    assert "Asked to go on with round 1: other_expert." in page
    assert [notice.user for notice in asked()] == [other_expert]


def test_a_rater_is_asked_once_a_day(batch: Batch, lead: User, expert: User) -> None:
    form = {"rater": rater_of(expert).pk}
    page_after(lead, form)
    second_lead = make_member(batch.project, "lead", username="second_lead")
    assert "a rater is asked once a day at most" in page_after(second_lead, form)
    assert len(asked()) == 1
    Notice.objects.update(created_at=timezone.now() - ASK_EVERY - timedelta(minutes=1))
    page_after(lead, form)
    assert len(asked()) == 2


def test_asking_all_leaves_those_in_peace_who_were_asked_today(
    batch: Batch, lead: User, expert: User, other_expert: User
) -> None:
    page_after(lead, {"rater": rater_of(expert).pk})
    page = page_after(lead, {})
    assert "Asked to go on with round 1: other_expert." in page
    assert [notice.user for notice in asked()] == [expert, other_expert]


def test_the_page_says_when_somebody_was_asked(batch: Batch, lead: User, expert: User) -> None:
    before = as_(lead).get(ROUND).content.decode()
    assert before.count('name="rater"') == 2
    page = page_after(lead, {"rater": rater_of(expert).pk})
    told = asked()[0]
    assert f"asked {timezone.localtime(told.created_at):%H:%M}\n" in page
    assert f'value="{rater_of(expert).pk}"' not in page
    assert " ," not in re.sub(r"<[^>]+>", "", page)
    # Everyone stands there once.
    assert page.count('title="expert"') == page.count('title="other_expert"') == 1
    Notice.objects.update(created_at=told.created_at - timedelta(days=1))
    at = timezone.localtime(told.created_at - timedelta(days=1))
    page = as_(lead).get(ROUND).content.decode()
    assert re.search(rf"asked {at.day} {at:%B}( {at.year})?\n", page)


def test_a_round_that_everyone_finished_asks_nobody(
    batch: Batch, lead: User, expert: User, other_expert: User
) -> None:
    for user in (expert, other_expert):
        make_votes(batch, user)
    page = as_(lead).get(ROUND).content.decode()
    assert "Ask all who wait" not in page
    assert "Nobody can be asked" not in page
    assert "no rater whom you could ask" in page_after(lead, {})
    assert asked() == []


def test_a_closed_round_asks_nobody(batch: Batch, lead: User) -> None:
    close_round(batch=batch, acting_user=lead)
    assert "nobody can label it any more" in page_after(lead, {"note": "x" * 1000})
    assert asked() == []


@pytest.mark.parametrize("how", ["ended", "left", "self", "elsewhere"])
def test_whom_nobody_can_ask(
    batch: Batch, lead: User, expert: User, other_expert: User, outsider: User, how: str
) -> None:
    rater = rater_of(expert)
    acting = lead
    if how == "ended":
        User.objects.filter(pk=expert.pk).update(is_active=False)
    elif how == "left":
        Membership.objects.filter(user=expert).delete()
    elif how == "self":
        acting = expert
        Membership.objects.create(project=batch.project, user=expert, role="lead")
    else:
        other = make_round(outsider.memberships.get().project, [outsider, make_other(outsider)])
        rater = other.raters.get(user=outsider)
    with pytest.raises(AskRefused):
        ask_again(batch=batch, acting_user=acting, raters=[rater.pk])
    assert asked() == []
    assert not Event.objects.filter(verb="rater.asked_again").exists()


def make_other(outsider: User) -> User:
    return make_member(outsider.memberships.get().project, "expert", username="far")


@pytest.mark.parametrize("sent", ["abc", "99999999", "-1", ""])
def test_a_rater_who_is_none_of_the_rounds_is_refused(batch: Batch, lead: User, sent: str) -> None:
    response = as_(lead).post(ASK, {"rater": sent, "note": "Kept."})
    assert response.status_code == 422
    assert 'value="Kept."' in response.content.decode()
    assert asked() == []


def test_a_sentence_that_is_too_long_comes_back(batch: Batch, lead: User) -> None:
    response = as_(lead).post(ASK, {"note": "y" * (MAX_NOTE + 1)})
    assert response.status_code == 422
    page = response.content.decode()
    assert "y" * (MAX_NOTE + 1) in page
    assert f"at most {MAX_NOTE} characters" in page
    assert asked() == []


def test_a_sentence_is_data(batch: Batch, lead: User, expert: User) -> None:
    note = "<b>{{ 7|add:7 }}</b>\r\n%s {0}"
    page_after(lead, {"rater": rater_of(expert).pk, "note": note})
    (notice,) = asked()
    assert notice.text.endswith("“<b>{{ 7|add:7 }}</b> %s {0}”")
    page = as_(expert).get("/notices/").content.decode()
    assert "&lt;b&gt;{{ 7|add:7 }}&lt;/b&gt; %s {0}" in page


def test_what_a_rater_is_told_names_no_other_rater(
    batch: Batch, lead: User, expert: User, other_expert: User
) -> None:
    make_votes(batch, other_expert, 2)
    page_after(lead, {})
    (to_expert, _) = asked()
    assert "other_expert" not in to_expert.text
    assert "other_expert" not in as_(expert).get("/notices/").content.decode()


def test_home_asks_those_who_have_not_voted_for_a_day(
    batch: Batch, lead: User, expert: User, other_expert: User
) -> None:
    make_votes(batch, other_expert, 1)
    # Opened today, everybody may still be about to begin.
    assert "Ask expert again" not in as_(lead).get("/").content.decode()
    Batch.objects.update(created_at=timezone.now() - timedelta(days=2))
    page = as_(lead).get("/").content.decode()
    assert "Round 1 waits for expert (not started)." in page
    assert ">Ask expert again<" in page
    assert page.count(f'name="rater" value="{rater_of(expert).pk}"') == 1
    response = as_(lead).post(ASK, {"from": "home", "rater": rater_of(expert).pk})
    assert response["Location"] == "/"
    assert [notice.user for notice in asked()] == [expert]
    page = as_(lead).get("/").content.decode()
    assert "not started; asked within a day" in page
    assert ">Ask expert again<" not in page
