"""What the report page shows, as plain values for its template."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Max
from django.urls import reverse

from annotate import charts, clearing
from annotate.access import still_rated_by
from annotate.calibration import Measured, bars_of, measure
from annotate.clearing import Next, Row
from annotate.models import Batch, Subject, Vote
from annotate.outcomes import Summary, summary
from annotate.pages.disagreements import Filters, list_href
from annotate.pages.figures import figure, interval_words, percent, signed
from annotate.pages.gaps import Gaps, gaps
from annotate.pages.goals import goal_href
from annotate.pages.matrix import Matrix, matrix_of
from annotate.pages.probes import ProbeTable, probe_table
from annotate.pages.unit_filters import ALL_VOTES, given_code, units_href
from annotate.probes import met, tally
from annotate.rater_agreement import rater_agreement
from annotate.ratings import OUTCOME
from annotate.reliability import Value
from annotate.road import road_of
from annotate.verdicts import keep_if_missing
from rubrics.content import NA
from rubrics.models import RubricVersion
from rubrics.words import listed, value_words

if TYPE_CHECKING:
    from uuid import UUID

    from annotate.models import Waiver
    from projects.models import User


@dataclass(frozen=True)
class Step:
    sentence: str
    action: str
    href: str
    key: str


@dataclass(frozen=True)
class LabelCount:
    value: str
    times: int
    href: str


@dataclass(frozen=True)
class StrongPair:
    external_id: str
    href: str
    without: str


@dataclass(frozen=True)
class Line:
    """A row of the report with its drawing and the pages behind its numbers."""

    row: Row
    plot: charts.Plot
    units_href: str
    pairable_href: str
    minority_href: str
    split_href: str
    own_href: str
    labels: tuple[LabelCount, ...]
    strongest: tuple[StrongPair, ...]
    aside: str
    is_next: bool
    # Where a check that volume waits for is waived, or its waiver is read; '' for any other.
    waive_href: str = ""
    waiver: Waiver | None = None

    @property
    def alpha(self) -> str | None:
        return figure(self.row.reliability.alpha)

    @property
    def interval(self) -> str:
        return interval_words(self.row.reliability)

    @property
    def raw(self) -> str:
        return percent(self.row.reliability.agreement)

    @property
    def own(self) -> str:
        """The round's own alpha, where the row is pooled over several."""
        alone = self.row.own
        if alone is None:
            return ""
        return "undefined" if alone.alpha is None else figure(alone.alpha) or ""


@dataclass(frozen=True)
class Overlap:
    """How many of the subjects voted on have two votes or more."""

    subjects: int
    shared: int
    votes: int
    raters: int
    href: str

    @property
    def shared_href(self) -> str:
        return f"{self.href}&labels=several"

    @property
    def share(self) -> str:
        return percent(self.shared / self.subjects if self.subjects else None)


@dataclass(frozen=True)
class Report:
    batch: Batch
    measured: Measured
    lines: tuple[Line, ...]
    axis: charts.Axis
    step: Step
    cleared: int
    checks: int
    matrix: Matrix | None
    overlap: Overlap
    decisions: Summary | None
    gaps: Gaps
    probes: ProbeTable | None

    @property
    def waived(self) -> str:
        """The checks that are waived, in words; '' where none is."""
        return listed(clearing.waived(self.measured.rows))

    @property
    def split(self) -> list[Line]:
        """The lines on which raters differ, the most contested first."""
        differing = [line for line in self.lines if line.row.split and line.row.kind != "outcome"]
        return sorted(differing, key=lambda line: -line.row.split)

    @property
    def groups(self) -> list[list[Line]]:
        """Gates, criteria, then preference and outcome: each a part of the table."""
        kinds = (("gate",), ("criterion",), ("preference", "outcome"))
        parts = [[line for line in self.lines if line.row.kind in kind] for kind in kinds]
        return [part for part in parts if part]

    @property
    def outcome_href(self) -> str:
        return units_href(self.batch, pooled=False, criterion=OUTCOME)


def report(batch: Batch, reader: User) -> Report:
    """The whole report. Nothing in it shows one person's vote on a pair `reader` still rates."""
    measured = measure(batch)
    imported = batch.kind == Batch.Kind.IMPORTED
    if batch.kind == Batch.Kind.CALIBRATION:
        keep_if_missing(batch)
    planted = met(measured.batches, secret=still_rated_by(reader))
    tallies = tally(planted, batch.version)
    found = clearing.next_step(
        measured.rows,
        version=batch.version.number,
        imported=imported,
        road=road_of(batch, measured, tallies),
    )
    cleared, checks = measured.cleared
    alphas = [row.reliability.alpha for row in measured.rows]
    scale = charts.axis(alphas, bars_of(batch.project))
    places = _places(batch, measured, reader)
    lines = tuple(_line(batch, row, measured, scale, places, found) for row in measured.rows)
    return Report(
        batch=batch,
        measured=measured,
        lines=lines,
        axis=scale,
        step=_superseded(batch) or step_of(batch, found, measured),
        cleared=cleared,
        checks=checks,
        matrix=matrix_of(batch, rater_agreement(batch), _given_codes(measured)),
        overlap=overlap_of(batch),
        decisions=summary(batch),
        gaps=gaps([batch], reader),
        probes=probe_table(
            batch,
            planted,
            tallies,
            pooled=measured.pooled,
            titles={row.key: row.title for row in measured.rows},
        ),
    )


def overlap_of(batch: Batch) -> Overlap:
    votes = Vote.objects.of_batches(batch).current().counted()
    by_subject = list(
        votes.order_by()
        .values("subject")
        .annotate(times=Count("id"))
        .values_list("times", flat=True)
    )
    return Overlap(
        subjects=len(by_subject),
        shared=sum(times > 1 for times in by_subject),
        votes=sum(by_subject),
        raters=votes.order_by().values("rater").distinct().count(),
        href=units_href(batch, pooled=False, criterion=ALL_VOTES),
    )


def _line(
    batch: Batch,
    row: Row,
    measured: Measured,
    scale: charts.Axis,
    places: dict[str, UUID],
    step: Next,
) -> Line:
    found = row.reliability

    def href(**filters: object) -> str:
        return units_href(batch, pooled=measured.pooled, criterion=row.code, **filters)

    return Line(
        row=row,
        plot=charts.plot(row.name, found.alpha, found.interval, row.status, scale),
        units_href=href(),
        pairable_href=href(labels="several"),
        minority_href=href(off=found.usual),
        split_href=(
            list_href(batch, Filters(check=row.key, pooled=measured.pooled))
            if _is_listed(row, measured)
            else href(differ=1)
        ),
        own_href=units_href(batch, pooled=False, criterion=row.code, labels="several"),
        labels=tuple(
            LabelCount(value_words(value), times, href(value=value))
            for value, times in _shown_counts(row)
        ),
        strongest=tuple(
            StrongPair(
                subject,
                reverse("annotate:subject", args=[batch.project.slug, places[subject]]),
                signed((found.alpha or 0.0) + gain),
            )
            for subject, gain in measured.strongest[row.key, row.figure]
            if subject in places
        ),
        aside=_aside(row, measured),
        is_next=bool(step.key) and row.key == step.key and not row.done,
        waive_href=_waive_href(batch, row),
        waiver=measured.waivers.get(row.key) if row.is_waived else None,
    )


def _waive_href(batch: Batch, row: Row) -> str:
    if batch.number is None or not row.counts or row.cleared:
        return ""
    return reverse("annotate:waive", args=[batch.project.slug, batch.number, row.key])


def _is_listed(row: Row, measured: Measured) -> bool:
    """Whether the list of disagreements holds exactly the units on which this row differs: it knows
    no outcome, and lists a check with two figures under its one key."""
    return row.kind != "outcome" and sum(other.key == row.key for other in measured.rows) == 1


def _shown_counts(row: Row) -> Iterable[tuple[Value, int]]:
    # The applicability row says how often a check applied; its values have a row of their own.
    if row.figure == "applicability":
        return [count for count in row.reliability.counts if count[0] == NA]
    return row.reliability.counts


def _aside(row: Row, measured: Measured) -> str:
    """What must be known of a figure to read it, beside its status."""
    if row.kind == "preference":
        asked, all_of = row.reliability.units_total, measured.subjects
        where = f", asked on {asked} of {all_of} pairs" if asked < all_of else ""
        return f"{row.level.capitalize()}{where}."
    if row.kind == "outcome":
        return "Nominal; gate decisions included."
    if row.figure == "applicability":
        return "Whether it applies at all."
    return "" if row.level == "nominal" else f"{row.level.capitalize()}."


def _places(batch: Batch, measured: Measured, reader: User) -> dict[str, UUID]:
    """The pairs that may be named: that raters differ on a pair is a word about their votes."""
    names = {subject for strongest in measured.strongest.values() for subject, _ in strongest}
    found = Subject.objects.of_project(batch.project).filter(
        kind=batch.version.subject_kind, external_id__in=names
    )
    named = found.exclude(pk__in=still_rated_by(reader))
    return dict(named.values_list("external_id", "public_id"))


def _superseded(batch: Batch) -> Step | None:
    """A round of an earlier version asks for nothing any more: what came of it is in the table."""
    if batch.kind != Batch.Kind.CALIBRATION:
        return None
    version = batch.version
    later = RubricVersion.objects.filter(rubric=version.rubric_id, number__gt=version.number)
    newest = later.released().aggregate(newest=Max("number"))["newest"]
    if newest is None:
        return None
    return Step(
        f"{batch} tried version {version.number}; version {newest} has come since. "
        "See what the changes bought.",
        "Round after round",
        reverse("annotate:rounds_table", args=[batch.project.slug, version.rubric.slug]),
        "",
    )


def step_of(batch: Batch, found: Next, measured: Measured) -> Step:
    """What to do next with its button, as the report of a batch and the table of rounds have it."""
    href = goal_href(batch, found, pooled=measured.pooled)
    return Step(found.sentence, found.action, href, found.key)


def _given_codes(measured: Measured) -> dict[str, str]:
    """By key of the check, where its labels are listed as raters are compared: N/A being one."""
    return {
        row.key: row.code if row.figure == "values" else given_code(row.key)
        for row in measured.rows
    }
