"""Imperfect raters, simulated: pairs with known answers go in, votes and what was wrong come out.

Pure and seeded; docs/simulator.md has the parameters and how alpha follows from them. What it makes
is marked as simulated wherever it is shown.
"""

from annotate.simulation.expected import alpha_of, expected_alpha
from annotate.simulation.filling import Filled, Situation, fill, filled
from annotate.simulation.kinds import Kind
from annotate.simulation.profiles import DEFAULT_PROFILE, PROFILES, Profile, profile
from annotate.simulation.raters import SimulatedRater
from annotate.simulation.simulate import Place, Simulated, SimulatedVote, simulate
from annotate.simulation.truths import (
    Recipe,
    SimulatedPair,
    Truth,
    known_to_be,
    make_pairs,
    shaded,
    truth_for,
)

__all__ = [
    "DEFAULT_PROFILE",
    "PROFILES",
    "Filled",
    "Kind",
    "Place",
    "Profile",
    "Recipe",
    "Simulated",
    "SimulatedPair",
    "SimulatedRater",
    "SimulatedVote",
    "Situation",
    "Truth",
    "alpha_of",
    "expected_alpha",
    "fill",
    "filled",
    "known_to_be",
    "make_pairs",
    "profile",
    "shaded",
    "simulate",
    "truth_for",
]
