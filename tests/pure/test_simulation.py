"""Simulated raters: seeded, truthful without errors, and as unreliable as their parameters say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import sqrt
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate import evidence
from annotate.ballot import SEEN_SIDES, Ballot, Check, problems
from annotate.decisions import margins_of
from annotate.reliability import reliability
from annotate.simulation import (
    Kind,
    Recipe,
    Simulated,
    SimulatedPair,
    SimulatedRater,
    Situation,
    Truth,
    alpha_of,
    expected_alpha,
    filled,
    make_pairs,
    shaded,
    simulate,
)
from rubrics.content import SCALES

SCALE = SCALES[5]
MARGINS = margins_of(SCALE)
G1 = Check("G1", "gate", ("pass", "fail"), allows_na=False, parts=SEEN_SIDES)
C1 = Check("C1", "criterion", ("yes", "no"), allows_na=False, parts=SEEN_SIDES)
C2 = Check("C2", "criterion", ("yes", "no"), allows_na=True, parts=SEEN_SIDES)
C3 = Check("C3", "criterion", ("1", "2", "3", "4"), allows_na=True, parts=SEEN_SIDES)
C4 = Check("C4", "criterion", (), allows_na=True, parts=SEEN_SIDES, bounds=(0, 2500))
BALLOT = Ballot(checks=(G1, C1, C2, C3, C4), preference=SCALE, ask_after_gate=True)
TWO = Ballot(checks=(C1, C2), preference=SCALE, ask_after_gate=True)

shares = st.floats(0, 1)
few = st.floats(0, 0.5)
keys = st.sampled_from(["G1", "C1", "C2", "C3", "C4"])
recipes = st.builds(
    Recipe,
    gates=few,
    criteria=shares,
    na=st.dictionaries(st.just("C2"), shares),
    correlation=shares,
    doubtful=st.dictionaries(keys, shares),
    disputed=shares,
    weights=st.dictionaries(keys, st.floats(0.1, 5)),
)
raters = st.builds(
    SimulatedRater,
    slip=few,
    slip_on=st.dictionaries(keys, few),
    stop_slip=few,
    hasty=shares,
    reads_other_way=st.frozensets(keys),
    severity=st.floats(-1, 1),
    weights=st.none() | st.dictionaries(keys, st.floats(0.1, 5)),
    school=st.sampled_from(["first", "second"]),
    tiring=few,
    hurry=st.floats(0, 0.9),
    flags=shares,
    evidence=shares,
)
seeds = st.integers(0, 2**32 - 1)
ballots = st.builds(
    lambda checks, preference, after: Ballot(
        tuple(sorted(checks, key=BALLOT.checks.index)), preference, after
    ),
    st.sets(st.sampled_from(BALLOT.checks), min_size=1),
    st.sampled_from([(), SCALES[3], SCALES[5], SCALES[7]]),
    st.booleans(),
)


def pairs_of(
    ballot: Ballot, recipe: Recipe, count: int, seed: int = 1
) -> tuple[SimulatedPair, ...]:
    return make_pairs(ballot, recipe, [f"pair-{n}" for n in range(count)], seed=seed)


def frame(found: Simulated, key: str) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"unit": f"{pair}.{side}", "cluster": pair, "rater": rater, "value": code}
            for (pair, side), said in found.labels(key).items()
            for rater, code in said.items()
        ]
    )


def said(found: Simulated, key: str) -> dict[str, dict[str, str]]:
    return {pair: labels for (pair, _), labels in found.labels(key).items()}


@given(ballots, recipes, raters, seeds)
@settings(max_examples=40, deadline=None)
def test_the_same_seed_gives_the_same_votes_and_every_vote_is_whole(
    ballot: Ballot, recipe: Recipe, rater: SimulatedRater, seed: int
) -> None:
    pairs = pairs_of(ballot, recipe, 3, seed)
    # `simulate` stores each vote as the actions do, which refuse what is not whole.
    once = simulate(ballot, pairs, {"ann": rater}, seed=seed)
    assert once == simulate(ballot, pairs, {"ann": rater}, seed=seed)
    with_another = simulate(ballot, pairs, {"bo": SimulatedRater(), "ann": rater}, seed=seed)
    assert [vote for vote in with_another.votes if vote.rater == "ann"] == list(once.votes)


@given(ballots, recipes, seeds)
@settings(max_examples=40, deadline=None)
def test_without_errors_everyone_tells_the_truth(ballot: Ballot, recipe: Recipe, seed: int) -> None:
    pairs = pairs_of(ballot, recipe, 4, seed)
    found = simulate(ballot, pairs, {"ann": SimulatedRater(), "bo": SimulatedRater()}, seed=seed)
    assert not found.planted
    truths = {pair.id: pair.truth for pair in pairs}
    for vote in found.votes:
        truth = truths[vote.pair]
        for label in vote.answer.labels:
            expected = (
                truth.preference
                if label.key == "preference"
                else truth.labels[label.key, label.part]
            )
            assert label.code == expected


@given(ballots, recipes, raters, seeds)
@settings(max_examples=40, deadline=None)
def test_what_is_planted_is_exactly_what_is_not_the_truth(
    ballot: Ballot, recipe: Recipe, rater: SimulatedRater, seed: int
) -> None:
    pairs = pairs_of(ballot, recipe, 4, seed)
    found = simulate(ballot, pairs, {"ann": rater}, seed=seed)
    truths = {pair.id: pair.truth for pair in pairs}
    wrong = {
        ("ann", vote.pair, label.key, label.part)
        for vote in found.votes
        for label in vote.answer.labels
        if label.key != "preference"
        and label.code != truths[vote.pair].labels[label.key, label.part]
    }
    assert {place for place in found.planted if place[2] != "preference"} == wrong
    for vote in found.votes:
        truth = truths[vote.pair]
        stop = [label.code for label in vote.answer.labels if label.key == "preference"]
        if stop and truth.preference is not None:
            is_planted = ("ann", vote.pair, "preference", "") in found.planted
            assert is_planted == (stop[0] != truth.preference)


def test_a_slip_contradicts_what_the_rater_says_with_it() -> None:
    """The rationale and the preference are those of the label that was meant."""
    truth = Truth({("C1", "A"): "yes", ("C1", "B"): "no"}, "A_much")
    ballot = Ballot((C1,), SCALE, ask_after_gate=True)
    rater = SimulatedRater(slip_on={"C1": 0.5})
    found = [filled(ballot, truth, rater, "AB", Random(n)) for n in range(40)]
    slips = [one for one in found if ("C1", "A") in one.planted]
    assert 5 < len(slips) < 35
    for one in slips:
        assert one.planted["C1", "A"] is Kind.SLIP
        assert one.answer.labels["C1", "Left"] == "no"
        assert one.answer.rationale == "[Left] is clearly ahead on [C1]."
        assert one.answer.stop == 1
    assert {problem for one in found for problem in problems(ballot, one.answer)} == set()


def test_two_readings_split_on_doubtful_sides_and_nowhere_else() -> None:
    recipe = Recipe(doubtful={"C1": 0.3}, criteria=0.5)
    pairs = pairs_of(TWO, recipe, 100)
    other = SimulatedRater(reads_other_way=frozenset({"C1"}), flags=1.0)
    team = {"ann": SimulatedRater(flags=0.5), "bo": other, "cy": other}
    found = simulate(TWO, pairs, team, seed=3)
    doubtful = {(pair.id, side) for pair in pairs for key, side in pair.truth.doubtful}
    split = {unit for unit, labels in found.labels("C1").items() if len(set(labels.values())) > 1}
    assert split == doubtful
    assert all(found.kinds(pair, "C1", side) == {Kind.AMBIGUITY} for pair, side in split)
    # Those who read it alike agree throughout.
    assert all(labels["bo"] == labels["cy"] for labels in found.labels("C1").values())
    flagged = {vote.pair for vote in found.votes if "C1" in vote.answer.unclear}
    assert flagged == {pair for pair, _ in doubtful}
    assert not [vote for vote in found.votes if "C2" in vote.answer.unclear]


def test_own_weights_split_preferences_and_no_labels() -> None:
    recipe = Recipe(criteria=0.5, correlation=0, weights={"C1": 3, "C2": 1})
    team = {"ann": SimulatedRater(), "bo": SimulatedRater(weights={"C1": 1, "C2": 3})}
    found = simulate(TWO, pairs_of(TWO, recipe, 100), team, seed=4)
    assert set(found.planted.values()) == {Kind.WEIGHTING}
    opposite = 0
    for pair, labels in said(found, "preference").items():
        if len(set(labels.values())) > 1:
            opposite += MARGINS[labels["ann"]] * MARGINS[labels["bo"]] < 0
            assert found.kinds(pair, "preference") == {Kind.WEIGHTING}
    # C1 against C2: 2 of the 16 ways in which two criteria fall on two sides.
    assert opposite == pytest.approx(100 / 8, abs=5 * sqrt(100 * 7 / 64))


def test_schools_prefer_opposite_sides_on_disputed_pairs_and_cite_the_same() -> None:
    pairs = pairs_of(TWO, Recipe(disputed=0.4, criteria=0.5), 100)
    team = {"ann": SimulatedRater(), "bo": SimulatedRater(school="second")}
    found = simulate(TWO, pairs, team, seed=5)
    assert set(found.planted.values()) == {Kind.LEGITIMATE}
    disputed = {pair.id for pair in pairs if pair.truth.disputed}
    preferences = said(found, "preference")
    opposite = {
        pair for pair, said in preferences.items() if MARGINS[said["ann"]] * MARGINS[said["bo"]] < 0
    }
    assert opposite == disputed
    cites: dict[str, set[tuple[str, ...]]] = {}
    for vote in found.votes:
        cites.setdefault(vote.pair, set()).add(vote.answer.cites)
    assert all(len(cites[pair]) == 1 for pair in disputed)


def test_severity_moves_labels_one_way_and_alike_for_all_who_share_it() -> None:
    pairs = pairs_of(TWO, Recipe(criteria=0.3), 200)
    strict, lenient = SimulatedRater(severity=0.2), SimulatedRater(severity=-0.4)
    team = {"ann": SimulatedRater(), "bo": strict, "cy": strict, "di": lenient}
    found = simulate(TWO, pairs, team, seed=6)
    told = Counter((said["ann"], said["bo"], said["di"]) for said in found.labels("C1").values())
    assert set(told) == {
        ("yes", "yes", "yes"),
        ("yes", "no", "yes"),
        ("no", "no", "no"),
        ("no", "no", "yes"),
    }
    assert all(said["bo"] == said["cy"] for said in found.labels("C1").values())
    assert set(found.planted.values()) == {Kind.AMBIGUITY}


def test_the_tired_slip_more_and_take_less_time() -> None:
    pairs = pairs_of(TWO, Recipe(words=(200, 200)), 600)
    tired = SimulatedRater(tiring=0.3, hurry=0.5)
    found = simulate(TWO, pairs, {"ann": tired}, seed=7)
    slips = Counter(pair for _, pair, key, _ in found.planted if key != "preference")
    first = [vote for vote in found.votes if vote.position <= 200]
    last = [vote for vote in found.votes if vote.position > 400]
    # 4 labels a pair at a chance of 0.05 and 0.25 on average: 40 and 200 slips, sd below 13.
    assert sum(slips[vote.pair] for vote in first) < 40 + 5 * 7
    assert sum(slips[vote.pair] for vote in last) > 200 - 5 * 13
    times = [np.median([vote.active_s for vote in part]) for part in (first, last)]
    assert times[1] / times[0] == pytest.approx((1 - 0.5 * 5 / 6) / (1 - 0.5 / 6), abs=0.1)


def test_hasty_slips_are_faster_than_the_texts_can_be_read() -> None:
    pairs = pairs_of(TWO, Recipe(words=(200, 200)), 200)
    found = simulate(TWO, pairs, {"ann": SimulatedRater(slip=0.1, hasty=1)}, seed=8)
    slipped = {pair for (_, pair, _, _), kind in found.planted.items() if kind is Kind.SLIP}
    assert {vote.pair for vote in found.votes if vote.active_s <= 200 / 4 * 0.35} == slipped


def test_evidence_points_at_the_same_sentence_and_stands_in_the_text() -> None:
    texts = {
        "A": "The first sentence says enough. The second one says some more. And it ends.",
        "B": "x",
    }
    truth = Truth({("C1", "A"): "no", ("C1", "B"): "no"}, "tie")
    ballot = Ballot((C1,), SCALE, ask_after_gate=True)
    rater = SimulatedRater(evidence=1)
    at = Situation(text_of=texts.__getitem__)
    left = filled(ballot, truth, rater, "AB", Random(1), at)
    right = filled(ballot, truth, rater, "BA", Random(2), at)
    seen = [evidence.read(left.fields["evidence"], ballot, {"Left": texts["A"], "Right": "x"})]
    seen += [evidence.read(right.fields["evidence"], ballot, {"Left": "x", "Right": texts["A"]})]
    assert not any(reading.problem for reading in seen)
    quotes = {passage.quote for reading in seen for passage in reading.passages}
    assert len(quotes) == 1
    assert all(len(reading.passages) == 1 for reading in seen)


def test_a_given_truth_keeps_its_answers() -> None:
    given = Truth({("C1", "A"): "no", ("C1", "B"): "yes"}, "A_slight")
    recipe = Recipe(doubtful={"C1": 1.0}, disputed=1.0)
    found = shaded(given, Ballot((C1,), SCALE, ask_after_gate=True), recipe, "p", seed=1)
    assert (found.labels, found.preference) == (given.labels, "A_slight")
    assert found.doubtful == {("C1", "A"), ("C1", "B")}
    assert found.disputed


def test_pairs_follow_their_recipe() -> None:
    """Prevalence and correlation of the sides, each within five standard errors."""
    recipe, n = Recipe(criteria=0.2, correlation=0.5, na={"C2": 0.25}), 4000
    pairs = pairs_of(TWO, recipe, n)
    sides = np.array([[pair.truth.labels["C1", side] == "no" for side in "AB"] for pair in pairs])
    assert sides.mean() == pytest.approx(0.2, abs=5 * sqrt(0.2 * 0.8 * 1.5 / (2 * n)))
    assert np.corrcoef(sides.T)[0, 1] == pytest.approx(0.5, abs=5 * sqrt(1.5 / n))
    na = [pair.truth.labels["C2", "A"] == "na" for pair in pairs]
    assert np.mean(na) == pytest.approx(0.25, abs=5 * sqrt(0.25 * 0.75 / n))


TEAMS = {
    "slips": [SimulatedRater(slip=0.05), SimulatedRater(slip=0.1), SimulatedRater(slip=0.02)],
    "two readings": [
        SimulatedRater(slip=0.02),
        SimulatedRater(reads_other_way=frozenset({"C1", "C2", "C3"})),
        SimulatedRater(),
    ],
    "severity": [SimulatedRater(severity=0.3), SimulatedRater(severity=-0.2), SimulatedRater()],
    "tired": [SimulatedRater(slip=0.02, tiring=0.3)] * 3,
}


@pytest.mark.parametrize("check", [C1, C2, C3], ids=lambda check: check.key)
@pytest.mark.parametrize("team", TEAMS)
@pytest.mark.parametrize("prevalence", [0.5, 0.15])
def test_alpha_is_what_the_parameters_imply(check: Check, team: str, prevalence: float) -> None:
    """Within four standard errors, those of the jackknife over pairs."""
    doubtful = {"C1": 0.2, "C2": 0.2, "C3": 0.2}
    recipe = Recipe(criteria=prevalence, doubtful=doubtful, na={"C2": 0.3})
    ballot = Ballot((check,), (), ask_after_gate=True)
    raters, n = TEAMS[team], 800
    named = {f"rater-{i}": one for i, one in enumerate(raters)}
    found = simulate(ballot, pairs_of(ballot, recipe, n), named, seed=9)
    measured = reliability(
        frame(found, check.key), criterion=check.key, level="nominal", resamples=9
    )
    error = sqrt((n - 1) / n * sum(gain**2 for gain in measured.influence.values()))
    assert error < 0.04
    implied = expected_alpha(check, recipe, raters, queue=n)
    assert measured.alpha == pytest.approx(implied, abs=4 * error)


def test_implied_alpha_by_hand() -> None:
    """Two who flip a fair yes/no with chance e each: alpha = 1 - 4e(1 - e)."""
    ballot_check, recipe = C1, Recipe(criteria=0.5)
    team = [SimulatedRater(slip=0.1)] * 2
    assert expected_alpha(ballot_check, recipe, team) == pytest.approx(1 - 4 * 0.1 * 0.9)
    # Two readings that differ on a share d of the sides: alpha = 1 - 2d for two raters.
    doubt = replace(recipe, doubtful={"C1": 0.2})
    other = SimulatedRater(reads_other_way=frozenset({"C1"}))
    assert expected_alpha(C1, doubt, [SimulatedRater(), other]) == pytest.approx(1 - 2 * 0.2)


def test_alpha_of_a_joint_distribution() -> None:
    """Ordinal: midranks 1/4 and 3/4 of two equally common values are no other than nominal ones;
    without variation there is no alpha."""
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    assert alpha_of(joint) == pytest.approx(1 - 0.2 / 0.5)
    assert alpha_of(joint, ordinal=True) == pytest.approx(1 - 0.2 / 0.5)
    assert alpha_of(np.array([[1.0, 0.0], [0.0, 0.0]])) is None


@pytest.mark.parametrize(
    ("check", "team", "said"),
    [(C4, [SimulatedRater()] * 2, "measured"), (C1, [SimulatedRater()], "two raters")],
)
def test_no_alpha_is_implied_without_codes_or_a_second_rater(
    check: Check, team: list[SimulatedRater], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        expected_alpha(check, Recipe(), team)
