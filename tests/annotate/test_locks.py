"""Who waits for whom on PostgreSQL: nobody for another rater, a closing round for running votes."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection, transaction

from annotate.actions import simulated_votes
from annotate.actions.raters import give_pseudonyms
from annotate.actions.rounds import close_round, start_round
from annotate.actions.simulated_votes import SimulationRefused, simulate_round
from annotate.actions.votes import BatchClosed, save_draft, skip, submit_vote
from annotate.actions.waivers import waive, withdraw_waiver
from annotate.models import Batch, Vote, Waiver
from annotate.verdicts import keep_verdicts, kept_verdicts
from projects.models import Event, Project, Rater
from rubrics.actions import publish
from tests.ballots import filled, first_of, make_label_round
from tests.making import make_member, make_pairs, make_project, make_version, make_voted_round

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from projects.models import User

ON_POSTGRES = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not ON_POSTGRES, reason="SQLite has one writer at a time by itself"),
]
Found = TypeVar("Found")


class Beside:
    """Work in a second connection. It waits three seconds for a lock at most."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(1)
        self.pid = 0

    def start(self, work: Callable[[], Found]) -> Future[Found]:
        pids: SimpleQueue[int] = SimpleQueue()

        def connected() -> Found:
            try:
                with connection.cursor() as cursor:
                    cursor.execute("SET lock_timeout = '3s'")
                    cursor.execute("SELECT pg_backend_pid()")
                    pids.put(cursor.fetchone()[0])
                return work()
            finally:
                connection.close()

        started = self.pool.submit(connected)
        self.pid = pids.get(timeout=10)
        return started

    def do(self, work: Callable[[], Found]) -> Found:
        return self.start(work).result(timeout=10)

    def waits(self, started: Future[Any]) -> bool:
        """Whether it comes to wait for a lock that this connection holds, before it ends."""
        with connection.cursor() as cursor:
            while not started.done():
                cursor.execute("SELECT cardinality(pg_blocking_pids(%s))", [self.pid])
                if cursor.fetchone()[0]:
                    return True
        return False


@pytest.fixture
def beside() -> Iterator[Beside]:
    found = Beside()
    yield found
    found.pool.shutdown()


@pytest.fixture
def claims() -> Project:
    return make_project()


@pytest.fixture
def ann(claims: Project) -> User:
    return make_member(claims, "expert", username="ann")


@pytest.fixture
def bo(claims: Project) -> User:
    return make_member(claims, "expert", username="bo")


@pytest.fixture
def batch(claims: Project, ann: User, bo: User) -> Batch:
    return make_label_round(claims, ann, bo)


def vote(batch: Batch, user: User) -> Vote:
    return submit_vote(
        assignment=first_of(batch, user), form=filled(), submit_key=uuid4(), acting_user=user
    )


def draft(batch: Batch, user: User) -> int:
    saved = save_draft(assignment=first_of(batch, user), form=filled(), acting_user=user)
    return saved.draft_revision


# ---- Raters


def test_two_raters_of_a_batch_never_wait_for_each_other(
    batch: Batch, ann: User, bo: User, beside: Beside
) -> None:
    with transaction.atomic():
        draft(batch, ann)
        assert beside.do(lambda: draft(batch, bo)) == 1
        vote(batch, ann)
        assert beside.do(lambda: vote(batch, bo)).revision == 1


def test_two_drafts_of_one_pair_are_saved_one_after_the_other(
    batch: Batch, ann: User, beside: Beside
) -> None:
    with transaction.atomic():
        draft(batch, ann)
        second = beside.start(lambda: draft(batch, ann))
        assert beside.waits(second)
    assert second.result() == 2


def test_a_vote_does_not_wait_while_a_round_starts_or_a_rubric_is_published(
    batch: Batch, claims: Project, ann: User, bo: User, beside: Beside
) -> None:
    others = [make_member(claims, "expert", username=name) for name in ("cy", "di")]
    version = make_version(claims, task="another", published=False)
    make_pairs(claims, 2, prefix="fresh")
    with transaction.atomic():
        version = publish(version=version, change_note="First.", acting_user=None)
        start_round(project=claims, version=version, raters=others, size=2, acting_user=None)
        assert beside.do(lambda: vote(batch, ann)).revision == 1


# ---- Closing


def test_a_closing_round_waits_for_the_vote_on_its_way_and_counts_it(
    batch: Batch, ann: User, beside: Beside
) -> None:
    with transaction.atomic():
        vote(batch, ann)
        closing = beside.start(lambda: close_round(batch=batch, acting_user=None))
        assert beside.waits(closing)
    assert closing.result().closed_at is not None
    assert Event.objects.get(verb="round.closed").data["unanswered"] == 3


@pytest.mark.parametrize("write", ["vote", "draft", "skip"])
def test_what_comes_while_a_round_closes_finds_it_closed(
    batch: Batch, ann: User, beside: Beside, write: str
) -> None:
    late = {
        "vote": lambda: vote(batch, ann),
        "draft": lambda: draft(batch, ann),
        "skip": lambda: skip(assignment=first_of(batch, ann), reason="", acting_user=ann),
    }[write]
    with transaction.atomic():
        close_round(batch=batch, acting_user=None)
        coming = beside.start(late)
        assert beside.waits(coming)
    with pytest.raises(BatchClosed):
        coming.result()
    assert not Vote.objects.exists()


def test_a_round_that_is_closed_while_it_is_simulated_waits_for_all_of_its_votes(
    claims: Project, beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By name the second rater comes first, by row the first: locks are taken in one order only.
    raters = [make_member(claims, "expert", username=name) for name in ("zed", "abe")]
    make_pairs(claims, 2)
    batch = start_round(
        project=claims,
        version=make_version(claims),
        raters=raters,
        size=2,
        simulated=True,
        acting_user=None,
    )
    closing: list[Future[Batch]] = []

    def submit_and_let_another_close(**given: Any) -> Vote:
        vote = submit_vote(**given)
        if not closing:
            closing.append(beside.start(lambda: close_round(batch=batch, acting_user=None)))
            assert beside.waits(closing[0])
        return vote

    monkeypatch.setattr(simulated_votes, "submit_vote", submit_and_let_another_close)
    assert simulate_round(batch=batch, seed=1, acting_user=None) == 4
    assert closing[0].result().closed_at is not None
    assert Event.objects.get(verb="round.closed").data["unanswered"] == 0


def test_a_simulation_that_comes_while_a_round_closes_finds_it_closed(
    claims: Project, ann: User, bo: User, beside: Beside
) -> None:
    make_pairs(claims, 2)
    batch = start_round(
        project=claims,
        version=make_version(claims),
        raters=[ann, bo],
        size=2,
        simulated=True,
        acting_user=None,
    )
    with transaction.atomic():
        close_round(batch=batch, acting_user=None)
        late = Batch.objects.select_related("version__rubric").get(pk=batch.pk)
        late.closed_at = None
        coming = beside.start(lambda: simulate_round(batch=late, seed=1, acting_user=None))
        assert beside.waits(coming)
    with pytest.raises(SimulationRefused, match="is closed"):
        coming.result()
    assert not Vote.objects.exists()


# ---- Waivers


def test_a_verdict_that_is_written_during_a_waiver_is_of_what_stands_afterwards(
    claims: Project, ann: User, bo: User, beside: Beside
) -> None:
    """A measure job must not put the sentence from before a waiver in the place of the newer."""
    same = [[{"C1": "yes no"}, {"C1": "yes no"}]] * 10
    batch = make_voted_round(claims, [ann, bo], same)
    with transaction.atomic():
        waive(version=batch.version, key="G1", reason="Seen in rounds before.", acting_user=None)
        measuring = beside.start(lambda: keep_verdicts(batch))
        assert beside.waits(measuring)
    measuring.result()
    assert kept_verdicts([batch])[batch.pk].waived == "G1"
    (waiver,) = Waiver.objects.all()
    with transaction.atomic():
        withdraw_waiver(waiver=waiver, acting_user=None)
        measuring = beside.start(lambda: keep_verdicts(batch))
        assert beside.waits(measuring)
    measuring.result()
    assert kept_verdicts([batch])[batch.pk].holding == "G1 undefined"


def test_a_waiver_during_a_measurement_has_the_last_word(
    claims: Project, ann: User, bo: User, beside: Beside
) -> None:
    same = [[{"C1": "yes no"}, {"C1": "yes no"}]] * 10
    batch = make_voted_round(claims, [ann, bo], same)
    reason = "Seen in rounds before."
    with transaction.atomic():
        keep_verdicts(batch)
        giving = beside.start(
            lambda: waive(version=batch.version, key="G1", reason=reason, acting_user=None)
        )
        assert beside.waits(giving)
    giving.result()
    assert kept_verdicts([batch])[batch.pk].waived == "G1"


# ---- Pseudonyms


def test_two_first_votes_at_once_agree_on_the_raters_pseudonym(
    batch: Batch, ann: User, beside: Beside
) -> None:
    first, second = batch.assignments.filter(rater__user=ann).order_by("pk")

    def vote_on(assignment: Any) -> str | None:
        given = submit_vote(
            assignment=assignment, form=filled(), submit_key=uuid4(), acting_user=ann
        )
        return given.rater.pseudonym

    with transaction.atomic():
        given = vote_on(first)
        coming = beside.start(lambda: vote_on(second))
        assert beside.waits(coming)
    assert given
    assert coming.result() == given == Rater.objects.get(user=ann).pseudonym


def test_a_rater_read_before_another_gave_the_pseudonym_learns_that_one(
    batch: Batch, ann: User, beside: Beside
) -> None:
    read_before = Rater.objects.get(user=ann)
    given = beside.do(lambda: vote(batch, ann)).rater.pseudonym
    give_pseudonyms([read_before])
    assert read_before.pseudonym == given == Rater.objects.get(user=ann).pseudonym
