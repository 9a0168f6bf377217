"""Pairs with known answers: given, or drawn from plain parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from random import Random

from annotate.ballot import Ballot, Check, Order, side_of
from annotate.simulation.weighing import code_at, margin_of
from rubrics.content import NA, PREFERENCE

Cell = tuple[str, str]
_AB: Order = "AB"


@dataclass(frozen=True)
class Truth:
    """What was planted in a pair: (key, side) → code; no preference where both fail a gate.

    `doubtful` are the cells on which two readings of the check differ. `clearness`, from 0 to 1, is
    how clearly a cell's code is the right one; an absent one is quite clear. On `disputed` pairs
    two schools prefer opposite sides. `weights` are the criteria's in the truth, 1 where absent.
    """

    labels: Mapping[Cell, str]
    preference: str | None
    doubtful: frozenset[Cell] = frozenset()
    clearness: Mapping[Cell, float] = field(default_factory=dict)
    disputed: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SimulatedPair:
    """A pair as the simulator knows it: `words` of both responses together, for the time taken."""

    id: str
    truth: Truth
    words: int


@dataclass(frozen=True)
class Recipe:
    """How pairs are drawn.

    `gates` and `criteria` are prevalences, the share of sides that fail (`fail`, `no`), `on` names
    those of single checks. The sides of a pair have the same code with the probability that gives
    them this `correlation`. `na` is the share of pairs to which a check does not apply, `doubtful`
    the share of sides that a check's two readings decide differently, `disputed` the share of pairs
    on which schools differ. `words` are the bounds of a pair's length.
    """

    gates: float = 0.05
    criteria: float = 0.3
    on: Mapping[str, float] = field(default_factory=dict)
    na: Mapping[str, float] = field(default_factory=dict)
    correlation: float = 0.5
    doubtful: Mapping[str, float] = field(default_factory=dict)
    disputed: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    words: tuple[int, int] = (120, 320)

    def prevalence(self, check: Check) -> float:
        usual = self.gates if check.kind == "gate" else self.criteria
        return self.on.get(check.key, usual)


def make_pairs(
    ballot: Ballot, recipe: Recipe, ids: Iterable[str], *, seed: int
) -> tuple[SimulatedPair, ...]:
    """A pair for each id; what is planted in one depends on its id and the seed alone."""
    return tuple(
        SimulatedPair(
            name,
            truth_for(ballot, recipe, name, seed=seed),
            _dice("words", seed, name).randint(*recipe.words),
        )
        for name in ids
    )


def truth_for(ballot: Ballot, recipe: Recipe, name: str, *, seed: int) -> Truth:
    """The planted answers of the pair of this name."""
    dice = _dice("truth", seed, name)
    labels = {
        (check.key, side): code
        for check in ballot.checks
        for side, code in _codes(check, recipe, dice).items()
    }
    bare = Truth(labels, None, weights=recipe.weights)
    truth = shaded(bare, ballot, recipe, name, seed=seed)
    return replace(truth, preference=_preferred(ballot, truth))


def shaded(truth: Truth, ballot: Ballot, recipe: Recipe, name: str, *, seed: int) -> Truth:
    """A given truth with what the recipe draws beside it: doubt, clearness, dispute."""
    dice = _dice("shades", seed, name)
    doubtful, clearness = set(), {}
    for check in ballot.checks:
        for cell in cells_of(check):
            clearness[cell] = dice.random()
            if dice.random() < recipe.doubtful.get(check.key, 0.0):
                doubtful.add(cell)
    disputed = dice.random() < recipe.disputed
    return replace(
        truth,
        doubtful=frozenset(doubtful),
        clearness=clearness,
        disputed=disputed and gate_margin(ballot, truth.labels) is None,
    )


def known_to_be(ballot: Ballot, truth: Truth, known: Mapping[Cell, str]) -> Truth:
    """A drawn truth with the answers that are known in place of its own, ("preference", "") among
    them or not; what a preference then follows from is all of them."""
    preference = known.get((PREFERENCE, ""))
    labels = {cell: known.get(cell, code) for cell, code in truth.labels.items()}
    bare = replace(truth, labels=labels, disputed=False)
    return replace(bare, preference=preference or _preferred(ballot, bare))


def cells_of(check: Check) -> list[Cell]:
    """The canonical cells of a check: one for each side, or for the pair."""
    return [(check.key, side_of(part, _AB)) for part in check.parts]


def gate_margin(ballot: Ballot, labels: Mapping[Cell, str]) -> int | None:
    """Which side the gates leave: 1 for A, -1 for B, 0 for neither; None where none decides."""
    failing = {
        side
        for gate in ballot.gates
        for key, side in cells_of(gate)
        if labels.get((key, side)) == "fail"
    }
    if not failing & {"A", "B"}:
        return None
    return ("B" in failing) - ("A" in failing)


def _codes(check: Check, recipe: Recipe, dice: Random) -> dict[str, str]:
    if check.allows_na and dice.random() < recipe.na.get(check.key, 0.0):
        return {side: NA for _, side in cells_of(check)}
    prevalence, codes = recipe.prevalence(check), {}
    first: str | None = None
    for _, side in cells_of(check):
        if first is None or dice.random() >= recipe.correlation:
            code = code_at(check, dice.random(), prevalence)
            first = code if first is None else first
        else:
            code = first
        codes[side] = code
    return codes


def _preferred(ballot: Ballot, truth: Truth) -> str | None:
    """The code of the scale that follows from the planted labels."""
    if not ballot.preference:
        return None
    middle = len(ballot.preference) // 2
    by_gate = gate_margin(ballot, truth.labels)
    if by_gate is not None:
        return ballot.preference[middle - by_gate * middle] if by_gate else None
    margin = margin_of(ballot, truth.labels, truth.weights)
    # Schools that differ have something to differ on.
    return ballot.preference[middle - (margin or int(truth.disputed))]


def _dice(what: str, seed: int, name: str) -> Random:
    return Random(f"{what}:{seed}:{name}")  # noqa: S311  (reproducible, not secret)
