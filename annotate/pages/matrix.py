"""Who agrees with whom, as the report shows it: each number leads to the units behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from annotate import charts
from annotate.pages.figures import figure
from annotate.pages.unit_filters import ALL_CHECKS, units_href
from annotate.rater_agreement import CheckKappas, RaterAgreement, Share

if TYPE_CHECKING:
    from annotate.models import Batch
    from projects.models import Rater

# A matrix of more raters is a wall of figures.
MOST_RATERS = 6


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


def matrix_of(batch: Batch, found: RaterAgreement | None, codes: dict[str, str]) -> Matrix | None:
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
