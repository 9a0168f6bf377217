"""Measuring ahead of reading: the first reader of a report waits no longer than the second."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

import pytest

from annotate import calibration
from annotate.actions import jobs
from annotate.actions.imports import no_progress
from annotate.actions.runners import RUNNERS
from annotate.disagreements import differing
from annotate.models import Snapshot
from annotate.pages.report import report
from projects.models import Job
from tests.making import make_round, make_voted_round

if TYPE_CHECKING:
    from annotate.models import Batch
    from projects.models import Project, User


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    said = [[{"C1": "yes no"}, {"C1": "yes no"}], [{"C1": "yes"}, {"C1": "no"}]]
    return make_voted_round(project, [expert, other_expert], said)


def measuring() -> Job:
    return Job.objects.get(kind="measure")


def test_closing_a_round_starts_one_job_that_measures_all_its_report_shows(
    batch: Batch, lead: User
) -> None:
    assert (measuring().state, measuring().params) == ("pending", {"batch": batch.pk})
    assert not Snapshot.objects.exists()
    jobs.run(measuring().pk, RUNNERS)
    assert (measuring().state, measuring().done, measuring().total) == ("done", 5, 5)
    kept = Snapshot.objects.count()
    with mock.patch.object(calibration, "reliability", side_effect=AssertionError):
        report(batch, lead)
        differing([batch], reader=lead)
    assert Snapshot.objects.count() == kept == 5


def test_measuring_twice_changes_nothing(batch: Batch) -> None:
    job = measuring()
    jobs.run(job.pk, RUNNERS)
    kept = set(Snapshot.objects.values_list("key", flat=True))
    RUNNERS["measure"](job, no_progress)
    assert set(Snapshot.objects.values_list("key", flat=True)) == kept


def test_an_open_round_is_not_measured(project: Project, expert: User, other_expert: User) -> None:
    make_round(project, [expert, other_expert])
    assert not Job.objects.filter(kind="measure").exists()
