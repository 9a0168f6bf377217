"""First-run practice: where a rater stands with it. docs/design/practice.md.

A practice is its rater's own. Whoever else asks is told that it was done, never how it went.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from annotate.gold import known_answer, practice_for, told
from annotate.models import Assignment, Batch, GoldAnswer
from projects.models import Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from projects.models import Rater, User
    from rubrics.models import RubricVersion

DECLINED = "practice.declined"
# In the detail of a practice vote: the answer that its rater was shown.
KNOWN = "known"


class Stage(StrEnum):
    OFFERED = "offered"
    BEGUN = "begun"
    DONE = "done"


@dataclass(frozen=True)
class Practice:
    """A rater's practice under a rubric; `pairs` in the rater's order, none before it is begun."""

    stage: Stage
    size: int
    pairs: tuple[Assignment, ...] = ()

    @property
    def sent(self) -> tuple[Assignment, ...]:
        return tuple(pair for pair in self.pairs if pair.state == Assignment.State.SUBMITTED)

    @property
    def left(self) -> int:
        return self.size - len(self.sent)

    @property
    def batch(self) -> Batch | None:
        return self.pairs[0].batch if self.pairs else None


def practice_of(rater: Rater, version: RubricVersion) -> Practice | None:
    """Where a rater stands under the rubric of a version; None where there is nothing to practise.

    Once done, it is done for the rubric: another version asks for no second one.
    """
    held = Assignment.objects.of_rater(rater).of_practice(version.rubric_id)
    held = held.select_related("batch__version__rubric").order_by("batch_id", "position")
    by_batch: dict[int, list[Assignment]] = {}
    for pair in held:
        by_batch.setdefault(pair.batch_id, []).append(pair)
    found = [Practice(Stage.BEGUN, len(pairs), tuple(pairs)) for pairs in by_batch.values()]
    for one in found:
        if not one.left:
            return Practice(Stage.DONE, one.size, one.pairs)
    for one in found:
        if one.batch is not None and one.batch.version_id == version.pk:
            return one
    size = len(practice_for(rater, version))
    return Practice(Stage.OFFERED, size) if size else None


def practice_left(user: User, batches: Sequence[Batch]) -> dict[int, int]:
    """How many practice pairs a rater still has before them, by open round."""
    rubrics = {batch.version.rubric_id for batch in batches if not batch.simulated}
    answers = GoldAnswer.objects.filter(use="practice", version__rubric__in=rubrics)
    held = set(answers.values_list("version__rubric", flat=True))
    found: dict[int, int] = {}
    # Seldom more than one: a rubric has practice pairs, and its rater a round open, at a time.
    for batch in batches:
        if batch.version.rubric_id in held and batch.kind == Batch.Kind.CALIBRATION:
            own = practice_of(batch.raters.get(user=user), batch.version)
            found[batch.pk] = own.left if own else 0
    return found


def comes_first(rater: Rater, batch: Batch, following: Assignment) -> bool:
    """Whether a rater who opens a round meets the practice before its first pair.

    Once only: who has looked at a pair of the round, or has said no, goes straight to the pairs.
    """
    if batch.kind != Batch.Kind.CALIBRATION or batch.simulated or following.opened_at is not None:
        return False
    if Assignment.objects.of_rater(rater).filter(batch=batch).touched().exists():
        return False
    found = practice_of(rater, batch.version)
    return found is not None and found.stage != Stage.DONE and not has_declined(rater, batch)


def is_told(assignment: Assignment) -> bool:
    """Whether its rater has sent a practice pair, and so may see the known answer to it."""
    return assignment.batch.is_practice and assignment.state == Assignment.State.SUBMITTED


def has_declined(rater: Rater, batch: Batch) -> bool:
    said_no = Event.objects.filter(project=batch.project_id, actor=rater.user_id, verb=DECLINED)
    return said_no.filter(data__rubric=batch.version.rubric_id).exists()


def round_after(practised: Assignment) -> Batch | None:
    """The open round that a practice leads to: under its version before another of the rubric."""
    rounds = (
        Batch.objects.rounds()
        .open()
        .filter(raters=practised.rater_id, version__rubric=practised.batch.version.rubric_id)
    )
    by_nearness = sorted(
        rounds, key=lambda batch: (batch.version_id == practised.batch.version_id, batch.pk)
    )
    return by_nearness[-1] if by_nearness else None


def detail_of(assignment: Assignment) -> dict[str, Any]:
    """What a practice vote keeps beside its labels: the known answer as it stood when it was sent.

    The feedback reads this and nothing else, so a later answer changes nothing that was told.
    """
    gold = known_answer(assignment.subject_id, assignment.batch.version)
    return {KNOWN: told(gold)} if gold else {}


def practised_counts(versions: list[int]) -> dict[int, int]:
    """How many raters have done the practice of each version."""
    rows = Assignment.objects.filter(
        batch__kind=Batch.Kind.PRACTICE, batch__version__in=versions
    ).live()
    left: dict[tuple[int, int], bool] = {}
    for version, rater, state in rows.values_list("batch__version_id", "rater_id", "state"):
        place = (version, rater)
        left[place] = left.get(place, False) or state != Assignment.State.SUBMITTED
    counts: dict[int, int] = {}
    for (version, _), waits in left.items():
        if not waits:
            counts[version] = counts.get(version, 0) + 1
    return counts
