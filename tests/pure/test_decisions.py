"""The truth table of decisions: examples to read, an oracle over every case, properties."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations_with_replacement, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.decisions import (
    ANSWERS,
    Answer,
    Decision,
    GateResult,
    Policy,
    Reason,
    Side,
    Support,
    VoteView,
    decide,
    margins_of,
    outcome,
)

SCALE = ("A_much", "A_slight", "tie", "B_slight", "B_much")
MARGIN = {"A_much": 2, "A_slight": 1, "tie": 0, "B_slight": -1, "B_much": -2, "": None}
WORD: dict[str, Answer] = {"p": "pass", "f": "fail", "n": "na"}
# A vote in shorthand: gate G1 on side A, on side B ("p", "f", "n", "-" for unanswered), preference.
Short = tuple[str, str, str]


def make_votes(shorts: Sequence[Short]) -> list[VoteView]:
    return [make_vote(f"r{place}", short) for place, short in enumerate(shorts)]


def make_vote(rater: str, short: Short) -> VoteView:
    on_a, on_b, preference = short
    gates: dict[tuple[str, Side], Answer] = {}
    if on_a in WORD:
        gates["G1", "A"] = WORD[on_a]
    if on_b in WORD:
        gates["G1", "B"] = WORD[on_b]
    return VoteView(rater, gates, MARGIN[preference])


def parse(text: str) -> list[VoteView]:
    """Votes as text: "pf tie, pp A_much" is two raters; a missing preference is left out."""
    shorts: list[Short] = []
    for part in text.split(", "):
        gates, _, preference = part.partition(" ")
        shorts.append((gates[0], gates[1], preference))
    return make_votes(shorts)


# ---------------------------------------------------------------- one vote


@pytest.mark.parametrize(
    ("vote", "expected"),
    [
        ("pp A_much", "A"),
        ("pp A_slight", "A"),
        ("pp tie", "tie"),
        ("pp B_slight", "B"),
        ("pp B_much", "B"),
        ("pp", None),
        ("--", None),
        ("-- B_slight", "B"),
        ("fp", "B"),
        ("pf", "A"),
        ("fp A_much", "B"),  # the gate outranks the preference given beside it
        ("fn", "B"),  # not applicable is not failing
        ("nf", "A"),
        ("nn tie", "tie"),
        ("f-", "B"),  # unanswered is not failing
        ("ff", "both_fail"),
        ("ff A_much", "both_fail"),
    ],
)
def test_one_vote_is_read_gates_first(vote: str, expected: str | None) -> None:
    assert outcome(parse(vote)[0]) == expected


def test_one_failed_gate_among_several_fails_its_side() -> None:
    vote = VoteView("r", {("G1", "A"): "pass", ("G2", "A"): "fail", ("G1", "B"): "pass"}, 2)
    assert outcome(vote) == "B"


def test_different_gates_failing_on_both_sides_is_both_fail() -> None:
    assert outcome(VoteView("r", {("G1", "A"): "fail", ("G2", "B"): "fail"}, 1)) == "both_fail"


# ---------------------------------------------------------------- the table to read

TIE, SPLIT, LOW = Reason.TIE, Reason.UNRESOLVED, Reason.BELOW_MARGIN
TABLE = [
    # name, votes, then what one_sided, majority and margin (threshold 1) come to
    ("one rater, clear", "pp A_much", "A", "A", "A"),
    ("one rater, slight", "pp B_slight", "B", "B", "B"),
    ("one rater, tie", "pp tie", TIE, TIE, TIE),
    ("nothing given", "pp", *[Reason.NO_PREFERENCE] * 3),
    ("all agree", "pp A_much, pp A_slight, pp A_slight", "A", "A", "A"),
    ("all tie", "pp tie, pp tie, pp tie", TIE, TIE, TIE),
    ("two against one", "pp A_slight, pp A_slight, pp B_slight", SPLIT, "A", LOW),
    ("two strong against one slight", "pp A_much, pp A_much, pp B_slight", SPLIT, "A", "A"),
    ("one strong outweighs two slight", "pp A_slight, pp A_slight, pp B_much", SPLIT, "A", LOW),
    ("two with a tie", "pp B_much, pp B_slight, pp tie", SPLIT, "B", "B"),
    ("two ties and a side", "pp tie, pp tie, pp A_much", SPLIT, TIE, LOW),
    ("one each", "pp A_slight, pp tie, pp B_slight", SPLIT, SPLIT, LOW),
    ("two opposed", "pp A_much, pp B_much", SPLIT, SPLIT, LOW),
    ("a side and a tie", "pp A_much, pp tie", SPLIT, SPLIT, "A"),
    ("missing ones do not count", "pp A_slight, pp, pp", "A", "A", "A"),
    ("missing beside two opposed", "pp A_slight, pp B_slight, pp", SPLIT, SPLIT, LOW),
    ("gate decides for B", "fp, fp, fp", "B", "B", "B"),
    ("gate by majority, odd vote overruled", "fp, fp, pp A_much", "B", "B", "B"),
    ("odd gate vote overruled", "fp, pp A_slight, pp A_slight", "A", "A", "A"),
    ("gate against the preference", "fp A_much, fp A_much", "B", "B", "B"),
    ("both fail", "ff, ff, pp A_much", *[Reason.BOTH_FAILED_GATE] * 3),
    ("each fails by another majority", "fp, ff, pf", *[Reason.BOTH_FAILED_GATE] * 3),
    ("two raters contest a gate", "fp, pp A_much", *[Reason.GATE_CONTESTED] * 3),
    ("contested on A while B fails", "ff, pf", *[Reason.GATE_CONTESTED] * 3),
    ("na stands with pass", "fp, np A_slight, pp A_slight", "A", "A", "A"),
    ("na against fail is contested", "fp, np A_slight", *[Reason.GATE_CONTESTED] * 3),
    ("unanswered gates do not count", "fp, -- A_much, -- A_much", "B", "B", "B"),
]


@pytest.mark.parametrize("policy_place", [0, 1, 2], ids=[policy.value for policy in Policy])
@pytest.mark.parametrize(
    ("votes", "expected"), [(row[1], row[2:]) for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_the_table(votes: str, expected: tuple[str, ...], policy_place: int) -> None:
    decision = decide(parse(votes), list(Policy)[policy_place])
    word = expected[policy_place]
    assert (decision.winner or decision.reason) == word
    assert (decision.reason is Reason.DECIDED) == (word in ("A", "B"))


def test_no_votes_is_no_human_label() -> None:
    assert decide([]) == Decision(None, Reason.NO_HUMAN_LABEL, None, None, 0)


def test_a_decision_tells_what_it_rests_on() -> None:
    assert decide(parse("pp A_much, pp A_slight")) == Decision(
        "A",
        Reason.DECIDED,
        "preference",
        1.5,
        2,
        (GateResult("G1", "A", True, 0, 2), GateResult("G1", "B", True, 0, 2)),
    )
    assert decide(parse("ff, ff")).outcome == "both_fail"
    assert decide(parse("ff, ff")).by == "gate"
    assert decide(parse("-- tie")).by == "preference"
    assert decide(parse("fp, pp")).by is None


def test_several_gates_are_judged_one_by_one() -> None:
    # Each rater fails A on another gate: no gate fails by majority, so no gate decides.
    votes = [
        VoteView("r1", {("G1", "A"): "fail", ("G2", "A"): "pass", ("G3", "A"): "pass"}, 1),
        VoteView("r2", {("G1", "A"): "pass", ("G2", "A"): "fail", ("G3", "A"): "pass"}, 1),
        VoteView("r3", {("G1", "A"): "pass", ("G2", "A"): "pass", ("G3", "A"): "fail"}, 1),
    ]
    assert decide(votes).winner == "A"
    assert decide(votes).by == "preference"


def test_any_contested_gate_leaves_the_pair_undecided() -> None:
    votes = [
        VoteView("r1", {("G1", "A"): "fail", ("G2", "A"): "fail"}, None),
        VoteView("r2", {("G1", "A"): "fail", ("G2", "A"): "pass"}, None),
    ]
    assert decide(votes).reason is Reason.GATE_CONTESTED


@pytest.mark.parametrize(
    ("votes", "margin", "for_winner", "support"),
    [
        ("pf A_much, pf A_slight", 1.5, 1.5, Support.AGREES),
        ("fp A_much, fp tie", 1.0, -1.0, Support.CONTRADICTS),
        ("fp tie, fp tie", 0.0, 0.0, Support.LEVEL),
        ("fp, fp", None, None, Support.ABSENT),
        ("ff A_much", 2.0, None, None),
        ("pp tie", 0.0, None, None),
        ("pp B_much", -2.0, 2.0, Support.AGREES),
    ],
)
def test_the_mean_margin_is_held_against_the_decision(
    votes: str, margin: float | None, for_winner: float | None, support: Support | None
) -> None:
    decision = decide(parse(votes))
    assert decision.margin == margin
    assert decision.margin_for_winner == for_winner
    assert decision.support == support


def test_a_majority_may_run_against_the_mean_margin() -> None:
    raters = "pp A_slight, pp A_slight, pp A_slight, pp B_much, pp B_much"
    decision = decide(parse(raters), Policy.MAJORITY)
    assert (decision.winner, decision.margin) == ("A", -1 / 5)
    assert decision.support is Support.CONTRADICTS


def test_the_margin_threshold_is_reached_not_passed() -> None:
    votes = parse("pp A_slight, pp A_slight, pp tie")  # mean margin 2/3
    assert decide(votes, Policy.MARGIN, 2 / 3).winner == "A"
    assert decide(votes, Policy.MARGIN, 0.7).reason is Reason.BELOW_MARGIN


@pytest.mark.parametrize("threshold", [0.0, -1.0, float("nan"), float("inf")])
def test_a_threshold_that_would_decide_ties_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        decide(parse("pp tie"), Policy.MARGIN, threshold)


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="loudest"):
        decide(parse("pp tie"), "loudest")


def test_a_second_vote_of_one_rater_is_refused() -> None:
    with pytest.raises(ValueError, match="one rater"):
        decide([VoteView("r", {}, 1), VoteView("r", {}, 1)])


def test_an_answer_or_side_outside_the_words_is_refused() -> None:
    with pytest.raises(ValueError, match="G1, side A"):
        VoteView("r", {("G1", "A"): "no"}, None)  # type: ignore[dict-item]  # the refusal is the test
    with pytest.raises(ValueError, match="A or B"):
        VoteView("r", {("G1", "left"): "pass"}, None)  # type: ignore[dict-item]  # the same


# ---------------------------------------------------------------- every case, against an oracle


def all_cases() -> Iterator[tuple[Short, ...]]:
    """Every order-free set of 1 and 2 votes with all answers, and of 3 with pass and fail.

    Order is free because a property below holds that it does not matter.
    """
    preferences = (*SCALE, "")
    wide = list(product("pfn-", "pfn-", preferences))  # 96 votes
    narrow = list(product("pf", "pf", preferences))  # 24 votes
    return chain(
        combinations_with_replacement(wide, 1),
        combinations_with_replacement(wide, 2),
        combinations_with_replacement(narrow, 3),
    )


def gate_letter(marks: str) -> str:
    """Fails and others weighed against each other: "f", "p" or "?" for a balance."""
    balance = sum({"f": 1, "p": -1, "n": -1, "-": 0}[mark] for mark in marks)
    answered = len(marks.replace("-", ""))
    return "?" if balance == 0 and answered else "f" if balance > 0 else "p"


def oracle(shorts: Sequence[Short], policy: Policy) -> str:
    """The same rules over tallies and fractions instead of sides and sets."""
    on_a, on_b = (gate_letter("".join(short[side] for short in shorts)) for side in (0, 1))
    if "?" in on_a + on_b:
        return "gate_contested"
    if "f" in on_a + on_b:
        return {"fp": "B", "pf": "A", "ff": "both_failed_gate"}[on_a + on_b]
    tally = dict.fromkeys(SCALE, 0) | {"": 0}
    for short in shorts:
        tally[short[2]] += 1
    for_a, ties, for_b = (
        tally["A_much"] + tally["A_slight"],
        tally["tie"],
        tally["B_much"] + tally["B_slight"],
    )
    raters = for_a + ties + for_b
    if raters == 0:
        return "no_preference"
    share = {
        "A": Fraction(for_a, raters),
        "tie": Fraction(ties, raters),
        "B": Fraction(for_b, raters),
    }
    if policy is Policy.MARGIN:
        mean = Fraction(for_a + tally["A_much"] - for_b - tally["B_much"], raters)
        if share["tie"] == 1:
            return "tie"
        return "A" if mean >= 1 else "B" if mean <= -1 else "below_margin"
    needed = {Policy.ONE_SIDED: Fraction(99, 100), Policy.MAJORITY: Fraction(1, 2)}[policy]
    over = [name for name, part in share.items() if part > needed]
    return over[0] if over else "unresolved_disagreement"


@pytest.mark.parametrize("policy", list(Policy))
def test_the_full_truth_table(policy: Policy) -> None:
    seen = 0
    for shorts in all_cases():
        decision = decide(make_votes(shorts), policy)
        assert (decision.winner or decision.reason) == oracle(shorts, policy), shorts
        seen += 1
    # n + k - 1 choose k: 96 single votes, 97·96/2 pairs, 26·25·24/6 triples
    assert seen == 96 + 4656 + 2600


@pytest.mark.parametrize("policy", list(Policy))
def test_one_vote_alone_is_decided_as_it_reads(policy: Policy) -> None:
    for short in product("pfn-", "pfn-", (*SCALE, "")):
        votes = make_votes([short])
        assert decide(votes, policy).outcome == outcome(votes[0])


# ---------------------------------------------------------------- properties

answers = st.sampled_from(ANSWERS)
places = st.tuples(st.sampled_from(["G1", "G2", "G3"]), st.sampled_from(["A", "B"]))
bodies = st.tuples(
    st.dictionaries(places, answers, max_size=6), st.none() | st.integers(min_value=-3, max_value=3)
)
Body = tuple[dict[tuple[str, Side], Answer], int | None]
policies = st.sampled_from(list(Policy))
OTHER: dict[Side, Side] = {"A": "B", "B": "A"}


def views(drawn: Sequence[Body]) -> list[VoteView]:
    return [VoteView(f"r{n}", gates, margin) for n, (gates, margin) in enumerate(drawn)]


def mirrored(vote: VoteView) -> VoteView:
    gates = {(gate, OTHER[side]): answer for (gate, side), answer in vote.gates.items()}
    return VoteView(vote.rater, gates, None if vote.margin is None else -vote.margin)


@given(st.lists(bodies, max_size=6), policies, st.sampled_from([0.5, 1.0, 2.0]))
def test_swapping_the_sides_mirrors_the_decision(
    drawn: list[Body], policy: Policy, threshold: float
) -> None:
    votes = views(drawn)
    here = decide(votes, policy, threshold)
    there = decide([mirrored(vote) for vote in votes], policy, threshold)
    mirror = {"A": "B", "B": "A"}
    expected = here.outcome if here.winner is None else mirror[here.winner]
    assert there.outcome == expected
    assert (there.reason, there.by, there.support) == (here.reason, here.by, here.support)
    assert there.margin_for_winner == here.margin_for_winner
    assert (there.margin is None) == (here.margin is None)
    assert (there.margin or 0) == -(here.margin or 0)


@given(st.lists(bodies, max_size=6), policies, st.data())
def test_the_order_of_the_votes_does_not_matter(
    drawn: list[Body], policy: Policy, data: st.DataObject
) -> None:
    votes = views(drawn)
    assert decide(data.draw(st.permutations(votes)), policy) == decide(votes, policy)


@given(st.lists(bodies, min_size=1, max_size=6), st.integers(min_value=1, max_value=3))
def test_one_more_vote_that_agrees_keeps_a_one_sided_decision(
    drawn: list[Body], strength: int
) -> None:
    votes = views(drawn)
    before = decide(votes, Policy.ONE_SIDED)
    if before.winner is None:
        return
    gates: dict[tuple[str, Side], Answer] = {
        (gate.gate, gate.side): "pass" if gate.passed else "fail" for gate in before.gates
    }
    margin = strength if before.winner == "A" else -strength
    after = decide([*votes, VoteView("one more", gates, margin)], Policy.ONE_SIDED)
    assert (after.outcome, after.reason, after.by) == (before.outcome, before.reason, before.by)


@given(st.lists(bodies, max_size=6), policies)
def test_a_decision_is_a_winner_or_a_reason(drawn: list[Body], policy: Policy) -> None:
    decision = decide(views(drawn), policy)
    assert (decision.winner is not None) == (decision.reason is Reason.DECIDED)
    assert (decision.by is None) == (decision.outcome is None)
    assert decision.votes == len(drawn)


@given(st.lists(bodies, max_size=6))
def test_what_one_sided_decides_every_majority_decides_too(drawn: list[Body]) -> None:
    votes = views(drawn)
    strict = decide(votes, Policy.ONE_SIDED)
    if strict.outcome is not None:
        assert decide(votes, Policy.MAJORITY) == strict


# ---------------------------------------------------------------- gates by code


@pytest.mark.parametrize(
    ("votes", "failing", "expected"),
    [
        # Nobody voted: code decides, where a side fails.
        ("", "", (None, Reason.NO_HUMAN_LABEL, None)),
        ("", "A", ("B", Reason.DECIDED, "code")),
        ("", "B", ("A", Reason.DECIDED, "code")),
        ("", "AB", ("both_fail", Reason.BOTH_FAILED_GATE, "code")),
        # Votes join, and never overrule it.
        ("pp A_much, pp A_much", "", ("A", Reason.DECIDED, "preference")),
        ("pp A_much, pp A_much", "A", ("B", Reason.DECIDED, "code")),
        ("fp B_much, fp B_much", "A", ("B", Reason.DECIDED, "code")),
        ("pf, pf", "A", ("both_fail", Reason.BOTH_FAILED_GATE, "gate")),
        ("fp, fp", "", ("B", Reason.DECIDED, "gate")),
        # A gate that people balance on is for the meeting, whatever code says of another.
        ("pf, pp tie", "A", (None, Reason.GATE_CONTESTED, None)),
    ],
)
def test_gates_by_code_are_unanimous_gates(
    votes: str, failing: str, expected: tuple[object, ...]
) -> None:
    by_code: dict[tuple[str, Side], bool] = {
        ("A1", "A"): "A" not in failing,
        ("A1", "B"): "B" not in failing,
    }
    decision = decide(parse(votes) if votes else [], by_code=by_code)
    assert (decision.outcome, decision.reason, decision.by) == expected
    by = {(gate.gate, gate.side): (gate.passed, gate.by) for gate in decision.gates}
    assert by["A1", "A"] == ("A" not in failing, "code")
    assert by["A1", "B"] == ("B" not in failing, "code")


@given(st.lists(bodies, max_size=6), policies)
def test_gates_that_pass_by_code_change_no_decision(drawn: list[Body], policy: Policy) -> None:
    passing: dict[tuple[str, Side], bool] = {("A1", "A"): True, ("A1", "B"): True}
    plain = decide(views(drawn), policy)
    joined = decide(views(drawn), policy, by_code=passing)
    assert replace(joined, gates=plain.gates) == plain
    assert len(joined.gates) == len(plain.gates) + 2


@given(st.lists(bodies, max_size=6), policies, st.sampled_from("AB"))
def test_a_side_that_fails_by_code_never_wins(
    drawn: list[Body], policy: Policy, side: Side
) -> None:
    decision = decide(views(drawn), policy, by_code={("A1", side): False})
    assert decision.winner != side
    assert decision.reason is not Reason.NO_HUMAN_LABEL
    assert decision.by in (None, "code", "gate")


# ---------------------------------------------------------------- scales


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("A", "tie", "B"), [1, 0, -1]),
        (SCALE, [2, 1, 0, -1, -2]),
        (tuple("abcdefg"), [3, 2, 1, 0, -1, -2, -3]),
    ],
)
def test_margins_run_from_a_to_b(values: tuple[str, ...], expected: list[int]) -> None:
    assert margins_of(values) == dict(zip(values, expected, strict=True))


@pytest.mark.parametrize("values", [(), ("A", "B"), ("A", "a", "b", "B"), tuple("abcdefghi")])
def test_a_scale_without_a_middle_or_of_another_length_is_refused(values: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="3, 5 or 7"):
        margins_of(values)


def test_a_scale_that_repeats_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="once"):
        margins_of(("A", "tie", "A"))
