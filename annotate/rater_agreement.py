"""How raters of a batch agree two by two, and each with the rest: what finds the one odd rater."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from annotate.calibration import Asked, asked_of
from annotate.ratings import for_reliability, ratings
from annotate.reliability import against_the_rest, pairwise
from annotate.snapshots import remembered
from projects.models import Rater

if TYPE_CHECKING:
    from annotate.models import Batch


@dataclass(frozen=True)
class Share:
    """How often two raters, or one and the rest, gave the same label."""

    agreeing: int
    of: int

    @property
    def agreement(self) -> float | None:
        return self.agreeing / self.of if self.of else None


@dataclass(frozen=True)
class CheckKappas:
    """Cohen's kappa of each pair of raters on one check; None where chance alone makes it so."""

    key: str
    kappas: tuple[float | None, ...]


@dataclass(frozen=True)
class RaterAgreement:
    """The raters of a batch in order of name, and how they agree over all checks.

    `cells` has a row per rater and a Share per other rater, None on the diagonal and where two
    share no unit; `pairs` are the pairs of raters that `kappas` is about, as places in `raters`.
    `lone` counts by rater and check the units on which everyone else agreed.
    """

    raters: tuple[Rater, ...]
    cells: tuple[tuple[Share | None, ...], ...]
    rest: tuple[Share, ...]
    pairs: tuple[tuple[int, int], ...]
    kappas: tuple[CheckKappas, ...]
    lone: tuple[dict[str, int], ...]


def rater_agreement(batch: Batch) -> RaterAgreement | None:
    """None where raters are anonymous, or fewer than two of them share a unit."""
    if batch.anonymous_raters:
        return None
    asked = compared(asked_of(batch))
    data = remembered("raters", [batch], lambda: _computed(batch, asked))
    if not data["together"]:
        return None
    return _loaded(data, [figure.key for figure in asked])


def compared(asked: Sequence[Asked]) -> list[Asked]:
    """Gates and criteria; the preference only where there is nothing else to compare."""
    values = [figure for figure in asked if figure.figure == "values"]
    checks = [figure for figure in values if figure.kind in ("gate", "criterion")]
    return checks or [figure for figure in values if figure.kind == "preference"]


def _computed(batch: Batch, asked: Sequence[Asked]) -> dict[str, Any]:
    frame = ratings([batch], with_outcome=False)
    together: Counter[tuple[str, str]] = Counter()
    agreeing: Counter[tuple[str, str]] = Counter()
    rest: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    kappas: dict[str, list[list[Any]]] = {}
    lone: dict[str, Counter[str]] = defaultdict(Counter)
    for key in (figure.key for figure in asked):
        chosen = for_reliability(frame, key)
        found = pairwise(chosen)
        kappas[key] = [[one.first, one.second, one.kappa] for one in found]
        for one in found:
            together[one.first, one.second] += one.units
            agreeing[one.first, one.second] += one.agreeing
        for each in against_the_rest(chosen):
            rest[each.rater][0] += each.agreeing
            rest[each.rater][1] += each.pairs
        for rater in _lone_dissents(chosen):
            lone[rater][key] += 1
    return {
        "together": [[*pair, agreeing[pair], units] for pair, units in together.items()],
        "rest": dict(rest),
        "kappas": kappas,
        "lone": {rater: dict(found) for rater, found in lone.items()},
    }


def _lone_dissents(chosen: pd.DataFrame) -> list[str]:
    """The rater of each unit on which one stands against two or more others who all agree."""
    times = chosen.groupby(["unit", "value"], sort=False).size().reset_index(name="times")
    of_unit = times.groupby("unit")["times"]
    alone = (
        (of_unit.transform("sum") > 2) & (of_unit.transform("count") == 2) & (times["times"] == 1)
    )
    found = chosen.merge(times[alone], on=["unit", "value"])
    return [str(rater) for rater in found["rater"]]


def _loaded(data: dict[str, Any], keys: Sequence[str]) -> RaterAgreement:
    found = Rater.objects.filter(pk__in=[int(pk) for pk in data["rest"]])
    raters = tuple(sorted(found, key=lambda rater: _natural(rater.name)))
    shares: dict[tuple[str, str], Share] = {}
    for first, second, agreeing, units in data["together"]:
        shares[first, second] = shares[second, first] = Share(agreeing, units)
    names = [str(rater.pk) for rater in raters]
    pairs = tuple(
        (n, m)
        for n in range(len(names))
        for m in range(n + 1, len(names))
        if (names[n], names[m]) in shares
    )
    return RaterAgreement(
        raters=raters,
        cells=tuple(tuple(shares.get((one, other)) for other in names) for one in names),
        rest=tuple(Share(*data["rest"][name]) for name in names),
        pairs=pairs,
        kappas=tuple(CheckKappas(key, _kappas(data, key, names, pairs)) for key in keys),
        lone=tuple(dict(data["lone"].get(name, {})) for name in names),
    )


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Rater 2 before rater 10."""
    return [
        (0, int(piece), "") if piece.isdecimal() else (1, 0, piece)
        for piece in re.split(r"([0-9]+)", name)
        if piece
    ]


def _kappas(
    data: dict[str, Any], key: str, names: Sequence[str], pairs: Sequence[tuple[int, int]]
) -> tuple[float | None, ...]:
    found = {frozenset((first, second)): kappa for first, second, kappa in data["kappas"][key]}
    return tuple(found.get(frozenset((names[n], names[m]))) for n, m in pairs)
