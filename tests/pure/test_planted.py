"""The ratings that benchmarks measure on have the alpha that is said of them."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest

from annotate.reliability import reliability
from benchmarks import planted

if TYPE_CHECKING:
    from annotate.reliability import Level

PAIRS = 3000


def holds(codes: planted.Ints, names: tuple[str, ...], level: Level, alpha: float) -> None:
    """Within four standard errors, those of the jackknife over pairs."""
    rows = planted.frame(codes, names)
    found = reliability(rows, criterion="x", level=level, scale=names, resamples=9)
    n = len(found.influence)
    error = sqrt((n - 1) / n * sum(gain**2 for gain in found.influence.values()))
    assert error < 0.03
    assert found.alpha == pytest.approx(alpha, abs=4 * error)


@pytest.mark.parametrize("alpha", [0.4, 0.7, 0.9])
@pytest.mark.parametrize("prevalence", [0.5, 0.1])
def test_sides(alpha: float, prevalence: float) -> None:
    codes = planted.sides(alpha, prevalence, PAIRS, np.random.default_rng(1))
    holds(codes, planted.YES_NO, "nominal", alpha)
    assert codes.mean() == pytest.approx(prevalence, abs=0.03)


@pytest.mark.parametrize("alpha", [0.4, 0.7, 0.9])
def test_preferences_with_errors_anywhere_and_beside(alpha: float) -> None:
    rng = np.random.default_rng(2)
    for draw in (planted.stops, planted.steps):
        codes = draw(alpha, PAIRS, rng)
        holds(codes, planted.SCALE, "ordinal", alpha)
        shares = np.bincount(codes.ravel(), minlength=5) / codes.size
        assert shares == pytest.approx(planted.STOPS, abs=0.03)
