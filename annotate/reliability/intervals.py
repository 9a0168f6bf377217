"""A 95% interval of alpha: the BCa cluster bootstrap, over distinct label patterns.

Source: B. Efron, "Better Bootstrap Confidence Intervals" (1987). Clusters (subjects, or groups of
them) are drawn with replacement, since the units of one subject are not independent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from annotate.reliability.coding import Coded, Floats, Ints, Level
from annotate.reliability.coincidence import Form, Patterns, points_of

TAIL = 0.025
MOST_DROPPED = 0.05
# Cells of one block of draws: 2 million of 8 bytes keep the work at some tens of megabytes.
_CELLS = 2_000_000
_SAME = 1e-12
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """Two ends, or none and the reason: a word that `reliability.explain_interval` puts in words.

    `dropped` counts the resamples that had no variation.
    """

    ends: tuple[float, float] | None
    reason: str | None = None
    dropped: int = 0


def bootstrap(form: Form, alpha: float, left_out: Floats, resamples: int, seed: int) -> Interval:
    """BCa interval from `resamples` draws; `left_out` are the alphas of `Form.without`.

    Equal clusters give the same interval in whatever order they come. Where disagreements have
    sizes, the lower end allows for one that was not seen: docs/design/intervals.md.
    """
    if len(form.member) < 2:
        return Interval(None, "too_few_clusters")
    alphas, lowered = _alphas(form, resamples, seed)
    drawn = np.sort(alphas)
    # NaN sorts to the end.
    drawn = drawn[: np.searchsorted(drawn, np.nan)]
    dropped = resamples - len(drawn)
    if dropped > MOST_DROPPED * resamples:
        return Interval(None, "too_little_variation", dropped)
    if drawn[-1] - drawn[0] < _SAME:
        return Interval(None, "one_pattern", dropped)
    below, upto = np.searchsorted(drawn, [alpha - _SAME, alpha + _SAME])
    share = (below + upto) / (2 * len(drawn))
    if not TAIL < share < 1 - TAIL:
        return Interval(None, "biased_resamples", dropped)
    z0, acceleration = _NORMAL.inv_cdf(share), _acceleration(left_out, form.times)
    low, high = _bca(drawn, z0, acceleration)
    if lowered is not None:
        unseen = np.sort(lowered[~np.isnan(alphas)])
        low = min(low, _quantile(unseen, _adjusted(z0, TAIL, acceleration)))
    return Interval((low, high), None, dropped)


def _alphas(form: Form, resamples: int, seed: int) -> tuple[Floats, Floats | None]:
    """Alpha of each draw and, where disagreements have sizes, with an unseen dissent.

    A count of k tells that its mean is at most a quantile of Gamma(k + 1); a draw of the k is about
    Gamma(k), so that what it lacks is Gamma(1). With k = 0 it is the rule of `unanimous`.
    """
    blocks = draws(form.times, resamples, seed)
    if not isinstance(form, Patterns) or form.dissent is None:
        return np.concatenate([form.alphas(weights) for weights in blocks]), None
    unseen = np.random.default_rng([seed, 1]).exponential(size=resamples)
    found, start = [], 0
    for weights in blocks:
        found.append(form.alphas_with(weights, unseen[start : start + weights.shape[1]]))
        start += weights.shape[1]
    return (
        np.concatenate([alphas for alphas, _ in found]),
        np.concatenate([lowered for _, lowered in found]),
    )


def draws(times: Ints, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each pattern is drawn, in blocks (patterns, some resamples)."""
    rng = np.random.default_rng(seed)
    clusters, patterns = int(times.sum()), len(times)
    # Both ways draw from the same multinomial; a binomial costs as much as a dozen cluster draws.
    few_patterns = 12 * patterns < clusters
    block = max(1, _CELLS // (patterns if few_patterns else clusters))
    pattern_of = np.repeat(np.arange(patterns), times)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        if few_patterns:
            yield rng.multinomial(clusters, times / clusters, size=size).T.astype(np.float64)
        else:
            yield _counted(rng, pattern_of, patterns, size)


def _counted(rng: np.random.Generator, pattern_of: Ints, patterns: int, size: int) -> Floats:
    clusters = len(pattern_of)
    # 16-bit draws are the fastest that numpy has.
    dtype = np.uint16 if clusters < 2**16 else np.uint32
    cells = (pattern_of * size).take(rng.integers(clusters, size=(clusters, size), dtype=dtype))
    cells += np.arange(size)
    counts = np.bincount(cells.ravel(), minlength=patterns * size)
    return counts.reshape(patterns, size).astype(np.float64)


def _acceleration(left_out: Floats, times: Ints) -> float:
    known = ~np.isnan(left_out)
    alphas, times = left_out[known], times[known]
    gaps = (times @ alphas) / max(times.sum(), 1) - alphas
    spread = float(times @ gaps**2)
    return float(times @ gaps**3) / (6 * spread**1.5) if spread > _SAME**2 else 0.0


def _bca(drawn: Floats, z0: float, acceleration: float) -> tuple[float, float]:
    low, high = (_adjusted(z0, tail, acceleration) for tail in (TAIL, 1 - TAIL))
    return _quantile(drawn, low), _quantile(drawn, high)


def _adjusted(z0: float, tail: float, acceleration: float) -> float:
    z = z0 + _NORMAL.inv_cdf(tail)
    # The divisor is positive: |z0| < 1.96 here, and |acceleration| <= 1/6 for any numbers.
    return _NORMAL.cdf(z0 + z / (1 - acceleration * z))


def _quantile(ordered: Floats, share: float) -> float:
    place = share * (len(ordered) - 1)
    floor = min(int(place), len(ordered) - 2)
    low, high = float(ordered[floor]), float(ordered[floor + 1])
    return low + (place - floor) * (high - low)


def unanimous(coded: Coded, level: Level) -> Interval:
    """The interval where no unit holds a disagreement, (low, 1).

    Of P clusters without a disagreement, u = 1 - 0.025^(1/P) is the largest share of disagreeing
    ones that 97.5% confidence leaves. The lower end is alpha with a share u of the units given one
    dissent each, on a value drawn from the other values in proportion to their ratings.
    """
    clusters = len(coded.clusters)
    if clusters < 2:
        return Interval(None, "too_few_clusters")
    u = 1 - TAIL ** (1 / clusters)
    n_v = np.bincount(coded.code).astype(np.float64)
    units_v = np.bincount(coded.code, weights=1 / coded.sizes[coded.unit])
    n, others = n_v.sum(), n_v.sum() - n_v
    marginals = n_v + u * (n_v * ((units_v / others).sum() - units_v / others) - units_v)
    points = _points(coded, level, marginals)
    observed = 2 * u * float(units_v @ (_distances_to_all(n_v, points) / others))
    expected = float(marginals @ _distances_to_all(marginals, points))
    return Interval((1 - float(n - 1) * observed / expected, 1.0))


def _points(coded: Coded, level: Level, n_v: Floats) -> Floats | None:
    """Where the values stand; None for nominal ones, which are all one apart."""
    if level == "nominal":
        return None
    return points_of(coded) if level == "interval" else n_v.cumsum() - n_v / 2


def _distances_to_all(n_v: Floats, points: Floats | None) -> Floats:
    """The distance of each value to all ratings n_v: sum_k n_k d_vk, shape (values,)."""
    if points is None:
        others: Floats = n_v.sum() - n_v
        return others
    centred = points - np.average(points, weights=n_v)
    distances: Floats = n_v.sum() * centred**2 + n_v @ centred**2
    return distances
