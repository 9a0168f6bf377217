"""Round after round: what each change of a rubric did to the agreement on each of its checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.urls import reverse

from annotate import charts, clearing
from annotate.calibration import bars_of
from annotate.history import History, history_of
from annotate.pages.goals import goal_href_from_elsewhere
from annotate.pages.kinds_table import KindsTable, kinds_table
from annotate.pages.next_step import in_words
from annotate.pages.report import Step, step_of
from annotate.pages.rounds_cells import Column, Layout, TableRow

if TYPE_CHECKING:
    from projects.models import Project, User
    from rubrics.models import RubricVersion


@dataclass(frozen=True)
class RoundsTable:
    project: Project
    rubric_name: str
    slug: str
    history: History
    columns: tuple[Column, ...]
    groups: tuple[tuple[TableRow, ...], ...]
    axis: charts.Axis
    step: Step
    kinds: KindsTable | None

    @property
    def title(self) -> str:
        rounds, versions = len(self.history.rounds), len(self.columns)
        said = (_many(rounds, "round"), _many(versions, "version"))
        return f"{said[0]}, {said[1]}".capitalize()

    @property
    def pairs(self) -> int:
        return sum(one.tried.measured.subjects for one in self.columns if one.tried.measured)

    @property
    def rows(self) -> list[TableRow]:
        return [row for group in self.groups for row in group]

    @property
    def drawn(self) -> list[list[TableRow]]:
        """The rows of the chart, by group: those that raters were asked in some version."""
        groups = [[row for row in group if row.strips] for group in self.groups]
        return [group for group in groups if group]

    @property
    def pooled(self) -> list[Column]:
        return [column for column in self.columns if len(column.rounds) > 1]


def rounds_table(
    project: Project,
    versions: Sequence[RubricVersion],
    reader: User,
    *,
    simulated: bool | None = None,
) -> RoundsTable:
    """`versions` are those published, oldest first, at least one."""
    history = history_of(project, versions, reader, simulated=simulated)
    columns = _columns(history)
    alphas = [
        row.reliability.alpha
        for column in columns
        if column.tried.measured
        for row in column.tried.measured.rows
    ]
    scale = charts.axis(alphas, bars_of(project))
    rubric = versions[-1].rubric
    return RoundsTable(
        project=project,
        rubric_name=rubric.name,
        slug=rubric.slug,
        history=history,
        columns=columns,
        groups=Layout(history, columns, scale).groups() if columns else (),
        axis=scale,
        step=_step(project, history),
        kinds=kinds_table(history.rounds),
    )


def _columns(history: History) -> tuple[Column, ...]:
    """The versions that a round tried, and the newest where none has tried it yet."""
    tried = [Column(n, one) for n, one in enumerate(history.versions) if one.measured]
    last = len(history.versions) - 1
    if tried and tried[-1].place != last:
        tried.append(Column(last, history.newest))
    return tuple(tried)


def _step(project: Project, history: History) -> Step:
    """Where the newest version stands and what to do."""
    newest = history.newest
    number = newest.version.number
    running = [batch for batch in history.running if batch.version.number == number]
    if running:
        last = running[-1].number
        href = reverse("annotate:round", args=[project.slug, last])
        says = f"Round {last} of version {number} is open: its figures come when it closes."
        return Step(says, f"See round {last}", href, "")
    if newest.measured is None:
        href = reverse("annotate:round_new", args=[project.slug])
        untried = f"Version {number} is published and no round has tried it yet."
        return Step(f"{untried} Start one on fresh pairs.", "Start a round", href, "")
    batch, measured = newest.measured.batches[-1], newest.measured
    # Kept with the figures: what probes and earlier rounds have to say takes more to find out.
    found = history.verdict.step if history.verdict else None
    found = found or clearing.next_step(measured.rows, version=number)
    href = goal_href_from_elsewhere(batch, found, pooled=measured.pooled)
    return replace(step_of(batch, found, measured), href=href)


def _many(count: int, noun: str) -> str:
    return f"{in_words(count) if count else 'no'} {noun}{'' if count == 1 else 's'}"
