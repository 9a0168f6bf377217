"""Imperfect experts, simulated: the planted truth goes in, a filled form comes out.

Pure and seeded. Each rater reports the truth with a probability of their own for each check, else
draws an answer from that check's codes; with equal probabilities p for all, alpha is about p².
Used for the demo project, and marked as simulated wherever its votes are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from annotate.ballot import (
    LEFT,
    RIGHT,
    Answer,
    Ballot,
    Check,
    GateState,
    Order,
    gate_state,
    side_of,
    stop_of,
)


@dataclass(frozen=True)
class Truth:
    """What was planted in a pair: (key, side) → code; no preference where both fail a gate."""

    labels: Mapping[tuple[str, str], str]
    preference: str | None


@dataclass(frozen=True)
class SimulatedRater:
    """How often a rater reports the truth: `skill` in general, `by_check` where it differs."""

    skill: float
    by_check: Mapping[str, float] = field(default_factory=dict)
    preference: float = 0.8

    def on(self, key: str) -> float:
        return self.by_check.get(key, self.skill)


def fill(
    ballot: Ballot, truth: Truth, rater: SimulatedRater, order: Order, dice: Random
) -> dict[str, Any]:
    """The form as this rater sends it: fields in seen terms, whole and in order."""
    labels = {
        (check.key, part): _code(check, part, truth, rater, order, dice)
        for check in ballot.checks
        for part in check.parts
    }
    answer = Answer(labels=labels)
    fields: dict[str, Any] = {f"label:{key}:{part}": code for (key, part), code in labels.items()}
    if not ballot.preference or gate_state(ballot, answer) is not GateState.PASSED:
        return fields
    stop = _stop(ballot, truth, rater, order, labels, dice)
    return {**fields, "preference": str(stop), **_rationale(ballot, labels, stop, dice)}


def _code(
    check: Check, part: str, truth: Truth, rater: SimulatedRater, order: Order, dice: Random
) -> str:
    true = truth.labels[check.key, side_of(part, order)]
    if dice.random() < rater.on(check.key):
        return true
    return dice.choice(check.values if true != "na" else check.codes)


def _stop(
    ballot: Ballot,
    truth: Truth,
    rater: SimulatedRater,
    order: Order,
    labels: Mapping[tuple[str, str], str],
    dice: Random,
) -> int:
    points = len(ballot.preference)
    if truth.preference is not None and dice.random() < rater.preference:
        return stop_of(ballot, truth.preference, order)
    lean = sum(_sign(labels, check.key) for check in ballot.criteria)
    middle = (points + 1) // 2
    noise = dice.choice((-1, 0, 0, 1))
    return min(points, max(1, middle - lean + noise))


def _sign(labels: Mapping[tuple[str, str], str], key: str) -> int:
    """+1 where only Left has a yes, -1 where only Right has."""
    left, right = labels.get((key, LEFT)), labels.get((key, RIGHT))
    return (left == "yes") - (right == "yes") if left != right else 0


def _rationale(
    ballot: Ballot, labels: Mapping[tuple[str, str], str], stop: int, dice: Random
) -> dict[str, Any]:
    middle = (len(ballot.preference) + 1) // 2
    if stop == middle:
        keys = [check.key for check in ballot.criteria if not _sign(labels, check.key)]
        if not keys:
            return _unsaid("I would send either of them.")
        cited = dice.sample(keys, min(2, len(keys)))
        return {"rationale": f"Nothing between them on {_cite(cited)}; I would send either."}
    side, sign = (LEFT, 1) if stop < middle else (RIGHT, -1)
    keys = [check.key for check in ballot.criteria if _sign(labels, check.key) == sign]
    if not keys:
        return _unsaid(f"[{side}] reads as if written for the next person on the desk.")
    extent = "clearly " if abs(stop - middle) > 1 else ""
    return {"rationale": f"[{side}] is {extent}ahead on {_cite(keys)}."}


def _unsaid(text: str) -> dict[str, Any]:
    return {"rationale": text, "nothing_says_it": True}


def _cite(keys: list[str]) -> str:
    return " and ".join(f"[{key}]" for key in sorted(keys))
