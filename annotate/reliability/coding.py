"""Rows of ratings made into arrays of small whole numbers, or refused with a reason.

Everything that agreement is computed from passes through `read`: it decides what is missing, which
order the values have and which rows are wrong.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

Level = Literal["nominal", "ordinal", "interval"]
Value = str | float
Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Names = npt.NDArray[np.object_]

# Beyond this a table of units x values (or its square) is not kept.
MANY_VALUES = 20
_NAMED_IN_ERRORS = 5


@dataclass(frozen=True, eq=False)
class Coded:
    """Ratings without the missing ones, as positions into the names beside them.

    `unit`, `rater` and `code` have one entry a rating; `cluster` has one a unit. `values` are in
    scale order and `code` points into them.
    """

    unit: Ints
    rater: Ints
    code: Ints
    cluster: Ints
    raters: Names
    clusters: Names
    values: tuple[Value, ...]

    @property
    def units(self) -> int:
        """Number of units that hold a rating."""
        return len(self.cluster)

    @cached_property
    def sizes(self) -> Ints:
        """Ratings of each unit, shape (units,)."""
        sizes: Ints = np.bincount(self.unit, minlength=self.units)
        return sizes

    @cached_property
    def squares(self) -> Ints:
        """Sum over values of the squared count of each, for each unit, shape (units,).

        It equals the squared size where all ratings of the unit agree.
        """
        if len(self.values) <= MANY_VALUES:
            counts = self.value_counts
            squares: Ints = (counts * counts).sum(axis=1)
            return squares
        size = len(self.values)
        cells, times = np.unique(self.unit * size + self.code, return_counts=True)
        squares = np.zeros(self.units, dtype=np.intp)
        np.add.at(squares, cells // size, times * times)
        return squares

    @cached_property
    def value_counts(self) -> Ints:
        """Ratings of each value in each unit, shape (units, values)."""
        cells = self.unit * len(self.values) + self.code
        size = self.units * len(self.values)
        return np.bincount(cells, minlength=size).reshape(self.units, len(self.values))

    def row_pairs(self) -> tuple[Ints, Ints]:
        """Every two ratings of one unit, as two arrays of row numbers; rows must be by unit."""
        starts = self.sizes.cumsum() - self.sizes
        nothing = np.empty(0, dtype=np.intp)
        first, second = [nothing], [nothing]
        for m in np.unique(self.sizes).tolist():
            low, high = np.triu_indices(m, k=1)
            of_size = starts[self.sizes == m][:, np.newaxis]
            first.append((of_size + low).ravel())
            second.append((of_size + high).ravel())
        return np.concatenate(first), np.concatenate(second)

    def pairable(self) -> "Coded":
        """Only units with two or more ratings, and only the values and clusters that these use.

        Rows come out ordered by unit and units by cluster, so that sums over either are slices.
        """
        rows = self.sizes[self.unit] >= 2
        unit, kept = _compressed(self.unit[rows], self.units)
        cluster, clusters = _compressed(self.cluster[kept], len(self.clusters))
        code, values = _compressed(self.code[rows], len(self.values))
        by_cluster = np.argsort(cluster, kind="stable")
        place = np.empty_like(by_cluster)
        place[by_cluster] = np.arange(len(by_cluster))
        unit = place[unit]
        by_unit = np.argsort(unit, kind="stable")
        return Coded(
            unit=unit[by_unit],
            rater=self.rater[rows][by_unit],
            code=code[by_unit],
            cluster=cluster[by_cluster],
            raters=self.raters,
            clusters=self.clusters[clusters],
            values=tuple(self.values[i] for i in values.tolist()),
        )


def read(frame: pd.DataFrame, level: Level, scale: Sequence[Value] | None = None) -> Coded:
    """Code the columns `unit`, `rater`, `value` and, where it is there, `cluster`.

    A value is missing when it is None, NaN, empty or blank; the texts "nan" and "None" are labels.
    Without a `cluster` column every unit is its own cluster. `scale` lists the allowed values in
    their order; without it the values found are taken, in the order of their numbers (nominal
    texts: of the alphabet). At ordinal and interval level numbers compare as numbers: "3.0" is 3.

    Raises ValueError for an unknown level, absent columns, a row without unit, rater or cluster,
    two rows of one unit and rater, a unit in two clusters, a value outside the scale, a value that
    is no finite number at interval level, and an ordinal scale that is needed but not given.
    """
    if level not in get_args(Level):
        raise ValueError(f"level is {level!r}, but must be one of {', '.join(get_args(Level))}")
    absent = [name for name in ("unit", "rater", "value") if name not in frame.columns]
    if absent:
        raise ValueError(f"the ratings have no column {', '.join(absent)}")
    unit, units = _factorized(frame, "unit")
    rater, raters = _factorized(frame, "rater")
    _refuse_repeats(unit, rater, units, raters)
    code, values = _coded_values(frame["value"], level, scale)
    cluster, clusters = unit, units
    if "cluster" in frame.columns:
        cluster, clusters = _factorized(frame, "cluster")
    present = code >= 0
    unit, kept = _compressed(unit[present], len(units))
    cluster = cluster[present]
    cluster_of = np.zeros(len(kept), dtype=np.intp)
    cluster_of[unit] = cluster
    torn = unit[cluster_of[unit] != cluster]
    if len(torn):
        raise ValueError(f"unit {units[kept[torn[0]]]!r} is in more than one cluster")
    return Coded(unit, rater[present], code[present], cluster_of, raters, clusters, values)


def _factorized(frame: pd.DataFrame, column: str) -> tuple[Ints, Names]:
    codes, names = pd.factorize(frame[column].to_numpy(dtype=object))
    if len(codes) and codes.min() < 0:
        raise ValueError(f"row {int(codes.argmin()) + 1} has no {column}")
    return codes, names


def _refuse_repeats(unit: Ints, rater: Ints, units: Names, raters: Names) -> None:
    keys = np.sort(unit * max(len(raters), 1) + rater)
    repeated = keys[1:][keys[1:] == keys[:-1]]
    if len(repeated):
        u, r = divmod(int(repeated[0]), len(raters))
        raise ValueError(
            f"rater {raters[r]!r} has more than one rating of unit {units[u]!r}: "
            "keep the current one only"
        )


def _coded_values(
    column: "pd.Series[Any]", level: Level, scale: Sequence[Value] | None
) -> tuple[Ints, tuple[Value, ...]]:
    raw_codes, raws = pd.factorize(column.to_numpy(dtype=object))
    key = _label if level == "nominal" else _number_or_label
    keys = [None if is_missing(raw) else key(raw) for raw in raws]
    found = {k for k in keys if k is not None}
    values = _found_order(found, level) if scale is None else _given_order(scale, key)
    outside = [raw for raw, k in zip(raws, keys, strict=True) if k is not None and k not in values]
    if outside:
        raise ValueError(f"not on the scale: {_named(outside)}")
    if level == "interval":
        _refuse_texts(values)
    place = {k: n for n, k in enumerate(values)}
    # The last entry is where factorize's -1 for None and NaN points to.
    lookup = np.array([-1 if k is None else place[k] for k in keys] + [-1], dtype=np.intp)
    return lookup[raw_codes], tuple(values.values())


def summed(amounts: npt.NDArray[Any], places: Ints, size: int) -> Floats:
    """The amounts added up by place, shape (size,)."""
    added = np.bincount(places, weights=amounts, minlength=size)
    return added.astype(np.float64, copy=False)


def is_missing(raw: object) -> bool:
    """None, NaN (and pandas' own NA), an empty or a blank text."""
    if isinstance(raw, str):
        return not raw.strip()
    return raw is None or raw is pd.NA or raw != raw


def _label(raw: object) -> Value:
    """Text as it stands; a whole number without the .0 that a column with gaps gives it."""
    if isinstance(raw, Real) and not isinstance(raw, bool | np.bool_):
        number = float(raw)
        return str(int(number)) if number.is_integer() else repr(number)
    return str(raw)


def _number_or_label(raw: object) -> Value:
    """The finite number that `raw` is or spells, else its text ("nan" and "inf" stay texts)."""
    try:
        number = float(raw)  # type: ignore[arg-type]  # what is no number is caught just below
    except (TypeError, ValueError):
        return str(raw)
    return number if math.isfinite(number) else str(raw)


def _found_order(found: set[Value], level: Level) -> dict[Value, Value]:
    texts = sorted(k for k in found if isinstance(k, str))
    if level == "ordinal" and texts:
        raise ValueError(f"an ordinal scale needs its order, to place {_named(texts)}")
    if level == "nominal":
        ordered = sorted(texts, key=lambda text: (_as_number(text), text))
        return {k: k for k in ordered}
    numbers: list[Value] = sorted(k for k in found if not isinstance(k, str))
    show: Callable[[Value], Value] = _label if level == "ordinal" else lambda k: k
    return {k: show(k) for k in [*numbers, *texts]}


def _as_number(text: str) -> float:
    key = _number_or_label(text)
    return math.inf if isinstance(key, str) else key


def _given_order(scale: Sequence[Value], key: Callable[[object], Value]) -> dict[Value, Value]:
    values = {key(value): value for value in scale}
    if len(values) < len(scale):
        raise ValueError(f"the scale names a value twice: {_named(scale)}")
    return values


def _refuse_texts(values: dict[Value, Value]) -> None:
    texts = [k for k in values if isinstance(k, str)]
    if texts:
        raise ValueError(f"interval ratings must be finite numbers, unlike {_named(texts)}")


def _named(values: Sequence[object]) -> str:
    named = ", ".join(repr(value) for value in values[:_NAMED_IN_ERRORS])
    more = len(values) - _NAMED_IN_ERRORS
    return f"{named} and {more} more" if more > 0 else named


def _compressed(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """Codes renumbered without gaps, and the old code of each new one."""
    used = np.bincount(codes, minlength=size) > 0
    return (np.cumsum(used) - 1)[codes], np.flatnonzero(used)
