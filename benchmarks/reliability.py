"""Alpha with its BCa interval against a loop over krippendorff.alpha.

Run as `python -m benchmarks.reliability`; it prints a table and fails where a ratio is missed.

Both start from the same rows and take the same number of resamples, in processor seconds. Ours is
the whole of `reliability` (cleaning, coding, the package's point estimate, bootstrap, jackknife,
influence, counts). The loop counts values with pandas, draws clusters and calls the package in its
faster form, the one on value counts; the leave-one-out alphas that a BCa interval needs as well
(40 or 10,000 more calls) are not charged to it.
"""

import statistics
import sys
import time
from dataclasses import dataclass

import krippendorff
import numpy as np
import numpy.typing as npt
import pandas as pd

from annotate.reliability import Level, reliability

RESAMPLES = 1000
ROUNDS = 7
# One loop of 1,000 at 10,000 pairs takes long: fewer are timed and the time is scaled up.
LOOPS_AT_MOST = 100
RATERS = 3
SCALES = {"nominal": ("no", "yes"), "ordinal": ("A_much", "A_slight", "tie", "B_slight", "B_much")}


@dataclass(frozen=True)
class Case:
    level: Level
    pairs: int
    sides: int
    wanted: float


CASES = (
    Case("nominal", 40, 2, 50),
    Case("ordinal", 40, 1, 30),
    Case("nominal", 10_000, 2, 100),
    Case("ordinal", 10_000, 1, 100),
)


def ratings(case: Case, seed: int) -> pd.DataFrame:
    """Raters who report the truth with probability 0.9 and else draw like everyone."""
    rng = np.random.default_rng(seed)
    shares = [0.3, 0.7] if case.level == "nominal" else [0.15, 0.2, 0.15, 0.25, 0.25]
    shape = (case.pairs, case.sides, RATERS)
    truth = rng.choice(len(shares), p=shares, size=shape[:2])[..., np.newaxis]
    codes = np.where(rng.random(shape) < 0.9, truth, rng.choice(len(shares), p=shares, size=shape))
    pair, side, rater = (index.ravel() for index in np.indices(shape))
    return pd.DataFrame(
        {
            "unit": _names("unit", case.pairs * case.sides)[pair * case.sides + side],
            "cluster": _names("pair", case.pairs)[pair],
            "rater": _names("expert", RATERS)[rater],
            "value": np.array(SCALES[case.level], dtype=object)[codes.ravel()],
        }
    )


def _names(kind: str, size: int) -> npt.NDArray[np.object_]:
    return np.array([f"{kind}-{n}" for n in range(size)], dtype=object)


def loop(frame: pd.DataFrame, case: Case, resamples: int) -> tuple[float, float]:
    """What one would write: count, draw pairs, ask the package.

    Returns the seconds of counting and of the resamples.
    """
    start = time.process_time()
    scale = list(SCALES[case.level])
    table = pd.crosstab([frame["cluster"], frame["unit"]], frame["value"])
    counts = table[scale].to_numpy().reshape(case.pairs, case.sides, len(scale))
    counted = time.process_time()
    rng = np.random.default_rng(0)
    for _ in range(resamples):
        drawn = counts[rng.integers(case.pairs, size=case.pairs)].reshape(-1, len(scale))
        krippendorff.alpha(value_counts=drawn, level_of_measurement=case.level)
    return counted - start, time.process_time() - counted


def ours(frame: pd.DataFrame, case: Case, times: int) -> float:
    """Seconds of one whole `reliability`, averaged over `times`."""
    start = time.process_time()
    for _ in range(times):
        reliability(
            frame,
            criterion="x",
            level=case.level,
            scale=SCALES[case.level],
            resamples=RESAMPLES,
        )
    return (time.process_time() - start) / times


def measure(case: Case) -> tuple[list[float], list[float]]:
    """Seconds of ours and of the loop (scaled up to all resamples), by round."""
    frame, small = ratings(case, seed=1), case.pairs < 1000
    loops = RESAMPLES if small else LOOPS_AT_MOST
    mine, theirs = [], []
    for _ in range(ROUNDS):
        mine.append(ours(frame, case, times=50 if small else 5))
        counting, looping = loop(frame, case, loops)
        theirs.append(counting + looping * RESAMPLES / loops)
    return mine, theirs


def main() -> int:
    print(
        f"{RESAMPLES} resamples, {RATERS} raters; medians of {ROUNDS} rounds. At 10,000 pairs "
        f"{LOOPS_AT_MOST}\nloop resamples are timed and scaled up to {RESAMPLES}.\n"
    )
    print("| level | pairs x sides | ours ms | loop ms | ratio | lowest-highest | wanted |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    missed = 0
    for case in CASES:
        mine, theirs = measure(case)
        ratios = [looped / once for once, looped in zip(mine, theirs, strict=True)]
        ratio = statistics.median(ratios)
        missed += ratio < case.wanted
        print(
            f"| {case.level} | {case.pairs} x {case.sides} | {statistics.median(mine) * 1e3:.2f} "
            f"| {statistics.median(theirs) * 1e3:.0f} "
            f"| {ratio:.0f} | {min(ratios):.0f}-{max(ratios):.0f} | {case.wanted:.0f} |"
        )
    print("\nEvery ratio is reached." if not missed else f"\n{missed} of {len(CASES)} missed.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
