"""What a simulated rater gets wrong, and how often: docs/simulator.md says it in a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# A rater who errs on more than half of the labels would be reading the check the other way.
MOST_SLIPS = 0.5


@dataclass(frozen=True)
class SimulatedRater:
    """A rater's error model; with nothing set, whoever it is tells the truth.

    - `slip`: the chance that a label is pressed wrong; `slip_on` where it differs by check.
    - `stop_slip`: the chance that the preference is set on a wrong stop.
    - `hasty`: of the votes that hold a slip, the share sent faster than the texts can be read.
    - `reads_other_way`: the checks whose doubtful sides are read the other way.
    - `severity`: sides less clear than this fail (`fail`, `no`) though they should pass; below 0
      it is leniency, and sides less clear than -severity pass though they should fail.
    - `weights`: what each criterion weighs for the preference, where not as the truth has it.
    - `school`: "second" prefers the opposite side on disputed pairs.
    - `tiring`: what the chance of a slip has grown by at the end of the queue.
    - `hurry`: the share of the time per pair that is gone at the end of the queue.
    - `flags`: the chance that a check is marked unclear where the pair is doubtful on it.
    - `evidence`: the chance that a passage is attached to a label against a response.
    - `pace`: 1 reads at the pace of `annotate.simulation.timing`, 2 twice as fast.
    """

    slip: float = 0.0
    slip_on: Mapping[str, float] = field(default_factory=dict)
    stop_slip: float = 0.0
    hasty: float = 0.0
    reads_other_way: frozenset[str] = frozenset()
    severity: float = 0.0
    weights: Mapping[str, float] | None = None
    school: Literal["first", "second"] = "first"
    tiring: float = 0.0
    hurry: float = 0.0
    flags: float = 0.0
    evidence: float = 0.0
    pace: float = 1.0

    def slips(self, key: str, place: float) -> float:
        """The chance of a slip on a check, at `place` of the queue (0 its start, 1 its end)."""
        return min(MOST_SLIPS, self.slip_on.get(key, self.slip) + self.tiring * place)


def place_in(position: int, queue: int) -> float:
    """How far down the queue its `position`-th pair (1-based) stands, from 0 to 1."""
    return (position - 1) / (queue - 1) if queue > 1 else 0.0
