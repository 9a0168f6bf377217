"""Where I differed: a rater's own page after a round has closed, and nobody else's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.actions.edits import make_edit
from annotate.actions.rounds import close_round
from annotate.actions.rulings import decide_ruling, open_ruling
from annotate.models import (
    Assignment,
    Batch,
    Disagreement,
    GoldAnswer,
    GoldLabel,
    Slot,
    Subject,
)
from projects.models import Membership, User
from rubrics.actions import discard_draft
from rubrics.models import RubricVersion
from tests.annotate.ruled import first_pair, split_round, the_split
from tests.making import (
    make_member,
    make_round,
    make_rubric_version,
    make_vote,
    make_voted_round,
)

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

    from projects.models import Project

SCALES = """
task: summaries
gates:
  - {id: G1, check: Every amount is right.}
criteria:
  - {id: C1, title: Cause first, check: The first sentence names the cause.}
preference: {scale: 5}
"""


@pytest.fixture
def raters(expert: User, other_expert: User, third_expert: User) -> list[User]:
    return [expert, other_expert, third_expert]


@pytest.fixture
def batch(project: Project, raters: list[User]) -> Batch:
    """Closed; the third expert says no to C1 on B of the first pair, where the others say yes."""
    return split_round(project, raters)


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def address(batch: Batch) -> str:
    return reverse("annotate:differed", args=[batch.public_id])


def shown(user: User, batch: Batch) -> str:
    response = as_(user).get(address(batch))
    assert response.status_code == 200, response.content.decode()[:500]
    return response.content.decode()


def row(batch: Batch, **fields: object) -> Disagreement:
    unit = the_split(batch)
    return Disagreement.objects.create(
        batch=batch,
        subject=first_pair(batch),
        criterion=batch.version.criteria.get(key=unit.key),
        part_key=unit.part,
        sorted_at=timezone.now(),
        **fields,
    )


def seen_side(batch: Batch, user: User, part: str) -> str:
    order = batch.assignments.get(subject=first_pair(batch), rater__user=user).order
    return ("Left", "Right")[order.index(part)]


# ---- What is on it


def test_a_rater_reads_their_label_and_what_the_others_said_as_counts(
    batch: Batch, third_expert: User
) -> None:
    page = shown(third_expert, batch)
    assert "On one pair you and most of the others answered differently." in page
    assert "You said <b>no</b>. Both others said yes." in page
    assert seen_side(batch, third_expert, "B") in page
    own = batch.assignments.get(subject=first_pair(batch), rater__user=third_expert)
    assert reverse("annotate:label_pair", args=[own.public_id]) in page
    assert f"Pair {own.position}" in page


def test_nobody_is_named_and_nothing_is_scored(
    batch: Batch, raters: list[User], third_expert: User
) -> None:
    row(batch, kind="slip", note="Read again.")
    page = shown(third_expert, batch)
    own = page[page.index("<main") :]
    for user in raters:
        assert user.username not in own
    for word in ("%", "score", "rank", "accuracy", "alpha"):
        assert word not in own.lower()


def test_the_others_are_told_that_they_agreed(batch: Batch, expert: User) -> None:
    page = shown(expert, batch)
    assert "You agreed with the others everywhere." in page
    assert "Not discussed yet" not in page


def test_of_two_raters_it_is_the_other(project: Project, expert: User, other_expert: User) -> None:
    batch = split_round(project, [expert, other_expert])
    assert "You said <b>yes</b>. The other said no." in shown(expert, batch)
    assert "You said <b>no</b>. The other said yes." in shown(other_expert, batch)


@pytest.mark.parametrize(
    ("own", "others", "told"),
    [
        ("A_slight", ["B_slight", "B_slight"], True),
        ("A_much", ["A_slight", "A_slight"], False),
        ("tie", ["A_slight", "A_slight"], False),
        ("A_much", ["tie", "tie"], True),
    ],
)
def test_a_preference_is_told_by_side_and_by_more_than_a_step(
    project: Project, raters: list[User], own: str, others: list[str], told: bool
) -> None:
    said = [{"preference": code} for code in (own, *others)]
    batch = make_voted_round(project, raters, [said])
    page = shown(raters[0], batch)
    assert ("Preference" in page) is told
    if told and own == "A_slight":
        left = seen_side(batch, raters[0], "A")
        right = seen_side(batch, raters[0], "B")
        assert f"You said <b>{left} slightly</b>." in page
        assert f"Both others said {right} slightly." in page


def test_what_a_rater_had_marked_is_shown(project: Project, raters: list[User]) -> None:
    batch = make_round(project, raters, size=1, version=make_rubric_version(project, SCALES))
    for user in raters:
        assignment = batch.assignments.get(rater__user=user)
        odd = user is raters[2]
        vote = make_vote(assignment, {"C1": "yes no" if odd else "yes yes"})
        if odd:
            vote.evidence.create(
                criterion=batch.version.criteria.get(key="C1"),
                part_key="B",
                start=0,
                end=8,
                quote="Response <b>",
            )
    close_round(batch=batch, acting_user=None)
    page = shown(raters[2], batch)
    assert "You had marked: <q>Response &lt;b&gt;</q>" in page
    assert "You had marked" not in shown(raters[0], batch)


# ---- What came of it


def test_before_anybody_has_discussed_it_the_page_says_so(batch: Batch, third_expert: User) -> None:
    assert "Not discussed yet" in shown(third_expert, batch)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("slip", "happens to everybody"),
        ("ambiguity", "can be read either way"),
        ("weighting", "weighed differently"),
        ("legitimate", "found defensible"),
    ],
)
def test_the_kind_is_told_in_gentle_words_with_the_note(
    batch: Batch, third_expert: User, kind: str, words: str
) -> None:
    row(batch, kind=kind, note="We read <i>cause</i> as proximate.")
    page = shown(third_expert, batch)
    assert words in page
    assert "We read &lt;i&gt;cause&lt;/i&gt; as proximate." in page
    assert "Not discussed yet" not in page
    left = batch.assignments.get(subject=first_pair(batch), rater__user=third_expert).order[0]
    assert f"In the meeting your left was {left}." in page


def test_what_was_changed_is_told_with_its_version(batch: Batch, third_expert: User) -> None:
    changed(batch, "anchor", verdict="pass", text="A real one.")
    changed(batch, "split", parts=[{"text": "Names it."}, {"text": "Names it first."}])
    page = shown(third_expert, batch)
    assert "C1 got a new example, in version 2." in page
    assert re.search(r"C1 was split into C1 and C\d, in version 2\.", page)


def test_what_the_next_version_does_not_have_is_not_told(batch: Batch, third_expert: User) -> None:
    changed(batch, "anchor", verdict="pass", text="A real one.")
    discard_draft(version=RubricVersion.objects.get(status="draft"), acting_user=None)
    changed(batch, "reword", text="Names what broke.")
    changed(batch, "reword", text="Names what gave way.")
    page = shown(third_expert, batch)
    assert "got a new example" not in page
    assert page.count("C1 was worded anew, in version 2.") == 1


def changed(batch: Batch, kind: str, **detail: object) -> None:
    edit = make_edit(
        batch=batch,
        unit=None,
        ruling=None,
        kind=kind,
        detail={"key": "C1", **detail},
        note="",
        passage=None,
        acting_user=None,
    )
    edit.disagreements.add(Disagreement.objects.filter(batch=batch).first() or row(batch))


def test_a_ruling_is_told_once_there_is_one(batch: Batch, third_expert: User, expert: User) -> None:
    ruling = open_ruling(
        batch=batch, units=[the_split(batch)], question="Secret question?", acting_user=None
    )
    page = shown(third_expert, batch)
    assert "It was sent to the policy owner, who has not decided yet." in page
    assert "Secret question?" not in page
    decide_ruling(
        ruling=ruling, decision="one_side", answer="See §4.", right_code="no", acting_user=None
    )
    page = shown(third_expert, batch)
    assert "The policy owner decided: one side is right: no." in page
    assert "See §4." in page
    assert "See §4." not in shown(expert, batch)


# ---- Planted pairs


def planted(batch: Batch, why: str = "[C1]: [A] names it, [B] does not.") -> Subject:
    """The second pair had known answers all along: C1 fails on B."""
    subject = Subject.objects.filter(slots__batch=batch).order_by("-pk").distinct()[0]
    Slot.objects.filter(batch=batch, subject=subject).update(role=Slot.Role.PROBE)
    gold = GoldAnswer.objects.create(
        subject=subject, version=batch.version, why=why, use=GoldAnswer.Use.PROBE
    )
    known = {("G1", "A"): "pass", ("G1", "B"): "pass", ("C1", "A"): "yes", ("C1", "B"): "no"}
    for (key, part), code in known.items():
        criterion = batch.version.criteria.get(key=key)
        GoldLabel.objects.create(gold=gold, criterion=criterion, part_key=part, code=code)
    return subject


def test_planted_pairs_are_told_to_everybody_with_why(batch: Batch, expert: User) -> None:
    planted(batch)
    page = shown(expert, batch)
    assert "Planted pairs" in page
    assert '<th scope="row">C1</th>' in page
    assert "<td>yes</td><td>no</td>" in page
    assert '<span class="chip">Left</span>' in page
    assert "names it" in page


def test_a_planted_pair_answered_as_known_says_so(batch: Batch, expert: User) -> None:
    planted(batch)
    GoldLabel.objects.filter(criterion__key="C1", part_key="B").update(code="yes")
    assert "Your answers are the known ones." in shown(expert, batch)


def test_on_a_planted_pair_nobody_differs_from_the_others(batch: Batch, third_expert: User) -> None:
    Slot.objects.filter(batch=batch, subject=first_pair(batch)).update(role=Slot.Role.PROBE)
    page = shown(third_expert, batch)
    assert "You agreed with the others everywhere." in page


def test_without_planted_pairs_nothing_is_said_of_them(batch: Batch, expert: User) -> None:
    assert "Planted pairs" not in shown(expert, batch)


# ---- Whose it is, and when


def test_an_open_round_tells_nothing(project: Project, raters: list[User]) -> None:
    batch = split_round(project, raters)
    Batch.objects.filter(pk=batch.pk).update(closed_at=None)
    response = as_(raters[2]).get(address(batch))
    assert response.status_code == 403
    page = response.content.decode()
    assert "opens to you when the round is closed" in page
    assert "Both others" not in page


def test_leads_and_other_members_have_no_such_page(
    batch: Batch, project: Project, lead: User
) -> None:
    owner = make_member(project, "policy_owner", username="owner")
    idle = make_member(project, "expert", username="idle")
    for user in (lead, owner, idle):
        assert as_(user).get(address(batch)).status_code == 404


def test_who_has_left_the_project_reads_it_no_more(batch: Batch, third_expert: User) -> None:
    Membership.objects.filter(user=third_expert).delete()
    assert as_(third_expert).get(address(batch)).status_code == 404


def test_a_simulation_has_no_such_page(project: Project, raters: list[User]) -> None:
    batch = split_round(project, raters, simulated=True)
    response = as_(raters[2]).get(address(batch))
    assert response.status_code == 403
    assert "A simulation answered" in response.content.decode()


def test_a_pair_that_is_still_rated_elsewhere_is_left_out_until_that_closes(
    batch: Batch, raters: list[User], third_expert: User
) -> None:
    again = make_round(batch.project, raters, size=1, version=batch.version)
    for rows in (again.slots, again.assignments):
        rows.update(subject=first_pair(batch))
    page = shown(third_expert, batch)
    assert "Both others" not in page
    assert "1 pair you still rate elsewhere is left out until that round is closed." in page
    close_round(batch=again, acting_user=None)
    assert "Both others said yes." in shown(third_expert, batch)


def test_the_same_texts_under_another_id_are_the_same_pair(
    batch: Batch, raters: list[User], third_expert: User
) -> None:
    again = make_round(batch.project, raters, size=1, version=batch.version)
    Subject.objects.filter(slots__batch=again).update(content_hash=first_pair(batch).content_hash)
    assert "Both others" not in shown(third_expert, batch)


def test_who_sent_nothing_is_told_so(project: Project, raters: list[User]) -> None:
    answers = [[{"C1": "yes yes"}, {"C1": "yes no"}, None]]
    batch = make_voted_round(project, raters, answers)
    assert "You sent no vote in this round" in shown(raters[2], batch)


def test_nothing_is_posted_to_it(batch: Batch, third_expert: User) -> None:
    assert as_(third_expert).post(address(batch)).status_code == 405


# ---- The way to it


def test_home_leads_an_expert_to_their_last_closed_round(
    batch: Batch, raters: list[User], third_expert: User, lead: User
) -> None:
    split_round(batch.project, raters, version=batch.version, simulated=True)
    page = as_(third_expert).get("/").content.decode()
    assert f'<a href="{address(batch)}">Round 1 is closed: see where you differed</a>' in page
    assert "see where you differed" not in as_(lead).get("/").content.decode()
    newer = split_round(batch.project, raters, version=batch.version)
    page = as_(third_expert).get("/").content.decode()
    assert address(newer) in page
    assert address(batch) not in page


def test_own_pairs_of_a_closed_round_lead_to_it(batch: Batch, third_expert: User) -> None:
    mine = reverse("annotate:label_mine", args=[batch.public_id])
    assert address(batch) in as_(third_expert).get(mine).content.decode()
    Batch.objects.filter(pk=batch.pk).update(closed_at=None)
    assert address(batch) not in as_(third_expert).get(mine).content.decode()


@pytest.mark.parametrize("size", [2, 12])
def test_it_takes_few_queries_whatever_the_size(
    project: Project,
    raters: list[User],
    size: int,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    odd = [{"C1": "yes yes"}, {"C1": "yes yes"}, {"C1": "no no", "preference": "B_much"}]
    batch = make_voted_round(project, raters, [odd] * size)
    planted(batch)
    for pair in Assignment.objects.filter(batch=batch, rater__user=raters[2])[: size - 1]:
        Disagreement.objects.create(
            batch=batch,
            subject=pair.subject,
            criterion=batch.version.criteria.get(key="C1"),
            part_key="A",
        )
    client = as_(raters[2])
    client.get(address(batch))
    with django_assert_max_num_queries(11):
        assert client.get(address(batch)).status_code == 200
