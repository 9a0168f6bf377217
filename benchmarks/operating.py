"""How often the exit rule is right: what is cleared within three rounds, and what should have been.

Run as `python -m benchmarks.operating`; it prints the tables of docs/statistics.md, and fails where
an aim is missed. Raters are the *draws* of benchmarks/planted, so that the true alpha is exact. The
rule is that of `annotate.reliability.status` with the bars of a new project. Three ways to go on
after a round that did not clear:

- *pooled*: another round of the same version, all of them pooled: what Calibrant does;
- *latest*: the same, but only the latest round counts;
- *idle repairs*: as the pages advise: another round where the check is not testable yet, else a new
  version, whose change does nothing: versions are never pooled, so it starts afresh.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt

from annotate.reliability import Bars, Status, reliability, status
from benchmarks import planted

PAIRS = 40
ROUNDS = 3
BLOCK = 500
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Way = Literal["pooled", "latest", "idle repairs"]
WAYS: tuple[Way, ...] = ("pooled", "latest", "idle repairs")


@dataclass(frozen=True)
class Cell:
    """`aim` is the share wanted within three rounds: (at least, at most)."""

    alpha: float
    prevalence: float
    aim: tuple[float, float] | None = None


CELLS = (
    Cell(0.7, 0.5, (0, 0.06)),
    Cell(0.7, 0.3),
    Cell(0.7, 0.1, (0, 0.12)),
    Cell(0.7, 0.05),
    Cell(0.9, 0.5, (0.95, 1)),
    Cell(0.9, 0.3),
    Cell(0.9, 0.1),
    Cell(0.9, 0.05),
)


@dataclass(frozen=True)
class Sums:
    """What alpha and the minority units rest on, each of shape (replications, rounds): they add up
    over rounds."""

    disagreements: Floats
    faults: Floats
    mixed: Floats
    all_fault: Floats
    all_fine: Floats

    @classmethod
    def of(cls, codes: npt.NDArray[np.intp]) -> Sums:
        """From labels of shape (replications, rounds, pairs, 2, raters)."""
        m, k = planted.RATERS, codes.sum(axis=-1)
        over = (-1, -2)
        return cls(
            (2 * k * (m - k) / (m - 1)).sum(axis=over),
            k.sum(axis=over).astype(np.float64),
            ((k > 0) & (k < m)).sum(axis=over).astype(np.float64),
            (k == m).sum(axis=over).astype(np.float64),
            (k == 0).sum(axis=over).astype(np.float64),
        )

    def pooled(self, first: int, last: int) -> tuple[Floats, Floats]:
        """Alpha (NaN without variation) and minority units of the rounds first..last, pooled."""
        chosen = slice(first, last + 1)
        observed, ones, mixed, all_fault, all_fine = (
            part[:, chosen].sum(axis=1) for part in vars(self).values()
        )
        n = planted.RATERS * (mixed + all_fault + all_fine)
        with np.errstate(divide="ignore", invalid="ignore"):
            alpha = 1 - (n - 1) * observed / (2 * ones * (n - ones))
        # Between equally common labels the one that leaves fewer units is the usual one.
        fewer = np.minimum(all_fine, all_fault)
        off = np.where(2 * ones > n, all_fine, np.where(2 * ones < n, all_fault, fewer))
        return alpha, mixed + off


def draw(cell: Cell, replications: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Labels of shape (replications, rounds, pairs, 2, raters)."""
    pairs = replications * ROUNDS * PAIRS
    codes = planted.sides(cell.alpha, cell.prevalence, pairs, rng)
    return codes.reshape(replications, ROUNDS, PAIRS, 2, planted.RATERS)


def cleared_by(sums: Sums, way: Way, bars: Bars) -> Bools:
    """Whether the check had cleared by the end of each round, shape (replications, rounds)."""
    size = len(sums.faults)
    start = np.zeros(size, dtype=np.intp)
    done, found = np.zeros(size, dtype=bool), []
    for last in range(ROUNDS):
        alpha, minority = np.empty(size), np.empty(size)
        for first in range(last + 1):
            here = start == first
            all_alpha, all_minority = sums.pooled(first, last)
            alpha[here], minority[here] = all_alpha[here], all_minority[here]
        testable = minority >= bars.minority
        done |= testable & (alpha >= bars.clear - 1e-9)
        found.append(done.copy())
        if way == "latest":
            start[:] = last + 1
        elif way == "idle repairs":
            start[testable] = last + 1
    return np.stack(found, axis=1)


def shares(cell: Cell, replications: int, seed: int, bars: Bars) -> dict[Way, tuple[float, ...]]:
    """For each way, the share cleared by the end of each round."""
    rng = np.random.default_rng([seed, CELLS.index(cell)])
    blocks: dict[Way, list[Bools]] = {way: [] for way in WAYS}
    for _ in range(replications // BLOCK):
        sums = Sums.of(draw(cell, BLOCK, rng))
        for way in WAYS:
            blocks[way].append(cleared_by(sums, way, bars))
    return {way: tuple(np.concatenate(found).mean(axis=0)) for way, found in blocks.items()}


@dataclass
class Seen:
    """What `annotate.reliability` says of pooled rounds: statuses by number of rounds, and how many
    replications had cleared, not thin, by the end of each."""

    statuses: list[Counter[Status]]
    firmly: list[int]


def states(cell: Cell, replications: int, seed: int) -> Seen:
    """The sums above are held to it, replication by replication."""
    rng = np.random.default_rng([seed, CELLS.index(cell), 1])
    found = Seen([Counter() for _ in range(ROUNDS)], [0] * ROUNDS)
    for codes in draw(cell, replications, rng):
        sums, firm = Sums.of(codes[np.newaxis]), False
        for last in range(ROUNDS):
            rows = planted.frame(codes[: last + 1].reshape(-1, 2, planted.RATERS), planted.YES_NO)
            one = reliability(rows, criterion="C", level="nominal", scale=planted.YES_NO)
            alpha, minority = (float(part[0]) for part in sums.pooled(0, last))
            assert minority == one.minority_units
            assert np.isnan(alpha) if one.alpha is None else abs(alpha - one.alpha) < 1e-9
            state = status(one)
            firm |= state == Status.CLEARS
            found.statuses[last][state] += 1
            found.firmly[last] += firm
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--replications", type=int, default=20_000)
    options.add_argument("--states", type=int, default=1000, help="replications with intervals")
    options.add_argument("--minority", type=int, default=Bars().minority)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--processes", type=int, default=2)
    chosen = options.parse_args()
    bars = Bars(minority=chosen.minority)
    with ProcessPoolExecutor(chosen.processes) as pool:
        ran = [pool.submit(shares, cell, chosen.replications, chosen.seed, bars) for cell in CELLS]
        seen = [pool.submit(states, cell, chosen.states, chosen.seed) for cell in CELLS]
        print(
            f"Cleared by the end of round 1 / 2 / 3. {PAIRS} pairs a round, {planted.RATERS} "
            f"raters, bar {bars.clear:.2f}, {bars.minority} minority units; "
            f"{chosen.replications} replications a row, standard error at most "
            f"{0.5 / sqrt(chosen.replications):.1%}; seed {chosen.seed}.\n"
        )
        missed = show_cleared([job.result() for job in ran])
        print(f"\nWhat rounds of one version come to, pooled; {chosen.states} replications.\n")
        show_states([job.result() for job in seen], chosen.states)
    print("\nEvery aim is reached." if not missed else f"\nAims missed: {missed}.")
    return 1 if missed else 0


def show_cleared(found: list[dict[Way, tuple[float, ...]]]) -> int:
    """Print the table; how many aims were missed."""
    print("| true alpha | prevalence | pooled | latest only | idle repairs | aim |")
    print("|" + " --- |" * 6)
    for cell, ways in zip(CELLS, found, strict=True):
        cells = " | ".join(" / ".join(f"{one:.1%}" for one in ways[way]) for way in WAYS)
        print(f"| {cell.alpha:.2f} | {cell.prevalence:.2f} | {cells} | {_aim(cell, ways)} |")
    return sum("missed" in _aim(cell, ways) for cell, ways in zip(CELLS, found, strict=True))


def show_states(found: list[Seen], replications: int) -> None:
    heads = [state.replace("_", " ").replace("clears thin", "clears, thin") for state in Status]
    print(f"| true alpha | prevalence | rounds | {' | '.join(heads)} | cleared so far, not thin |")
    print("|" + " --- |" * (4 + len(heads)))
    for cell, seen in zip(CELLS, found, strict=True):
        for n, (counts, firmly) in enumerate(zip(seen.statuses, seen.firmly, strict=True), 1):
            shares = [counts[state] / replications for state in Status] + [firmly / replications]
            row = " | ".join(f"{share:.1%}" for share in shares)
            print(f"| {cell.alpha:.2f} | {cell.prevalence:.2f} | {n} | {row} |")


def _aim(cell: Cell, found: dict[Way, tuple[float, ...]]) -> str:
    """The aim for pooled rounds, and whether it is reached."""
    if cell.aim is None:
        return ""
    low, high = cell.aim
    words = f"at most {high:.0%}" if high < 1 else f"at least {low:.0%}"
    return f"{words}: {'reached' if low <= found['pooled'][-1] <= high else 'missed'}"


if __name__ == "__main__":
    sys.exit(main())
