"""Where a value is drawn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate import charts
from annotate.reliability import Bars, Status

FROM_NOUGHT = charts.axis([0.5], Bars())


def place(value: float, scale: charts.Axis = FROM_NOUGHT) -> float:
    return float(scale.place(value).rstrip("%"))


def test_nought_and_one_stand_inside_the_drawing() -> None:
    assert (FROM_NOUGHT.place(0), FROM_NOUGHT.place(1)) == ("3.00%", "97.00%")
    assert FROM_NOUGHT.clear == "78.20%"
    assert FROM_NOUGHT.tentative == "65.70%"


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_places_keep_the_order_of_values_and_stay_on_the_drawing(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert 3 <= place(low) <= place(high) <= 97


@pytest.mark.parametrize(
    ("alphas", "low"),
    [([], 0), ([None], 0), ([0.1], 0), ([-0.01], -0.2), ([-0.75], -0.8), ([-3], -1)],
)
def test_the_scale_reaches_as_low_as_the_lowest_alpha(
    alphas: list[float | None], low: float
) -> None:
    assert charts.axis(alphas, Bars()).low == low


def test_ticks_leave_room_for_the_figures_of_the_bars() -> None:
    assert [figure for _, figure in FROM_NOUGHT.ticks] == ["0", "0.2", "0.4", "", "", "1"]


def test_a_dot_and_both_ends_are_drawn_where_they_fit() -> None:
    plot = charts.plot("G1", 0.91, (0.81, 0.97), Status.CLEARS, FROM_NOUGHT)
    assert (plot.dot, plot.span) == ("88.54%", ("79.14%", "94.18%"))
    assert plot.caps == plot.span
    assert plot.shape == "clears"
    assert plot.says == "alpha 0.91, interval 0.81 to 0.97"


def test_an_interval_that_leaves_the_scale_is_open_at_that_end() -> None:
    plot = charts.plot("G1", 0.2, (-0.3, 0.6), Status.BROKEN, FROM_NOUGHT)
    assert plot.span == ("3.00%", "59.40%")
    assert plot.caps == ("59.40%",)


def test_an_undefined_alpha_draws_the_bars_alone() -> None:
    plot = charts.plot("G3", None, None, Status.UNDEFINED, FROM_NOUGHT)
    assert (plot.dot, plot.span, plot.caps, plot.says) == (None, None, (), "undefined")


def test_every_status_has_a_shape() -> None:
    shapes = {status: charts.plot("", 0.5, None, status, FROM_NOUGHT).shape for status in Status}
    assert shapes[Status.NOT_TESTABLE] == "hollow"
    assert shapes[Status.BROKEN] == "broken"


@pytest.mark.parametrize(
    ("agreement", "step"), [(None, 0), (0.5, 0), (0.8, 1), (0.92, 2), (0.95, 3), (1.0, 4)]
)
def test_heat_rises_with_agreement(agreement: float | None, step: int) -> None:
    assert charts.heat(agreement) == step
