"""What the votes of a round, a batch or an import measure: a row for each check.

Rounds of one rubric version are pooled, versions never are: see docs/design/clearing.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from annotate import clearing, waivers
from annotate.clearing import Row
from annotate.decisions import OUTCOMES
from annotate.models import Batch
from annotate.ratings import OUTCOME, for_reliability, ratings
from annotate.reliability import (
    Bars,
    Level,
    Reliability,
    Value,
    applicable,
    applying,
    reliability,
)
from annotate.snapshots import Counted, Kept, counted_votes, kept_of, remembered
from rubrics import content
from rubrics.content import NA
from rubrics.models import Criterion

if TYPE_CHECKING:
    from annotate.models import Waiver
    from projects.models import Project
    from rubrics.models import RubricVersion

# A row of a version, or the same check as its document has it.
Check = Criterion | content.Criterion

# The pairs without which alpha would rise most are named; nobody reads more of them.
STRONGEST = 5
# What the figures of a pool are kept as.
FIGURES = "figures"


class MixedVersions(ValueError):
    """Votes under different rubric versions answer different questions."""


@dataclass(frozen=True)
class Asked:
    """One figure to compute: a check's values, or whether it applies."""

    key: str
    kind: clearing.Kind
    title: str
    figure: clearing.Figure
    level: Level
    scale: tuple[str, ...]

    @property
    def code(self) -> str:
        """The name of the figure in addresses."""
        return clearing.code_of(self.key, self.figure)


@dataclass(frozen=True)
class Computed:
    """A figure as its votes give it. `split` counts the units on which raters differ; `strongest`
    are (external id of a subject, what alpha gains without it), the largest gain first.
    """

    reliability: Reliability
    split: int
    strongest: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Measured:
    """The rows of a report over `batches`, with the subjects voted on and the strongest pairs."""

    batches: tuple[Batch, ...]
    rows: tuple[Row, ...]
    subjects: int
    strongest: dict[tuple[str, str], tuple[tuple[str, float], ...]]
    # Of the version, by key of the check, whether it has cleared since or not.
    waivers: dict[str, Waiver] = field(default_factory=dict)

    @property
    def pooled(self) -> bool:
        return len(self.batches) > 1

    @property
    def cleared(self) -> tuple[int, int]:
        return clearing.checks(self.rows)


def pool_of(batch: Batch) -> list[Batch]:
    """The batches whose votes a report on this one rests on, oldest first.

    The closed rounds of its rubric version, whatever the revision, and itself. Simulated raters
    say nothing about real ones, so their rounds are pooled among themselves.
    """
    if batch.kind != Batch.Kind.CALIBRATION:
        return [batch]
    others = (
        Batch.objects.rounds()
        .closed()
        .filter(
            project_id=batch.project_id,
            version__rubric_id=batch.version.rubric_id,
            version__number=batch.version.number,
            simulated=batch.simulated,
        )
        .exclude(pk=batch.pk)
        .select_related("project", "version__rubric")
    )
    return sorted([batch, *others], key=lambda found: found.number or 0)


def measure(batch: Batch, *, pool: Sequence[Batch] | None = None) -> Measured:
    """The report on a batch: its pooled rows, each with the batch's own figure where it differs.

    `pool` are the batches to pool, by default `pool_of(batch)`. Raises MixedVersions.
    """
    pool = list(pool) if pool is not None else pool_of(batch)
    asked = asked_of(batch)
    figures, subjects = figures_of(pool, asked)
    own = figures_of([batch], asked)[0] if pool != [batch] else {}
    spared = waivers.standing(batch.version) if batch.kind == Batch.Kind.CALIBRATION else {}
    return _measured(batch, pool, asked, figures, own, subjects, spared)


def figures_of(
    batches: Sequence[Batch],
    asked: Sequence[Asked],
    counted: Counted | None = None,
    kept: Kept | None = None,
) -> tuple[dict[tuple[str, str], Computed], int]:
    """Every figure over the votes of the batches, by (key, figure), and the subjects voted on."""
    refuse_mixed_versions(batches)
    data = remembered(FIGURES, batches, lambda: _computed(batches, asked), counted, kept)
    found = {(key, figure): _loaded(entry) for key, figure, entry in data["figures"]}
    return found, int(data["subjects"])


def volume_is_open(version: RubricVersion) -> bool:
    """Whether every gate and criterion of a version has cleared or is waived.

    Decided over all closed rounds of real raters under the version, whatever the revision; without
    any it is closed. A check that no round asked about has not cleared.
    """
    measured = measured_under(version)
    if measured is None:
        return False
    asked = {check.key for check in version.criteria.asked()}
    needed = {check.key for check in version.criteria.filter(kind__in=("gate", "criterion"))}
    rows = clearing.required(measured.rows)
    return (needed or asked) <= {row.key for row in rows} and all(row.done for row in rows)


def measured_under(version: RubricVersion, *, simulated: bool = False) -> Measured | None:
    """What the closed rounds of a version come to together; None where none has closed."""
    rounds = (
        Batch.objects.rounds()
        .closed()
        .filter(
            project=version.rubric.project_id,
            version__rubric=version.rubric_id,
            version__number=version.number,
            simulated=simulated,
        )
    )
    newest = rounds.select_related("project", "version__rubric").order_by("-number").first()
    return None if newest is None else measure(newest)


def pools_of(batches: Iterable[Batch]) -> list[list[Batch]]:
    """Closed rounds by what is pooled: one rubric version, real raters or simulated ones."""
    pools: dict[tuple[int, int, bool], list[Batch]] = {}
    for batch in sorted(batches, key=lambda found: found.number or 0):
        place = (batch.version.rubric_id, batch.version.number, batch.simulated)
        pools.setdefault(place, []).append(batch)
    return list(pools.values())


def measure_pools(
    pools: Sequence[Sequence[Batch]],
    *,
    counted: Counted | None = None,
    checks: Mapping[int, Sequence[Check]] | None = None,
    kept: Kept | None = None,
) -> list[Measured]:
    """The pooled rows of each pool; where their figures are kept, in as many queries for ten.

    `checks` are those of each version, by its id, and `kept` the figures that are kept, where the
    caller has them at hand.
    """
    batches = [batch for pool in pools for batch in pool]
    counted = counted_votes(batches) if counted is None else counted
    checks = _checks_of(batches) if checks is None else checks
    kept = kept_of(FIGURES, pools, counted) if kept is None else kept
    spared = waivers.standing_of(batch.version for batch in batches)
    found = []
    for pool in pools:
        asked = asked_among(pool[-1], checks.get(pool[-1].version_id, ()))
        figures, subjects = figures_of(pool, asked, counted, kept)
        version = pool[-1].version
        here = spared.get((version.rubric_id, version.number), {})
        found.append(_measured(pool[-1], pool, asked, figures, {}, subjects, here))
    return found


def _checks_of(batches: Iterable[Batch]) -> dict[int, list[Check]]:
    found: dict[int, list[Check]] = {}
    versions = {batch.version_id for batch in batches}
    for check in Criterion.objects.filter(version__in=versions).order_by("order"):
        found.setdefault(check.version_id, []).append(check)
    return found


def refuse_mixed_versions(batches: Sequence[Batch]) -> None:
    versions = {(batch.version.rubric_id, batch.version.number): batch for batch in batches}
    if len(versions) > 1:
        named = "; ".join(f"{batch}: {batch.version}" for batch in versions.values())
        raise MixedVersions(
            f"Votes under different rubric versions are never pooled ({named}). "
            "Measure each version by itself."
        )


def bars_of(project: Project) -> Bars:
    return Bars(clear=project.bar, tentative=project.tentative_bar, thin_waits=project.thin_waits)


def asked_of(batch: Batch) -> list[Asked]:
    """The figures of a batch in rubric order: gates, criteria, preference, then the outcome."""
    return asked_among(batch, list(batch.version.criteria.asked()))


def asked_among(batch: Batch, checks: Sequence[Check]) -> list[Asked]:
    """The same from the checks of the batch's version, in rubric order."""
    criteria = [found for found in checks if found.kind != "automatic"]
    if batch.criteria_scope is not None:
        criteria = [found for found in criteria if found.key in batch.criteria_scope]
    asked = [figure for criterion in criteria for figure in _figures_asked(criterion)]
    kinds = {criterion.kind for criterion in criteria}
    if batch.version.subject_kind == "pair" and kinds & {"gate", "preference"}:
        asked.append(Asked(OUTCOME, "outcome", "Outcome", "values", "nominal", OUTCOMES))
    return asked


def _figures_asked(criterion: Check) -> list[Asked]:
    level = cast("Level", criterion.level)
    values = tuple(str(value) for value in criterion.values)
    own = Asked(
        key=criterion.key,
        kind=cast("clearing.Kind", criterion.kind),
        title=criterion.heading,
        figure="values",
        level=level,
        scale=values,
    )
    if not criterion.allows_na:
        return [own]
    if level == "nominal":
        return [replace(own, scale=(*values, NA))]
    applies = replace(own, figure="applicability", level="nominal", scale=("applicable", NA))
    return [own, applies]


def _measured(
    batch: Batch,
    pool: Sequence[Batch],
    asked: Sequence[Asked],
    figures: dict[tuple[str, str], Computed],
    own: dict[tuple[str, str], Computed],
    subjects: int,
    spared: Mapping[str, Waiver],
) -> Measured:
    bars = bars_of(batch.project)
    if batch.kind != Batch.Kind.CALIBRATION:
        # No other round can come.
        bars = replace(bars, thin_waits=False)
    # A rubric of nothing but a preference has nothing else to clear.
    needed = {"gate", "criterion"} & {figure.kind for figure in asked} or {"preference"}
    rows = []
    for figure in asked:
        found = figures[figure.key, figure.figure]
        alone = own.get((figure.key, figure.figure))
        rows.append(
            clearing.row(
                **asdict(figure),
                reliability=found.reliability,
                split=found.split,
                bars=bars,
                counts=figure.kind in needed and _is_in_question(figure, found.reliability),
                own=alone.reliability if alone else None,
                waived=spared[figure.key].reason if figure.key in spared else "",
            )
        )
    strongest = {place: found.strongest for place, found in figures.items()}
    return Measured(tuple(pool), tuple(rows), subjects, strongest, dict(spared))


def _is_in_question(asked: Asked, found: Reliability) -> bool:
    """Whether a check applies is in question only once somebody has said that it does not."""
    return asked.figure == "values" or dict(found.counts).get(NA, 0) > 0


def _computed(batches: Sequence[Batch], asked: Sequence[Asked]) -> dict[str, Any]:
    frame = ratings(batches)
    figures = []
    for figure in asked:
        chosen = _of_figure(for_reliability(frame, figure.key), figure)
        found = _reliability(chosen, figure)
        subjects = frame[frame["criterion"] == figure.key]
        entry = {
            "reliability": {**asdict(found), "influence": {}},
            "split": _split(chosen),
            "strongest": _strongest(found, subjects),
        }
        figures.append([figure.key, figure.figure, entry])
    return {"figures": figures, "subjects": int(frame["subject"].nunique())}


def _of_figure(rows: pd.DataFrame, asked: Asked) -> pd.DataFrame:
    """The ratings as the figure takes them: whether the check applies, or its values alone."""
    if asked.figure == "applicability":
        return applying(rows, NA)
    return rows if asked.level == "nominal" else applicable(rows, NA)


def _reliability(chosen: pd.DataFrame, asked: Asked) -> Reliability:
    scale: tuple[Value, ...] | None = asked.scale or None
    return reliability(chosen, criterion=asked.code, level=asked.level, scale=scale)


def _split(chosen: pd.DataFrame) -> int:
    """Units on which raters differ."""
    return int((chosen.groupby("unit")["value"].nunique() > 1).sum())


def _strongest(found: Reliability, rows: pd.DataFrame) -> list[tuple[str, float]]:
    gains = sorted(found.influence.items(), key=lambda item: (-item[1], str(item[0])))
    cluster = rows["group"].where(rows["group"] != "", rows["subject"])
    members = rows["subject"].groupby(cluster).unique()
    named = [
        (str(subject), float(gain))
        for name, gain in gains[:STRONGEST]
        if gain > 0
        for subject in members[name]
    ]
    return named[:STRONGEST]


def _loaded(entry: dict[str, Any]) -> Computed:
    fields = dict(entry["reliability"])
    for name in ("counts", "pairable_counts"):
        fields[name] = tuple((value, times) for value, times in fields[name])
    if fields["interval"] is not None:
        fields["interval"] = tuple(fields["interval"])
    strongest = tuple((subject, gain) for subject, gain in entry["strongest"])
    return Computed(Reliability(**fields), entry["split"], strongest)
