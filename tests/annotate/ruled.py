"""Rounds with a split in them, and rulings on it, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from annotate.actions.rulings import decide_ruling, open_ruling
from annotate.models import Batch, Ruling, Subject
from tests.making import make_voted_round

if TYPE_CHECKING:
    from projects.models import Project, User
    from rubrics.models import RubricVersion

QUESTION = "Does a rounded amount count as the one in the file?"


class At(NamedTuple):
    subject: int
    key: str
    part: str


def split_round(
    project: Project,
    raters: list[User],
    *,
    size: int = 2,
    version: RubricVersion | None = None,
    simulated: bool = False,
    key: str = "C1",
) -> Batch:
    """A closed round: on its first pair the last rater says no to a check on B, where the others
    say yes; on the rest all agree."""
    alike = [{key: "yes yes"} for _ in raters]
    odd = [*alike[:-1], {key: "yes no"}]
    answers = [odd, *[alike for _ in range(size - 1)]]
    return make_voted_round(project, raters, answers, version=version, simulated=simulated)


def first_pair(batch: Batch) -> Subject:
    return Subject.objects.filter(slots__batch=batch).order_by("pk").distinct()[0]


def the_split(batch: Batch) -> At:
    return At(first_pair(batch).pk, "C1", "B")


def asked(batch: Batch, by: User | None = None, question: str = QUESTION) -> Ruling:
    return open_ruling(batch=batch, units=[the_split(batch)], question=question, acting_user=by)


def decided(batch: Batch, decision: str, *, by: User | None = None, right_code: str = "") -> Ruling:
    return decide_ruling(
        ruling=asked(batch),
        decision=decision,
        answer="The file is the measure.",
        right_code=right_code,
        acting_user=by,
    )
