"""Alpha, its reasons, counts and status; every expected number is derived beside it."""

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from annotate.reliability import (
    Bars,
    Level,
    Reliability,
    Status,
    against_the_rest,
    applicable,
    applying,
    explain,
    explain_interval,
    notes,
    pairwise,
    reliability,
    status,
)


def rows(*triples: tuple[str, str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame(list(triples), columns=["unit", "rater", "value"])
    return frame.assign(value=frame["value"].astype(object))


def matrix(*raters: list[Any]) -> pd.DataFrame:
    """Raters by units, as papers print it."""
    return rows(
        *((f"u{u}", f"r{r}", v) for r, line in enumerate(raters) for u, v in enumerate(line))
    )


def alpha_of(frame: pd.DataFrame, level: Level = "nominal", **kwargs: Any) -> float | None:
    return reliability(frame, criterion="C1", level=level, resamples=0, **kwargs).alpha


def measured(frame: pd.DataFrame, level: Level = "nominal", **kwargs: Any) -> Reliability:
    return reliability(frame, criterion="C1", level=level, **kwargs)


# The field's cases


def test_ag_01_one_label_everywhere_is_undefined_with_its_reason() -> None:
    found = measured(matrix(*[["pass"] * 4] * 3))
    assert (found.alpha, found.reason) == (None, "no_variation")
    assert (found.interval, found.interval_reason) == (None, "no_variation")
    assert (found.units, found.ratings, found.agreement) == (4, 12, 1.0)
    assert explain(found) == "no variation: all 12 labels are pass"
    assert status(found) is Status.UNDEFINED


def test_ag_02_a_zero_from_a_skewed_table_is_kept_and_explained() -> None:
    found = measured(matrix(["pass"] * 20, ["pass"] * 19 + ["fail"]))
    # o_pf = o_fp = 1, n = 40, n_p = 39, n_f = 1: alpha = 1 - 39 (2) / (2 x 39 x 1) = 0.
    assert found.alpha == pytest.approx(0.0, abs=1e-12)
    assert found.agreement == 19 / 20
    assert dict(found.counts) == {"pass": 39, "fail": 1}
    assert notes(found) == (
        (
            "low variation: fail: 1, pass: 39; alpha rests on 1 unit with a label other than pass, "
            "so that a single disagreement moves it far"
        ),
    )
    # (19/20)^20 = 36% of the resamples miss the one unit that varies.
    assert found.interval is None
    assert found.interval_reason == "too_little_variation"
    assert 250 < found.dropped_resamples < 470
    assert "had no variation" in explain_interval(found)


@pytest.mark.parametrize("missing", [None, "", math.nan, "  ", "\t", pd.NA, "left out"])
def test_ag_03_a_missing_rating_is_no_label(missing: object) -> None:
    table = [
        ["good", "bad", "good", "bad", None],
        ["good", "bad", None, "bad", "good"],
        [None, "bad", "good", "bad", "good"],
    ]
    frame = matrix(*table)
    if isinstance(missing, str) and missing == "left out":
        frame = frame[frame["value"].notna()]
    else:
        given = [missing if value is None else value for value in frame["value"]]
        frame = frame.assign(value=pd.Series(given, dtype=object))
    found = measured(frame)
    assert found.alpha == 1.0
    assert (found.units, found.ratings, found.ratings_total) == (5, 12, 12)


@pytest.mark.parametrize("text", ["nan", "None", "NaN", "inf"])
def test_ag_03_a_label_that_spells_a_placeholder_is_a_label(text: str) -> None:
    found = measured(matrix([text, "good", text], [text, "good", "good"]))
    assert (found.units, dict(found.counts)) == (3, {"good": 3, text: 3})


def test_ag_05_raters_who_share_no_unit_have_no_alpha() -> None:
    ann = [("i1", "ann", "yes"), ("i2", "ann", "no"), ("i3", "ann", "yes")]
    bo = [("i4", "bo", "no"), ("i5", "bo", "no"), ("i6", "bo", "yes")]
    apart = measured(rows(*ann, *bo))
    assert (apart.alpha, apart.reason, apart.units) == (None, "no_pairable_units", 0)
    assert (apart.agreement, apart.units_total, apart.ratings_total) == (None, 6, 6)
    assert explain(apart) == "no unit has two or more ratings (6 ratings on 6 units)"
    alone = measured(rows(*ann))
    assert (alone.alpha, alone.reason) == (None, "no_pairable_units")
    shared = measured(rows(*ann, *bo, ("i1", "bo", "yes")))
    assert (shared.alpha, shared.reason, shared.units) == (None, "no_variation", 1)
    assert explain(shared) == "no variation: all 2 labels on 1 unit with two or more are yes"


AG_06 = ([1, 2, 4, 5, 2, 1, 4, 5], [1, 2, 4, 4, 2, 2, 5, 5], [2, 2, 4, 5, 1, 1, 4, None])


@pytest.mark.parametrize(
    ("level", "expected"),
    [("ordinal", 0.8297158869), ("interval", 0.9096880131), ("nominal", 0.4416243655)],
)
def test_ag_06_each_level_has_its_own_distance(level: Level, expected: float) -> None:
    for scale in (None, (1, 2, 3, 4, 5), ("1", "2", "3", "4", "5"), (1, 2, 4, 5)):
        assert alpha_of(matrix(*AG_06), level, scale=scale) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("level", "expected"),
    [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107)],
)
def test_ag_06_the_papers_matrix_gives_the_papers_values(level: Level, expected: float) -> None:
    frame = matrix(
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    )
    assert alpha_of(frame, level) == pytest.approx(expected, abs=1e-6)


def test_ag_08_two_ratings_of_one_unit_by_one_rater_are_refused() -> None:
    given = [
        ("i1", "ann", "pass"), ("i1", "bo", "pass"), ("i2", "ann", "fail"), ("i2", "bo", "pass"),
        ("i3", "ann", "fail"), ("i3", "bo", "fail"), ("i4", "ann", "pass"), ("i4", "bo", "fail"),
    ]  # fmt: skip
    revised = ("i2", "ann", "pass")
    with pytest.raises(ValueError, match="rater 'ann' has more than one rating of unit 'i2'"):
        alpha_of(rows(*given, revised))
    # Current labels only: o_pf = o_fp = 1, n = 8, n_p = 5, n_f = 3: 1 - 7 (2) / (2 x 15) = 8/15.
    current = [row for row in given if row[:2] != revised[:2]]
    assert alpha_of(rows(*current, revised)) == pytest.approx(8 / 15, abs=1e-12)


def test_ag_09_systematic_disagreement_stays_negative_and_is_flagged() -> None:
    found = measured(matrix([1, 0, 1, 0], [0, 1, 0, 1]))
    # o_01 = o_10 = 4, n = 8, n_0 = n_1 = 4: 1 - 7 (8) / (2 x 16) = -3/4.
    assert found.alpha == pytest.approx(-3 / 4, abs=1e-12)
    assert notes(found) == (
        (
            "systematic disagreement: raters agree less often than by chance; "
            "check for reversed labels or sides"
        ),
    )
    assert (found.interval, found.interval_reason) == (None, "one_pattern")


def test_ag_12_rows_say_what_is_a_rater_and_their_order_does_not_matter() -> None:
    frame = matrix([1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 1, 1], [1, 0, 0, 0, 1, 0])
    # Two units of three hold one dissent: o_01 + o_10 = 2 x 2 = 4, n_0 = n_1 = 9, n = 18:
    # 1 - 17 (4) / (2 x 81) = 94/162 = 47/81.
    assert alpha_of(frame) == pytest.approx(47 / 81, abs=1e-12)
    assert alpha_of(frame.sample(frac=1, random_state=3)) == pytest.approx(47 / 81, abs=1e-12)


def test_op_06_the_public_shape_is_strict_json_whatever_is_undefined() -> None:
    for frame in (matrix(["a", "a"], ["a", "a"]), matrix([1, 2, 3], [1, 2, 2]), rows()):
        found = measured(frame).public()
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        assert list(found) == [
            "criterion", "level", "alpha", "reason", "interval", "units", "ratings",
            "units_total", "ratings_total", "agreement",
        ]  # fmt: skip


# What comes in


def test_no_rating_at_all_is_a_reason() -> None:
    found = measured(rows(("u1", "r1", None), ("u1", "r2", "")))
    assert (found.reason, found.units_total, found.ratings_total) == ("no_ratings", 0, 0)
    assert explain(found) == "no ratings"


def test_a_value_outside_the_scale_is_named() -> None:
    with pytest.raises(ValueError, match="not on the scale: 'maybe'"):
        alpha_of(matrix(["yes", "maybe"], ["yes", "no"]), scale=("yes", "no"))


@pytest.mark.parametrize("value", ["good", "nan", math.inf])
def test_an_interval_rating_that_is_no_finite_number_is_named(value: object) -> None:
    with pytest.raises(ValueError, match="must be finite numbers"):
        alpha_of(matrix([1.0, value], [1.0, 2.0]), "interval")


def test_ordinal_words_need_their_order() -> None:
    frame = matrix(["poor", "fair", "good"], ["poor", "good", "good"])
    with pytest.raises(ValueError, match="an ordinal scale needs its order"):
        alpha_of(frame, "ordinal")
    # n = (2, 1, 3), midranks 1, 2.5, 4.5: sum o d = 2 (4.5 - 2.5)^2 = 8,
    # sum n n d = 2 (2 x 1 x 1.5^2 + 2 x 3 x 3.5^2 + 1 x 3 x 2^2) = 180: 1 - 5 (8) / 180 = 7/9.
    assert alpha_of(frame, "ordinal", scale=("poor", "fair", "good")) == pytest.approx(7 / 9)


def test_a_scale_that_names_a_value_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="names a value twice"):
        alpha_of(matrix([1, 2], [1, 1]), "ordinal", scale=("1", "1.0", "2"))


def test_numbers_compare_as_numbers_on_an_ordered_scale() -> None:
    assert alpha_of(matrix(["3.0", 1], [3, "1"]), "ordinal") == 1.0


def test_a_whole_number_is_the_same_label_after_a_column_with_gaps_made_it_a_float() -> None:
    assert dict(measured(matrix([1.0, 2.0], ["1", "2"])).counts) == {"1": 2, "2": 2}


@pytest.mark.parametrize("column", ["unit", "rater", "value"])
def test_an_absent_column_is_named(column: str) -> None:
    with pytest.raises(ValueError, match=f"no column {column}"):
        alpha_of(matrix([1], [1]).drop(columns=column))


@pytest.mark.parametrize("column", ["unit", "rater"])
def test_a_row_without_unit_or_rater_is_named(column: str) -> None:
    frame = matrix([1, 2], [1, 2])
    frame.loc[1, column] = None
    with pytest.raises(ValueError, match=f"row 2 has no {column}"):
        alpha_of(frame)


def test_a_unit_in_two_clusters_is_refused() -> None:
    frame = matrix([1, 2], [1, 2]).assign(cluster=["a", "b", "c", "b"])
    with pytest.raises(ValueError, match="unit 'u0' is in more than one cluster"):
        alpha_of(frame)


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of nominal, ordinal, interval"):
        alpha_of(matrix([1], [1]), "ratio")  # type: ignore[arg-type]  # the refusal is the point


# What is counted


def test_counts_follow_the_scale_and_show_its_unused_values() -> None:
    found = measured(matrix(["yes", "no", "yes"], ["yes", "yes", None]), scale=("no", "na", "yes"))
    assert found.counts == (("no", 1), ("na", 0), ("yes", 4))
    assert found.pairable_counts == (("no", 1), ("yes", 3))


def test_agreement_is_pooled_over_rater_pairs() -> None:
    # Unit 0: 3 of 3 pairs agree; unit 1: 0 of 1; pooled 3/4 (the mean over units would be 1/2).
    assert measured(matrix([1, 1], [1, 2], [1, None])).agreement == 3 / 4


def test_minority_units_are_those_that_anyone_marked_off_the_common_value() -> None:
    # u0 wholly fail, u1 one dissent, u2 and u3 wholly pass, u4 fail but rated once.
    found = measured(
        matrix(
            ["fail", "fail", "pass", "pass", "fail"],
            ["fail", "pass", "pass", "pass", None],
            ["fail", "pass", "pass", "pass", None],
        )
    )
    assert found.minority_units == 2


def test_of_equally_common_values_the_one_with_fewer_minority_units_counts() -> None:
    # Three labels each. Off "a": u1, u2, u3; off "b": u0, u1 and u2.
    found = measured(matrix(["a", "a", "b"], ["a", "b", "b"]))
    assert found.minority_units == 2
    # Four labels each. Off "a": u1 and u2; off "b": u0. The value that was used is named.
    uneven = measured(matrix(["a", "b", "b"], ["a", "b", "b"], *[["a", None, None]] * 2))
    assert (uneven.usual, uneven.minority_units) == ("b", 1)
    assert measured(matrix(["a"], [None])).usual is None


def test_applicability_and_values_are_two_figures() -> None:
    frame = matrix([1, 2, "na", 3], [1, 3, "na", "na"], [None, 3, "na", 3])
    applies = measured(applying(frame), scale=("applicable", "na"))
    # n: 7 applicable, 4 N/A; u3 has one dissent of three: o = 2; 1 - 10 (2) / (2 x 28) = 9/14.
    assert applies.alpha == pytest.approx(9 / 14)
    assert applies.counts == (("applicable", 7), ("na", 4))
    values = measured(applicable(frame), "ordinal", scale=(1, 2, 3))
    assert (values.units, values.ratings) == (3, 7)


# Where it stands


def standing(alpha: float | None, low: float | None = None, minority: int = 10) -> Reliability:
    return Reliability(
        criterion="C1",
        level="nominal",
        alpha=alpha,
        reason=None if alpha is not None else "no_variation",
        interval=None if low is None else (low, 1.0),
        interval_reason=None,
        units=80,
        ratings=240,
        units_total=80,
        ratings_total=240,
        agreement=0.9,
        counts=(("yes", 240),),
        pairable_counts=(("yes", 240),),
        usual="yes",
        minority_units=minority,
        clusters=40,
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (standing(0.8, 0.667), Status.CLEARS),
        (standing(0.8 - 1e-15, 0.7), Status.CLEARS),
        (standing(0.9, 0.66), Status.CLEARS_THIN),
        (standing(0.9), Status.CLEARS_THIN),
        (standing(0.799, 0.7), Status.TENTATIVE),
        (standing(0.667, 0.5), Status.TENTATIVE),
        (standing(0.666, 0.5), Status.BROKEN),
        (standing(-0.5, -0.9), Status.BROKEN),
        (standing(1.0, 0.9, minority=9), Status.NOT_TESTABLE),
        (standing(0.1, 0.0, minority=0), Status.NOT_TESTABLE),
        (standing(None, minority=0), Status.UNDEFINED),
    ],
)
def test_status_follows_the_bars(found: Reliability, expected: Status) -> None:
    assert status(found) is expected


def test_bars_can_be_higher_where_lives_hang_on_it() -> None:
    assert status(standing(0.85, 0.8), Bars(clear=0.9, tentative=0.8)) is Status.TENTATIVE


def test_a_slightly_negative_alpha_is_not_called_systematic() -> None:
    # Two dissents on different units of 40: 1 - 79 (4) / (2 x 2 x 78) = -1/78.
    found = measured(matrix(["yes"] * 40, ["yes"] * 38 + ["no"] * 2))
    assert found.alpha == pytest.approx(-1 / 78)
    assert notes(found)[-1].startswith("alpha is just below zero")


def test_a_defined_alpha_needs_no_explanation() -> None:
    found = measured(matrix(["yes", "no"] * 20, ["yes", "no"] * 19 + ["no", "yes"]))
    assert (explain(found), explain_interval(found), notes(found)) == ("", "", ())


# Rater by rater


def test_cohens_kappa_by_hand() -> None:
    # Equal on 3 of 4. r0 has 2 a, 2 b; r1 has 3 a, 1 b: p_e = (2 x 3 + 2 x 1) / 16 = 1/2;
    # kappa = (3/4 - 1/2) / (1 - 1/2) = 1/2.
    (pair,) = pairwise(matrix(["a", "a", "b", "b"], ["a", "a", "a", "b"]))
    assert (pair.first, pair.second, pair.units, pair.agreeing) == ("r0", "r1", 4, 3)
    assert (pair.agreement, pair.kappa, pair.reason) == (3 / 4, 1 / 2, None)


def test_kappa_without_variation_is_undefined_with_its_reason() -> None:
    (pair,) = pairwise(matrix(["a", "a"], ["a", "a"]))
    assert (pair.agreement, pair.kappa, pair.reason) == (1.0, None, "no_variation")


def test_kappa_of_raters_who_each_use_one_other_value_is_zero() -> None:
    (pair,) = pairwise(matrix(["a", "a"], ["b", "b"]))
    assert (pair.agreement, pair.kappa) == (0.0, 0.0)


def test_pairs_who_share_no_unit_are_left_out() -> None:
    frame = rows(("u1", "ann", 1), ("u1", "bo", 1), ("u2", "bo", 2), ("u2", "cy", 1))
    assert [(p.first, p.second) for p in pairwise(frame)] == [("ann", "bo"), ("bo", "cy")]


def test_each_rater_against_the_rest_by_hand() -> None:
    frame = matrix(["a", "a", None], ["a", "b", "b"], ["a", "b", "a"])
    found = {rest.rater: rest for rest in against_the_rest(frame.dropna())}
    # Units 0 and 1 for r0: 2 of 2 and 0 of 2 pairs. r1: 2 of 2, 1 of 2, 0 of 1.
    assert (found["r0"].units, found["r0"].agreeing, found["r0"].pairs) == (2, 2, 4)
    assert (found["r1"].units, found["r1"].agreeing, found["r1"].pairs) == (3, 3, 5)
    assert found["r1"].agreement == 3 / 5


def test_a_rater_alone_has_no_agreement_with_the_rest() -> None:
    (ann, bo) = against_the_rest(rows(("u1", "ann", 1), ("u2", "bo", 1)))
    assert (ann.agreement, ann.reason, bo.units) == (None, "no_shared_units", 0)


def test_no_ratings_give_no_pairs() -> None:
    assert pairwise(rows()) == []
    assert against_the_rest(rows()) == []


# Size


def test_ag_10_scores_of_0_to_100_on_10_000_units_take_no_time_and_little_memory() -> None:
    import time
    import tracemalloc

    unit, rater = np.repeat(np.arange(10_000), 5), np.tile(np.arange(5), 10_000)
    value = (37 * unit + rater * (unit % 3)) % 101
    frame = pd.DataFrame({"unit": unit, "rater": rater, "value": value})
    start = time.process_time()
    found = measured(frame, "interval")
    assert time.process_time() - start < 2
    assert found.alpha == pytest.approx(0.8861142056, abs=1e-9)
    assert found.interval is not None
    assert found.interval[0] < 0.8861142056 < found.interval[1]
    tracemalloc.start()
    measured(frame, "interval")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_ag_10_2_400_distinct_values_are_fine(level: Level) -> None:
    first = np.arange(2400) / 7
    frame = matrix(first.tolist(), (first + 0.01).tolist())
    found = measured(frame, level, resamples=100)
    if level == "nominal":
        # 2,400 disagreeing pairs of values that each occur once: 1 - 4799 (4800) / (4800 x 4799).
        assert found.alpha == pytest.approx(0, abs=1e-12)
    if level == "interval":
        # D_o = 0.01^2 and the mean square difference of the 4,800 values is D_e.
        values = np.concatenate([first, first + 0.01])
        expected = 2 * values.var(ddof=1)
        assert found.alpha == pytest.approx(1 - 1e-4 / expected, abs=1e-9)
    assert len(found.counts) == 4800
