"""What the answer should have been: asked where both responses fail, optional, and kept apart."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from django.urls import reverse

from annotate.actions.votes import save_draft, submit_vote
from annotate.ballot import MAX_REWRITE
from annotate.models import Assignment, Batch, Vote
from tests.ballots import filled, first_of, make_label_round, submission
from tests.making import make_member

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

WORDS = "The hail of 04/11 damaged nine roofs.\nEstimate: $18,240.50. [Left] is prose here."
BOTH = {"G1_Left": "fail", "G1_Right": "fail", "preference": "", "rationale": ""}


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


@pytest.fixture
def mine(batch: Batch, expert: User, client: Client) -> Assignment:
    client.force_login(expert)
    return first_of(batch, expert, "BA")


def url_of(assignment: Assignment) -> str:
    return reverse("annotate:label_pair", args=[assignment.public_id])


def submit(assignment: Assignment, user: User, **changes: str) -> Vote:
    return submit_vote(
        assignment=assignment, form=filled(**changes), submit_key=uuid4(), acting_user=user
    )


def test_the_text_is_stored_as_it_was_typed(mine: Assignment, expert: User) -> None:
    vote = submit(mine, expert, **BOTH, rewrite=f"  {WORDS}\n\n")
    assert vote.rewrite == WORDS
    assert vote.cites == ["G1"]


def test_it_may_stay_empty(mine: Assignment, expert: User) -> None:
    assert submit(mine, expert, **BOTH).rewrite == ""


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"G1_Left": "fail", "preference": ""},
        {"G1_Right": "fail", "preference": ""},
    ],
)
def test_where_not_both_fail_it_stays_in_the_draft_and_is_no_part_of_the_vote(
    mine: Assignment, expert: User, changes: dict[str, str]
) -> None:
    vote = submit(mine, expert, **changes, rewrite="x" * (MAX_REWRITE + 1))
    assert vote.rewrite == ""
    mine.refresh_from_db()
    assert len(mine.draft["rewrite"]) == MAX_REWRITE + 1


def test_it_comes_back_when_both_fail_again(client: Client, mine: Assignment, expert: User) -> None:
    save_draft(assignment=mine, form=filled(rewrite=WORDS), acting_user=expert)
    client.post(url_of(mine), submission(**BOTH, rewrite=mine.draft.get("rewrite", WORDS)))
    assert Vote.objects.get().rewrite == WORDS


def test_another_text_is_a_new_revision_and_the_same_one_is_not(
    mine: Assignment, expert: User
) -> None:
    first = submit(mine, expert, **BOTH, rewrite=WORDS)
    assert submit(mine, expert, **BOTH, rewrite=WORDS) == first
    second = submit(mine, expert, **BOTH, rewrite="Shorter.")
    assert (second.revision, second.rewrite) == (2, "Shorter.")
    third = submit(mine, expert)
    assert (third.revision, third.rewrite) == (3, "")


def test_too_long_a_text_is_refused_and_kept_whole(client: Client, mine: Assignment) -> None:
    long = "A word. " * 5_000
    sent = client.post(url_of(mine), submission(**BOTH, rewrite=long))
    assert sent.status_code == 422
    page = sent.content.decode()
    assert "to 20,000 characters: it has 40,000, all of them kept here." in page
    assert 'href="#rewrite"' in page
    assert long in page
    assert not Vote.objects.exists()
    mine.refresh_from_db()
    assert mine.draft["rewrite"] == long


def test_the_page_offers_it_only_where_both_fail(
    client: Client, mine: Assignment, expert: User
) -> None:
    hidden = '<div class="rewrite-box" id="rewrite-box" hidden>'
    assert hidden in client.get(url_of(mine)).content.decode()
    save_draft(assignment=mine, form=filled(**BOTH, rewrite=WORDS), acting_user=expert)
    page = client.get(url_of(mine)).content.decode()
    assert hidden not in page
    assert "Estimate: $18,240.50." in page


def test_the_lead_reads_it_with_the_vote_and_no_other_rater_does(
    client: Client, project: Project, batch: Batch, mine: Assignment, expert: User
) -> None:
    submit(mine, expert, **BOTH, rewrite=f"Quillfeather. {WORDS}")
    client.force_login(make_member(project, "lead", username="reader"))
    args = [project.slug, mine.subject.public_id]
    page = client.get(reverse("annotate:subject", args=args)).content.decode()
    assert "What the answer should have been" in page
    assert "Quillfeather. The hail of 04/11" in page
    other = Assignment.objects.get(
        batch=batch, subject=mine.subject, rater__user__username="other_expert"
    )
    assert other.rater.user is not None
    client.force_login(other.rater.user)
    assert "Quillfeather" not in client.get(url_of(other)).content.decode()


def test_markup_in_it_stays_text(
    client: Client, project: Project, batch: Batch, mine: Assignment, expert: User
) -> None:
    submit(mine, expert, **BOTH, rewrite="<script>alert(1)</script> {{ 7 }}")
    client.force_login(make_member(project, "lead", username="reader"))
    args = [project.slug, mine.subject.public_id]
    page = client.get(reverse("annotate:subject", args=args)).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7 }}" in page
