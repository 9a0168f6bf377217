"""How often the 95% interval of alpha holds the true alpha, at the size of a calibration round.

Run as `python -m benchmarks.coverage`; it prints the tables of docs/statistics.md and fails where
a cell that must lie within 92 and 98% does not. The truth of every cell is exact: see
benchmarks/planted. What is measured is `annotate.reliability` itself, with the resamples of pages.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from annotate.reliability import Reliability, reliability
from benchmarks import planted

PAIRS = 40
LOW, HIGH = 0.92, 0.98
# Below this prevalence coverage is published as it is.
MUST_COVER = 0.3
ALPHAS = (0.4, 0.7, 0.9)
PREVALENCES = (0.5, 0.3, 0.1, 0.05)
Model = Literal["sides", "stops", "steps"]
WORDS: dict[Model, str] = {
    "sides": "criterion, 40 x 2 sides",
    "stops": "preference, errors anywhere",
    "steps": "preference, errors beside",
}


@dataclass(frozen=True)
class Cell:
    model: Model
    alpha: float
    prevalence: float | None = None

    @property
    def must(self) -> bool:
        return self.prevalence is None or self.prevalence >= MUST_COVER


CELLS = (
    *(Cell("sides", alpha, share) for share in PREVALENCES for alpha in ALPHAS),
    *(Cell("stops", alpha) for alpha in ALPHAS),
    *(Cell("steps", alpha) for alpha in ALPHAS),
)


@dataclass(frozen=True)
class Tally:
    """Of `replications`: those with alpha undefined, without an interval, and where it lay."""

    replications: int
    undefined: int
    without: int
    below: int
    above: int
    width: float
    mean: float

    @property
    def given(self) -> int:
        return self.replications - self.undefined - self.without

    @property
    def coverage(self) -> float:
        return 1 - (self.below + self.above) / self.given

    @property
    def error(self) -> float:
        """The Monte Carlo standard error of the coverage."""
        return sqrt(self.coverage * (1 - self.coverage) / self.given)


def measured(cell: Cell, rng: np.random.Generator) -> Reliability:
    if cell.model == "sides":
        assert cell.prevalence is not None
        codes = planted.sides(cell.alpha, cell.prevalence, PAIRS, rng)
        rows, scale = planted.frame(codes, planted.YES_NO), planted.YES_NO
        return reliability(rows, criterion="C", level="nominal", scale=scale)
    draw = planted.stops if cell.model == "stops" else planted.steps
    rows = planted.frame(draw(cell.alpha, PAIRS, rng), planted.SCALE)
    return reliability(rows, criterion="preference", level="ordinal", scale=planted.SCALE)


def tally(cell: Cell, replications: int, seed: int) -> Tally:
    rng = np.random.default_rng([seed, CELLS.index(cell)])
    found = [measured(cell, rng) for _ in range(replications)]
    ends = [one.interval for one in found if one.interval is not None]
    alphas = [one.alpha for one in found if one.alpha is not None]
    return Tally(
        replications=replications,
        undefined=replications - len(alphas),
        without=len(alphas) - len(ends),
        below=sum(high < cell.alpha for _, high in ends),
        above=sum(low > cell.alpha for low, _ in ends),
        width=float(np.mean([high - low for low, high in ends])),
        mean=float(np.mean(alphas)),
    )


def row(cell: Cell, found: Tally) -> str:
    share = "" if cell.prevalence is None else f"{cell.prevalence:.2f}"
    n = found.replications
    return (
        f"| {WORDS[cell.model]} | {share} | {cell.alpha:.1f} | {found.coverage:.1%} "
        f"| {found.error:.1%} | {found.below / found.given:.1%} | {found.above / found.given:.1%} "
        f"| {found.width:.2f} | {found.mean:.3f} | {found.without / n:.1%} "
        f"| {found.undefined / n:.1%} |"
    )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--replications", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--processes", type=int, default=2)
    chosen = options.parse_args()
    print(
        f"{PAIRS} pairs, {planted.RATERS} raters, {chosen.replications} replications a row, "
        f"seed {chosen.seed}.\n"
    )
    print(
        "| what | prevalence | true alpha | coverage | +- | interval too low | too high "
        "| width | mean alpha | no interval | undefined |"
    )
    print("|" + " --- |" * 11)
    missed = 0
    with ProcessPoolExecutor(chosen.processes) as pool:
        jobs = [pool.submit(tally, cell, chosen.replications, chosen.seed) for cell in CELLS]
        for cell, job in zip(CELLS, jobs, strict=True):
            found = job.result()
            # Two standard errors are chance: the wanted band is widened by them.
            slack = 2 * found.error
            missed += cell.must and not LOW - slack <= found.coverage <= HIGH + slack
            print(row(cell, found), flush=True)
    print(f"\n{'All' if not missed else 'Not all'} that must cover 92 to 98% do.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
