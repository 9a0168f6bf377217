"""Who is told what about a round, and when: in the transaction of what they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.leaving import end_account
from annotate.actions.rounds import RoundRefused, close_round, start_round
from annotate.models import Assignment, Batch
from projects.models import Membership, Notice
from tests.making import make_member, make_pairs, make_round, make_version, make_vote

if TYPE_CHECKING:
    from projects.models import Project, User


def told(verb: Notice.Verb) -> list[str]:
    """Who was told it, by name."""
    notices = Notice.objects.filter(verb=verb).order_by("user__username")
    return list(notices.values_list("user__username", flat=True))


def started(project: Project, raters: list[User], by: User | None, **how: Any) -> Batch:
    make_pairs(project, 2)
    version = make_version(project)
    return start_round(
        project=project, version=version, raters=raters, size=2, seed=1, acting_user=by, **how
    )


def votes_on(batch: Batch, user: User, count: int | None = None) -> None:
    own = Assignment.objects.of_user(user).filter(batch=batch).unanswered().order_by("position")
    for assignment in own.select_related("batch__version__rubric", "batch__project", "rater")[
        :count
    ]:
        make_vote(assignment)


# ---- Opened and closed


def test_raters_learn_that_a_round_is_open_to_them(
    project: Project, lead: User, expert: User, other_expert: User, third_expert: User
) -> None:
    batch = started(project, [expert, other_expert], lead)
    assert told(Notice.Verb.OPENED) == ["expert", "other_expert"]
    notice = Notice.objects.filter(user=expert).get()
    assert notice.text == "Round 1 is open to you: 2 pairs, summaries version 1."
    assert notice.path == reverse("annotate:label_next", args=[batch.public_id])


def test_whoever_opens_a_round_knows(project: Project, lead: User, expert: User) -> None:
    started(project, [lead, expert], lead)
    assert told(Notice.Verb.OPENED) == ["expert"]


def test_a_round_that_cannot_start_tells_nobody(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    with pytest.raises(RoundRefused):
        start_round(
            project=project,
            version=make_version(project),
            raters=[expert, other_expert],
            size=2,
            acting_user=lead,
        )
    assert not Notice.objects.exists()


def test_a_round_that_is_taken_back_is_told_to_nobody(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    with transaction.atomic():
        started(project, [expert, other_expert], lead)
        transaction.set_rollback(True)
    assert not Notice.objects.exists()


def test_raters_and_leads_learn_of_the_close_each_what_is_theirs(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    rating_lead = make_member(project, "lead", "expert", username="rating_lead")
    batch = make_round(project, [expert, other_expert, rating_lead])
    close_round(batch=batch, acting_user=lead)
    assert told(Notice.Verb.CLOSED) == ["expert", "other_expert"]
    # One notice each: a lead who rated is led to the report.
    assert told(Notice.Verb.REPORT) == ["rating_lead"]
    own = Notice.objects.get(user=expert, verb=Notice.Verb.CLOSED)
    assert own.path == reverse("annotate:differed", args=[batch.public_id])
    assert own.text == (
        "Round 1 is closed: see, for yourself alone, where you differed from the others."
    )
    report = Notice.objects.get(verb=Notice.Verb.REPORT)
    assert report.path == reverse("annotate:round", args=["claims", 1])


def test_closing_twice_tells_once(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    for _ in range(2):
        close_round(batch=batch, acting_user=lead)
    assert Notice.objects.filter(verb=Notice.Verb.CLOSED).count() == 2


def test_a_simulated_round_asks_nothing_of_anybody(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = started(project, [expert, other_expert], lead, simulated=True)
    for user in (expert, other_expert):
        votes_on(batch, user)
    close_round(batch=batch, acting_user=None)
    assert not Notice.objects.exists()


# ---- All votes are in


def test_leads_learn_once_that_all_votes_are_in(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    votes_on(batch, expert)
    votes_on(batch, other_expert, 1)
    assert told(Notice.Verb.ALL_IN) == []
    votes_on(batch, other_expert)
    assert told(Notice.Verb.ALL_IN) == ["lead"]
    notice = Notice.objects.get(verb=Notice.Verb.ALL_IN)
    assert notice.text == "All 4 votes of round 1 are in. Close it, and its report opens."
    assert notice.path == reverse("annotate:round", args=["claims", 1])


def test_an_amended_vote_tells_nothing_again(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    for user in (expert, other_expert):
        votes_on(batch, user)
    Notice.objects.filter(verb=Notice.Verb.ALL_IN).delete()
    for assignment in Assignment.objects.of_user(expert).select_related("batch__version", "rater"):
        make_vote(assignment, {"C1": "no yes"})
    assert told(Notice.Verb.ALL_IN) == []


def test_a_lead_who_rates_is_told_no_sooner_than_they_have_voted_themselves(
    project: Project, expert: User, other_expert: User
) -> None:
    rating_lead = make_member(project, "lead", "expert", username="rating_lead")
    batch = make_round(project, [expert, rating_lead])
    votes_on(batch, expert)
    votes_on(batch, rating_lead, 1)
    assert told(Notice.Verb.ALL_IN) == []
    votes_on(batch, rating_lead)
    assert told(Notice.Verb.ALL_IN) == ["rating_lead"]


def test_a_skipped_pair_is_still_open(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    votes_on(batch, expert)
    skipped = Assignment.objects.of_user(other_expert).order_by("position")[0]
    Assignment.objects.filter(pk=skipped.pk).update(state="skipped")
    own = Assignment.objects.of_user(other_expert).filter(state="assigned")
    for assignment in own.select_related("batch__version", "rater"):
        make_vote(assignment)
    assert told(Notice.Verb.ALL_IN) == []


def test_the_last_open_pairs_may_go_with_an_account(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    votes_on(batch, expert)
    end_account(user=other_expert, acting_user=lead)
    assert told(Notice.Verb.ALL_IN) == ["lead"]
    assert Notice.objects.get(verb=Notice.Verb.ALL_IN).text.startswith("All 2 votes")


def test_no_rater_learns_how_far_others_are(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    before = Notice.objects.filter(user=other_expert).count()
    votes_on(batch, expert)
    assert Notice.objects.filter(user=other_expert).count() == before
    votes_on(batch, other_expert)
    assert Notice.objects.filter(user__in=[expert, other_expert]).count() == 2 * before


def test_a_vote_that_is_not_the_last_asks_one_question_more(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    """What a rater has left, from an index; everybody's is looked at with the last vote alone."""
    batch = make_round(project, [expert, other_expert], size=3)
    own = Assignment.objects.of_user(expert).filter(batch=batch).order_by("position")
    first = own.select_related("batch__version__rubric", "batch__project", "rater")[0]
    with CaptureQueriesContext(connection) as seen:
        make_vote(first)
    asked = [query["sql"] for query in seen.captured_queries if "projects_notice" in query["sql"]]
    assert asked == []


def test_whoever_left_the_project_is_not_told(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    Membership.objects.filter(user=expert).delete()
    Notice.objects.all().delete()
    close_round(batch=batch, acting_user=lead)
    assert told(Notice.Verb.CLOSED) == ["other_expert"]
