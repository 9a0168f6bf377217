"""Which clusters hold alpha down most, and what alpha would be without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from annotate.reliability.coding import Coded, Floats, Level, Value, read
from annotate.reliability.coincidence import Form, form_of

# More pairs than a meeting of an hour gets through.
MOST = 20
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Settling:
    """`influence` is alpha without a cluster minus alpha, for every cluster that holds a split.

    `order` are those of them that alpha is the better without, the most influential first, and
    `alphas` what it comes to without the first one, the first two and so on, None where nothing is
    left to disagree or agree on.
    """

    alpha: float | None = None
    influence: Mapping[Any, float] = field(default_factory=dict)
    order: tuple[Any, ...] = ()
    alphas: tuple[float | None, ...] = ()

    def within(self, bar: float) -> int:
        """The fewest of `order` without which alpha reaches the bar, else those that take it
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
        """Whether alpha is at the bar or above without the first so many of `order`."""
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

    Alpha is computed exactly for each number of clusters left out, at most `most`. Between equal
    influences the name of the cluster decides. Raises what `coding.read` raises.
    """
    coded = read(frame, level, scale).pairable()
    if not coded.units or len(coded.values) == 1:
        return Settling()
    form = form_of(coded, level)
    alpha = form.whole()
    split = np.flatnonzero(_is_split(coded))
    gained = (form.without() - alpha)[form.member[split]]
    influence = {
        name: gain
        for name, gain in zip(coded.clusters[split].tolist(), gained.tolist(), strict=True)
        if gain == gain
    }
    place = {name: n for n, name in enumerate(coded.clusters.tolist())}
    ranked = sorted(influence.items(), key=lambda one: (-one[1], str(one[0])))
    order = tuple(name for name, gain in ranked if gain > _ROUNDING)[:most]
    left_out = _without(form, [int(form.member[place[name]]) for name in order])
    alphas = tuple(None if one != one else one for one in left_out.tolist())
    return Settling(alpha, influence, order, alphas)


def _is_split(coded: Coded) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether a cluster holds a unit on which raters differ, shape (clusters,)."""
    split = np.zeros(len(coded.clusters), dtype=np.bool_)
    split[coded.cluster[coded.squares != coded.sizes**2]] = True
    return split


def _without(form: Form, patterns: Sequence[int]) -> Floats:
    """Alpha without a cluster of the first pattern, of the first two and so on."""
    if not patterns:
        return np.empty(0)
    weights = np.repeat(form.times[:, np.newaxis].astype(np.float64), len(patterns), axis=1)
    for n, pattern in enumerate(patterns):
        weights[pattern, n:] -= 1
    return form.alphas(weights)
