"""Raw agreement and Cohen's kappa of rater pairs: what finds the one odd rater.

Source of kappa: J. Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from annotate.reliability.coding import Floats, Ints, Names, read, summed


@dataclass(frozen=True)
class PairAgreement:
    """Two raters on the `units` that both rated, at least one.

    `agreement` is the share of equal values. `kappa` is None, with `reason` "no_variation", where
    both gave one and the same value throughout: chance alone would then make them agree.
    """

    first: Any
    second: Any
    units: int
    agreeing: int
    agreement: float
    kappa: float | None
    reason: str | None


@dataclass(frozen=True)
class RestAgreement:
    """One rater against all others: `agreeing` of the `pairs` he forms with them on his `units`.

    `units` are those that someone else rated too. Without any, `agreement` is None and `reason`
    "no_shared_units".
    """

    rater: Any
    units: int
    pairs: int
    agreeing: int
    agreement: float | None
    reason: str | None


def pairwise(frame: pd.DataFrame) -> list[PairAgreement]:
    """Every two raters who share a unit, ordered by name; values compare as labels.

    Takes the columns `unit`, `rater`, `value` and refuses what `coding.read` refuses.
    """
    coded = read(frame, "nominal").pairable()
    a, b = coded.row_pairs()
    rank = _ranks(coded.raters)
    swapped = rank[coded.rater[a]] > rank[coded.rater[b]]
    a, b = np.where(swapped, b, a), np.where(swapped, a, b)
    keys = rank[coded.rater[a]] * len(rank) + rank[coded.rater[b]]
    found, pair, units = np.unique(keys, return_inverse=True, return_counts=True)
    agreeing = summed(coded.code[a] == coded.code[b], pair, len(found))
    chance = _chance(pair, coded.code[a], coded.code[b], len(coded.values), len(found))
    names = _ranked(coded.raters)
    return [
        _pair_agreement(names[key // len(rank)], names[key % len(rank)], n, int(e), int(c))
        for key, n, e, c in zip(found.tolist(), units.tolist(), agreeing, chance, strict=True)
    ]


def against_the_rest(frame: pd.DataFrame) -> list[RestAgreement]:
    """Every rater against all others, ordered by name; values compare as labels.

    Takes the columns `unit`, `rater`, `value` and refuses what `coding.read` refuses.
    """
    everyone = read(frame, "nominal")
    coded, size = everyone.pairable(), len(everyone.raters)
    a, b = coded.row_pairs()
    equal = coded.code[a] == coded.code[b]
    sides = np.concatenate([coded.rater[a], coded.rater[b]])
    pairs = np.bincount(sides, minlength=size)
    agreeing = summed(np.concatenate([equal, equal]), sides, size)
    units = np.bincount(coded.rater, minlength=size)
    return [
        _rest_agreement(everyone.raters[r], int(units[r]), int(pairs[r]), int(agreeing[r]))
        for r in np.argsort(_ranks(everyone.raters)).tolist()
    ]


def _ranked(raters: Names) -> list[Any]:
    return sorted(raters.tolist(), key=str)


def _ranks(raters: Names) -> Ints:
    place = {rater: n for n, rater in enumerate(_ranked(raters))}
    return np.array([place[rater] for rater in raters.tolist()], dtype=np.intp)


def _chance(pair: Ints, first: Ints, second: Ints, values: int, pairs: int) -> Floats:
    """For each pair the sum over values of (first's count) x (second's count)."""
    cells_a, counts_a = np.unique(pair * values + first, return_counts=True)
    cells_b, counts_b = np.unique(pair * values + second, return_counts=True)
    cells, in_a, in_b = np.intersect1d(cells_a, cells_b, assume_unique=True, return_indices=True)
    products = counts_a[in_a] * counts_b[in_b]
    return summed(products, cells // max(values, 1), pairs)


def _pair_agreement(first: Any, second: Any, n: int, equal: int, by_chance: int) -> PairAgreement:
    # kappa = (p_o - p_e) / (1 - p_e) with p_o = equal / n and p_e = by_chance / n^2.
    left = n * n - by_chance
    kappa = (n * equal - by_chance) / left if left else None
    reason = None if left else "no_variation"
    return PairAgreement(first, second, n, equal, equal / n, kappa, reason)


def _rest_agreement(rater: Any, units: int, pairs: int, agreeing: int) -> RestAgreement:
    if not pairs:
        return RestAgreement(rater, 0, 0, 0, None, "no_shared_units")
    return RestAgreement(rater, units, pairs, agreeing, agreeing / pairs, None)
