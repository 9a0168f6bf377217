"""Probe pairs: of the failures that were planted, how many each rater caught.

Pure. A probe is a pair whose right answer is known; it lies among the pairs of a round, and what
raters say of it is reported apart (DESIGN §7, Clearing).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from rubrics.content import YES_NO

# The point of the normal distribution that leaves 2.5% above it.
Z = 1.959963984540054
Interval = tuple[float, float]
# More checks than these are told together.
SPELLED_OUT = 2


def failing(kind: str, values: Sequence[str]) -> str:
    """The code by which a check fails: of a gate, or of a yes/no criterion; '' of any other."""
    if kind == "gate":
        return "fail"
    return "no" if kind == "criterion" and tuple(values) == YES_NO else ""


@dataclass(frozen=True)
class Unit:
    """One part of a probe pair under one check.

    `planted` says whether it is known to fail; `failed` says by rater whether they failed it, and
    lacks those who were not asked.
    """

    subject: int
    key: str
    part: str
    planted: bool
    failed: Mapping[int, bool]


@dataclass(frozen=True)
class Share:
    """`caught` of `of` units, which lie on `pairs` different pairs."""

    caught: int = 0
    of: int = 0
    pairs: int = 0

    @property
    def missed(self) -> int:
        return self.of - self.caught

    @property
    def interval(self) -> Interval | None:
        return wilson(self.caught, self.of, independent=self.pairs)


@dataclass(frozen=True)
class Tally:
    """One check: what each rater caught, what all who were asked caught together (a unit counts
    where every one of them did), and by rater the units known to pass that they failed.
    """

    key: str
    planted: int
    by_rater: Mapping[int, Share]
    by_all: Share
    wrongly: Mapping[int, Share]

    @property
    def raters(self) -> int:
        return len(self.by_rater)


def wilson(successes: int, trials: int, *, independent: int | None = None) -> Interval | None:
    """The 95% score interval of a share, as (low, high) in [0, 1]; None without trials.

    E. B. Wilson, “Probable inference, the law of succession, and statistical inference”, Journal
    of the American Statistical Association 22 (1927). `independent` is the number of trials that
    say something of their own, where some hang together: the two sides of one pair count as if
    they had always been told alike, so that the interval is rather too wide than too narrow.
    Raises ValueError where the counts cannot be.
    """
    n = trials if independent is None else independent
    if not 0 <= successes <= trials or not 0 <= n <= trials or (trials and not n):
        raise ValueError(f"no share: {successes} of {trials}, {n} of them independent")
    if not trials:
        return None
    p = successes / trials
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    # At either end the formula gives 0 or 1 but for the last bit.
    low = 0.0 if successes == 0 else max(0.0, middle - reach)
    high = 1.0 if successes == trials else min(1.0, middle + reach)
    return low, high


def tallies(units: Iterable[Unit]) -> tuple[Tally, ...]:
    """A tally for each check in which a failure was planted, in the order of first mention."""
    by_key: dict[str, list[Unit]] = {}
    for unit in units:
        by_key.setdefault(unit.key, []).append(unit)
    return tuple(
        _tally(key, found) for key, found in by_key.items() if any(one.planted for one in found)
    )


def _tally(key: str, units: Sequence[Unit]) -> Tally:
    planted = [unit for unit in units if unit.planted]
    sound = [unit for unit in units if not unit.planted]
    raters = sorted({rater for unit in units for rater in unit.failed})
    asked = [unit for unit in planted if unit.failed]
    return Tally(
        key=key,
        planted=len(planted),
        by_rater={rater: _share(planted, rater) for rater in raters},
        by_all=_of([(unit, all(unit.failed.values())) for unit in asked]),
        wrongly={rater: _share(sound, rater) for rater in raters},
    )


def _share(units: Sequence[Unit], rater: int) -> Share:
    return _of([(unit, unit.failed[rater]) for unit in units if rater in unit.failed])


def _of(found: Sequence[tuple[Unit, bool]]) -> Share:
    pairs = len({unit.subject for unit, _ in found})
    return Share(sum(caught for _, caught in found), len(found), pairs)


def in_words(found: Sequence[Tally]) -> str:
    """“8 planted failures of G2, all caught by all 3 raters”: a clause for each of two checks, one
    for more.
    """
    if len(found) <= SPELLED_OUT:
        return "; ".join(_clause(tally) for tally in found)
    planted = sum(tally.planted for tally in found)
    caught = sum(tally.by_all.caught for tally in found)
    of = sum(tally.by_all.of for tally in found)
    raters = max(tally.raters for tally in found)
    many = "all" if caught == of else "none" if not caught else str(caught)
    return f"{planted} planted failures of {len(found)} checks, {many} caught by {_who(raters)}"


def _clause(tally: Tally) -> str:
    planted = f"{tally.planted} planted failure{'s' * (tally.planted != 1)} of {tally.key}"
    if not tally.by_all.of:
        return f"{planted}, answered by nobody"
    caught, of = tally.by_all.caught, tally.by_all.of
    many = "all" if caught == of > 1 else "none" if not caught else str(caught)
    return f"{planted}, {many} caught by {_who(tally.raters)}"


def _who(raters: int) -> str:
    if raters == 1:
        return "one rater"
    return "both raters" if raters == 2 else f"all {raters} raters"
