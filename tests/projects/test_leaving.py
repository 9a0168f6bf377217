"""People leave, their labels stay (WF-11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from annotate import ratings
from annotate.models import Label, Vote
from annotate.reliability import Reliability, reliability
from projects.actions import deactivate_user
from projects.models import Event, Rater, User
from tests.making import make_voted_round

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
