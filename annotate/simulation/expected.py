"""The alpha that parameters imply: what a round of endlessly many pairs would measure.

With joint[v, k] the probability that two different raters of the team, taken at random in random
order, say v and k of the same unit, and p the marginal of joint,

    alpha = 1 - sum_vk joint_vk d_vk / sum_vk p_v p_k d_vk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt

from annotate.ballot import Check
from annotate.simulation.raters import SimulatedRater, place_in
from annotate.simulation.reading import reading
from annotate.simulation.truths import Cell, Recipe, Truth, cells_of
from annotate.simulation.weighing import codes_with_shares, slips_to

Floats = npt.NDArray[np.float64]


def alpha_of(joint: Floats, *, ordinal: bool = False) -> float | None:
    """Alpha of a symmetric joint distribution of two ratings, shape (values, values).

    Nominal, or ordinal with the values in scale order. None without variation.
    """
    p = joint.sum(axis=0)
    if ordinal:
        midranks = p.cumsum() - p / 2
        distance = np.subtract.outer(midranks, midranks) ** 2
    else:
        distance = 1 - np.eye(len(p))
    expected = float(p @ distance @ p)
    return 1 - float((joint * distance).sum()) / expected if expected > 0 else None


def expected_alpha(
    check: Check, recipe: Recipe, team: Sequence[SimulatedRater], *, queue: int = 40
) -> float | None:
    """Nominal alpha of a check that takes codes, over pairs of this recipe; None where undefined.

    Exact for raters who answer the check on every pair (`ask_after_gate`) in random queues of this
    length. Raises ValueError for a measured check and for a team of less than two.
    """
    if check.bounds is not None:
        raise ValueError(f"{check.key} is measured: its alpha is not that of codes")
    if len(team) < 2:
        raise ValueError("agreement takes two raters")
    codes = check.codes
    joint = np.zeros((len(codes), len(codes)))
    for state in _states(check, recipe, team):
        said = [_distribution(check, state, rater, queue) for rater in team]
        pairs = [np.outer(first, second) for first, second in permutations(said, 2)]
        joint += state.share * np.mean(pairs, axis=0)
    return alpha_of(joint)


@dataclass(frozen=True)
class _State:
    """All that raters can tell apart in a unit, and how often it comes."""

    share: float
    cell: Cell
    truth: Truth


def _states(check: Check, recipe: Recipe, team: Sequence[SimulatedRater]) -> Iterator[_State]:
    cell = cells_of(check)[0]
    doubt = recipe.doubtful.get(check.key, 0.0)
    # Between two of these, no rater's severity tells one clearness from another.
    bounds = sorted({0.0, 1.0, *(min(1.0, abs(rater.severity)) for rater in team)})
    na = recipe.na.get(check.key, 0.0) if check.allows_na else 0.0
    for code, share in codes_with_shares(check, recipe.prevalence(check), na):
        for doubtful, chance in ((True, doubt), (False, 1 - doubt)):
            for low, high in pairwise(bounds):
                yield _State(
                    share * chance * (high - low),
                    cell,
                    Truth(
                        {cell: code},
                        None,
                        doubtful=frozenset({cell} if doubtful else ()),
                        clearness={cell: (low + high) / 2},
                    ),
                )


def _distribution(check: Check, state: _State, rater: SimulatedRater, queue: int) -> Floats:
    """The chances of each code, for one rater at a random place in the queue."""
    places = [place_in(position, queue) for position in range(1, queue + 1)]
    slip = sum(rater.slips(check.key, place) for place in places) / queue
    read = reading(check, state.cell, state.truth, rater)
    chances = np.zeros(len(check.codes))
    chances[check.codes.index(read)] = 1 - slip
    others = slips_to(check, read)
    for code in others:
        chances[check.codes.index(code)] += slip / len(others)
    return chances
