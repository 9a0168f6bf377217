"""Two people at one split on PostgreSQL: one decision, one ruling, and the second reads of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import transaction

from annotate.actions.rulings import RulingRefused, decide_ruling, open_ruling
from annotate.models import Batch, Disagreement, Ruling
from projects.models import Event
from tests.annotate.ruled import QUESTION, asked, split_round, the_split
from tests.annotate.test_locks import ON_POSTGRES, Beside
from tests.making import make_member, make_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from projects.models import User

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not ON_POSTGRES, reason="SQLite has one writer at a time by itself"),
]


@pytest.fixture
def beside() -> Iterator[Beside]:
    found = Beside()
    yield found
    found.pool.shutdown()


@pytest.fixture
def batch(transactional_db: None) -> Batch:
    project = make_project()
    raters = [make_member(project, "expert", username=f"expert{n}") for n in range(3)]
    return split_round(project, raters)


def owner(batch: Batch, name: str) -> User:
    return make_member(batch.project, "policy_owner", username=name)


def test_of_two_decisions_at_once_the_first_holds_and_the_second_reads_who_was_first(
    batch: Batch, beside: Beside
) -> None:
    ruling = asked(batch)
    first, second = owner(batch, "first"), owner(batch, "second")

    def decide() -> str:
        try:
            decide_ruling(ruling=ruling, decision="exclude", answer="No.", acting_user=second)
        except RulingRefused as refusal:
            return str(refusal)
        return "decided"

    with transaction.atomic():
        decide_ruling(ruling=ruling, decision="both", answer="Yes.", acting_user=first)
        waiting = beside.start(decide)
        assert beside.waits(waiting)
    assert waiting.result(timeout=10).startswith("first decided this on ")
    ruling.refresh_from_db()
    assert (ruling.decision, ruling.decided_by) == ("both", first)
    assert Event.objects.filter(verb="ruling.decided").count() == 1


def test_a_split_sent_twice_at_once_is_one_ruling(batch: Batch, beside: Beside) -> None:
    def ask() -> Ruling:
        return open_ruling(
            batch=batch, units=[the_split(batch)], question=QUESTION, acting_user=None
        )

    with transaction.atomic():
        made = asked(batch)
        waiting = beside.start(ask)
        assert beside.waits(waiting)
    assert waiting.result(timeout=10) == made
    assert (Ruling.objects.count(), Disagreement.objects.count()) == (1, 1)
