"""Starting and closing calibration rounds, by hand and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.rounds import RoundRefused, close_round, rater_for, start_round
from annotate.actions.votes import BatchClosed
from annotate.models import Assignment, Batch, GoldAnswer, Subject
from projects.models import Event
from tests.making import (
    make_member,
    make_pair,
    make_pairs,
    make_round,
    make_version,
    make_vote,
    make_voted_round,
    make_votes,
)

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User
    from rubrics.models import RubricVersion


@pytest.fixture
def version(project: Project) -> RubricVersion:
    return make_version(project)


def subjects_of(batch: Batch) -> set[int]:
    return set(batch.slots.values_list("subject", flat=True))


def start(
    project: Project, version: RubricVersion, *raters: User, size: int = 2, seed: int | None = None
) -> Batch:
    return start_round(
        project=project, version=version, raters=raters, size=size, seed=seed, acting_user=None
    )


def test_too_few_pairs_says_how_many_are_missing(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    make_pairs(project, 3)
    with pytest.raises(RoundRefused, match="needs 40 fresh pairs and 3 are left: 37 are missing"):
        start(project, version, expert, other_expert, size=40)
    assert not Batch.objects.exists()


def test_a_stranger_is_refused_by_name(
    project: Project, version: RubricVersion, expert: User, stranger: User, outsider: User
) -> None:
    make_pairs(project, 2)
    with pytest.raises(RoundRefused, match="stranger, outsider are not members of Claims"):
        start(project, version, expert, stranger, outsider)


def test_one_rater_is_refused_twice_over(
    project: Project, version: RubricVersion, expert: User
) -> None:
    make_pairs(project, 2)
    with pytest.raises(RoundRefused, match="at least two raters"):
        start(project, version, expert)
    with pytest.raises(RoundRefused, match="sits in a round once"):
        start(project, version, expert, expert)


def test_a_draft_is_refused(project: Project, expert: User, other_expert: User) -> None:
    make_pairs(project, 2)
    with pytest.raises(RoundRefused, match="not published"):
        start(project, make_version(project, published=False), expert, other_expert)


def test_pairs_are_fresh_by_content_whatever_their_id_and_the_order_of_responses(
    project: Project, version: RubricVersion, expert: User, other_expert: User, third_expert: User
) -> None:
    first, second = make_pairs(project, 2)
    seen = start(project, version, expert, other_expert)
    twin = make_pair(project, "the same pair, responses swapped", response_a="x", response_b="y")
    Subject.objects.filter(pk=twin.pk).update(content_hash=first.content_hash)
    fresh = make_pair(project, "new")
    gold = make_pair(project, "gold")
    GoldAnswer.objects.create(subject=gold, version=version)
    drawn = start(project, version, other_expert, third_expert, size=1)
    assert subjects_of(seen) == {first.pk, second.pk}
    assert subjects_of(drawn) == {fresh.pk}
    with pytest.raises(RoundRefused, match="0 are left: 2 are missing"):
        start(project, version, expert, third_expert, size=2)


@pytest.mark.parametrize("seed", [-1, 2**32, 10**30])
def test_a_seed_that_cannot_be_kept_is_refused(
    project: Project, version: RubricVersion, expert: User, other_expert: User, seed: int
) -> None:
    with pytest.raises(RoundRefused, match="whole number from 0 to 4294967295"):
        start(project, version, expert, other_expert, seed=seed)


def test_the_same_seed_draws_the_same_pairs_in_the_same_orders(
    project: Project, version: RubricVersion, outsider: User
) -> None:
    make_pairs(project, 30)
    first = start(project, version, *_two(project, "a"), size=10, seed=7)
    again = start(project, version, *_two(project, "b"), size=10, seed=7)
    other = start(project, version, *_two(project, "c"), size=10, seed=8)
    assert subjects_of(first) == subjects_of(again)
    assert _queues(first) == _queues(again)
    assert subjects_of(other) != subjects_of(first)
    assert first.seed == 7


def test_everyone_labels_every_pair_in_an_order_of_their_own(
    project: Project, version: RubricVersion, expert: User, other_expert: User, third_expert: User
) -> None:
    make_pairs(project, 20)
    batch = start(project, version, expert, other_expert, third_expert, size=20, seed=1)
    queues = _queues(batch)
    assert [len(queue) for queue in queues] == [20, 20, 20]
    assert {frozenset(subject for subject, _ in queue) for queue in queues} == {
        frozenset(subjects_of(batch))
    }
    assert len({tuple(subject for subject, _ in queue) for queue in queues}) == 3
    # Sides are drawn pair by pair: with 20 of them nobody sees A always left.
    assert all({order for _, order in queue} == {"AB", "BA"} for queue in queues)


def test_a_closed_round_takes_no_votes_and_closes_once(
    project: Project, expert: User, other_expert: User, lead: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    mine = Assignment.objects.filter(batch=batch, rater__user=expert)
    make_vote(mine[0])
    closed = close_round(batch=batch, acting_user=lead)
    assert close_round(batch=batch, acting_user=lead).closed_at == closed.closed_at
    event = Event.objects.get(verb="round.closed")
    assert (event.actor, event.data["unanswered"]) == (lead, 3)
    with pytest.raises(BatchClosed):
        make_vote(mine[1])


# The pages.


def test_a_lead_starts_a_round_on_the_page(
    client: Client,
    project: Project,
    version: RubricVersion,
    lead: User,
    expert: User,
    other_expert: User,
) -> None:
    make_pairs(project, 3)
    client.force_login(lead)
    page = client.get(reverse("annotate:round_new", args=["claims"])).content.decode()
    assert "3 pairs with texts of their own are here" in page
    response = client.post(
        reverse("annotate:round_new", args=["claims"]),
        {"version": version.pk, "raters": [expert.pk, other_expert.pk], "size": 2, "seed": 5},
    )
    batch = Batch.objects.get()
    assert response.status_code == 302
    assert response["Location"] == reverse("annotate:round", args=["claims", 1])
    assert (batch.seed, batch.ask_after_gate, batch.created_by) == (5, False, lead)


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"size": 40}, "size", "38 are missing"),
        ({"raters": []}, "raters", "This field is required"),
        ({"size": 0}, "size", "greater than or equal to 1"),
    ],
)
def test_a_refused_round_says_why_beside_the_field_and_keeps_what_was_typed(
    client: Client,
    project: Project,
    version: RubricVersion,
    lead: User,
    expert: User,
    other_expert: User,
    changes: dict[str, object],
    field: str,
    words: str,
) -> None:
    make_pairs(project, 2)
    client.force_login(lead)
    form = {"version": version.pk, "raters": [expert.pk, other_expert.pk], "size": 2, "seed": 99}
    response = client.post(reverse("annotate:round_new", args=["claims"]), {**form, **changes})
    assert response.status_code == 422
    assert words in "".join(response.context["form"].errors[field])
    assert 'value="99"' in response.content.decode()
    assert not Batch.objects.exists()


def test_only_members_can_be_chosen_and_one_rater_is_told_why_not(
    client: Client,
    project: Project,
    version: RubricVersion,
    lead: User,
    expert: User,
    stranger: User,
) -> None:
    make_pairs(project, 2)
    client.force_login(lead)
    url = reverse("annotate:round_new", args=["claims"])
    form = {"version": version.pk, "size": 2}
    chosen = client.post(url, {**form, "raters": [expert.pk, stranger.pk]})
    assert "is not one of the available choices" in str(chosen.context["form"].errors["raters"])
    alone = client.post(url, {**form, "raters": [expert.pk]})
    assert "agreement takes two" in str(alone.context["form"].errors["raters"])


def test_without_a_published_rubric_the_page_says_what_comes_first(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)
    page = client.get(reverse("annotate:round_new", args=["claims"])).content.decode()
    assert "Publish one first" in page


def test_closing_is_asked_first_and_says_what_is_missing(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert])
    make_votes(batch, expert)
    client.force_login(lead)
    url = reverse("annotate:round_close", args=["claims", 1])
    page = client.get(url).content.decode()
    assert "2 of 4 answers are missing" in page
    batch.refresh_from_db()
    assert batch.closed_at is None
    response = client.post(url)
    assert response["Location"] == reverse("annotate:round", args=["claims", 1])
    batch.refresh_from_db()
    assert batch.closed_at is not None
    assert client.get(url).status_code == 302


def test_the_list_groups_rounds_by_version_with_what_has_cleared(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    raters = [expert, other_expert]
    first, second = make_version(project), make_version(project, number=2)
    make_voted_round(project, raters, [[{"C1": "yes no"}] * 2] * 10, version=first)
    make_round(project, raters, version=second)
    make_voted_round(project, raters, [[{}, {}]], version=first, simulated=True)
    client.force_login(lead)
    page = client.get(reverse("annotate:rounds", args=["claims"])).content.decode()
    assert "1 of 2 checks cleared" in page
    assert "What has cleared is shown when a round closes." in page
    assert "simulated raters" in page
    assert page.index("Round 3") < page.index("Round 2") < page.index("Round 1")


def test_the_list_takes_no_more_queries_for_more_rounds_of_a_version(
    client: Client, project: Project, version: RubricVersion, lead: User, expert: User
) -> None:
    other = make_member(project, "expert", username="another")
    client.force_login(lead)

    def queries() -> int:
        client.get(reverse("annotate:rounds", args=["claims"]))
        with CaptureQueriesContext(
            connection,
        ) as found:
            client.get(reverse("annotate:rounds", args=["claims"]))
        return len(found)

    make_voted_round(project, [expert, other], [[{}, {}]], version=version)
    before = queries()
    for _ in range(3):
        make_voted_round(project, [expert, other], [[{}, {}]], version=version)
    assert queries() == before


@pytest.mark.parametrize("name", ["rounds", "round_new", "round", "round_close"])
def test_rounds_are_for_leads(
    client: Client,
    project: Project,
    expert: User,
    other_expert: User,
    outsider: User,
    name: str,
) -> None:
    make_round(project, [expert, other_expert])
    args: list[object] = ["claims", 1] if name in ("round", "round_close") else ["claims"]
    url = reverse(f"annotate:{name}", args=args)
    for user, status in ((expert, 403), (outsider, 404)):
        client.force_login(user)
        assert client.get(url).status_code == status
        if name in ("round_new", "round_close"):
            assert client.post(url).status_code == status
    assert Batch.objects.get().closed_at is None


def test_what_only_reads_takes_no_post(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)
    assert client.post(reverse("annotate:rounds", args=["claims"])).status_code == 405


def _two(project: Project, name: str) -> list[User]:
    return [make_member(project, "expert", username=f"{name}{n}") for n in (1, 2)]


def _queues(batch: Batch) -> list[list[tuple[int, str]]]:
    """What each rater gets, in the order of the raters' names."""
    raters = batch.raters.order_by("name")
    return [
        list(
            Assignment.objects.filter(batch=batch, rater=rater_for(batch.project, rater.user))
            .order_by("position")
            .values_list("subject_id", "order")
        )
        for rater in raters
        if rater.user is not None
    ]
