"""A vote put back into a form, and told from a draft that says something else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.actions.votes import save_draft, submit_vote
from annotate.labelling import ballot_for
from annotate.models import Assignment, Batch, Part, Vote
from annotate.own_vote import fields_of, has_changed_since
from tests.ballots import SCALES, filled, first_of, make_label_round

if TYPE_CHECKING:
    from projects.models import Project, User

TEXT = "The hose parted. It leaked on."
BOTH_FAIL = {"G1_Left": "fail", "G1_Right": "fail", "preference": "", "rationale": ""}


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


@pytest.fixture(params=["AB", "BA"])
def mine(batch: Batch, expert: User, request: pytest.FixtureRequest) -> Assignment:
    Part.objects.update(text=TEXT)
    return first_of(batch, expert, request.param)


def passage(check: str, side: str = "Left") -> dict[str, Any]:
    return {"check": check, "side": side, "start": 4, "end": 8, "quote": "hose"}


def send(assignment: Assignment, user: User, form: dict[str, str]) -> Vote:
    vote = submit_vote(assignment=assignment, form=form, submit_key=uuid4(), acting_user=user)
    assignment.refresh_from_db()
    return vote


FORMS = [
    pytest.param(filled(), id="plain"),
    pytest.param(filled(preference="5", rationale="[Left] [C1] x"), id="other side"),
    pytest.param(filled(nothing_says_it="1", rationale="no rule"), id="no rule"),
    pytest.param({**filled(), "unclear:C2": "1", "all_pass": "1"}, id="unclear, rest passed"),
    pytest.param(filled(G2_Left="na", C2_Right="na"), id="not applicable"),
    pytest.param(filled(**BOTH_FAIL, rewrite="It should say so."), id="rewrite"),
    pytest.param(
        {**filled(), "evidence": json.dumps([passage("C1"), passage("G1", "Right")])},
        id="evidence",
    ),
]


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_a_vote_says_what_was_sent_and_sent_again_changes_nothing(
    mine: Assignment, expert: User, form: dict[str, str]
) -> None:
    vote = send(mine, expert, form)
    ballot = ballot_for(mine.batch)
    again = fields_of(vote, ballot, mine.seen_order)
    assert not has_changed_since(mine, vote, ballot)
    assert send(mine, expert, again).revision == 1
    asked = {name: value for name, value in mine.draft.items() if name in again}
    assert {**asked, "evidence": json.loads(asked.get("evidence", "[]"))} == {
        **again,
        "evidence": json.loads(again.get("evidence", "[]")),
    }


CHANGES = [
    {"preference": "4"},
    {"label:C1:Left": "no"},
    {"rationale": "[C1] otherwise"},
    {"rationale": "no citation, so it could not even be sent"},
    {"unclear:C1": "1"},
    {"nothing_says_it": "1"},
    {"label:G1:Left": "fail"},
    {"evidence": json.dumps([passage("C1")])},
    {"evidence": "broken"},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change.items()))[0])
def test_any_other_answer_has_changed_since(
    mine: Assignment, expert: User, change: dict[str, str]
) -> None:
    vote = send(mine, expert, filled())
    save_draft(assignment=mine, form={**filled(), **change}, acting_user=expert)
    mine.refresh_from_db()
    changed = change != {"evidence": "broken"}
    assert has_changed_since(mine, vote, ballot_for(mine.batch)) is changed


@pytest.mark.parametrize("number", ["0", "7", "12.5", "0.1", "99.999999", "na"])
def test_measured_values_come_back_as_numbers(
    project: Project, expert: User, other_expert: User, number: str
) -> None:
    batch = make_label_round(project, expert, other_expert, rubric=SCALES)
    mine = first_of(batch, expert, "BA")
    form = {"label:C1:Left": "2", "label:C1:Right": "5", "label:C3:": "yes"}
    form |= {"label:C2:Left": number, "label:C2:Right": "3.0"}
    vote = send(mine, expert, form)
    again = fields_of(vote, ballot_for(batch), mine.seen_order)
    assert again == {**form, "label:C2:Right": "3"}
    assert not has_changed_since(mine, vote, ballot_for(batch))


def test_a_closed_page_shows_the_evidence_and_the_rewrite_of_the_vote(
    batch: Batch, mine: Assignment, expert: User
) -> None:
    form = {**filled(**BOTH_FAIL, rewrite="As it was sent."), "evidence": ""}
    send(mine, expert, {**form, "evidence": json.dumps([passage("G1")])})
    later = {**form, "rewrite": "Never sent.", "evidence": json.dumps([passage("G2", "Right")])}
    save_draft(assignment=mine, form=later, acting_user=expert)
    close_round(batch=batch, acting_user=None)
    client = Client()
    client.force_login(expert)
    html = client.get(reverse("annotate:label_pair", args=[mine.public_id])).content.decode()
    assert "As it was sent.</textarea>" in html
    assert "Never sent." not in html
    assert 'data-check="G1"' in html
    assert 'data-check="G2"' not in html


# ---- Passages of checks that were not asked


def test_passages_of_checks_that_a_gate_switched_off_stay_in_the_draft(
    batch: Batch, mine: Assignment, expert: User
) -> None:
    Batch.objects.filter(pk=batch.pk).update(ask_after_gate=False)
    mine = Assignment.objects.select_related("batch__version", "rater").get(pk=mine.pk)
    form = filled(G1_Left="fail", preference="", rationale="[C2] is what I looked at.")
    rows = [passage("G1"), passage("C1"), passage("C2")]
    vote = send(mine, expert, {**form, "evidence": json.dumps(rows)})
    stored = set(vote.evidence.values_list("criterion__key", flat=True))
    # C1 was not asked; C2 was not either, and is cited.
    assert stored == {"G1", "C2"}
    assert [one["check"] for one in json.loads(mine.draft["evidence"])] == ["G1", "C1", "C2"]
    assert not has_changed_since(mine, vote, ballot_for(mine.batch))
    # The gate was a slip: what is attached counts again.
    vote = send(mine, expert, {**filled(), "evidence": json.dumps(rows)})
    assert set(vote.evidence.values_list("criterion__key", flat=True)) == {"G1", "C1", "C2"}
