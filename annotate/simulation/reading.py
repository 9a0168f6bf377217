"""How a simulated rater comes to a label: what they read, then what they press."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from annotate.ballot import Check
from annotate.simulation.kinds import Kind
from annotate.simulation.raters import SimulatedRater
from annotate.simulation.truths import Cell, Truth
from annotate.simulation.weighing import other_way, slipped, worth


@dataclass(frozen=True)
class Pressed:
    """`read` is what the rater means to say, `code` what stands in the form; `kind` says why that
    is not the truth, None where it is."""

    read: str
    code: str
    kind: Kind | None


def press(
    check: Check, cell: Cell, truth: Truth, rater: SimulatedRater, place: float, dice: Random
) -> Pressed:
    """One label; `place` is where in the queue the rater is, from 0 to 1."""
    true = truth.labels[cell]
    read = reading(check, cell, truth, rater)
    if dice.random() < rater.slips(check.key, place):
        code, kind = slipped(check, read, dice), Kind.SLIP
    else:
        code, kind = read, Kind.AMBIGUITY
    return Pressed(read, code, kind if code != true else None)


def reading(check: Check, cell: Cell, truth: Truth, rater: SimulatedRater) -> str:
    """What a rater finds, without chance: the same whenever they look."""
    code = truth.labels[cell]
    if check.key in rater.reads_other_way and cell in truth.doubtful:
        code = other_way(check, code)
    return _severe(check, code, truth.clearness.get(cell, 1.0), rater.severity)


def _severe(check: Check, code: str, clearness: float, severity: float) -> str:
    """The label that a strict rater, or a lenient one, makes of what is not clear."""
    value = worth(check, code)
    if value is None or check.bounds is not None or clearness >= abs(severity):
        return code
    if severity > 0 and value == 1:
        return other_way(check, code)
    return other_way(check, code) if severity < 0 and value == 0 else code
