"""A split is asked about, decided once with a reason, and opened again: what each write does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import transaction

from annotate.actions.rulings import (
    MAX_TEXT,
    RulingRefused,
    decide_ruling,
    open_ruling,
    reopen_ruling,
    write_rule,
)
from annotate.models import Batch, Disagreement, Edit, Label, Ruling, Vote
from projects.models import Event, Notice
from rubrics.actions import discard_draft
from rubrics.edits import EditError
from tests.annotate.ruled import QUESTION, At, asked, decided, first_pair, split_round, the_split
from tests.making import make_member, make_pair, make_round, make_version, make_vote

if TYPE_CHECKING:
    from projects.models import Project, User


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User, third_expert: User) -> Batch:
    return split_round(project, [expert, other_expert, third_expert])


@pytest.fixture
def owner(project: Project) -> User:
    return make_member(project, "policy_owner", username="owner")


def refused(**how: object) -> str:
    """The words of a refusal that wrote nothing."""
    before = (Ruling.objects.count(), Disagreement.objects.count(), Event.objects.count())
    with pytest.raises(RulingRefused) as refusal:
        open_ruling(**{"question": QUESTION, "acting_user": None, **how})  # type: ignore[arg-type]
    assert (Ruling.objects.count(), Disagreement.objects.count(), Event.objects.count()) == before
    return str(refusal.value)


def events(verb: str) -> list[Event]:
    return list(Event.objects.filter(verb=verb))


# ---- Opening


def test_a_split_is_sent_to_the_policy_owner(batch: Batch, lead: User) -> None:
    ruling = asked(batch, lead, f"  {QUESTION}\r\n")
    assert (ruling.question, ruling.opened_by, ruling.decision) == (QUESTION, lead, "")
    assert ruling.subject == first_pair(batch)
    row = Disagreement.objects.get()
    assert (row.ruling, row.criterion.key, row.part_key, row.kind) == (ruling, "C1", "B", "")
    (event,) = events("ruling.opened")
    assert (event.target, event.actor) == (str(ruling.public_id), lead)
    assert event.data["units"] == [["C1", "B"]]


def test_a_row_that_was_sorted_keeps_its_kind(batch: Batch) -> None:
    criterion = batch.version.criteria.get(key="C1")
    row = Disagreement.objects.create(
        batch=batch, subject=first_pair(batch), criterion=criterion, part_key="B", note="Noted."
    )
    ruling = asked(batch)
    row.refresh_from_db()
    assert (row.ruling, row.note) == (ruling, "Noted.")


def test_the_same_question_twice_is_one_ruling(batch: Batch, lead: User) -> None:
    assert asked(batch, lead) == asked(batch, lead)
    assert len(events("ruling.opened")) == 1


def test_a_unit_that_waits_for_a_ruling_is_not_asked_about_otherwise(batch: Batch) -> None:
    standing = asked(batch)
    with pytest.raises(RulingRefused, match="C1 on B of this pair waits for a ruling") as refusal:
        asked(batch, question="Another question?")
    assert refusal.value.ruling == standing


def test_a_unit_that_was_ruled_on_is_not_asked_about_again(batch: Batch) -> None:
    ruling = decided(batch, "both")
    with pytest.raises(RulingRefused, match="was ruled on: both are acceptable") as refusal:
        asked(batch)
    assert refusal.value.ruling == ruling


def test_where_raters_agree_there_is_nothing_to_rule_on(batch: Batch) -> None:
    agreed = At(first_pair(batch).pk, "C1", "A")
    assert "do not differ on C1 on A" in refused(batch=batch, units=[agreed])


@pytest.mark.parametrize("key", ["C9", "", "c1", "G1'--"])
def test_a_check_that_was_not_asked_is_refused(batch: Batch, key: str) -> None:
    assert "do not differ" in refused(batch=batch, units=[At(first_pair(batch).pk, key, "B")])


def test_a_pair_that_is_not_in_the_batch_is_refused(batch: Batch, project: Project) -> None:
    other = make_pair(project, "elsewhere")
    assert "do not differ" in refused(batch=batch, units=[At(other.pk, "C1", "B")])


def test_a_ruling_is_about_one_pair(batch: Batch, project: Project) -> None:
    units = [the_split(batch), At(make_pair(project, "other").pk, "C1", "B")]
    assert "about one pair" in refused(batch=batch, units=units)


def test_no_unit_is_no_ruling(batch: Batch) -> None:
    assert refused(batch=batch, units=[]) == "Choose a split first."


@pytest.mark.parametrize("question", ["", "  \n ", "\r\n"])
def test_a_ruling_without_a_question_is_refused(batch: Batch, question: str) -> None:
    assert "Say what" in refused(batch=batch, units=[the_split(batch)], question=question)


def test_a_question_as_long_as_a_book_is_refused(batch: Batch) -> None:
    question = "x" * (MAX_TEXT + 1)
    assert "4,000 is the most" in refused(batch=batch, units=[the_split(batch)], question=question)


def test_splits_of_an_open_round_are_not_ruled_on(
    project: Project, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert], size=1)
    for user, said in ((expert, "yes yes"), (other_expert, "yes no")):
        make_vote(batch.assignments.get(rater__user=user), {"C1": said})
    assert "is open: close it" in refused(batch=batch, units=[the_split(batch)])


def test_whoever_still_rates_the_pair_sends_nothing(
    batch: Batch, project: Project, lead: User, expert: User
) -> None:
    again = make_round(project, [lead, expert], version=batch.version)
    assignment = again.assignments.filter(rater__user=lead)[0]
    assignment.subject = first_pair(batch)
    assignment.save()
    assert "You rate here yourself" in refused(
        batch=batch, units=[the_split(batch)], acting_user=lead
    )


def test_several_units_of_a_pair_are_one_ruling(
    project: Project, expert: User, other_expert: User
) -> None:
    from tests.making import make_voted_round

    said = [{"C1": "yes yes"}, {"C1": "no no"}]
    batch = make_voted_round(project, [expert, other_expert], [said])
    units = [At(first_pair(batch).pk, "C1", part) for part in ("A", "B", "B")]
    ruling = open_ruling(batch=batch, units=units, question=QUESTION, acting_user=None)
    assert sorted(row.part_key for row in ruling.disagreements.all()) == ["A", "B"]
    with pytest.raises(RulingRefused, match="C1 on A"):
        open_ruling(batch=batch, units=units[:1], question="Other?", acting_user=None)


# ---- Deciding


@pytest.mark.parametrize(
    ("decision", "right"), [("both", ""), ("missing", ""), ("one_side", "yes"), ("exclude", "")]
)
def test_a_decision_is_kept_with_its_reason_and_leaves_every_vote_as_it_was(
    batch: Batch, owner: User, decision: str, right: str
) -> None:
    before = list(Label.objects.order_by("pk").values()), list(Vote.objects.values())
    ruling = decided(batch, decision, by=owner, right_code=right)
    assert (ruling.decision, ruling.right_code, ruling.decided_by) == (decision, right, owner)
    assert ruling.decided_at is not None
    assert (list(Label.objects.order_by("pk").values()), list(Vote.objects.values())) == before
    (event,) = events("ruling.decided")
    assert event.data["answer"] == "The file is the measure."


def test_a_right_label_goes_with_one_side_alone(batch: Batch) -> None:
    assert decided(batch, "both", right_code="yes").right_code == ""


@pytest.mark.parametrize("right", ["", "maybe", "A_much"])
def test_one_side_needs_a_label_of_the_check(batch: Batch, right: str) -> None:
    ruling = asked(batch)
    with pytest.raises(RulingRefused, match="which label is right: yes, no") as refusal:
        decide_ruling(
            ruling=ruling, decision="one_side", answer="So.", right_code=right, acting_user=None
        )
    assert refusal.value.field == "right_code"
    ruling.refresh_from_db()
    assert ruling.decision == ""


@pytest.mark.parametrize("answer", ["", "  \r\n"])
def test_a_decision_without_a_reason_is_refused(batch: Batch, answer: str) -> None:
    ruling = asked(batch)
    with pytest.raises(RulingRefused, match="Say why") as refusal:
        decide_ruling(ruling=ruling, decision="both", answer=answer, acting_user=None)
    assert refusal.value.field == "answer"
    assert not events("ruling.decided")


@pytest.mark.parametrize("decision", ["", "maybe", "BOTH"])
def test_an_unknown_decision_is_refused(batch: Batch, decision: str) -> None:
    with pytest.raises(RulingRefused, match="one of the four"):
        decide_ruling(ruling=asked(batch), decision=decision, answer="So.", acting_user=None)


def test_a_second_decision_is_refused_with_who_and_when(batch: Batch, owner: User) -> None:
    ruling = decided(batch, "both", by=owner)
    with pytest.raises(RulingRefused) as refusal:
        decide_ruling(ruling=ruling, decision="exclude", answer="No.", acting_user=owner)
    day = ruling.decided_at
    assert day is not None
    assert f"{owner} decided this on {day.day} " in str(refusal.value)
    ruling.refresh_from_db()
    assert ruling.decision == "both"


def test_the_same_decision_twice_is_one(batch: Batch, owner: User) -> None:
    ruling = decided(batch, "both", by=owner)
    again = decide_ruling(
        ruling=ruling, decision="both", answer=f" {ruling.answer}", acting_user=owner
    )
    assert again.decided_at == ruling.decided_at
    assert len(events("ruling.decided")) == 1


# ---- Opening again


def test_a_ruling_is_opened_again_with_a_reason_and_the_audit_keeps_the_decision(
    batch: Batch, owner: User
) -> None:
    ruling = decided(batch, "one_side", by=owner, right_code="no")
    ruling = reopen_ruling(ruling=ruling, reason="A new file came.", acting_user=owner)
    assert (ruling.decision, ruling.right_code, ruling.answer) == ("", "", "")
    assert (ruling.decided_by, ruling.decided_at) == (None, None)
    (event,) = events("ruling.reopened")
    assert event.data["reason"] == "A new file came."
    assert (event.data["decision"], event.data["right_code"]) == ("one_side", "no")
    assert event.data["answer"] == "The file is the measure."
    decide_ruling(ruling=ruling, decision="exclude", answer="Gone.", acting_user=owner)


def test_opening_again_without_a_reason_is_refused(batch: Batch, owner: User) -> None:
    ruling = decided(batch, "both", by=owner)
    with pytest.raises(RulingRefused, match="Say why"):
        reopen_ruling(ruling=ruling, reason=" ", acting_user=owner)
    ruling.refresh_from_db()
    assert ruling.decision == "both"


def test_what_is_open_is_not_opened_again(batch: Batch, owner: User) -> None:
    with pytest.raises(RulingRefused, match="waits for a decision already"):
        reopen_ruling(ruling=asked(batch), reason="So.", acting_user=owner)


# ---- The rule that was missing


def rule(ruling: Ruling, kind: str, text: str = "Every amount, rounded or not.") -> Edit:
    return write_rule(
        ruling=ruling, kind=kind, text=text, title="Amounts", note="Asked for.", acting_user=None
    )


@pytest.mark.parametrize(
    ("kind", "key"), [("reword:C1", "C1"), ("add:criterion", "C2"), ("add:gate", "G2")]
)
def test_a_missing_rule_goes_into_the_next_version(batch: Batch, kind: str, key: str) -> None:
    ruling = decided(batch, "missing")
    edit = rule(ruling, kind)
    assert (edit.ruling, edit.number, edit.keys) == (ruling, 2, [key])
    assert [row.ruling for row in edit.disagreements.all()] == [ruling]
    draft = batch.version.rubric.versions.drafts().get()
    assert draft.criteria.get(key=key).text == "Every amount, rounded or not."


def test_a_rule_starts_from_the_newest_version_whichever_the_split_was_seen_under(
    batch: Batch, project: Project
) -> None:
    ruling = decided(batch, "missing")
    make_version(project, number=2)
    assert rule(ruling, "reword:C1").number == 3


@pytest.mark.parametrize("decision", ["both", "exclude"])
def test_no_rule_comes_of_another_decision(batch: Batch, decision: str) -> None:
    with pytest.raises(RulingRefused, match="where the decision is"):
        rule(decided(batch, decision), "add:gate")
    assert not Edit.objects.exists()


def test_a_rule_that_is_sent_twice_is_written_once(batch: Batch) -> None:
    ruling = decided(batch, "missing")
    assert rule(ruling, "add:gate") == rule(ruling, "add:gate")
    draft = batch.version.rubric.versions.drafts().get()
    assert [check.text for check in draft.criteria.all()].count(
        "Every amount, rounded or not."
    ) == 1
    # With something in between it is another rule.
    rule(ruling, "add:gate", "Every amount has its currency.")
    assert rule(ruling, "add:gate") != Edit.objects.order_by("pk")[0]
    assert Edit.objects.count() == 3


def test_a_rule_that_is_sent_twice_after_its_draft_went_is_written_anew(batch: Batch) -> None:
    ruling = decided(batch, "missing")
    first = rule(ruling, "add:gate")
    discard_draft(version=batch.version.rubric.versions.drafts().get(), acting_user=None)
    assert rule(ruling, "add:gate") != first


def test_a_rule_without_words_is_refused_and_changes_nothing(batch: Batch) -> None:
    ruling = decided(batch, "missing")
    with pytest.raises(EditError):
        rule(ruling, "reword:C1", text=" ")
    assert not batch.version.rubric.versions.drafts().exists()


# ---- Who is told


def test_policy_owners_learn_of_a_split_and_leads_of_the_decision(
    batch: Batch, owner: User, lead: User
) -> None:
    other_lead = make_member(batch.project, "lead", username="other_lead")
    ruling = asked(batch, lead)
    opened = Notice.objects.get(verb=Notice.Verb.RULING_OPENED)
    assert (opened.user, opened.path) == (owner, f"/p/claims/rulings/{ruling.public_id}/")
    assert opened.text == "A split of round 1 on C1 on B waits for your ruling."
    decide_ruling(ruling=ruling, decision="both", answer="So.", acting_user=owner)
    told = Notice.objects.filter(verb=Notice.Verb.RULING_DECIDED).order_by("user__username")
    assert [notice.user for notice in told] == [lead, other_lead]
    assert told[0].text == "A split on C1 on B was ruled on: both are acceptable."


def test_no_notice_names_the_pair_since_its_reader_may_rate_it(
    batch: Batch, owner: User, lead: User
) -> None:
    decided(batch, "both")
    for notice in Notice.objects.filter(verb__startswith="ruling."):
        assert first_pair(batch).external_id not in notice.text
        assert QUESTION not in notice.text


def test_notices_of_rulings_are_for_whoever_holds_the_role_now(
    batch: Batch, owner: User, lead: User
) -> None:
    decided(batch, "both")
    for user, verb in ((owner, "ruling.opened"), (lead, "ruling.decided")):
        assert Notice.objects.readable_by(user).filter(verb=verb).count() == 1
        user.memberships.update(role="expert")
        assert not Notice.objects.readable_by(user).filter(verb=verb).exists()


def test_a_ruling_that_is_taken_back_is_told_to_nobody(batch: Batch, owner: User) -> None:
    with transaction.atomic():
        asked(batch)
        transaction.set_rollback(True)
    assert not Notice.objects.filter(verb=Notice.Verb.RULING_OPENED).exists()
