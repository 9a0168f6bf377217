"""Krippendorff's alpha in forms that add up over clusters, so that resampling is arithmetic.

Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). With n_uv ratings of
value v in unit u, m_u = sum_v n_uv >= 2, coincidences o_vk = sum_u n_uv (n_uk - [v=k]) / (m_u - 1),
n_v = sum_k o_vk and n = sum_v n_v,

    alpha = 1 - (n - 1) sum_vk o_vk d_vk / sum_vk n_v n_k d_vk.

Both sums are linear in the units or come from totals that are, so that a cluster's contribution is
a short row of numbers. The ordinal distance is the interval distance between midranks
c_v = sum_{g<v} n_g + n_v / 2, since sum_{g=v..k} n_g - (n_v + n_k) / 2 = c_k - c_v; and as the
midranks average n / 2, sum_vk n_v n_k d_vk = n (n^3 - sum_v n_v^3) / 6.

A table without variation gives NaN inside this module and its caller turns that into a reason.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from annotate.reliability.coding import MANY_VALUES, Coded, Floats, Ints, Level, summed

# A table of values x values, and a block of clusters x values, stay at some tens of megabytes.
_TABLE_VALUES = 2_500
_CELLS = 2_000_000


class Form(ABC):
    """Pairable ratings, ready to be weighted cluster by cluster.

    `times` has the number of clusters of each distinct pattern, shape (patterns,), and `member` the
    pattern of each cluster, shape (clusters,).
    """

    times: Ints
    member: Ints
    # What a unit with one dissent adds to the sums, shape (columns,): None where all
    # disagreements weigh the same, or nearly all units hold one.
    dissent: Floats | None = None

    @abstractmethod
    def alphas(self, weights: Floats) -> Floats:
        """Alpha of each reweighted table, (patterns, tables) -> (tables,); NaN if undefined."""

    @abstractmethod
    def without(self) -> Floats:
        """Alpha with one cluster of each pattern left out, shape (patterns,); NaN if undefined."""

    def whole(self) -> float:
        """Alpha of the table as it is."""
        return float(self.alphas(self.times[:, np.newaxis].astype(np.float64))[0])


def form_of(coded: Coded, level: Level) -> Form:
    """The cheapest exact form for pairable ratings (`Coded.pairable`) at this level."""
    if level == "interval":
        return _interval_patterns(coded)
    if len(coded.values) > MANY_VALUES:
        return ManyNominal(coded) if level == "nominal" else ManyOrdinal(coded)
    return _nominal_patterns(coded) if level == "nominal" else _ordinal_patterns(coded)


def points_of(coded: Coded) -> Floats:
    """Interval values moved and scaled into [-1, 1] (alpha does not see it), shape (values,)."""
    points = np.array([float(value) for value in coded.values])
    points = points / max(float(np.abs(points).max()), np.finfo(float).tiny)
    points -= points[coded.code].mean()
    return points / max(float(np.abs(points).max()), np.finfo(float).tiny)


@dataclass(frozen=True, eq=False)
class Patterns(Form):
    """Clusters grouped by equal sums, (columns, patterns); `alpha` maps (columns, n) to (n,)."""

    sums: Floats
    times: Ints
    member: Ints
    alpha: Callable[[Floats], Floats]
    dissent: Floats | None = None

    def alphas(self, weights: Floats) -> Floats:
        return self.alpha(self.sums @ weights)

    def alphas_with(self, weights: Floats, dissents: Floats) -> tuple[Floats, Floats]:
        """`alphas`, and the same with so many units of one dissent more in each table."""
        assert self.dissent is not None
        totals = self.sums @ weights
        return self.alpha(totals), self.alpha(totals + np.outer(self.dissent, dissents))

    def without(self) -> Floats:
        return self.alpha((self.sums @ self.times)[:, np.newaxis] - self.sums)


def _one_minus(observed: Floats, expected: Floats) -> Floats:
    ratio = np.full(observed.shape, np.nan)
    np.divide(observed, expected, out=ratio, where=expected > 0)
    return 1 - ratio


def nominal_alpha(sums: Floats) -> Floats:
    """Alpha from [sum of disagreements, n_v ...]."""
    observed, n_v = sums[0], sums[1:]
    n = n_v.sum(axis=0)
    return _one_minus((n - 1) * observed, n * n - (n_v * n_v).sum(axis=0))


def ordinal_alpha(sums: Floats, steps: Floats) -> Floats:
    """Alpha from [o_vk for v < k ..., n_v ...]; `steps` @ n_v are the midrank gaps c_k - c_v."""
    o, n_v = sums[: len(steps)], sums[len(steps) :]
    n, gaps = n_v.sum(axis=0), steps @ n_v
    observed = 2 * (o * gaps * gaps).sum(axis=0)
    expected = n * (n * n * n - (n_v * n_v * n_v).sum(axis=0)) / 6
    return _one_minus((n - 1) * observed, expected)


def interval_alpha(sums: Floats) -> Floats:
    """Alpha from [sum of disagreements, n, sum of x, of x^2, of the value's place, of its square].

    The places are whole numbers, so that they tell exactly whether there is any variation, where
    rounding could leave a trace of it in x.
    """
    observed, n, s1, s2, p1, p2 = sums
    expected = np.where(n * p2 > p1 * p1, 2 * (n * s2 - s1 * s1), 0)
    return _one_minus((n - 1) * observed, expected)


def _nominal_patterns(coded: Coded) -> Patterns:
    counts = coded.value_counts.astype(np.float64)
    of_units = np.column_stack([_nominal_disagreements(coded), counts])
    return _grouped(_by_cluster(of_units, coded), nominal_alpha)


def _nominal_disagreements(coded: Coded) -> Floats:
    m = coded.sizes
    disagreements: Floats = (m * m - coded.squares) / (m - 1)
    return disagreements


def _ordinal_patterns(coded: Coded) -> Patterns:
    counts = coded.value_counts.astype(np.float64)
    low, high = np.triu_indices(len(coded.values), k=1)
    o = counts[:, low] * counts[:, high] / (coded.sizes - 1)[:, np.newaxis]
    of_units = np.concatenate([o, counts], axis=1)
    joint = _one_dissent(coded)
    dissent = np.concatenate([joint[low, high] + joint[high, low], _counts_with(joint, coded)])
    alpha = partial(ordinal_alpha, steps=_midrank_steps(low, high))
    return _grouped(_by_cluster(of_units, coded), alpha, dissent)


def _one_dissent(coded: Coded) -> Floats:
    """How often a unit of value v holds its one dissent on k, shape (values, values): v as common
    as in the ratings, k another value in proportion to its ratings."""
    n_v = np.bincount(coded.code, minlength=len(coded.values)).astype(np.float64)
    joint: Floats = np.outer(n_v / n_v.sum(), n_v) / (n_v.sum() - n_v)[:, np.newaxis]
    np.fill_diagonal(joint, 0)
    return joint


def _counts_with(joint: Floats, coded: Coded) -> Floats:
    """Ratings of each value in such a unit of the usual size."""
    counts: Floats = (coded.sizes.mean() - 1) * joint.sum(axis=1) + joint.sum(axis=0)
    return counts


def _midrank_steps(low: Ints, high: Ints) -> Floats:
    """1 for values between v and k, 1/2 for v and k themselves, shape (pairs v < k, values)."""
    v, k = low[:, np.newaxis], high[:, np.newaxis]
    g = np.arange(high.max() + 1)
    return ((v <= g) & (g < k)) / 2 + ((v < g) & (g <= k)) / 2


def _interval_patterns(coded: Coded) -> Patterns:
    x, place, m = points_of(coded)[coded.code], coded.code, coded.sizes
    observed = 2 * _squared_gaps(x, coded)
    totals = (_over_units(y, coded) for y in (x, x * x, place, place * place))
    of_units = np.column_stack([observed, m, *totals])
    return _grouped(_by_cluster(of_units, coded), interval_alpha, _interval_dissent(coded))


def _interval_dissent(coded: Coded) -> Floats | None:
    """As `_ordinal_patterns` has it, with distances between values; None of many values."""
    if len(coded.values) > MANY_VALUES:
        return None
    x, joint, place = points_of(coded), _one_dissent(coded), np.arange(len(coded.values))
    counts = _counts_with(joint, coded)
    observed = 2 * (joint * np.subtract.outer(x, x) ** 2).sum()
    totals = [counts @ y for y in (x, x * x, place, place * place)]
    return np.array([observed, counts.sum(), *totals])


def _squared_gaps(x: Floats, coded: Coded) -> Floats:
    """Sum of (x_i - x_j)^2 over the pairs of a unit's ratings, by m - 1, shape (units,)."""
    m = coded.sizes
    centred = x - (_over_units(x, coded) / m)[coded.unit]
    return m * _over_units(centred * centred, coded) / (m - 1)


def _over_units(x: Floats | Ints, coded: Coded) -> Floats:
    return summed(x, coded.unit, coded.units)


def _by_cluster(of_units: Floats, coded: Coded) -> Floats:
    """Rows of units added up by cluster; `Coded.pairable` keeps a cluster's units together."""
    if len(coded.clusters) == coded.units:
        return of_units
    starts = np.searchsorted(coded.cluster, np.arange(len(coded.clusters)))
    return np.add.reduceat(of_units, starts, axis=0)


def _grouped(
    sums: Floats, alpha: Callable[[Floats], Floats], dissent: Floats | None = None
) -> Patterns:
    """Equal rows once. Rounding only decides what is equal: the order of adding must not."""
    keys = sums.round(10)
    order = np.lexsort(keys.T)
    keys = keys[order]
    new = np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)])
    member = np.empty(len(sums), dtype=np.intp)
    member[order] = np.cumsum(new) - 1
    columns = np.ascontiguousarray(sums[order[new]].T)
    return Patterns(columns, np.bincount(member), member, alpha, dissent)


class ByCluster(Form):
    """For tables whose sums would not fit: every cluster is a pattern of its own.

    Patterns are numbered by the clusters' names, so that the order of rows changes no draw.
    """

    def __init__(self, coded: Coded) -> None:
        self._coded = coded
        self._row_cluster = coded.cluster[coded.unit]
        self.times = np.ones(len(coded.clusters), dtype=np.intp)
        self.member = np.empty_like(self.times)
        self.member[np.argsort(coded.clusters.astype(str))] = np.arange(len(self.times))

    def alphas(self, weights: Floats) -> Floats:
        return self._alphas(weights.T[:, self.member])

    def without(self) -> Floats:
        left_out = np.empty(len(self.times))
        left_out[self.member] = self._without()
        return left_out

    @abstractmethod
    def _alphas(self, weights: Floats) -> Floats:
        """As `alphas`, by cluster, from (tables, clusters)."""

    @abstractmethod
    def _without(self) -> Floats:
        """As `without`, by cluster."""


class ManyNominal(ByCluster):
    """Nominal alpha of many values."""

    def __init__(self, coded: Coded) -> None:
        super().__init__(coded)
        of_units = np.column_stack([_nominal_disagreements(coded), coded.sizes])
        self._sums = _by_cluster(of_units, coded)

    def _alphas(self, weights: Floats) -> Floats:
        squared = np.array([self._squared_marginals(w) for w in weights])
        return self._alpha(weights @ self._sums, squared)

    def _without(self) -> Floats:
        code, cluster, size = self._coded.code, self._row_cluster, len(self.times)
        n_v = np.bincount(code)
        shared = summed(n_v[code], cluster, size)
        cells, times = np.unique(cluster * len(n_v) + code, return_counts=True)
        own = summed(times * times, cells // len(n_v), size)
        squared = (n_v * n_v).sum() - 2 * shared + own
        return self._alpha(self._sums.sum(axis=0) - self._sums, squared)

    def _squared_marginals(self, weights: Floats) -> float:
        n_v = np.bincount(self._coded.code, weights=weights[self._row_cluster])
        return float(n_v @ n_v)

    def _alpha(self, sums: Floats, squared: Floats) -> Floats:
        observed, n = sums[:, 0], sums[:, 1]
        return _one_minus((n - 1) * observed, n * n - squared)


class ManyOrdinal(ByCluster):
    """Ordinal alpha of many values."""

    def _alphas(self, weights: Floats) -> Floats:
        return np.array([self._alpha(w) for w in weights])

    def _without(self) -> Floats:
        if len(self._coded.values) > _TABLE_VALUES:
            return self._without_one_by_one()
        n_v, o = np.bincount(self._coded.code), self._coincidences()
        x, n = np.empty(len(self._coded.code)), np.empty(len(self.times))
        observed, cubes = np.empty_like(n), np.empty_like(n)
        block = max(1, _CELLS // len(n_v))
        for start in range(0, len(n), block):
            here = slice(start, min(start + block, len(n)))
            rows = slice(*np.searchsorted(self._row_cluster, [here.start, here.stop]))
            cells = (self._row_cluster[rows] - start, self._coded.code[rows])
            rest = np.tile(n_v, (here.stop - start, 1))
            np.subtract.at(rest, cells, 1)
            n[here] = rest.sum(axis=1)
            midranks = rest.cumsum(axis=1) - rest / 2 - n[here, np.newaxis] / 2
            x[rows] = midranks[cells]
            observed[here] = (midranks**2) @ n_v - np.einsum("cv,cv->c", midranks @ o, midranks)
            cubes[here] = (rest.astype(np.float64) ** 3).sum(axis=1)
        own = summed(_squared_gaps(x, self._coded), self._coded.cluster, len(n))
        return _one_minus((n - 1) * 2 * (observed - own), n * (n**3 - cubes) / 6)

    def _without_one_by_one(self) -> Floats:
        clusters = np.arange(len(self.times))
        return np.array([self._alpha(1.0 * (clusters != left)) for left in clusters])

    def _coincidences(self) -> Floats:
        """The whole table's o_vk, shape (values, values)."""
        coded, size = self._coded, len(self._coded.values)
        a, b = coded.row_pairs()
        weights = 1 / (coded.sizes[coded.unit[a]] - 1)
        cells = coded.code[a] * size + coded.code[b]
        o = summed(weights, cells, size * size).reshape(size, size)
        return o + o.T

    def _alpha(self, weights: Floats) -> float:
        coded = self._coded
        n_v = np.bincount(coded.code, weights=weights[self._row_cluster])
        n = n_v.sum()
        midranks = n_v.cumsum() - n_v / 2 - n / 2
        gaps = _squared_gaps(midranks[coded.code], coded)
        observed = 2 * (weights[coded.cluster] @ gaps)
        expected = n * (n * n * n - (n_v * n_v) @ n_v) / 6
        return float(1 - (n - 1) * observed / expected) if expected > 0 else np.nan
