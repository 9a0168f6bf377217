"""The BCa cluster bootstrap: against a slow version of itself, at its edges, and its coverage."""

from statistics import NormalDist
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest

from annotate.reliability import Level, reliability
from annotate.reliability.coding import read
from annotate.reliability.coincidence import Patterns, form_of
from annotate.reliability.intervals import draws


def frame_of(table: np.ndarray[Any, Any]) -> pd.DataFrame:
    """(clusters, units, raters) to rows."""
    cluster, unit, rater = (index.ravel() for index in np.indices(table.shape))
    return pd.DataFrame(
        {
            "cluster": cluster,
            "unit": [f"{c}/{u}" for c, u in zip(cluster, unit, strict=True)],
            "rater": rater,
            "value": table.ravel(),
        }
    )


def some_ratings(seed: int, values: int, shape: tuple[int, int, int] = (12, 2, 3)) -> Any:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, values, size=shape[:2])[..., np.newaxis]
    return np.where(rng.random(shape) < 0.75, truth, rng.integers(0, values, size=shape))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("values", [2, 4, 40])
def test_weights_by_pattern_are_tables_with_clusters_repeated(level: Level, values: int) -> None:
    table = some_ratings(1, values)
    coded = read(frame_of(table), level).pairable()
    form = form_of(coded, level)
    for weights in next(draws(form.times, 20, seed=5)).T:
        # Spread a pattern's count over its clusters: which of them is drawn makes no difference.
        drawn: list[Any] = []
        for pattern, times in enumerate(weights.astype(int).tolist()):
            member = coded.clusters[int(np.flatnonzero(form.member == pattern)[0])]
            drawn += [table[member]] * times
        units = np.concatenate(drawn)
        expected = krippendorff.alpha(reliability_data=units.T, level_of_measurement=level)
        assert form.alphas(weights[:, np.newaxis])[0] == pytest.approx(expected, abs=1e-9)


def test_every_resample_draws_as_many_clusters_as_there_are() -> None:
    for times in (np.array([3, 1, 1]), np.array([500, 300, 200]), np.ones(70_000, dtype=np.intp)):
        for weights in draws(times, 40, seed=0):
            assert (weights.sum(axis=0) == times.sum()).all()


def test_patterns_are_drawn_in_proportion_to_their_clusters() -> None:
    for times in (np.array([30, 10]), np.array([3000, 1000])):
        mean = np.concatenate(list(draws(times, 4000, seed=0)), axis=1).mean(axis=1) / times.sum()
        assert mean == pytest.approx([3 / 4, 1 / 4], abs=0.005)


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_the_interval_equals_a_slow_bca(level: Level) -> None:
    table = some_ratings(4, 3, shape=(30, 2, 3))
    found = reliability(frame_of(table), criterion="C1", level=level, resamples=4000)

    def alpha(clusters: Any) -> float:
        units = table[clusters].reshape(-1, 3)
        return float(krippendorff.alpha(reliability_data=units.T, level_of_measurement=level))

    rng = np.random.default_rng(99)
    drawn = np.array([alpha(rng.integers(30, size=30)) for _ in range(4000)])
    left_out = np.array([alpha(np.delete(np.arange(30), c)) for c in range(30)])
    gaps = left_out.mean() - left_out
    acceleration = (gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5)
    normal = NormalDist()
    z0 = normal.inv_cdf(float((drawn < alpha(np.arange(30))).mean()))
    shares = [
        normal.cdf(z0 + (z0 + z) / (1 - acceleration * (z0 + z))) for z in (-1.959964, 1.959964)
    ]
    # Two independent sets of 4,000 draws: their 2.5% quantiles differ by about 0.01.
    low, high = np.quantile(drawn, shares).tolist()
    assert found.interval is not None
    assert found.interval[1] == pytest.approx(high, abs=0.03)
    # At ordinal level the lower end allows for a disagreement unseen: a little, beside so many.
    allowed = 0.03 if level == "nominal" else 0.06
    assert low - allowed < found.interval[0] < low + 0.03


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_an_unseen_dissent_is_a_unit_with_one_label_off(level: Level) -> None:
    """Three values, as common as each other: in six such units each value dissents once from each
    of the two others."""
    table = np.array([[0, 0, 1], [1, 1, 2], [2, 2, 0], [0, 0, 0], [1, 1, 1], [2, 2, 2]])
    form = form_of(read(frame_of(table[:, np.newaxis]), level).pairable(), level)
    assert isinstance(form, Patterns)
    once = form.times[:, np.newaxis].astype(float)
    plain, lowered = form.alphas_with(once, np.array([6.0]))
    dissents = [[v, v, k] for v in range(3) for k in range(3) if v != k]
    for found, units in ((plain, table), (lowered, np.concatenate([table, dissents]))):
        expected = krippendorff.alpha(reliability_data=units.T, level_of_measurement=level)
        assert found[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", ["ordinal", "interval"])
@pytest.mark.parametrize("seed", range(5))
def test_a_disagreement_never_raises_the_lower_end(level: Level, seed: int) -> None:
    """As it would where the one case is bounded by what was not seen and the next one is not."""
    table = np.arange(30).repeat(3).reshape(30, 1, 3) % 5
    unanimous = reliability(frame_of(table), criterion="C1", level=level).interval
    table[seed, 0, 2] = (table[seed, 0, 2] + 1) % 5
    split = reliability(frame_of(table), criterion="C1", level=level).interval
    assert unanimous is not None
    assert split is not None
    # Two draws of 1,000: their ends differ by chance.
    assert split[0] < unanimous[0] + 0.02


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    frame = frame_of(some_ratings(2, 2, shape=(30, 2, 3)))
    one, same, other = (
        reliability(frame, criterion="C1", level="nominal", seed=seed).interval
        for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other
    assert one == pytest.approx(other, abs=0.05)


def test_sides_of_a_subject_are_resampled_together() -> None:
    # Both sides of a pair always alike: 20 pairs tell as much as 20 units, not as 40.
    table = some_ratings(6, 2, shape=(20, 1, 3)).repeat(2, axis=1)
    frame = frame_of(table)
    together = reliability(frame, criterion="C1", level="nominal").interval
    apart = reliability(frame.assign(cluster=frame["unit"]), criterion="C1", level="nominal")
    assert together is not None
    assert apart.interval is not None
    width, narrow = together[1] - together[0], apart.interval[1] - apart.interval[0]
    assert width > 1.25 * narrow


def test_fewer_than_two_clusters_give_no_interval() -> None:
    frame = frame_of(some_ratings(1, 2, shape=(1, 10, 3)))
    found = reliability(frame, criterion="C1", level="nominal")
    assert found.alpha is not None
    assert (found.interval, found.interval_reason) == (None, "too_few_clusters")
    assert found.influence == {}


def test_no_disagreement_gives_an_interval_up_to_1_from_the_unseen_dissent() -> None:
    # 40 pairs x 2 sides x 3 raters, half the units yes: n = 240, n_yes = n_no = 120. With
    # u = 1 - 0.025^(1/40), 80 u units hold one dissent of 3: each adds o_yn + o_ny = 2, and the
    # margins stay. alpha = 1 - 239 (160 u) / (2 x 120^2).
    table = np.zeros((40, 2, 3), dtype=int)
    table[:, 1, :] = 1
    found = reliability(frame_of(table), criterion="C1", level="nominal")
    u = 1 - 0.025 ** (1 / 40)
    assert found.alpha == 1.0
    assert found.interval == pytest.approx((1 - 239 * 160 * u / 28800, 1.0))


def test_no_disagreement_with_few_minority_units_leaves_a_wide_interval() -> None:
    # One unit of 80 is "no" for all three. Dissents move the margins: with u as above
    # n_no = 3 - u + 79 u = 3 + 78 u; alpha = 1 - 239 (160 u) / (2 n_no (240 - n_no)).
    table = np.zeros((40, 2, 3), dtype=int)
    table[0, 0, :] = 1
    u = 1 - 0.025 ** (1 / 40)
    n_no = 3 + 78 * u
    low = 1 - 239 * 160 * u / (2 * n_no * (240 - n_no))
    for level in ("nominal", "ordinal", "interval"):
        found = reliability(frame_of(table), criterion="C1", level=level)
        assert found.interval == pytest.approx((low, 1.0))


def test_no_disagreement_on_a_scale_uses_its_distances() -> None:
    # Values 0, 1, 3 on one unit each of two raters, u = 1 - 0.025^(1/3). A dissent falls on each
    # other value alike: mean squared distances are 0: (1 + 9) / 2, 1: (1 + 4) / 2, 3: (9 + 4) / 2,
    # together 14; o adds 2 u x 14, margins stay 2. sum n n d = 4 x 2 (1 + 9 + 4) = 112.
    table = np.array([0, 1, 3]).repeat(2).reshape(3, 1, 2)
    found = reliability(frame_of(table), criterion="C1", level="interval")
    u = 1 - 0.025 ** (1 / 3)
    assert found.interval == pytest.approx((1 - 5 * 28 * u / 112, 1.0))


def test_without_disagreement_two_clusters_are_still_needed() -> None:
    table = np.array([0, 1]).repeat(2).reshape(1, 2, 2)
    found = reliability(frame_of(table), criterion="C1", level="nominal")
    assert (found.alpha, found.interval_reason) == (1.0, "too_few_clusters")


def test_values_that_never_repeat_give_no_interval_rather_than_one_without_alpha() -> None:
    table = np.arange(200).reshape(100, 1, 2)
    found = reliability(frame_of(table), criterion="C1", level="nominal")
    assert found.alpha == pytest.approx(0, abs=1e-12)
    assert (found.interval, found.interval_reason) == (None, "biased_resamples")


def test_intervals_hold_the_true_alpha_about_as_often_as_they_say() -> None:
    # Raters report the truth with probability sqrt(0.8), else draw at the same prevalence: the
    # true alpha is 0.8. 95% of 250 is 237.5, with a standard deviation of 3.4.
    rng, held = np.random.default_rng(20), 0
    for _ in range(250):
        truth = rng.random((40, 2, 1)) < 0.5
        seen = np.where(rng.random((40, 2, 3)) < 0.8**0.5, truth, rng.random((40, 2, 3)) < 0.5)
        found = reliability(frame_of(seen * 1), criterion="C1", level="nominal", resamples=500)
        held += found.interval is not None and found.interval[0] <= 0.8 <= found.interval[1]
    assert 225 <= held <= 247
