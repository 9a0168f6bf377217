from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from annotate.actions.rounds import close_round
from annotate.actions.votes import BatchClosed, VoteRefused, save_draft, skip, submit_vote
from annotate.assignment import lay_out, next_for
from annotate.models import Assignment, Batch, Label, Vote
from projects.models import Event
from tests.ballots import RUBRIC, filled, first_of, make_label_round
from tests.making import make_pair, make_rubric_version

if TYPE_CHECKING:
    from projects.models import Project, User

MEASURED = """
task: measured
criteria:
  - id: C1
    check: Words of padding.
    level: interval
    range: [0, 100]
    allows_na: true
preference:
  scale: 3
"""


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


def submit(assignment: Assignment, user: User, **changes: str) -> Vote:
    return submit_vote(
        assignment=assignment, form=filled(**changes), submit_key=uuid4(), acting_user=user
    )


def labels_of(vote: Vote) -> dict[tuple[str, str], str]:
    rows = vote.labels.values_list("criterion__key", "part_key", "code")
    return {(key, part): code for key, part, code in rows}


@pytest.mark.parametrize(
    ("order", "left", "preference", "rationale"),
    [
        ("AB", "A", "A_slight", "[C1] decides: [A] names the cause."),
        ("BA", "B", "B_slight", "[C1] decides: [B] names the cause."),
    ],
)
def test_a_vote_is_stored_in_canonical_terms(
    batch: Batch, expert: User, order: str, left: str, preference: str, rationale: str
) -> None:
    vote = submit(first_of(batch, expert, order), expert)
    labels = labels_of(vote)
    right = {"A": "B", "B": "A"}[left]
    assert labels["C1", left] == "yes"
    assert labels["C1", right] == "no"
    assert labels["preference", ""] == preference
    assert (vote.rationale, vote.order, vote.cites) == (rationale, order, ["C1"])
    assert vote.blind
    assert vote.revision == 1


def test_the_same_submit_twice_is_one_vote(batch: Batch, expert: User) -> None:
    assignment, key = first_of(batch, expert), uuid4()
    votes = [
        submit_vote(assignment=assignment, form=filled(), submit_key=key, acting_user=expert)
        for _ in range(2)
    ]
    assert votes[0].pk == votes[1].pk
    assert Label.objects.count() == 9
    assert Event.objects.filter(verb="vote.submitted").count() == 1


def test_the_same_answer_from_another_page_changes_nothing(batch: Batch, expert: User) -> None:
    assignment = first_of(batch, expert)
    assert submit(assignment, expert).pk == submit(assignment, expert).pk


def test_an_amendment_is_a_revision_and_the_old_one_stays(batch: Batch, expert: User) -> None:
    assignment = first_of(batch, expert)
    old = submit(assignment, expert)
    new = submit(assignment, expert, preference="4")
    old.refresh_from_db()
    assert (old.current, new.current) == (False, True)
    assert (old.revision, new.revision) == (1, 2)
    assert Event.objects.filter(verb="vote.amended").count() == 1


def test_a_late_retry_of_an_amended_vote_changes_neither_vote_nor_draft(
    batch: Batch, expert: User
) -> None:
    assignment, key = first_of(batch, expert), uuid4()
    submit_vote(assignment=assignment, form=filled(), submit_key=key, acting_user=expert)
    amended = submit(assignment, expert, preference="4")
    again = submit_vote(assignment=assignment, form=filled(), submit_key=key, acting_user=expert)
    assert again.pk == amended.pk
    assert Vote.objects.count() == 2
    assignment.refresh_from_db()
    assert assignment.draft["preference"] == "4"


def test_an_old_page_sent_again_with_other_content_is_an_amendment(
    batch: Batch, expert: User
) -> None:
    assignment, key = first_of(batch, expert), uuid4()
    submit_vote(assignment=assignment, form=filled(), submit_key=key, acting_user=expert)
    new = submit_vote(
        assignment=assignment, form=filled(preference="5"), submit_key=key, acting_user=expert
    )
    assert (new.revision, new.submit_key) == (2, None)


def test_a_refused_answer_is_kept_as_the_draft(batch: Batch, expert: User) -> None:
    assignment = first_of(batch, expert)
    with pytest.raises(VoteRefused) as refused:
        submit(assignment, expert, rationale="[C9] decides")
    assert list(refused.value.problems) == ["rationale"]
    assignment.refresh_from_db()
    assert assignment.draft["rationale"] == "[C9] decides"
    assert not Vote.objects.exists()


def test_a_preference_against_a_failing_gate_is_refused_and_cleared(
    batch: Batch, expert: User
) -> None:
    assignment = first_of(batch, expert)
    with pytest.raises(VoteRefused):
        submit(assignment, expert, G1_Left="fail")
    assignment.refresh_from_db()
    assert "preference" not in assignment.draft
    assert assignment.draft["rationale"]


def test_a_two_sided_fail_is_a_vote_without_a_preference(batch: Batch, expert: User) -> None:
    vote = submit(
        first_of(batch, expert),
        expert,
        G1_Left="fail",
        G1_Right="fail",
        preference="",
        rationale="",
    )
    assert ("preference", "") not in labels_of(vote)
    assert vote.cites == ["G1"]
    how = set(vote.labels.filter(criterion__kind="criterion").values_list("how", flat=True))
    assert how == {"after_gate"}


def test_all_pass_by_one_key_is_kept_with_the_vote(batch: Batch, expert: User) -> None:
    vote = submit(first_of(batch, expert), expert, all_pass="1")
    assert vote.detail == {"all_pass": True}


def test_unclear_checks_and_nothing_says_it_are_kept(batch: Batch, expert: User) -> None:
    changes = {"unclear:C2": "1", "nothing_says_it": "1", "rationale": "Reads better."}
    vote = submit(first_of(batch, expert), expert, **changes)
    assert vote.unclear == ["C2"]
    assert vote.nothing_says_it


def test_a_closed_batch_takes_neither_draft_nor_vote_nor_skip(batch: Batch, expert: User) -> None:
    assignment = first_of(batch, expert)
    close_round(batch=batch, acting_user=None)
    with pytest.raises(BatchClosed):
        submit(assignment, expert)
    with pytest.raises(BatchClosed):
        save_draft(assignment=assignment, form=filled(), acting_user=expert)
    with pytest.raises(BatchClosed):
        skip(assignment=assignment, reason="", acting_user=expert)


def test_somebody_elses_assignment_cannot_be_written(
    batch: Batch, expert: User, other_expert: User
) -> None:
    with pytest.raises(Assignment.DoesNotExist):
        submit(first_of(batch, expert), other_expert)


def test_a_skipped_pair_comes_back_at_the_end(batch: Batch, expert: User) -> None:
    first = first_of(batch, expert)
    skip(assignment=first, reason="  Too long for now. ", acting_user=expert)
    first.refresh_from_db()
    assert first.skip_reason == "Too long for now."
    second = next_for(first.rater, batch)
    assert second is not None
    assert second.pk != first.pk
    submit(second, expert)
    assert next_for(first.rater, batch) == first


def test_a_pseudonym_is_given_at_the_first_vote_and_stays(batch: Batch, expert: User) -> None:
    assignment = first_of(batch, expert)
    submit(assignment, expert)
    assignment.rater.refresh_from_db()
    given = assignment.rater.pseudonym
    submit(assignment, expert, preference="5")
    assignment.rater.refresh_from_db()
    assert given
    assert assignment.rater.pseudonym == given


def test_measured_values_are_stored_as_numbers(
    project: Project, expert: User, other_expert: User
) -> None:
    batch = _round_of(project, MEASURED, expert, other_expert)
    form = {
        "label:C1:Left": "12.50",
        "label:C1:Right": "na",
        "preference": "2",
        "rationale": "[C1]",
    }
    vote = submit_vote(
        assignment=first_of(batch, expert, "AB"), form=form, submit_key=uuid4(), acting_user=expert
    )
    rows = vote.labels.filter(criterion__key="C1").values_list("part_key", "code", "number")
    assert set(rows) == {("A", "", 12.5), ("B", "na", None)}
    again = {**form, "label:C1:Left": "12.5"}
    same = submit_vote(
        assignment=first_of(batch, expert), form=again, submit_key=uuid4(), acting_user=expert
    )
    assert same.pk == vote.pk
    with pytest.raises(VoteRefused) as refused:
        submit_vote(
            assignment=first_of(batch, expert),
            form={**form, "label:C1:Left": "101"},
            submit_key=uuid4(),
            acting_user=expert,
        )
    assert "from 0 to 100" in refused.value.problems["label:C1:Left"]


def test_wf_06_each_rater_has_an_own_vote_on_each_version(
    project: Project, expert: User, other_expert: User
) -> None:
    ann, bo = expert, other_expert
    batch = make_label_round(project, ann, bo, size=1)
    submit(first_of(batch, ann, "AB"), ann, preference="1")
    submit(first_of(batch, bo, "AB"), bo, preference="1")
    submit(first_of(batch, ann), ann, preference="1")
    submit(first_of(batch, ann), ann, preference="5")
    second = _same_pairs_under(batch, RUBRIC.replace("rubric_version: 1", "rubric_version: 2"))
    submit(first_of(second, ann, "AB"), ann, preference="1")

    standing = {
        (str(vote.rater), vote.batch.version.number): (
            vote.revision,
            labels_of(vote)["preference", ""],
        )
        for vote in Vote.objects.current()
    }
    assert standing == {
        (str(first_of(batch, ann).rater), 1): (2, "B_much"),
        (str(first_of(batch, bo).rater), 1): (1, "A_much"),
        (str(first_of(batch, ann).rater), 2): (1, "A_much"),
    }


def test_wf_10_the_winner_is_the_response_whatever_the_order_it_was_picked_in(
    batch: Batch, expert: User
) -> None:
    winners = []
    # First under (A, B), second under (B, A), first under (B, A): A, A and then B.
    for order, stop in (("AB", "1"), ("BA", "5"), ("BA", "1")):
        vote = submit(first_of(batch, expert, order), expert, preference=stop)
        winners.append(labels_of(vote)["preference", ""])
    assert winners == ["A_much", "A_much", "B_much"]
    revisions = Vote.objects.order_by("revision").values_list("revision", "current", "order")
    assert list(revisions) == [(1, False, "AB"), (2, False, "BA"), (3, True, "BA")]


def _round_of(project: Project, source: str, *raters: User) -> Batch:
    from annotate.actions.rounds import start_round

    version = make_rubric_version(project, source)
    make_pair(project, "measured-0")
    return start_round(
        project=project, version=version, raters=raters, size=1, seed=1, acting_user=None
    )


def _same_pairs_under(batch: Batch, source: str) -> Batch:
    """A second batch on the same pairs, as an amended rubric is tried on what was labelled."""
    other = source.replace("names the cause of loss", "names the cause of the loss")
    second = Batch.objects.create(
        project=batch.project,
        version=make_rubric_version(batch.project, other),
        kind=Batch.Kind.VOLUME,
        name="again",
        seed=2,
        ask_after_gate=True,
    )
    raters = list(batch.raters.order_by("pk"))
    second.raters.set(raters)
    subjects = list(batch.slots.values_list("subject_id", flat=True).distinct())
    lay_out(second, subjects, raters)
    return second
