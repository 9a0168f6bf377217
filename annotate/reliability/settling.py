"""Which clusters hold alpha down most, and what alpha would be once their raters agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from annotate.reliability.coding import Coded, Floats, Ints, Level, Value, read
from annotate.reliability.coincidence import form_of

# More pairs than a meeting of an hour gets through.
MOST = 20
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Settling:
    """`influence` is alpha without a cluster minus alpha, for every cluster that holds a split.

    `order` are those clusters, the most influential first; one without which nothing varies, so
    that it has no influence, comes last. `alphas` are what alpha comes to once the first one is
    settled, the first two and so on, None where nothing is left to disagree or agree on.
    """

    alpha: float | None = None
    influence: Mapping[Any, float] = field(default_factory=dict)
    order: tuple[Any, ...] = ()
    alphas: tuple[float | None, ...] = ()

    def within(self, bar: float) -> int:
        """The fewest of `order` that settled take alpha to the bar, else those that take it
        highest; 0 where alpha reaches it as it is, is undefined or would not gain.
        """
        if self.alpha is None or self.alpha >= bar - _ROUNDING:
            return 0
        best, times = self.alpha, 0
        for n, alpha in enumerate(self.alphas, 1):
            if self.reaches(n, bar):
                return n
            if alpha is not None and alpha > best + _ROUNDING:
                best, times = alpha, n
        return times

    def reaches(self, times: int, bar: float) -> bool:
        """Whether alpha is at the bar or above once the first so many of `order` are settled."""
        alpha = self.alphas[times - 1] if times else self.alpha
        return alpha is not None and alpha >= bar - _ROUNDING


def settling(
    frame: pd.DataFrame,
    *,
    level: Level,
    scale: Sequence[Value] | None = None,
    most: int = MOST,
) -> Settling:
    """From rows of `unit`, `rater`, `value` and `cluster`, as `reliability` takes them.

    The order is that of the jackknife, whose values the interval computes anyway (B. Efron, "Better
    Bootstrap Confidence Intervals", 1987). Between equal influences the name of the cluster
    decides. At most `most` are settled.

    To settle a cluster is to replace each rating of its units by the value that their raters would
    agree on: the one that most of them gave, between equals the one more common on the whole check,
    then the one earlier on the scale; on an ordered scale the median, of two the lower. It assumes
    that a meeting ends where most stood before it, that every rater of the unit takes that value,
    and that nobody changes a label elsewhere. Alpha of the table so changed is exact. It may be
    lower than before, since fewer ratings of a rare value also leave less to agree on; with two
    values and at most three raters on a unit it never is. Raises what `coding.read` raises.
    """
    coded = read(frame, level, scale).pairable()
    if not coded.units or len(coded.values) == 1:
        return Settling()
    form = form_of(coded, level)
    alpha = form.whole()
    split = np.flatnonzero(_is_split(coded))
    gained = (form.without() - alpha)[form.member[split]]
    names = coded.clusters[split].tolist()
    gains = dict(zip(names, gained.tolist(), strict=True))
    influence = {name: gain for name, gain in gains.items() if gain == gain}
    place = dict(zip(names, split.tolist(), strict=True))
    order = sorted(names, key=lambda name: (-influence.get(name, -np.inf), str(name)))[:most]
    settled = _settled(coded, level, [place[name] for name in order])
    alphas = tuple(None if one != one else one for one in settled.tolist())
    return Settling(alpha, influence, tuple(order), alphas)


def _is_split(coded: Coded) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether a cluster holds a unit on which raters differ, shape (clusters,)."""
    split = np.zeros(len(coded.clusters), dtype=np.bool_)
    split[coded.cluster[coded.squares != coded.sizes**2]] = True
    return split


def _settled(coded: Coded, level: Level, order: Sequence[int]) -> Floats:
    """Alpha once the first of these clusters is settled, the first two and so on.

    Each stands in one table beside its settled self, and weights say which of the two counts.
    """
    if not order:
        return np.empty(0)
    form = form_of(_beside_settled(coded, level, order), level)
    as_given = np.ones((len(coded.clusters), len(order)))
    as_settled = np.triu(np.ones((len(order), len(order))))
    as_given[order] -= as_settled
    weights = np.zeros((len(form.times), len(order)))
    np.add.at(weights, form.member, np.concatenate([as_given, as_settled]))
    return form.alphas(weights)


def _beside_settled(coded: Coded, level: Level, order: Sequence[int]) -> Coded:
    """The ratings with these clusters once more behind them, settled."""
    starts = coded.sizes.cumsum() - coded.sizes
    units = np.concatenate([np.flatnonzero(coded.cluster == cluster) for cluster in order])
    rows = np.concatenate([starts[unit] + np.arange(coded.sizes[unit]) for unit in units])
    sizes = coded.sizes[units]
    agreed = _agreed(coded, level, units)
    again = len(coded.clusters) + np.arange(len(order))
    times = [int((coded.cluster == cluster).sum()) for cluster in order]
    return Coded(
        unit=np.concatenate([coded.unit, coded.units + np.repeat(np.arange(len(units)), sizes)]),
        rater=np.concatenate([coded.rater, coded.rater[rows]]),
        code=np.concatenate([coded.code, np.repeat(agreed, sizes)]),
        cluster=np.concatenate([coded.cluster, np.repeat(again, times)]),
        raters=coded.raters,
        clusters=np.concatenate([coded.clusters, coded.clusters[order]]),
        values=coded.values,
    )


def _agreed(coded: Coded, level: Level, units: Ints) -> Ints:
    """The code that the raters of each of these units would agree on, shape (units,)."""
    common = np.bincount(coded.code, minlength=len(coded.values)).tolist()
    ends = coded.sizes.cumsum()
    found = []
    for unit in units.tolist():
        codes = coded.code[ends[unit] - coded.sizes[unit] : ends[unit]].tolist()
        if level == "nominal":
            found.append(max(set(codes), key=lambda c: (codes.count(c), common[c], -c)))
        else:
            ordered = sorted(codes, key=lambda c: _height(coded.values[c], c, level))
            found.append(ordered[(len(ordered) - 1) // 2])
    return np.array(found, dtype=np.intp)


def _height(value: Value, code: int, level: Level) -> float:
    """Where a value stands: a scale of numbers may be written down in any order."""
    return float(value) if level == "interval" else code
