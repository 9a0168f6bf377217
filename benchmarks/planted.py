"""Ratings of a known alpha, by the thousand: what coverage and the exit rule are measured on.

Two models of raters, both seeded numpy:

- *draws*: a side's truth is drawn at the prevalence, the sides of a pair with correlation 0.5; a
  rater reports the truth with probability c = sqrt(alpha) and else a draw at the same prevalence.
  Two raters differ only where at least one drew, so that observed disagreement is (1 - c^2) times
  the expected one, at every level of measurement: alpha is c^2 exactly, at any prevalence.
- *steps*: for a scale. A pair has a place on a line, each rater sees it with an error of their own,
  and five steps of the line are the stops. Errors go to the stop beside. Its alpha comes from the
  joint distribution of two raters, integrated on a fine grid, and the error is solved for.
"""

from __future__ import annotations

from functools import lru_cache
from math import erf, sqrt

import numpy as np
import numpy.typing as npt
import pandas as pd

from annotate.simulation import alpha_of

Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]

RATERS = 3
CORRELATION = 0.5
YES_NO = ("yes", "no")
SCALE = ("A_much", "A_slight", "tie", "B_slight", "B_much")
# How often each stop is right: slight preferences are the most common.
STOPS = (0.15, 0.25, 0.2, 0.25, 0.15)


def sides(alpha: float, prevalence: float, pairs: int, rng: np.random.Generator) -> Ints:
    """Labels of *draws*, 1 for the fault, shape (pairs, 2, raters)."""
    truth = (rng.random((pairs, 2)) < prevalence).astype(np.intp)
    alike = rng.random(pairs) < CORRELATION
    truth[alike, 1] = truth[alike, 0]
    drawn = rng.random((pairs, 2, RATERS)) < prevalence
    told = rng.random((pairs, 2, RATERS)) < sqrt(alpha)
    return np.where(told, truth[..., np.newaxis], drawn).astype(np.intp)


def stops(alpha: float, pairs: int, rng: np.random.Generator) -> Ints:
    """Preferences of *draws* as places on the scale, shape (pairs, 1, raters)."""
    truth = rng.choice(len(SCALE), p=STOPS, size=(pairs, 1))
    drawn = rng.choice(len(SCALE), p=STOPS, size=(pairs, 1, RATERS))
    told = rng.random((pairs, 1, RATERS)) < sqrt(alpha)
    return np.where(told, truth[..., np.newaxis], drawn).astype(np.intp)


def steps(alpha: float, pairs: int, rng: np.random.Generator) -> Ints:
    """Preferences of *steps* as places on the scale, shape (pairs, 1, raters)."""
    error = error_for(alpha)
    place = rng.standard_normal((pairs, 1, 1))
    seen = place + error * rng.standard_normal((pairs, 1, RATERS))
    return np.searchsorted(cuts(error), seen).astype(np.intp)


def cuts(error: float) -> Floats:
    """Where the line is cut, so that stops come as often as STOPS says, whatever the error."""
    return np.array([_quantile(share) for share in np.cumsum(STOPS)[:-1]]) * sqrt(1 + error**2)


@lru_cache
def error_for(alpha: float) -> float:
    """The standard deviation of a rater's error that gives *steps* this ordinal alpha."""
    low, high = 1e-3, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if alpha_of_steps(middle) > alpha else (low, middle)
    return (low + high) / 2


def alpha_of_steps(error: float) -> float:
    """The ordinal alpha of *steps*, from a grid of 4,001 places out to 8 standard deviations."""
    places = np.linspace(-8, 8, 4001)
    weights = np.exp(-(places**2) / 2)
    between = cuts(error)
    below = np.array([[_normal((cut - place) / error) for cut in between] for place in places])
    edges = np.column_stack([np.zeros(len(places)), below, np.ones(len(places))])
    chances = np.diff(edges, axis=1)
    joint = np.einsum("p,pv,pk->vk", weights / weights.sum(), chances, chances)
    alpha = alpha_of(joint, ordinal=True)
    assert alpha is not None
    return alpha


def frame(codes: Ints, names: tuple[str, ...]) -> pd.DataFrame:
    """The rows that `reliability` reads, from places of shape (pairs, sides, raters)."""
    pair, side, rater = (index.ravel() for index in np.indices(codes.shape))
    return pd.DataFrame(
        {
            "unit": pair * codes.shape[1] + side,
            "cluster": pair,
            "rater": rater,
            "value": np.array(names, dtype=object)[codes.ravel()],
        }
    )


def _normal(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


def _quantile(share: float) -> float:
    low, high = -9.0, 9.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _normal(middle) < share else (low, middle)
    return low
