"""The demo project: planted truths that hold, and a load that can be repeated."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
import yaml
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotate.actions.demo import FIXTURES, SLUG, claims, load_demo, truth_of
from annotate.actions.gold import withdraw_gold
from annotate.decisions import VoteView, margins_of, outcome
from annotate.diff_panes import diff_panes
from annotate.models import Batch, GoldAnswer, Slot, Subject, Vote
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


def test_the_known_answers_are_such_as_practice_and_control_need() -> None:
    """A planted gate failure, a tie and a slight preference to learn on; half of the hidden ones
    hold a planted gate failure."""
    chosen = yaml.safe_load((FIXTURES / "gold.yaml").read_text(encoding="utf-8"))
    truths = {claim["id"]: truth_of(claim) for claim in CLAIMS}
    fails, preferences = {}, {}
    for use, answers in chosen.items():
        named = [truths[answer["id"]] for answer in answers]
        fails[use] = [any(code == "fail" for code in truth.labels.values()) for truth in named]
        preferences[use] = [truth.preference for truth in named]
    assert (len(fails["practice"]), sum(fails["practice"])) == (3, 1)
    assert preferences["practice"][1:] == ["tie", "B_slight"]
    assert (len(fails["hidden"]), sum(fails["hidden"])) == (6, 3)


def test_a_demo_that_was_loaded_before_there_were_known_answers_is_completed(
    db: None, settings: LazySettings, tmp_path: object
) -> None:
    settings.VAR_DIR = tmp_path
    project, _ = load_demo()
    taken = GoldAnswer.objects.filter(use="hidden")[0].subject
    round_1, round_2 = Batch.objects.of_project(project).rounds().order_by("number")
    votes = list(Vote.objects.values_list("pk", flat=True))
    GoldAnswer.objects.all().delete()
    Event.objects.filter(verb__startswith="gold.").delete()
    # A pair that a rater has had since is left alone.
    Slot.objects.create(batch=round_2, subject=taken, n=7)
    load_demo()
    assert GoldAnswer.objects.count() == 8
    assert not GoldAnswer.objects.filter(subject=taken).exists()
    assert list(Vote.objects.values_list("pk", flat=True)) == votes
    # What the lead has withdrawn does not come back.
    gold = GoldAnswer.objects.filter(use="practice")[0]
    withdraw_gold(subject=gold.subject, version=round_1.version, acting_user=None)
    load_demo()
    assert GoldAnswer.objects.count() == 7


def test_an_expert_of_the_demo_meets_the_practice_first(
    db: None, settings: LazySettings, tmp_path: object
) -> None:
    settings.VAR_DIR = tmp_path
    project, _ = load_demo()
    opened = Batch.objects.of_project(project).rounds().get(number=2)
    client = Client()
    client.force_login(User.objects.get(username="amara"))
    there = client.get(reverse("annotate:label_next", args=[opened.public_id]))["Location"]
    assert there == reverse("annotate:practice", args=[opened.public_id])
    answer = client.get(there)
    assert isinstance(answer, HttpResponse)
    assert "Three practice pairs first" in answer.content.decode()


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
    known = GoldAnswer.objects.select_related("subject")
    assert Counter(gold.use for gold in known) == {"practice": 3, "hidden": 6}
    assert not {gold.subject_id for gold in known} & {
        *fresh,
        *finished.slots.values_list("subject", flat=True),
    }
    # A second run keeps the data, a vote cast in between included.
    before = Event.objects.count(), Subject.objects.count()
    assert load_demo() == (project, password)
    assert (Event.objects.count(), Subject.objects.count()) == before
    assert Batch.objects.filter(project__slug=SLUG).count() == 2


def test_the_demo_has_pairs_of_near_alike_texts_and_marks_in_all_others() -> None:
    """The difference word by word can be tried, and what only one side says in the rest."""
    panes = {claim["id"]: diff_panes(claim["a"], claim["b"]) for claim in claims()}
    near = {name for name, found in panes.items() if found.in_order}
    assert near >= {"CP-26-1415", "DW-26-1284", "PX-25-8106"}
    assert all(found.changes for found in panes.values())
