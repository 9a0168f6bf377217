"""People leave, their labels stay (WF-11)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.urls import reverse

from annotate import ratings
from annotate.actions.leaving import end_account
from annotate.actions.rounds import close_round
from annotate.models import Label, Slot, Vote
from annotate.querysets import LIVE
from annotate.reliability import Reliability, reliability
from projects.actions import deactivate_user
from projects.models import Event, Notice, Rater, User
from tests.making import make_member, make_round, make_user, make_vote, make_voted_round

if TYPE_CHECKING:
    from django.test import Client

    from annotate.models import Batch
    from projects.models import Project


@pytest.fixture
def voted(project: Project, expert: User, other_expert: User) -> Batch:
    answers = [
        [{"G1": "pass fail"}, {"G1": "pass fail"}],
        [{"G1": "pass pass"}, {"G1": "pass fail"}],
        [{"G1": "pass pass"}, {"G1": "pass pass"}],
    ]
    return make_voted_round(project, [expert, other_expert], answers)


def gate_of(batch: Batch) -> Reliability:
    frame = ratings.for_reliability(ratings.ratings([batch]), "G1")
    return reliability(frame, criterion="G1", level="nominal", scale=["pass", "fail"])


def test_wf_11_whoever_leaves_loses_access_and_no_label_is_lost(
    voted: Batch, expert: User, lead: User, client: Client
) -> None:
    before, labels = gate_of(voted), Label.objects.count()
    client.force_login(expert)
    assert client.get("/").status_code == 200
    deactivate_user(user=expert, acting_user=lead)
    assert client.get("/").status_code == 302
    assert Label.objects.count() == labels
    assert gate_of(voted) == before
    assert before.alpha is not None
    event = Event.objects.get(verb="user.deactivated")
    assert (event.actor, event.target) == (lead, "expert")


def test_leaving_twice_changes_nothing(expert: User) -> None:
    deactivate_user(user=expert, acting_user=None)
    deactivate_user(user=expert, acting_user=None)
    assert Event.objects.filter(verb="user.deactivated").count() == 1


def test_wf_11_an_account_with_labels_cannot_be_deleted(voted: Batch, expert: User) -> None:
    with pytest.raises(ProtectedError), transaction.atomic():
        expert.delete()
    with pytest.raises(ProtectedError), transaction.atomic():
        Rater.objects.get(user=expert).delete()
    assert User.objects.filter(pk=expert.pk).exists()


def test_wf_11_a_pair_with_labels_cannot_be_deleted(voted: Batch) -> None:
    subject = Vote.objects.all()[0].subject
    with pytest.raises(ProtectedError), transaction.atomic():
        subject.delete()


def test_a_project_with_votes_cannot_be_deleted_by_the_way(voted: Batch, project: Project) -> None:
    with pytest.raises((ProtectedError, IntegrityError)), transaction.atomic():
        project.delete()
    assert Vote.objects.count() == 6


def test_wf_11_what_a_leaver_still_holds_is_freed(
    project: Project, expert: User, other_expert: User, lead: User
) -> None:
    batch = make_round(project, [expert, other_expert], size=3)
    first = batch.assignments.filter(rater__user=expert)[0]
    make_vote(first)
    assert end_account(user=expert, acting_user=lead) == 2
    states = batch.assignments.filter(rater__user=expert).values_list("state", flat=True)
    assert sorted(states) == ["expired", "expired", "submitted"]
    assert Vote.objects.get().assignment == first
    # Nobody else's pairs are touched, and the freed slots can be given to somebody again.
    assert batch.assignments.filter(rater__user=other_expert, state="assigned").count() == 3
    slots = Slot.objects.filter(batch=batch, assignments__state="expired")
    assert not slots.filter(assignments__state__in=LIVE).exists()
    event = Event.objects.get(verb="assignments.freed")
    assert (event.actor, event.project, event.target) == (lead, project, str(batch))
    assert event.data == {"rater": first.rater.pk, "count": 2}
    assert end_account(user=expert, acting_user=lead) == 0
    assert Event.objects.filter(verb="assignments.freed").count() == 1


def test_closed_rounds_are_left_as_they_were(project: Project, expert: User) -> None:
    batch = make_round(project, [expert, make_member(project, "expert", username="ben")], size=1)
    close_round(batch=batch, acting_user=None)
    assert end_account(user=expert, acting_user=None) == 0
    assert set(batch.assignments.values_list("state", flat=True)) == {"assigned"}


def test_the_command_says_what_became_of_it(project: Project, expert: User, lead: User) -> None:
    make_round(project, [expert, lead], size=2)
    out = io.StringIO()
    call_command("deactivate_user", "expert", "--as", "lead", stdout=out)
    assert out.getvalue() == (
        "expert can no longer sign in. All votes stay; 2 open pairs were freed.\n"
    )
    assert not User.objects.get(pk=expert.pk).is_active
    assert Event.objects.get(verb="user.deactivated").actor == lead


@pytest.fixture
def root(client: Client) -> User:
    root = make_user("root")
    root.is_staff = root.is_superuser = True
    root.save()
    client.force_login(root)
    return root


def test_wf_11_the_admin_ends_accounts_and_deletes_none(
    project: Project, expert: User, lead: User, root: User, client: Client
) -> None:
    make_round(project, [expert, lead], size=2)
    delete = reverse("admin:projects_user_delete", args=[expert.pk])
    assert client.post(delete, {"post": "yes"}).status_code == 403
    change = reverse("admin:projects_user_change", args=[expert.pk])
    joined = expert.date_joined
    form = {
        "username": "expert",
        "first_name": "Ex",
        "date_joined_0": joined.date().isoformat(),
        "date_joined_1": joined.time().isoformat(),
    }
    assert client.post(change, form).status_code == 302
    expert.refresh_from_db()
    assert (expert.is_active, expert.first_name) == (False, "Ex")
    assert Event.objects.get(verb="user.deactivated").actor == root
    assert Event.objects.get(verb="assignments.freed").data["count"] == 2


def test_wf_11_erasure_leaves_a_pseudonym_and_every_label(
    voted: Batch, project: Project, expert: User, lead: User, client: Client
) -> None:
    expert.first_name, expert.last_name, expert.email = "Ana", "Ruiz", "ana@claims.example"
    expert.save()
    before, labels = gate_of(voted), Label.objects.count()
    pseudonym = Rater.objects.get(user=expert).pseudonym
    Notice.objects.create(user=lead, project=project, verb="x", text="Ana Ruiz is done.", path="/")
    call_command("deactivate_user", "expert", stdout=io.StringIO())
    with pytest.raises(CommandError, match="--yes"):
        call_command("erase_person", "expert", stdout=io.StringIO())
    assert User.objects.get(pk=expert.pk).email == "ana@claims.example"
    for name in ("expert", f"erased-{expert.pk}"):
        call_command("erase_person", name, yes=True, stdout=io.StringIO())

    expert.refresh_from_db()
    rater = Rater.objects.get(user=expert)
    assert (str(expert), expert.email) == (f"erased-{expert.pk}", "")
    assert (rater.name, rater.pseudonym) == (pseudonym, pseudonym)
    assert (Label.objects.count(), gate_of(voted)) == (labels, before)
    told = " ".join(f"{event.target} {event.data}" for event in Event.objects.all())
    assert "Ana" not in told
    assert not Event.objects.filter(target="expert").exists()
    assert Event.objects.filter(verb="user.erased").count() == 1
    assert Notice.objects.get(user=lead, verb="x").text == f"erased-{expert.pk} is done."
    client.force_login(lead)
    page = client.get(reverse("annotate:round", args=[project.slug, 1])).content.decode()
    assert "Ana" not in page
    assert str(pseudonym) in page
