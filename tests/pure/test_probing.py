"""What raters caught of planted failures: counts, words and the score interval."""

from __future__ import annotations

from dataclasses import replace
from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.probing import Share, Unit, failing, in_words, tallies, wilson

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


# ---- The interval


def test_wilson_by_hand() -> None:
    # p = 1/2, n = 4, z² = 3.8415: middle 1/2, reach z ⁄ (1 + z²/4) · √(1/16 + z²/64).
    z = 1.959963984540054
    reach = z / (1 + z * z / 4) * sqrt(1 / 16 + z * z / 64)
    found = wilson(2, 4)
    assert found is not None
    assert isclose(found[0], 0.5 - reach)
    assert isclose(found[1], 0.5 + reach)


def test_all_caught_reaches_one_and_stays_away_from_it_below() -> None:
    # With p = 1 the lower end is n / (n + z²): 8 / 11.8415.
    found = wilson(8, 8)
    assert found is not None
    assert found[1] == 1.0
    assert isclose(found[0], 8 / (8 + 1.959963984540054**2))


def test_nothing_tried_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert Share().interval is None


@pytest.mark.parametrize(("k", "n", "pairs"), [(3, 2, 2), (-1, 2, 2), (1, 2, 3), (1, 2, 0)])
def test_counts_that_cannot_be_are_refused(k: int, n: int, pairs: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        wilson(k, n, independent=pairs)


@given(counts)
def test_the_share_lies_in_its_interval_and_that_between_0_and_1(found: tuple[int, int]) -> None:
    k, n = found
    interval = wilson(k, n)
    assert interval is not None
    low, high = interval
    assert 0.0 <= low <= k / n <= high <= 1.0
    assert low < high


@given(counts)
def test_missed_mirrors_caught(found: tuple[int, int]) -> None:
    k, n = found
    caught, missed = wilson(k, n), wilson(n - k, n)
    assert caught is not None
    assert missed is not None
    assert isclose(caught[0], 1 - missed[1], abs_tol=1e-12)
    assert isclose(caught[1], 1 - missed[0], abs_tol=1e-12)


@given(counts)
def test_sides_that_hang_together_never_narrow_it(found: tuple[int, int]) -> None:
    k, n = found
    alone, together = wilson(k, n), wilson(k, n, independent=max(1, n // 2))
    assert alone is not None
    assert together is not None
    assert together[1] - together[0] >= alone[1] - alone[0] - 1e-12


# ---- What was caught


def unit(subject: int, *, planted: bool = True, part: str = "A", **failed: bool) -> Unit:
    given_by = {int(name[1:]): value for name, value in failed.items()}
    return Unit(subject, "G2", part, planted, given_by)


def test_each_rater_and_all_together_are_counted_by_check() -> None:
    units = [
        unit(1, r1=True, r2=True, r3=True),
        unit(2, r1=True, r2=False, r3=True),
        unit(2, part="B", planted=False, r1=False, r2=True, r3=False),
        unit(3, r1=True, r2=True),
    ]
    (found,) = tallies(units)
    assert (found.key, found.planted) == ("G2", 3)
    caught = {rater: (share.caught, share.of) for rater, share in found.by_rater.items()}
    assert caught == {1: (3, 3), 2: (2, 3), 3: (2, 2)}
    assert (found.by_all.caught, found.by_all.of, found.by_all.pairs) == (2, 3, 3)
    assert {rater: share.caught for rater, share in found.wrongly.items()} == {1: 0, 2: 1, 3: 0}


def test_a_check_without_a_planted_failure_has_no_row() -> None:
    assert tallies([unit(1, planted=False, r1=False)]) == ()


def test_two_sides_of_a_pair_are_one_independent_trial() -> None:
    (found,) = tallies([unit(1, r1=True), unit(1, part="B", r1=True)])
    assert found.by_rater[1] == Share(caught=2, of=2, pairs=1)
    assert found.by_rater[1].interval == wilson(2, 2, independent=1)


@given(
    st.lists(
        st.builds(
            Unit,
            subject=st.integers(1, 5),
            key=st.sampled_from(["G1", "G2"]),
            part=st.sampled_from("AB"),
            planted=st.booleans(),
            failed=st.dictionaries(st.integers(1, 4), st.booleans(), max_size=4),
        )
    )
)
def test_all_together_never_catch_more_than_any_one_of_them(units: list[Unit]) -> None:
    for found in tallies(units):
        assert found.planted == sum(one.planted and one.key == found.key for one in units)
        for rater, share in found.by_rater.items():
            missed_by_one = [
                one
                for one in units
                if one.planted and one.key == found.key and one.failed.get(rater) is False
            ]
            assert share.missed == len(missed_by_one)
            assert found.by_all.missed >= share.missed
        assert found.by_all.caught <= found.by_all.of <= found.planted


@pytest.mark.parametrize(
    ("units", "words"),
    [
        (
            [unit(n, r1=True, r2=True, r3=True) for n in range(8)],
            "8 planted failures of G2, all caught by all 3 raters",
        ),
        ([unit(1, r1=True, r2=True)], "1 planted failure of G2, 1 caught by both raters"),
        (
            [unit(1, r1=True, r2=True), unit(2, r1=True, r2=False)],
            "2 planted failures of G2, 1 caught by both raters",
        ),
        ([unit(1, r1=False)], "1 planted failure of G2, none caught by one rater"),
        ([unit(1)], "1 planted failure of G2, answered by nobody"),
        (
            [replace(unit(n, r1=True, r2=n > 1), key=f"G{n}") for n in (1, 2, 3)],
            "3 planted failures of 3 checks, 2 caught by both raters",
        ),
    ],
)
def test_it_is_said_in_one_clause(units: list[Unit], words: str) -> None:
    assert in_words(tallies(units)) == words


@pytest.mark.parametrize(
    ("kind", "values", "code"),
    [
        ("gate", ("pass", "fail"), "fail"),
        ("criterion", ("yes", "no"), "no"),
        ("criterion", ("1", "2", "3"), ""),
        ("preference", ("A", "tie", "B"), ""),
    ],
)
def test_what_fails_a_check(kind: str, values: tuple[str, ...], code: str) -> None:
    assert failing(kind, values) == code
