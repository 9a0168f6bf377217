"""What must hold for any table of ratings, and equality with the krippendorff package."""

from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from annotate.reliability import Level, Reliability, reliability
from annotate.reliability.agreement import pairwise

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


@st.composite
def tables(draw: st.DrawFn, most_values: int = 5, most_units: int = 12) -> pd.DataFrame:
    """Up to four raters who leave gaps; two units to a cluster; values are numbers."""
    units, raters = draw(st.integers(2, most_units)), draw(st.integers(2, 4))
    values = draw(st.integers(2, most_values))
    cell = st.one_of(st.none(), st.integers(1, values), st.integers(1, values))
    cells = draw(st.lists(cell, min_size=units * raters, max_size=units * raters))
    return frame_of(np.array(cells, dtype=object).reshape(units, raters))


def frame_of(table: np.ndarray[Any, Any]) -> pd.DataFrame:
    unit, rater = (index.ravel() for index in np.indices(table.shape))
    return pd.DataFrame(
        {
            "unit": [f"u{u}" for u in unit],
            "cluster": [f"c{u // 2}" for u in unit],
            "rater": [f"r{r}" for r in rater],
            "value": pd.Series(table.ravel().tolist(), dtype=object),
        }
    )


def with_gaps(rng: np.random.Generator, table: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    cells = table.astype(object)
    cells[rng.random(table.shape) < 0.2] = None
    return cells


def measured(frame: pd.DataFrame, level: Level, resamples: int = 60, **kwargs: Any) -> Reliability:
    return reliability(frame, criterion="C1", level=level, resamples=resamples, **kwargs)


def package(frame: pd.DataFrame, level: Level) -> float:
    table = frame.pivot(index="rater", columns="unit", values="value").to_numpy(dtype=float)
    return float(krippendorff.alpha(reliability_data=table, level_of_measurement=level))


def close(one: Reliability, other: Reliability) -> None:
    """Equal but for the order of summing."""
    assert one.alpha == pytest.approx(other.alpha, abs=1e-9)
    assert one.interval == pytest.approx(other.interval, abs=1e-9)
    assert one.influence == pytest.approx(other.influence, abs=1e-9)
    for name in ("reason", "interval_reason", "units", "ratings", "agreement", "counts"):
        assert getattr(one, name) == getattr(other, name)
    assert one.minority_units == other.minority_units
    assert one.dropped_resamples == other.dropped_resamples


@pytest.mark.parametrize("level", LEVELS)
@given(frame=tables())
def test_alpha_equals_the_package(level: Level, frame: pd.DataFrame) -> None:
    found = measured(frame, level, resamples=0)
    assume(found.alpha is not None)
    assert found.alpha == pytest.approx(package(frame, level), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(5))
def test_alpha_beyond_20_values_equals_the_package(level: Level, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 60, size=(50, 1)) + rng.integers(-3, 4, size=(50, 4))
    frame = frame_of(with_gaps(rng, table))
    found = measured(frame, level, resamples=0)
    assert len(found.pairable_counts) > 20
    assert found.alpha == pytest.approx(package(frame, level), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("values", [3, 60])
def test_influence_is_alpha_without_the_cluster(level: Level, values: int) -> None:
    rng = np.random.default_rng(values)
    table = rng.integers(0, values, size=(40, 1)) + rng.integers(0, 2, size=(40, 3))
    frame = frame_of(with_gaps(rng, table))
    found = measured(frame, level)
    assert set(found.influence) == set(frame["cluster"])
    for cluster, gained in found.influence.items():
        rest = measured(frame[frame["cluster"] != cluster], level, resamples=0)
        assert rest.alpha is not None
        assert found.alpha is not None
        assert gained == pytest.approx(rest.alpha - found.alpha, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@given(frame=tables(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_influence_of_any_table_is_alpha_without_the_cluster(
    level: Level, frame: pd.DataFrame, seed: int
) -> None:
    found = measured(frame, level)
    assume(found.alpha is not None)
    for cluster in frame["cluster"].unique():
        rest = measured(frame[frame["cluster"] != cluster], level, resamples=0).alpha
        if cluster in found.influence:
            assert rest is not None
            assert found.alpha is not None
            assert found.influence[cluster] == pytest.approx(rest - found.alpha, abs=1e-9)
        else:
            assert rest in (None, pytest.approx(found.alpha, abs=1e-9))


@pytest.mark.parametrize("level", LEVELS)
@given(frame=tables(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_the_order_of_rows_changes_nothing(level: Level, frame: pd.DataFrame, seed: int) -> None:
    close(measured(frame, level), measured(frame.sample(frac=1, random_state=seed), level))


@pytest.mark.parametrize("level", LEVELS)
def test_the_order_of_rows_changes_nothing_beyond_20_values(level: Level) -> None:
    rng = np.random.default_rng(7)
    frame = frame_of(rng.integers(0, 40, size=(40, 1)) + rng.integers(0, 3, size=(40, 3)))
    close(measured(frame, level), measured(frame.sample(frac=1, random_state=2), level))


@given(frame=tables(), order=st.permutations(range(12)))
@settings(max_examples=40)
def test_which_rater_and_which_unit_is_which_changes_nothing(
    frame: pd.DataFrame, order: list[int]
) -> None:
    renamed = frame.assign(
        unit=frame["unit"].map(lambda name: f"v{order[int(name[1:])]}"),
        rater=frame["rater"].map(lambda name: f"s{order[int(name[1:])]}"),
    )
    close(measured(frame, "ordinal"), measured(renamed, "ordinal"))


@given(frame=tables(), names=st.permutations(["e", "d", "c", "b", "a"]))
@settings(max_examples=40)
def test_names_of_labels_change_no_nominal_figure(frame: pd.DataFrame, names: list[str]) -> None:
    named = frame.assign(value=frame["value"].map(lambda v: None if v is None else names[v - 1]))
    one, other = measured(frame, "nominal", 0), measured(named, "nominal", 0)
    assert one.alpha == pytest.approx(other.alpha, abs=1e-12)
    assert one.minority_units == other.minority_units
    assert one.agreement == other.agreement


@pytest.mark.parametrize("level", LEVELS)
@given(frame=tables())
@settings(max_examples=40)
def test_units_rated_once_change_only_the_totals(level: Level, frame: pd.DataFrame) -> None:
    once = pd.DataFrame(
        {"unit": ["x", "y"], "cluster": ["x", "c0"], "rater": ["r0", "r9"], "value": [1, 77]}
    )
    one, other = measured(frame, level), measured(pd.concat([frame, once]), level)
    assume(one.alpha is not None)
    assert other.units_total == one.units_total + 2
    assert other.ratings_total == one.ratings_total + 2
    for name in ("alpha", "interval", "units", "ratings", "agreement", "pairable_counts"):
        assert getattr(one, name) == getattr(other, name)
    assert (one.influence, one.minority_units) == (other.influence, other.minority_units)


@pytest.mark.parametrize("level", LEVELS)
@given(frame=tables())
@settings(max_examples=40)
def test_unused_scale_points_change_no_statistic(level: Level, frame: pd.DataFrame) -> None:
    one = measured(frame, level)
    other = measured(frame, level, scale=(0, 1, 1.5, 2, 3, 4, 5, 9))
    assert one.public() == other.public()
    assert one.influence == other.influence


@pytest.mark.parametrize("level", LEVELS)
@given(frame=tables())
@settings(max_examples=40)
def test_alpha_is_a_value_or_a_reason(level: Level, frame: pd.DataFrame) -> None:
    found = measured(frame, level)
    assert (found.alpha is None) is (found.reason is not None)
    assert (found.interval is None) is (found.interval_reason is not None)
    if found.alpha is not None:
        assert np.isfinite(found.alpha)
        assert found.alpha <= 1
    if found.interval is not None:
        assert np.isfinite(found.interval).all()
        assert found.interval[0] <= found.interval[1] <= 1


@pytest.mark.parametrize("shift", [0, 1e6, -1e9])
@pytest.mark.parametrize("factor", [1, 1e-200, 1e200])
def test_interval_alpha_does_not_see_where_the_scale_starts_or_how_wide_it_is(
    shift: float, factor: float
) -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 50, size=(30, 1)) + rng.integers(0, 4, size=(30, 3))
    plain = measured(frame_of(scores), "interval")
    moved = measured(frame_of((scores + shift) * factor), "interval")
    assert moved.alpha == pytest.approx(plain.alpha, abs=1e-6)
    assert moved.interval == pytest.approx(plain.interval, abs=1e-6)


@given(frame=tables(most_values=3))
@settings(max_examples=60)
def test_pairs_agree_with_counting_one_by_one(frame: pd.DataFrame) -> None:
    given_values = frame.dropna().pivot(index="unit", columns="rater", values="value")
    for pair in pairwise(frame):
        both = given_values[[pair.first, pair.second]].dropna().to_numpy()
        n, equal = len(both), int((both[:, 0] == both[:, 1]).sum())
        chance = sum((both[:, 0] == v).mean() * (both[:, 1] == v).mean() for v in (1, 2, 3))
        assert (pair.units, pair.agreeing) == (n, equal)
        if pair.kappa is None:
            assert chance == pytest.approx(1)
        else:
            assert pair.kappa == pytest.approx((equal / n - chance) / (1 - chance), abs=1e-9)
