"""What the report page shows, as plain values for its template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.db.models import Count
from django.urls import reverse

from annotate import charts, clearing
from annotate.access import still_rated_by
from annotate.calibration import Measured, bars_of, measure
from annotate.clearing import Next, Row
from annotate.models import Batch, Subject, Vote
from annotate.outcomes import Summary, summary
from annotate.pages.gaps import Gaps, gaps
from annotate.pages.unit_filters import ALL_CHECKS, ALL_VOTES, given_code
from annotate.rater_agreement import CheckKappas, RaterAgreement, Share, rater_agreement
from annotate.ratings import OUTCOME
from annotate.reliability import Reliability, Value
from rubrics.content import NA

if TYPE_CHECKING:
    from uuid import UUID

    from projects.models import Rater, User


# A matrix of more raters is a wall of figures.
MOST_RATERS = 6


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
class Cell:
    """A share of agreement; `href` leads to where it is short of whole, else to all it rests on."""

    words: str
    heat: int
    of: int
    agreeing: int
    href: str

    @property
    def differing(self) -> int:
        return self.of - self.agreeing


@dataclass(frozen=True)
class Kappa:
    words: str | None
    href: str


@dataclass(frozen=True)
class Median:
    """The middle kappa over pairs of raters; `href` leads to where raters differ."""

    key: str
    pairs: int
    words: str | None
    href: str


@dataclass(frozen=True)
class MatrixRow:
    rater: Rater
    cells: tuple[Cell | None, ...]
    rest: Cell | None
    share: float | None
    lone: int
    lone_href: str


@dataclass(frozen=True)
class Matrix:
    """Who agrees with whom. With many raters, each against the rest is what can be read."""

    rows: tuple[MatrixRow, ...]
    pairs: tuple[tuple[str, str], ...]
    kappas: tuple[tuple[str, tuple[Kappa, ...]], ...]
    medians: tuple[Median, ...]
    sentence: str

    @property
    def wide(self) -> bool:
        return len(self.rows) > MOST_RATERS

    @property
    def lowest_first(self) -> list[MatrixRow]:
        return sorted(self.rows, key=lambda row: row.share if row.share is not None else 2.0)

    @property
    def raters(self) -> list[Rater]:
        return [row.rater for row in self.rows]


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
    found = clearing.next_step(measured.rows, version=batch.version.number, imported=imported)
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
        step=_step(batch, found, measured),
        cleared=cleared,
        checks=checks,
        matrix=_matrix(batch, rater_agreement(batch), _given_codes(measured)),
        overlap=overlap_of(batch),
        decisions=summary(batch),
        gaps=gaps([batch], reader),
    )


def overlap_of(batch: Batch) -> Overlap:
    votes = Vote.objects.of_batches(batch).current()
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


def units_href(batch: Batch, *, pooled: bool, **filters: object) -> str:
    chosen = {name: value for name, value in filters.items() if value is not None}
    if pooled:
        chosen["pooled"] = 1
    route = reverse("annotate:units", args=[batch.project.slug, batch.public_id])
    return f"{route}?{urlencode(chosen, doseq=True)}"


def figure(value: float | None) -> str | None:
    return None if value is None else signed(value)


def signed(value: float) -> str:
    """Two places and a true minus; what rounds to nought has no sign."""
    rounded = round(value, 2) or 0.0
    return f"{rounded:.2f}".replace("-", "−")


def interval_words(found: Reliability) -> str:
    if found.interval is None:
        return "none" if found.alpha is not None else ""
    low, high = (signed(end) for end in found.interval)
    return f"{low}–{high}" if found.interval[0] >= 0 else f"{low} to {high}"


def percent(share: float | None) -> str:
    if share is None:
        return "–"
    return "100%" if share == 1 else f"{share:.1%}"


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
        split_href=href(differ=1),
        own_href=units_href(batch, pooled=False, criterion=row.code, labels="several"),
        labels=tuple(
            LabelCount(clearing.value_words(value), times, href(value=value))
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
        is_next=bool(step.key) and row.key == step.key and not row.cleared,
    )


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


def _step(batch: Batch, found: Next, measured: Measured) -> Step:
    pooled, key = measured.pooled, found.key or None
    hrefs = {
        "disagreements": units_href(batch, pooled=pooled, criterion=key, differ=1),
        "pairs": units_href(batch, pooled=pooled, criterion=key),
        "new_round": reverse("annotate:round_new", args=[batch.project.slug]),
        "decisions": "#decisions",
    }
    return Step(found.sentence, found.action, hrefs[found.goal], found.key)


def _given_codes(measured: Measured) -> dict[str, str]:
    """By key of the check, where its labels are listed as raters are compared: N/A being one."""
    return {
        row.key: row.code if row.figure == "values" else given_code(row.key)
        for row in measured.rows
    }


def _matrix(batch: Batch, found: RaterAgreement | None, codes: dict[str, str]) -> Matrix | None:
    if found is None:
        return None
    rows = zip(found.raters, found.cells, found.rest, found.lone, strict=True)
    names = [rater.name for rater in found.raters]
    return Matrix(
        rows=tuple(_matrix_row(batch, found.raters, *row) for row in rows),
        pairs=tuple((names[n], names[m]) for n, m in found.pairs),
        kappas=tuple(
            (check.key, _kappas(batch, found, check, codes[check.key])) for check in found.kappas
        ),
        medians=tuple(_median(batch, check, codes[check.key]) for check in found.kappas),
        sentence=odd_one(names, found.lone),
    )


def _matrix_row(
    batch: Batch,
    raters: Sequence[Rater],
    rater: Rater,
    cells: Sequence[Share | None],
    rest: Share,
    lone: dict[str, int],
) -> MatrixRow:
    def href(*, with_rater: Rater | None = None, **filters: object) -> str:
        named = [one.pk for one in (rater, with_rater) if one]
        return units_href(batch, pooled=False, criterion=ALL_CHECKS, rater=named, **filters)

    def cell(share: Share | None, other: Rater | None) -> Cell | None:
        if share is None or share.agreement is None:
            return None
        # Where all agree, what they agree on.
        whole = share.agreeing == share.of
        narrowed = (
            href(with_rater=other, labels="several") if whole else href(with_rater=other, differ=1)
        )
        return _cell(share, narrowed)

    return MatrixRow(
        rater=rater,
        cells=tuple(cell(share, other) for share, other in zip(cells, raters, strict=True)),
        rest=cell(rest, None),
        share=rest.agreement,
        lone=sum(lone.values()),
        lone_href=href(alone=1),
    )


def _kappas(
    batch: Batch, found: RaterAgreement, check: CheckKappas, code: str
) -> tuple[Kappa, ...]:
    pairs = [[found.raters[n].pk, found.raters[m].pk] for n, m in found.pairs]
    return tuple(
        Kappa(figure(kappa), units_href(batch, pooled=False, criterion=code, rater=pair))
        for kappa, pair in zip(check.kappas, pairs, strict=True)
    )


def _median(batch: Batch, check: CheckKappas, code: str) -> Median:
    known = [kappa for kappa in check.kappas if kappa is not None]
    middle = figure(median(known) if known else None)
    href = units_href(batch, pooled=False, criterion=code, differ=1)
    return Median(check.key, len(known), middle, href)


def odd_one(names: Sequence[str], lone: Sequence[dict[str, int]]) -> str:
    """Who stands apart from the others most often, and on which check."""
    total = sum(sum(found.values()) for found in lone)
    most = max(range(len(names)), key=lambda n: sum(lone[n].values()), default=None)
    if most is None or not total:
        return "Nobody stood alone against the others." if len(names) > 2 else ""
    own = lone[most]
    key = max(own, key=own.__getitem__)
    return (
        f"{names[most]} stood alone most often: {sum(own.values())} of {total} lone dissents, "
        f"{own[key]} of them on {key}."
    )


def _cell(share: Share, href: str) -> Cell:
    agreement = share.agreeing / share.of
    words = "1.0" if agreement == 1 else f"{agreement:.2f}".lstrip("0")
    return Cell(words, charts.heat(agreement), share.of, share.agreeing, href)
