"""Two leads at one moment: a meeting, a sorted unit and a change of the draft are one each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection

from annotate.actions.edits import make_edit
from annotate.actions.meetings import start_meeting
from annotate.actions.rulings import open_ruling
from annotate.actions.sorting import sort_disagreement
from annotate.disagreements import differing
from annotate.models import Disagreement, Edit, Meeting, Ruling
from rubrics.models import RubricVersion
from tests.annotate.test_meeting import RUBRIC
from tests.making import make_rubric_version, make_voted_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from annotate.disagreements import Differing
    from annotate.models import Batch
    from projects.models import Project, User

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    answers = [[{"C1": "yes"}, {"C1": "no"}]]
    version = make_rubric_version(project, RUBRIC)
    return make_voted_round(project, [expert, other_expert], answers, version=version)


@pytest.fixture
def item(batch: Batch, lead: User) -> Differing:
    return next(one for one in differing([batch], reader=lead).all if one.unit.key == "C1")


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each act gives; all begin together, each on a connection of its own."""
    gate = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            gate.wait(timeout=20)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(run, acts))


def test_two_starts_are_one_meeting(batch: Batch, lead: User) -> None:
    start = lambda: start_meeting(batch=batch, minutes=60, acting_user=lead)  # noqa: E731
    started = at_once(start, start, start)
    assert len(set(started)) == 1
    assert Meeting.objects.count() == 1


def test_two_who_sort_the_same_write_one_row(batch: Batch, item: Differing, lead: User) -> None:
    def sort(kind: str) -> Callable[[], Disagreement]:
        return lambda: sort_disagreement(
            batch=batch, unit=item.unit, kind=kind, note="", suggestion=None, acting_user=lead
        )

    at_once(sort("slip"), sort("legitimate"), sort("slip"))
    assert Disagreement.objects.get().kind in ("slip", "legitimate")


def test_a_split_pressed_twice_splits_once_while_a_ruling_is_opened(
    batch: Batch, item: Differing, lead: User
) -> None:
    detail = {"key": "C1", "parts": [{"text": "Names what broke."}, {"text": "Names when."}]}

    def split() -> Edit:
        return make_edit(
            batch=batch,
            unit=item.unit,
            ruling=None,
            kind="split",
            detail=detail,
            note="",
            passage=None,
            acting_user=lead,
        )

    def rule() -> Ruling:
        return open_ruling(batch=batch, units=[item.unit], question="What holds?", acting_user=lead)

    first, second, ruling = at_once(split, split, rule)
    assert first == second
    draft = RubricVersion.objects.get(status="draft")
    assert draft.criteria.filter(kind="criterion").count() == 3
    row = Disagreement.objects.get()
    assert (row.ruling, list(row.edits.all())) == (ruling, [first])
