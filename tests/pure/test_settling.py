"""What holds alpha down, against a recomputation by the package on tables that were changed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
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


def agreed(values: list[Any], level: Level, common: Counter[Any]) -> Any:
    """What raters would agree on, in the words of the documentation."""
    if level != "nominal":
        return sorted(values)[(len(values) - 1) // 2]
    times = Counter(values)
    return min(times, key=lambda value: (-times[value], -common[value], value))


def with_settled(frame: pd.DataFrame, level: Level, clusters: tuple[Any, ...]) -> pd.DataFrame:
    """The table after the raters of these clusters have agreed on every unit of theirs."""
    changed = frame.copy()
    known = frame.dropna(subset=["value"])
    shared = known[known.groupby("unit")["rater"].transform("count") > 1]
    common = Counter(shared["value"].tolist())
    for _, rows in shared[shared["cluster"].isin(clusters)].groupby("unit"):
        changed.loc[rows.index, "value"] = agreed(rows["value"].tolist(), level, common)
    return changed


@given(tables(), st.sampled_from(LEVELS))
@settings(deadline=None)
def test_alpha_once_the_first_so_many_are_settled_is_what_the_package_says(
    frame: pd.DataFrame, level: Level
) -> None:
    found = settling(frame, level=level)
    for times, alpha in enumerate(found.alphas, 1):
        said = by_package(with_settled(frame, level, found.order[:times]), level)
        assert (alpha is None) == (said is None)
        if alpha is not None:
            assert alpha == pytest.approx(said, abs=1e-9)


@given(st.lists(st.lists(st.integers(1, 45), min_size=2, max_size=4), min_size=25, max_size=40))
@settings(deadline=None, max_examples=25)
@pytest.mark.parametrize("level", LEVELS)
def test_so_it_is_where_there_are_too_many_values_for_a_table(
    level: Level, units: list[list[int]]
) -> None:
    rows = [
        (f"u{n:02}", f"r{r}", value, f"c{n:02}")
        for n, values in enumerate(units)
        for r, value in enumerate(values)
    ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value", "cluster"])
    found = settling(frame, level=level, most=3)
    for times, alpha in enumerate(found.alphas, 1):
        said = by_package(with_settled(frame, level, found.order[:times]), level)
        assert alpha == pytest.approx(said, abs=1e-9)


@given(tables(), st.sampled_from(LEVELS))
@settings(deadline=None)
def test_settling_everything_leaves_nothing_to_disagree_on(
    frame: pd.DataFrame, level: Level
) -> None:
    found = settling(frame, level=level)
    for last in found.alphas[-1:]:
        assert last is None or last == pytest.approx(1.0)


@given(
    st.lists(
        st.lists(st.sampled_from("yn"), min_size=2, max_size=3).map("".join),
        min_size=2,
        max_size=14,
    )
)
@settings(deadline=None)
def test_with_two_values_and_at_most_three_raters_settling_never_lowers_alpha(
    pairs: list[str],
) -> None:
    found = settling(frame_of(*pairs), level="nominal")
    known = [alpha for alpha in (found.alpha, *found.alphas) if alpha is not None]
    assert all(after >= before - 1e-9 for before, after in pairwise(known))


def test_with_more_raters_it_may_since_fewer_rare_labels_are_left_to_agree_on() -> None:
    found = settling(frame_of("yyyn", "yynn", "yynn"), level="nominal")
    assert found.order == ("pair-2", "pair-3", "pair-1")
    first, second, last = found.alphas
    assert first is not None
    assert second is not None
    assert last is None
    assert second < first
    assert found.within(0.8) == 1, "more would only lower it"


@pytest.mark.parametrize(
    ("level", "scale", "word", "value"),
    [
        ("nominal", None, "aab", "a"),
        ("nominal", None, "abc", "b"),
        ("nominal", None, "ab", "b"),
        ("ordinal", "zabc", "acc", "c"),
        ("ordinal", "zabc", "abcc", "b"),
        ("ordinal", "cbaz", "abcc", "c"),
        ("interval", (9, 1, 4), "1449", "4"),
        ("interval", (9, 1, 4), "1499", "4"),
    ],
)
def test_raters_agree_on_what_most_said_or_on_the_lower_median(
    level: Level, scale: Any, word: str, value: str
) -> None:
    """Where nobody has a majority the value decides that is more common on the whole check."""
    rest = {"interval": ["11", "44", "99", "14"]}.get(level, ["aa", "bb", "bbb", "cc", "bbbbbbz"])
    scale = None if scale is None else list(scale)
    found = settling(frame_of(word, *rest), level=level, scale=scale, most=1)
    assert found.order == ("pair-1",)

    def alpha_with(agreed: str) -> float | None:
        return settling(frame_of(agreed * len(word), *rest), level=level, scale=scale).alpha

    assert list(found.alphas) == pytest.approx([alpha_with(value)])
    others = [alpha_with(other) for other in set(word) - {value}]
    assert pytest.approx(alpha_with(value)) not in others, "the others would show"


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
    assert set(found.order) == torn & set(found.order)
    gains = [found.influence[name] for name in found.order if name in found.influence]
    assert gains == sorted(gains, reverse=True)
    assert set(found.order[: len(gains)]) == set(found.influence), "the others come last"


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
