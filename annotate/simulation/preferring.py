"""How a simulated rater comes to a preference: step by step away from the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from annotate.ballot import Ballot
from annotate.simulation.kinds import Kind
from annotate.simulation.raters import SimulatedRater
from annotate.simulation.truths import Cell, Truth
from annotate.simulation.weighing import margin_of


@dataclass(frozen=True)
class Preferred:
    """Margins, above 0 towards A: `meant` and what was set; `kind` says why it is not the truth."""

    meant: int
    margin: int
    kind: Kind | None


def prefer(
    ballot: Ballot, truth: Truth, read: Mapping[Cell, str], rater: SimulatedRater, dice: Random
) -> Preferred:
    """The preference of a pair that no gate decides for this rater.

    What the rater reads differently moves it by as much as the labels say, own weights move it on,
    a school of its own turns it round, and a slip sets any other stop. The last that moved it
    gives the kind.
    """
    most = len(ballot.preference) // 2
    said = margin_of(ballot, truth.labels, truth.weights)
    true = said if truth.preference is None else _margin(ballot, truth.preference)
    kind: Kind | None = None
    steps = [true]
    for weights, why in ((truth.weights, Kind.AMBIGUITY), (rater.weights, Kind.WEIGHTING)):
        moved = steps[-1]
        if weights is not None:
            moved = true + margin_of(ballot, read, weights) - said
        steps.append(max(-most, min(most, moved)))
        kind = why if steps[-1] != steps[-2] else kind
    meant = steps[-1]
    if truth.disputed and rater.school == "second" and meant:
        meant, kind = -meant, Kind.LEGITIMATE
    margin = meant
    if dice.random() < rater.stop_slip:
        margin = dice.choice([stop for stop in range(-most, most + 1) if stop != meant])
        kind = Kind.SLIP
    # On a pair without a planted preference nothing is a deviation but what moved it.
    return Preferred(meant, margin, kind if margin != true else None)


def _margin(ballot: Ballot, code: str) -> int:
    return len(ballot.preference) // 2 - ballot.preference.index(code)
