"""How often the exit rule is right: what is cleared within three rounds, and what should have been.

Run as `python -m benchmarks.operating`; it prints the tables of docs/statistics.md, and how many
aims are missed. Raters are the *draws* of benchmarks/planted, so that the true alpha is exact. The
rule is that of `annotate.clearing` with the bars of a new project; thousands of replications are
decided by sums, which are held to the product's own words on a sample. Three ways to go on after a
round that did not clear:

- *pooled*: another round of the same version, all of them pooled: what Calibrant does;
- *latest*: the same, but only the latest round counts;
- *idle repairs*: as the pages advise: another round where the check is not testable yet, else a new
  version, whose change does nothing: versions are never pooled, so it starts afresh.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt

from annotate import clearing
from annotate.reliability import Bars, Reliability, Status, reliability, status
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
    """What the product says of pooled rounds: statuses by number of rounds, and how many
    replications had cleared by the end of each, as a new project has it and as a strict one does.
    """

    statuses: list[Counter[Status]]
    cleared: list[int]
    strictly: list[int]


def done(found: Reliability, bars: Bars) -> bool:
    """Whether volume no longer waits for a check, as every page of the product decides it."""
    return clearing.row(
        key="C",
        kind="criterion",
        title="C",
        figure="values",
        level="nominal",
        scale=planted.YES_NO,
        reliability=found,
        split=0,
        bars=bars,
        counts=True,
    ).done


def states(cell: Cell, replications: int, seed: int) -> Seen:
    """The sums above, and what they decide, are held to it, replication by replication."""
    rng = np.random.default_rng([seed, CELLS.index(cell), 1])
    bars, strict = Bars(), Bars(thin_waits=True)
    found = Seen([Counter() for _ in range(ROUNDS)], [0] * ROUNDS, [0] * ROUNDS)
    for codes in draw(cell, replications, rng):
        sums, cleared, firm = Sums.of(codes[np.newaxis]), False, False
        by_sums = cleared_by(sums, "pooled", bars)[0]
        for last in range(ROUNDS):
            rows = planted.frame(codes[: last + 1].reshape(-1, 2, planted.RATERS), planted.YES_NO)
            one = reliability(rows, criterion="C", level="nominal", scale=planted.YES_NO)
            alpha, minority = (float(part[0]) for part in sums.pooled(0, last))
            assert minority == one.minority_units
            assert np.isnan(alpha) if one.alpha is None else abs(alpha - one.alpha) < 1e-9
            state = status(one, bars)
            assert (state in (Status.NOT_TESTABLE, Status.UNDEFINED)) == (minority < bars.minority)
            cleared |= done(one, bars)
            assert cleared == by_sums[last]
            firm |= done(one, strict)
            found.statuses[last][state] += 1
            found.cleared[last] += cleared
            found.strictly[last] += firm
    return found


def main() -> None:
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
        stated = [job.result() for job in seen]
        show_states(stated, chosen.states)
        print(
            f"\nCleared by the end of round 1 / 2 / 3, pooled; {chosen.states} replications, "
            f"standard error at most {0.5 / sqrt(chosen.states):.1%}.\n"
        )
        show_strict(stated, chosen.states)
    # What is measured is published, missed or not; only a fault of our own ends otherwise.
    print("\nEvery aim is reached." if not missed else f"\nAIMS MISSED: {missed}.")


def show_cleared(found: list[dict[Way, tuple[float, ...]]]) -> int:
    """Print the table; how many aims were missed."""
    print("| true alpha | prevalence | pooled | latest only | idle repairs | aim |")
    print("|" + " --- |" * 6)
    for cell, ways in zip(CELLS, found, strict=True):
        cells = " | ".join(" / ".join(f"{one:.1%}" for one in ways[way]) for way in WAYS)
        print(f"| {cell.alpha:.2f} | {cell.prevalence:.2f} | {cells} | {_aim(cell, ways)} |")
    return sum("MISSED" in _aim(cell, ways) for cell, ways in zip(CELLS, found, strict=True))


def show_states(found: list[Seen], replications: int) -> None:
    heads = [state.replace("_", " ").replace("clears thin", "clears, thin") for state in Status]
    print(f"| true alpha | prevalence | rounds | {' | '.join(heads)} |")
    print("|" + " --- |" * (3 + len(heads)))
    for cell, seen in zip(CELLS, found, strict=True):
        for n, counts in enumerate(seen.statuses, 1):
            row = " | ".join(f"{counts[state] / replications:.1%}" for state in Status)
            print(f"| {cell.alpha:.2f} | {cell.prevalence:.2f} | {n} | {row} |")


def show_strict(found: list[Seen], replications: int) -> None:
    """The rule of a new project beside that of one where what clears thin waits."""
    print("| true alpha | prevalence | thin clears | thin waits |")
    print("|" + " --- |" * 4)
    for cell, seen in zip(CELLS, found, strict=True):
        ways = (seen.cleared, seen.strictly)
        cells = " | ".join(" / ".join(f"{one / replications:.1%}" for one in way) for way in ways)
        print(f"| {cell.alpha:.2f} | {cell.prevalence:.2f} | {cells} |")


def _aim(cell: Cell, found: dict[Way, tuple[float, ...]]) -> str:
    """The aim for pooled rounds, and whether it is reached."""
    if cell.aim is None:
        return ""
    low, high = cell.aim
    words = f"at most {high:.0%}" if high < 1 else f"at least {low:.0%}"
    return f"{words}: {'reached' if low <= found['pooled'][-1] <= high else 'MISSED'}"


if __name__ == "__main__":
    main()
