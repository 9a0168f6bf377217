"""The list of rulings and the page of one: who reads, who decides, what each shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.urls import reverse

from annotate.actions.rulings import decide_ruling, reopen_ruling
from annotate.disagreements import differing
from annotate.models import Batch, Edit, Ruling
from projects.models import Membership, User
from tests.annotate.ruled import (
    QUESTION,
    asked,
    decided,
    first_pair,
    split_round,
    the_split,
)
from tests.making import make_member, make_project, make_round, make_version, make_vote

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer
    from pytest_django import DjangoAssertNumQueries

    from projects.models import Project
    from rubrics.models import RubricVersion

LIST = "/p/claims/rulings/"


@pytest.fixture
def raters(expert: User, other_expert: User, third_expert: User) -> list[User]:
    return [expert, other_expert, third_expert]


@pytest.fixture
def batch(project: Project, raters: list[User]) -> Batch:
    return split_round(project, raters)


@pytest.fixture
def owner(project: Project) -> User:
    return make_member(project, "policy_owner", username="owner")


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page_of(ruling: Ruling) -> str:
    return reverse("annotate:ruling", args=["claims", ruling.public_id])


def sent(user: User, ruling: Ruling, **form: str) -> Answer:
    return as_(user).post(page_of(ruling), form)


def shown(user: User, address: str) -> str:
    response = as_(user).get(address)
    assert response.status_code == 200, response.status_code
    return response.content.decode()


def again(batch: Batch, raters: list[User], version: RubricVersion) -> Batch:
    """The same pairs once more, under another version, with the same split."""
    old = list(batch.slots.order_by("subject_id").values_list("subject", flat=True).distinct())
    second = split_round(batch.project, raters, version=version, size=len(old))
    new = list(second.slots.order_by("subject_id").values_list("subject", flat=True).distinct())
    for before, after in zip(old, new, strict=True):
        for rows in (second.slots, second.assignments, second.votes):
            rows.filter(subject=after).update(subject=before)
    return second


# ---- The list


def test_the_owner_reads_how_many_wait_and_begins_with_the_oldest(
    batch: Batch, owner: User, lead: User, raters: list[User]
) -> None:
    first = asked(batch, lead)
    asked(split_round(batch.project, raters, version=batch.version), lead, "A younger one?")
    page = shown(owner, LIST)
    assert "Two splits wait for your ruling." in page
    assert f'href="{page_of(first)}">Decide the oldest' in page
    assert page.index(QUESTION) < page.index("A younger one?")


def test_a_lead_reads_for_whom_it_waits(batch: Batch, owner: User, lead: User) -> None:
    asked(batch, lead)
    page = shown(lead, LIST)
    assert "One split waits for owner." in page
    assert "Read the oldest" in page


def test_without_a_policy_owner_the_list_says_what_to_do(batch: Batch, lead: User) -> None:
    asked(batch, lead)
    assert "nobody here is policy owner: give somebody that role" in shown(lead, LIST)


def test_a_decided_one_shows_decision_reason_who_and_when(
    batch: Batch, owner: User, lead: User
) -> None:
    ruling = decided(batch, "one_side", by=owner, right_code="no")
    page = shown(lead, LIST)
    assert "One side is right: no." in page
    assert "The file is the measure." in page
    assert ruling.decided_at is not None
    assert f"{ruling.decided_at.day} " in page
    assert ", by owner" in page
    assert "Nothing waits for a ruling" in page


def test_an_empty_list_is_one_sentence(lead: User) -> None:
    assert "Nothing waits for a ruling, and no split has outlived" in shown(lead, LIST)


def test_a_ruling_on_a_pair_that_its_reader_still_rates_is_counted_and_not_shown(
    batch: Batch, owner: User, lead: User, raters: list[User]
) -> None:
    ruling = asked(batch)
    Membership.objects.create(project=batch.project, user=owner, role="expert")
    second = make_round(batch.project, [owner, raters[0]], version=batch.version)
    assignment = second.assignments.filter(rater__user=owner)[0]
    assignment.subject = first_pair(batch)
    assignment.save()
    page = shown(owner, LIST)
    assert QUESTION not in page
    assert first_pair(batch).external_id not in page
    assert "1 more is about a pair that you still rate" in page
    assert as_(owner).get(page_of(ruling)).status_code == 403
    assert sent(owner, ruling, action="decide", decision="both", answer="So.").status_code == 403


# ---- Splits that stayed


def test_a_pair_contested_under_two_versions_is_proposed(
    batch: Batch, lead: User, owner: User, raters: list[User]
) -> None:
    second = again(batch, raters, make_version(batch.project, number=2))
    page = shown(lead, LIST)
    assert "One split has outlived a new version" in page
    assert "Raters differ on C1 on B under versions 1 and 2." in page
    response = as_(lead).post(
        LIST,
        {
            "batch": str(second.public_id),
            "subject": str(first_pair(batch).public_id),
            "key": "C1",
            "part": "B",
            "question": QUESTION,
        },
    )
    assert response.status_code == 303
    ruling = Ruling.objects.get()
    assert (response["Location"], ruling.opened_by) == (page_of(ruling), lead)
    assert "outlived a new version" not in shown(lead, LIST)


def test_two_rounds_of_one_version_propose_nothing(
    batch: Batch, lead: User, raters: list[User]
) -> None:
    again(batch, raters, batch.version)
    assert "no split has outlived" in shown(lead, LIST)


def test_a_renamed_check_is_followed_by_its_lineage(
    batch: Batch, lead: User, raters: list[User]
) -> None:
    from tests.making import RUBRIC, make_rubric_version

    source = RUBRIC.format(task="summaries", number=2)
    renamed = source.replace("  - id: C1\n", "  - id: C7\n    lineage: {reworded: C1}\n")
    assert "C7" in renamed
    version = make_rubric_version(batch.project, renamed)
    second = split_round(batch.project, raters, version=version, key="C7")
    old, new = first_pair(batch), first_pair(second)
    for rows in (second.slots, second.assignments, second.votes):
        rows.filter(subject=new).update(subject=old)
    page = shown(lead, LIST)
    assert "Raters differ on C7 on B under versions 1 and 2." in page
    assert "version 1, as C1" in page


def test_splits_of_simulated_and_of_real_raters_are_not_put_together(
    batch: Batch, lead: User, raters: list[User]
) -> None:
    second = again(batch, raters, make_version(batch.project, number=2))
    Batch.objects.filter(pk=second.pk).update(simulated=True)
    assert "no split has outlived" in shown(lead, LIST)


def test_while_its_ruling_waits_a_split_that_stays_is_not_proposed_again(
    batch: Batch, lead: User, raters: list[User]
) -> None:
    asked(batch)
    again(batch, raters, make_version(batch.project, number=2))
    assert "under versions 1 and 2" not in shown(lead, LIST)


def test_after_a_decision_a_split_that_stays_is_proposed_once_more(
    batch: Batch, lead: User, raters: list[User]
) -> None:
    decided(batch, "missing")
    again(batch, raters, make_version(batch.project, number=2))
    assert "under versions 1 and 2" in shown(lead, LIST)


def test_a_refused_candidate_keeps_what_was_typed(
    batch: Batch, lead: User, raters: list[User]
) -> None:
    second = again(batch, raters, make_version(batch.project, number=2))
    form = {
        "batch": str(second.public_id),
        "subject": str(first_pair(batch).public_id),
        "key": "C1",
        "part": "B",
    }
    response = as_(lead).post(LIST, {**form, "question": " "})
    assert response.status_code == 422
    assert "Say what the policy owner is to decide." in response.content.decode()
    assert not Ruling.objects.exists()


@pytest.mark.parametrize(
    "changed",
    [
        {"batch": "no id"},
        {"batch": "", "subject": ""},
        {"key": "C9"},
        {"part": "A"},
        {"key": "x" * 500},
    ],
)
def test_a_form_that_names_no_split_writes_nothing(
    batch: Batch, lead: User, changed: dict[str, str]
) -> None:
    form = {
        "batch": str(batch.public_id),
        "subject": str(first_pair(batch).public_id),
        "key": "C1",
        "part": "B",
        "question": QUESTION,
        **changed,
    }
    response = as_(lead).post(LIST, form)
    assert response.status_code == 422
    assert not Ruling.objects.exists()


def test_a_split_that_waits_already_leads_to_its_ruling(batch: Batch, lead: User) -> None:
    ruling = asked(batch, lead)
    unit = the_split(batch)
    response = as_(lead).post(
        LIST,
        {
            "batch": str(batch.public_id),
            "subject": str(first_pair(batch).public_id),
            "key": unit.key,
            "part": unit.part,
            "question": "Another?",
        },
        follow=True,
    )
    assert response.redirect_chain == [(page_of(ruling), 303)]
    assert "waits for a ruling already" in response.content.decode()


def test_a_batch_of_another_project_is_not_found(batch: Batch, outsider: User) -> None:
    response = as_(outsider).post(
        "/p/elsewhere/rulings/",
        {
            "batch": str(batch.public_id),
            "subject": str(first_pair(batch).public_id),
            "key": "C1",
            "part": "B",
            "question": QUESTION,
        },
    )
    assert response.status_code == 404
    assert not Ruling.objects.exists()


# ---- One split


def test_the_page_shows_question_pair_votes_and_wording_and_names_nobody(
    batch: Batch, owner: User, lead: User
) -> None:
    subject = first_pair(batch)
    for user in (owner, lead):
        page = shown(user, page_of(asked(batch, lead)))
        assert QUESTION in page
        assert f"Response A of {subject.external_id}." in page
        assert "The first sentence names the cause of loss" in page
        assert "yes 2, no 1" in page
        assert "Rater 1" in page
        for rater in batch.raters.all():
            assert rater.name not in page


def test_raters_have_the_numbers_that_the_meeting_knows_them_by(
    project: Project, raters: list[User], owner: User, lead: User
) -> None:
    version = make_version(project)
    # The first rater of the pool joins in its second round: earlier ones keep their numbers.
    first = split_round(project, raters[1:], version=version)
    second = split_round(project, raters, version=version)
    for batch in (first, second):
        found = differing([batch], reader=lead)
        ruling = asked(batch, question=f"Of {batch}?")
        response = as_(owner).get(page_of(ruling))
        (held,) = response.context["page"].shown.batches
        shown_as = {vote.rater_id: name for name, vote in zip(held.raters, held.votes, strict=True)}
        assert shown_as == {pk: found.handles[pk] for pk in shown_as}
        assert len(set(shown_as.values())) == len(shown_as) > 1


def test_votes_of_an_open_round_are_not_on_it(
    batch: Batch, owner: User, raters: list[User]
) -> None:
    opened = make_round(batch.project, raters, version=batch.version)
    assignment = opened.assignments.order_by("pk")[0]
    make_vote(assignment, {"C1": "no no", "rationale": "[C1] from an open round."})
    for rows in (opened.slots, opened.assignments, opened.votes):
        rows.filter(subject=assignment.subject).update(subject=first_pair(batch))
    assert "from an open round" not in shown(owner, page_of(asked(batch)))


def test_the_owner_decides(batch: Batch, owner: User) -> None:
    ruling = asked(batch)
    response = sent(
        owner, ruling, action="decide", decision="one_side", right_code="no", answer="See the file."
    )
    assert (response.status_code, response["Location"]) == (303, page_of(ruling))
    page = shown(owner, page_of(ruling))
    assert "One side is right: no" in page
    assert "See the file." in page
    assert "decided" in page


def test_a_lead_reads_and_cannot_decide(batch: Batch, lead: User) -> None:
    ruling = asked(batch)
    assert "Your decision" not in shown(lead, page_of(ruling))
    for action in ("decide", "reopen"):
        form = {"action": action, "decision": "both", "answer": "So.", "reason": "So."}
        response = sent(lead, ruling, **form)
        assert response.status_code == 403
        assert "policy owner" in response.content.decode()
    ruling.refresh_from_db()
    assert ruling.decision == ""


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"decision": "both"}, "Say why"),
        ({"answer": "So."}, "one of the four"),
        ({"decision": "one_side", "answer": "So."}, "which label is right"),
        ({"decision": "maybe", "answer": "So."}, "Select a valid choice"),
    ],
)
def test_a_refused_decision_keeps_what_was_typed(
    batch: Batch, owner: User, form: dict[str, str], said: str
) -> None:
    ruling = asked(batch)
    response = sent(owner, ruling, action="decide", **form)
    assert response.status_code == 422
    page = response.content.decode()
    assert said in page
    assert form.get("answer", "") in page
    ruling.refresh_from_db()
    assert ruling.decision == ""


def test_a_late_decision_reads_who_was_first(batch: Batch, owner: User) -> None:
    ruling = asked(batch)
    other = make_member(batch.project, "policy_owner", username="other_owner")
    decide_ruling(ruling=ruling, decision="both", answer="First.", acting_user=other)
    response = sent(owner, ruling, action="decide", decision="exclude", answer="Second.")
    assert response.status_code == 422
    assert "other_owner decided this on" in response.content.decode()


def test_a_form_without_an_action_is_refused(batch: Batch, owner: User) -> None:
    assert sent(owner, asked(batch), decision="both").status_code == 400


def test_opened_again_the_page_keeps_what_was_decided_before(batch: Batch, owner: User) -> None:
    ruling = decided(batch, "both", by=owner)
    assert sent(owner, ruling, action="reopen", reason="A new file.").status_code == 303
    page = shown(owner, page_of(ruling))
    assert "Before it was opened again" in page
    assert "Both are acceptable." in page
    assert "Opened again: A new file." in page
    assert "Your decision" in page


@pytest.mark.parametrize("who", ["owner", "lead"])
def test_a_missing_rule_is_written_from_the_page(
    batch: Batch, owner: User, lead: User, who: str
) -> None:
    ruling = decided(batch, "missing", by=owner)
    user = {"owner": owner, "lead": lead}[who]
    page = shown(user, page_of(ruling))
    assert "Nothing in the next version answers this yet" in page
    assert "Reword C1" in page
    form = {"kind": "add:gate", "text": "No amount is rounded.", "title": "", "note": "Why."}
    assert sent(user, ruling, action="rule", **form).status_code == 303
    assert Edit.objects.get().ruling == ruling
    assert "Check added: G2, in version 2 of summaries." in shown(user, page_of(ruling))


def test_a_missing_rule_begins_as_its_check_is_worded_now(batch: Batch, owner: User) -> None:
    ruling = decided(batch, "missing")
    text = batch.version.criteria.get(key="C1").text
    page = shown(owner, page_of(ruling))
    assert f">\n{text}</textarea>" in page
    assert sent(owner, ruling, action="rule", kind="reword:C1", text=f"{text} Or none.")
    assert f">\n{text} Or none.</textarea>" in shown(owner, page_of(ruling))


def test_a_rule_that_cannot_be_made_says_so_and_keeps_what_was_typed(
    batch: Batch, owner: User
) -> None:
    ruling = decided(batch, "missing", by=owner)
    form = {"kind": "reword:C1", "text": " ", "title": "Kept title", "note": ""}
    response = sent(owner, ruling, action="rule", **form)
    assert response.status_code == 422
    assert "Kept title" in response.content.decode()
    assert not Edit.objects.exists()


def test_what_was_written_is_shown_as_text(batch: Batch, owner: User) -> None:
    ruling = asked(batch, question="<script>alert(1)</script> {{ 7 }}")
    for address in (LIST, page_of(ruling)):
        page = shown(owner, address)
        assert "<script>alert" not in page
        assert "{{ 7 }}" in page


# ---- Home


def test_the_home_of_a_policy_owner_says_how_many_splits_wait(
    batch: Batch, owner: User, lead: User, raters: list[User]
) -> None:
    assert "for your ruling" not in shown(owner, "/")
    asked(batch)
    page = shown(owner, "/")
    assert "1 split waits for your ruling" in page
    assert f'<a class="btn btn-primary" href="{LIST}">Rule on it</a>' in page
    assert "One needs you now" in page
    asked(split_round(batch.project, raters, version=batch.version))
    assert "2 splits wait for your ruling" in shown(owner, "/")
    for user in (lead, raters[0]):
        assert "for your ruling" not in shown(user, "/")


def test_what_is_decided_no_longer_waits(batch: Batch, owner: User) -> None:
    decided(batch, "both")
    assert "for your ruling" not in shown(owner, "/")


def test_a_lead_who_is_policy_owner_too_reads_both(batch: Batch, owner: User) -> None:
    Membership.objects.create(project=batch.project, user=owner, role="lead")
    asked(batch)
    page = shown(owner, "/")
    assert page.count("1 split waits for your ruling") == 1


def test_a_split_on_a_pair_that_the_owner_still_rates_is_not_counted(
    batch: Batch, owner: User, raters: list[User]
) -> None:
    asked(batch)
    Membership.objects.create(project=batch.project, user=owner, role="expert")
    second = make_round(batch.project, [owner, raters[0]], version=batch.version)
    assignment = second.assignments.filter(rater__user=owner)[0]
    assignment.subject = first_pair(batch)
    assignment.save()
    assert "for your ruling" not in shown(owner, "/")


# ---- The pair page, and how much it costs


def test_the_pair_page_of_a_lead_shows_its_rulings_beside_the_votes(
    batch: Batch, lead: User
) -> None:
    address = reverse("annotate:subject", args=["claims", first_pair(batch).public_id])
    assert "Ruled on" not in shown(lead, address)
    decided(batch, "exclude")
    page = shown(lead, address)
    assert QUESTION in page
    assert "Left out of the data." in page


def test_pairs_with_a_ruling_are_marked_among_the_pairs_behind_a_number(
    batch: Batch, lead: User
) -> None:
    address = reverse("annotate:units", args=["claims", batch.public_id]) + "?criterion=C1"
    before = shown(lead, address)
    assert '<span class="chip">ruling</span>' not in before
    decided(batch, "exclude")
    page = shown(lead, address)
    # Both sides of the one pair, whose labels are as they were.
    assert page.count('<span class="chip">ruling</span>') == 2
    assert page.replace(' <span class="chip">ruling</span>', "").count(">no<") == before.count(
        ">no<"
    )


@pytest.mark.parametrize("size", [1, 6])
def test_rulings_take_few_queries_however_many_there_are(
    project: Project,
    raters: list[User],
    owner: User,
    lead: User,
    size: int,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    version = make_version(project)
    rounds = [split_round(project, raters, size=size, version=version) for _ in range(size)]
    newer = make_version(project, number=2)
    for batch in rounds:
        again(batch, raters, newer)
    for n, batch in enumerate(rounds[1:]):
        asked(batch) if n % 2 else decided(batch, "missing")
    # The most that a page of one has to read: a missing rule, decided a second time.
    ruling = reopen_ruling(ruling=decided(rounds[0], "both"), reason="So.", acting_user=None)
    decide_ruling(ruling=ruling, decision="missing", answer="So.", acting_user=None)
    for user in (owner, lead):
        client = as_(user)
        for address in (LIST, page_of(ruling)):
            client.get(address)
            with django_assert_max_num_queries(11):
                assert client.get(address).status_code == 200


def test_a_project_of_others_has_no_rulings_to_read(batch: Batch, outsider: User) -> None:
    ruling = asked(batch)
    make_project("third")
    for address in (LIST, page_of(ruling)):
        assert as_(outsider).get(address).status_code == 404
    wrong = reverse("annotate:ruling", args=["elsewhere", ruling.public_id])
    assert as_(outsider).get(wrong).status_code == 404
