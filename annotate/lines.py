"""What the rounds of all versions show of a check that is below the bar."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from annotate.calibration import bars_of, measure_pools
from annotate.labelling import content_of
from annotate.models import Batch, Label
from annotate.proposals import ROUNDS, Case, Facing, Proposal, below_in_a_row, facing, line_of
from annotate.proposals import propose as _propose
from annotate.reliability import Status, Value
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from annotate.calibration import Measured
    from annotate.clearing import Row
    from rubrics.content import Rubric

_BELOW = (Status.BROKEN, Status.TENTATIVE)


def proposals_for(batch: Batch, measured: Measured) -> dict[str, Proposal]:
    """By key, what to try with each check that is below the bar now and has been for long.

    A handful of queries whatever the number of rounds; one where there cannot be three of them.
    """
    keys = [
        row.key for row in measured.rows if row.counts and row.status in _BELOW and not row.done
    ]
    keys = list(dict.fromkeys(keys))
    rounds = _rounds(batch) if keys else []
    if len(rounds) < ROUNDS:
        return {}
    documents = _documents(batch.version)
    alone = measure_pools([[one] for one in rounds])
    opposed = _facing(measured.batches, keys)
    bar = bars_of(batch.project).clear
    found = {}
    for key in keys:
        case = _case(key, documents, rounds, alone, opposed.get(key, Facing()), bar)
        if (proposal := _propose(case)) is not None:
            found[key] = proposal
    return found


def _rounds(batch: Batch) -> list[Batch]:
    """The closed rounds of the rubric up to this one, oldest first."""
    closed = (
        Batch.objects.rounds()
        .closed()
        .filter(
            project=batch.project_id,
            version__rubric=batch.version.rubric_id,
            version__number__lte=batch.version.number,
            simulated=batch.simulated,
        )
    )
    rounds = closed.select_related("project", "version__rubric")
    return sorted(rounds, key=lambda one: (one.version.number, one.number or 0))


def _documents(version: RubricVersion) -> dict[int, Rubric]:
    """By number, oldest first: the document of each version up to this one."""
    versions = RubricVersion.objects.filter(
        rubric=version.rubric_id, number__lte=version.number
    ).released()
    ordered = versions.order_by("number", "revision").values_list("number", "document")
    return {number: content_of(document) for number, document in ordered}


def _case(
    key: str,
    documents: Mapping[int, Rubric],
    rounds: Sequence[Batch],
    alone: Sequence[Measured],
    opposed: Facing,
    bar: float,
) -> Case:
    numbers = list(documents)
    line = dict(zip(reversed(numbers), line_of(key, list(documents.values())), strict=True))
    alphas = [
        _lowest(found.rows, line[one.version.number])
        for one, found in zip(rounds, alone, strict=True)
        if line.get(one.version.number)
    ]
    tried = dict.fromkeys(one.version.number for one in rounds if line.get(one.version.number))
    below = below_in_a_row(alphas, bar)
    now = next(check for check in documents[numbers[-1]].criteria if check.key == key)
    was_split = any(
        check.lineage is not None and check.lineage.kind == "split_from"
        for number in tried
        for check in documents[number].criteria
        if check.key in line[number]
    )
    wordings = {
        tuple(check.text for check in documents[number].criteria if check.key in line[number])
        for number in tried
    }
    return Case(key, now.text, below, len(wordings), was_split, opposed)


def _lowest(rows: Iterable[Row], keys: Sequence[str]) -> float | None:
    """Where a check came of several, of the one that held it down."""
    alphas = [row.reliability.alpha for row in rows if row.key in keys]
    return min((alpha for alpha in alphas if alpha is not None), default=None)


def _facing(batches: Sequence[Batch], keys: Sequence[str]) -> dict[str, Facing]:
    rows = (
        Label.objects.of_current_votes(*batches)
        .for_reliability()
        .filter(criterion__key__in=list(keys))
        .values_list(
            "criterion__key",
            "vote__subject_id",
            "part_key",
            "vote__rater_id",
            "code",
            "number",
            "vote__cites",
        )
    )
    units: dict[str, dict[tuple[int, str], dict[int, tuple[Value, bool]]]] = defaultdict(dict)
    for key, subject, part, rater, code, number, cites in rows.iterator(chunk_size=5000):
        value: Value = code if number is None else number
        units[key].setdefault((subject, part), {})[rater] = (value, key in cites)
    return {key: facing(found.values()) for key, found in units.items()}
