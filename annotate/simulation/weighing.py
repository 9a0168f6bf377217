"""From labels to a preference, and what the codes of a check are worth."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from random import Random

from annotate.ballot import Ballot, Check, number_of
from rubrics.content import GATE_VALUES, NA, YES_NO

# Differences that come to less than this share of all weight leave a pair level.
LEVEL = 0.05


def margin_of(
    ballot: Ballot, labels: Mapping[tuple[str, str], str], weights: Mapping[str, float]
) -> int:
    """Steps on the preference scale, above 0 towards A, that the criteria's labels come to.

    The share of all weight by which A is ahead, times the steps on A's side of the scale, rounded
    away from the middle.
    """
    total = sum(weights.get(check.key, 1.0) for check in ballot.criteria)
    if not total:
        return 0
    lean = sum(weights.get(check.key, 1.0) * lead(check, labels) for check in ballot.criteria)
    share = lean / total
    if abs(share) < LEVEL:
        return 0
    steps = ceil(round(abs(share) * (len(ballot.preference) // 2), 9))
    return steps if share > 0 else -steps


def lead(check: Check, labels: Mapping[tuple[str, str], str]) -> float:
    """How far A is ahead of B on a criterion, from -1 to 1; 0 where either has no worth."""
    a, b = (worth(check, labels.get((check.key, side), NA)) for side in ("A", "B"))
    return 0.0 if a is None or b is None else a - b


def worth(check: Check, code: str) -> float | None:
    """A code on a scale from 0 (worst) to 1; None for N/A. Other scales than pass/fail and yes/no
    are taken to rise."""
    if code == NA:
        return None
    if check.bounds is not None:
        low, high = check.bounds
        number = number_of(code)
        return None if number is None or high == low else (number - low) / (high - low)
    if code not in check.values:
        return None
    place = check.values.index(code) / max(1, len(check.values) - 1)
    return 1 - place if _falls(check) else place


def is_against(code: str) -> bool:
    """Whether a label says something against the response."""
    return code in ("fail", "no")


def code_at(check: Check, draw: float, prevalence: float) -> str:
    """The code that a draw from 0 to 1 comes to; the worst has this prevalence."""
    if check.bounds is not None:
        return _number(check.bounds, draw)
    from_worst = check.values[::-1] if _falls(check) else check.values
    if draw < prevalence or len(from_worst) == 1:
        return from_worst[0]
    rest = from_worst[1:]
    return rest[min(len(rest) - 1, int((draw - prevalence) / (1 - prevalence) * len(rest)))]


def other_way(check: Check, code: str) -> str:
    """The code that the other reading of a check gives: the worse neighbour, or the better one
    of the worst. What one reading calls not applicable the other calls the worst."""
    if check.bounds is not None:
        return _number(check.bounds, 1 - (worth(check, code) or 0.0))
    from_worst = check.values[::-1] if _falls(check) else check.values
    if code not in from_worst:
        return from_worst[0]
    place = from_worst.index(code)
    return from_worst[place - 1] if place else from_worst[min(1, len(from_worst) - 1)]


def slipped(check: Check, code: str, dice: Random) -> str:
    """Any other code than the one that was meant; N/A is not pressed by mistake."""
    if check.bounds is not None:
        return code_at(check, dice.random(), 0.0)
    return dice.choice(slips_to(check, code))


def slips_to(check: Check, code: str) -> list[str]:
    """The codes that a slip may press, each as likely; the code itself where there is no other."""
    return [value for value in check.values if value != code] or [code]


def codes_with_shares(check: Check, prevalence: float, na: float) -> list[tuple[str, float]]:
    """The codes of a check with the shares that `code_at` gives them, beside a share of N/A."""
    from_worst = check.values[::-1] if _falls(check) else check.values
    rest = from_worst[1:]
    worst = prevalence if rest else 1.0
    shares = [(from_worst[0], worst), *((code, (1 - worst) / len(rest)) for code in rest)]
    return [*((code, share * (1 - na)) for code, share in shares), *([(NA, na)] if na else [])]


def _falls(check: Check) -> bool:
    return tuple(check.values) in (GATE_VALUES, YES_NO)


def _number(bounds: tuple[float, float], share: float) -> str:
    """A number so far up between the bounds, to two digits after the point, as people write it."""
    low, high = bounds
    return f"{min(high, max(low, round(low + share * (high - low), 2))):.12g}"
