"""The demo project: planted truths that hold, and a load that can be repeated."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from annotate.actions.demo import FIXTURES, SLUG, claims, load_demo, truth_of
from annotate.decisions import VoteView, margins_of, outcome
from annotate.models import Batch, Subject, Vote
from projects.models import Event, User
from rubrics.document import NA, parse

if TYPE_CHECKING:
    from django.conf import LazySettings

RUBRIC = parse((FIXTURES / "rubric.yaml").read_bytes()).rubric
CLAIMS = list(claims())


def test_there_are_enough_claims_for_two_rounds_and_a_rest() -> None:
    assert len(CLAIMS) >= 84
    assert len({claim["id"] for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim["id"])
def test_every_planted_label_is_one_the_rubric_knows(claim: dict[str, object]) -> None:
    truth = truth_of(claim)
    checks = {check.key: check for check in RUBRIC.criteria if check.kind != "preference"}
    assert set(truth.labels) == {(key, side) for key in checks for side in "AB"}
    for (key, _), code in truth.labels.items():
        codes = (*checks[key].values, NA) if checks[key].allows_na else checks[key].values
        assert code in codes


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim["id"])
def test_the_planted_preference_obeys_the_planted_gates(claim: dict[str, object]) -> None:
    truth = truth_of(claim)
    gates = {place: code for place, code in truth.labels.items() if place[0].startswith("G")}
    by_gate = outcome(VoteView("truth", gates, None))  # type: ignore[arg-type]  # codes checked above
    if by_gate == "both_fail":
        assert truth.preference is None
    elif by_gate is not None:
        assert truth.preference == f"{by_gate}_much"
    else:
        assert truth.preference in RUBRIC.preference.values  # type: ignore[union-attr]  # it has one


def test_neither_side_is_planted_to_win() -> None:
    margins = margins_of(RUBRIC.preference.values)  # type: ignore[union-attr]  # it has one
    preferences = [truth_of(claim).preference for claim in CLAIMS]
    signs = Counter((margins[p] > 0) - (margins[p] < 0) for p in preferences if p is not None)
    assert abs(signs[1] - signs[-1]) <= 4


def test_loading_makes_a_finished_simulated_round_and_an_open_one(
    db: None, settings: LazySettings, tmp_path: object
) -> None:
    settings.VAR_DIR = tmp_path
    project, password = load_demo()
    finished, opened = Batch.objects.of_project(project).rounds().order_by("number")
    assert finished.simulated
    assert finished.closed_at is not None
    assert Vote.objects.of_batches(finished).current().count() == 40 * 3
    assert not opened.simulated
    assert opened.closed_at is None
    assert not Vote.objects.of_batches(opened).exists()
    fresh = set(opened.slots.values_list("subject", flat=True))
    assert fresh.isdisjoint(finished.slots.values_list("subject", flat=True))
    assert User.objects.get(username="amara").check_password(password)
    # A second run keeps the data, a vote cast in between included.
    before = Event.objects.count(), Subject.objects.count()
    assert load_demo() == (project, password)
    assert (Event.objects.count(), Subject.objects.count()) == before
    assert Batch.objects.filter(project__slug=SLUG).count() == 2
