"""What holds alpha down, against a recomputation by the package with those clusters left out."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from annotate.reliability import Level, Settling, reliability, settling
from tests.pure.test_reliability_properties import tables

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def by_package(frame: pd.DataFrame, level: Level) -> float | None:
    """Alpha of a matrix raters x units, None where it is undefined."""
    known = frame.dropna(subset=["value"])
    known = known[known.groupby("unit")["rater"].transform("count") > 1]
    if known["value"].nunique() < 2:
        return None
    matrix = known.astype({"value": float}).pivot(index="rater", columns="unit", values="value")
    data = matrix.to_numpy(dtype=float)
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))


def without(frame: pd.DataFrame, clusters: tuple[Any, ...]) -> pd.DataFrame:
    return frame[~frame["cluster"].isin(clusters)]


@given(tables(), st.sampled_from(LEVELS))
@settings(deadline=None)
def test_alpha_without_the_first_so_many_is_what_the_package_says(
    frame: pd.DataFrame, level: Level
) -> None:
    found = settling(frame, level=level)
    for times, alpha in enumerate(found.alphas, 1):
        said = by_package(without(frame, found.order[:times]), level)
        assert (alpha is None) == (said is None)
        if alpha is not None:
            assert alpha == pytest.approx(said, abs=1e-9)


@given(tables(), st.sampled_from(LEVELS))
@settings(deadline=None)
def test_influence_is_that_of_the_interval_where_a_cluster_holds_a_split(
    frame: pd.DataFrame, level: Level
) -> None:
    found = settling(frame, level=level)
    whole = reliability(frame, criterion="C", level=level, resamples=2)
    for name, gain in found.influence.items():
        assert gain == pytest.approx(whole.influence[name], abs=1e-9)
    split = frame.dropna(subset=["value"]).groupby("unit")["value"].nunique() > 1
    torn = set(frame[frame["unit"].isin(split[split].index)]["cluster"])
    assert set(found.influence) <= torn
    gains = [found.influence[name] for name in found.order]
    assert gains == sorted(gains, reverse=True)
    assert all(gain > 0 for gain in gains)


@given(tables(), st.floats(0, 1))
@settings(deadline=None)
def test_the_fewest_that_reach_the_bar_are_named_else_the_best(
    frame: pd.DataFrame, bar: float
) -> None:
    found = settling(frame, level="nominal")
    assume(found.alpha is not None)
    assert found.alpha is not None
    times = found.within(bar)
    alphas = [found.alpha, *found.alphas]
    if found.reaches(times, bar):
        assert not any(found.reaches(n, bar) for n in range(times))
    else:
        known = [alpha for alpha in alphas if alpha is not None]
        chosen = alphas[times]
        assert chosen is not None
        assert chosen >= max(known) - 1e-8


def frame_of(*pairs: str) -> pd.DataFrame:
    """A unit for each word of labels, a letter for each rater."""
    rows = [
        (f"pair-{n}", f"expert-{r}", value, f"pair-{n}")
        for n, word in enumerate(pairs, 1)
        for r, value in enumerate(word)
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "value", "cluster"])


def test_two_pairs_take_a_check_over_the_bar() -> None:
    found = settling(frame_of(*["yyy"] * 9, *["nnn"] * 9, "yyn", "ynn"), level="nominal")
    assert found.within(0.95) == 2
    assert set(found.order) == {"pair-19", "pair-20"}
    assert found.alphas[-1] == pytest.approx(1.0)
    assert found.within(0.8) == 0, "it is over that bar as it is"


def test_one_limit_holds_how_many_are_named() -> None:
    frame = frame_of(*["yyy"] * 9, *["nnn"] * 9, *["yyn"] * 8)
    assert len(settling(frame, level="nominal", most=3).order) == 3


def test_equal_influences_come_in_the_order_of_names_whatever_the_rows() -> None:
    frame = frame_of(*["yyy"] * 9, *["nnn"] * 9, "yyn", "yyn", "yyn")
    shuffled = frame.iloc[np.random.default_rng(1).permutation(len(frame))]
    expected = ("pair-19", "pair-20", "pair-21")
    assert settling(frame, level="nominal").order == expected
    assert settling(shuffled, level="nominal").order == expected


@pytest.mark.parametrize("pairs", [(), ("y",), ("yyy", "yyy")])
def test_where_alpha_is_undefined_there_is_nothing_to_settle(pairs: tuple[str, ...]) -> None:
    assert settling(frame_of(*pairs), level="nominal") == Settling()
