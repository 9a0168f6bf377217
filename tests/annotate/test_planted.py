"""Votes on planted pairs, probes and gold, measure raters: no figure of the rubric counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command

from annotate.calibration import measure
from annotate.disagreements import differing
from annotate.models import Pair, Release, Slot, Vote
from annotate.outcomes import summary, vote_outcomes
from annotate.pages.gaps import gaps
from annotate.pages.report import overlap_of
from annotate.pages.unit_filters import ALL_VOTES
from annotate.rater_agreement import rater_agreement
from annotate.ratings import ratings, votes_by_subject
from tests.annotate.test_units import found
from tests.making import make_voted_round

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client

    from annotate.models import Batch
    from projects.models import Project, User

ALIKE = {"C1": "yes no"}
SWAPPED = {"C1": "no yes", "preference": "A_much"}
FAILS = {"G1": "fail pass", "rationale": "[G1] decides."}


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    """Two plain pairs, and two that are planted: a probe on which raters differ, and gold."""
    said = [[ALIKE, ALIKE], [ALIKE, SWAPPED], [ALIKE, FAILS], [FAILS, FAILS]]
    made = make_voted_round(project, [expert, other_expert], said)
    pairs = list(made.slots.order_by("subject_id").values_list("subject", flat=True).distinct())
    for subject, role in zip(pairs[2:], ("probe", "gold"), strict=True):
        Slot.objects.filter(batch=made, subject=subject).update(role=role)
    return made


def test_no_rating_and_no_outcome_comes_of_a_planted_pair(batch: Batch) -> None:
    frame = ratings([batch])
    assert set(frame["subject"]) == {"pair-0-0", "pair-0-1"}
    # 2 pairs, 2 raters: a gate and a criterion on 2 sides, the preference and the outcome.
    assert len(frame) == 2 * 2 * (2 * 2 + 2)


def test_no_decision_rests_on_a_planted_pair(batch: Batch) -> None:
    plain = set(batch.slots.filter(role="normal").values_list("subject", flat=True))
    assert set(votes_by_subject(batch)) == set(vote_outcomes(batch)) == plain
    counts = summary(batch)
    assert counts is not None
    assert counts.pairs == 2


def test_a_report_reads_as_if_nothing_had_been_planted(batch: Batch) -> None:
    rows = {row.key: row for row in measure(batch).rows}
    assert measure(batch).subjects == 2
    assert rows["G1"].reliability.ratings_total == 2 * 2 * 2
    assert (rows["G1"].split, rows["G1"].reliability.minority_units) == (0, 0)
    assert rows["C1"].split == 2
    agreement = rater_agreement(batch)
    assert agreement is not None
    # G1 agrees on 4 units, C1 on 2 of 4.
    assert [(share.agreeing, share.of) for share in agreement.rest] == [(6, 8)] * 2
    overlap = overlap_of(batch)
    assert (overlap.subjects, overlap.shared, overlap.votes) == (2, 2, 4)


@pytest.mark.parametrize("criterion", ["G1", "C1", "outcome", ALL_VOTES])
def test_no_list_of_units_holds_a_planted_pair(
    client: Client, batch: Batch, lead: User, criterion: str
) -> None:
    client.force_login(lead)
    assert {pair for pair, _ in found(client, batch, criterion=criterion)} == {
        "pair-0-0",
        "pair-0-1",
    }


def test_a_planted_pair_is_left_out_of_a_release_for_a_reason_of_its_own(
    batch: Batch, project: Project, tmp_path: Path
) -> None:
    Pair.objects.update(messages=[{"role": "user", "content": "Summarise."}])
    where = ("--project", project.slug, "--round", "1", "--out", str(tmp_path / "out"))
    call_command("export_pairs", *where, verbosity=0)
    items = Release.objects.get().manifest["items"]
    assert items["excluded"]["probe_pair"] == ["pair-0-2"]
    assert items["excluded"]["gold_item"] == ["pair-0-3"]


def test_no_disagreement_lies_on_a_planted_pair(batch: Batch, lead: User) -> None:
    found = differing([batch], reader=lead)
    assert {one.unit.external_id for one in found.all} == {"pair-0-1"}


def test_what_raters_say_of_the_rubric_on_a_probe_is_still_heard(batch: Batch, lead: User) -> None:
    """A check that nobody understands is one on a planted pair, too."""
    vote = Vote.objects.filter(assignment__slot__role="probe").first()
    assert vote is not None
    Vote.objects.filter(pk=vote.pk).update(unclear=["G1"])
    heard = gaps([batch], lead)
    assert (heard.unclear, [one.pk for one in heard.votes]) == (1, [vote.pk])
