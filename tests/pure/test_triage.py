"""Which kind a split is suggested to be: the rules, their order, and what never changes them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.reliability import Status
from annotate.triage import (
    FASTEST_READING,
    FEWEST_SPLIT,
    GOLD_MISSES,
    KINDS,
    REPEATS,
    Case,
    Patterns,
    Strength,
    Voter,
    lone_dissent,
    opposite,
    suggest,
)

PREFERENCE = ("A_much", "A_slight", "tie", "B_slight", "B_much")
SCALE = ("1", "2", "3", "4", "5")
# Nothing disagrees on these, so that a test changes what it is about alone.
PLAIN = {("G1", "A"): "pass", ("G1", "B"): "pass", ("C1", "A"): "yes", ("C1", "B"): "yes"}


def voters(*values: str) -> tuple[Voter, ...]:
    return tuple(Voter(f"Rater {n}", value) for n, value in enumerate(values, 1))


def check(*values: str, **changes: object) -> Case:
    """A split on C2 of response A."""
    given = tuple(
        replace(voter, labels={**PLAIN, ("C2", "A"): voter.value}) for voter in voters(*values)
    )
    case = Case("C2", "C2", "criterion", "A", "nominal", given, alpha=0.9, status=Status.TENTATIVE)
    return replace(case, **changes)  # type: ignore[arg-type]


def preference(*margins: int, labels: dict[tuple[str, str], str] | None = None) -> Case:
    given = tuple(
        Voter(f"Rater {n}", PREFERENCE[2 - margin], labels or PLAIN, margin)
        for n, margin in enumerate(margins, 1)
    )
    return Case("preference", "the preference", "preference", "", "ordinal", given, PREFERENCE)


def changed(case: Case, number: int, **changes: object) -> Case:
    """The case with something else about Rater `number`."""
    given = list(case.voters)
    given[number - 1] = replace(given[number - 1], **changes)  # type: ignore[arg-type]
    return replace(case, voters=tuple(given))


# ---- weighting


def test_opposite_preferences_over_the_same_labels_are_weighting() -> None:
    found = suggest(preference(2, -1, 0))
    assert (found.kind, found.strength) == ("weighting", Strength.FAIR)
    assert found.why == (
        "Rater 1 prefers A, Rater 2 prefers B, and all gate and criterion labels that they share "
        "agree."
    )


def test_weighting_is_the_surer_where_each_side_names_its_own_reason() -> None:
    case = changed(preference(1, -1), 1, cites=frozenset({"C1"}))
    found = suggest(changed(case, 2, cites=frozenset({"C3", "C2"})))
    assert found.strength == Strength.STRONG
    assert found.why.endswith("one side cites C1, the other C2 and C3.")


def test_weighting_is_a_guess_where_both_sides_name_the_same_reason() -> None:
    """No weights explain why the same check speaks for either."""
    case = changed(preference(1, -1), 1, cites=frozenset({"C1"}))
    found = suggest(changed(case, 2, cites=frozenset({"C1"})))
    assert (found.kind, found.strength) == ("weighting", Strength.WEAK)
    assert found.why.endswith("agree. Both sides cite C1: it may be taste.")


def test_weighting_is_a_guess_where_no_weights_could_lead_to_the_lone_preference() -> None:
    own = {**PLAIN, ("C1", "B"): "no"}
    found = suggest(preference(-1, 1, 2, labels=own))
    assert (found.kind, found.strength) == ("weighting", Strength.WEAK)
    assert found.why.endswith(
        "agree. Rater 1 stands alone: they prefer B, but their own C1 speaks against it. "
        "It may be a slip."
    )


def test_one_label_that_differs_is_no_weighting() -> None:
    case = changed(preference(1, -1), 2, labels={**PLAIN, ("C1", "B"): "no"})
    found = suggest(case)
    assert (found.kind, found.why) == (
        "legitimate",
        "They differ on C1 as well: settle that first.",
    )


def test_without_a_label_to_compare_nothing_says_that_they_see_the_same() -> None:
    assert suggest(preference(1, -1, labels={("x", ""): "1"})).kind == "weighting"
    bare = preference(1, -1)
    for n in (1, 2):
        bare = changed(bare, n, labels={})
    found = suggest(bare)
    assert (found.kind, found.strength) == ("legitimate", Strength.WEAK)
    assert found.why == "They prefer opposite sides, and no check was asked that could say why."


@pytest.mark.parametrize("margins", [(2, 1), (1, 0), (0, -2)])
def test_preferences_that_differ_in_degree_are_no_weighting(margins: tuple[int, int]) -> None:
    assert not opposite(margins)
    found = suggest(preference(*margins))
    assert (found.kind, found.why) == (
        "legitimate",
        "They differ in degree: no two prefer opposite sides.",
    )


# ---- ambiguity


def test_a_check_that_was_flagged_unclear_is_ambiguous() -> None:
    flagged = changed(check("yes", "no", "no"), 3, unclear=frozenset({"C2"}))
    assert suggest(flagged).why == "Rater 3 flagged C2 unclear."
    assert suggest(flagged).strength == Strength.FAIR
    below = replace(flagged, alpha=0.58, status=Status.BROKEN)
    assert suggest(below).why == "Rater 3 flagged C2 unclear and C2 is below the bar."
    assert suggest(below).strength == Strength.STRONG


def test_a_flag_on_another_check_says_nothing_here() -> None:
    flagged = changed(check("yes", "no", "no"), 3, unclear=frozenset({"C1"}))
    assert suggest(flagged).kind == "legitimate"


def test_somebody_without_a_label_on_the_unit_may_flag_it_too() -> None:
    case = check("yes", "no")
    silent = Voter("Rater 9", unclear=frozenset({"C2"}))
    found = suggest(replace(case, voters=(*case.voters, silent)))
    assert (found.kind, found.why) == ("ambiguity", "Rater 9 flagged C2 unclear.")


def test_a_split_is_part_of_the_pattern_when_two_raters_differ_the_same_way_again() -> None:
    below = check("yes", "no", alpha=0.6, status=Status.BROKEN, shared=80, split=4)
    assert suggest(replace(below, repeats=REPEATS - 1)).kind == "legitimate"
    found = suggest(replace(below, repeats=REPEATS))
    assert (found.kind, found.strength) == ("ambiguity", Strength.FAIR)
    assert found.why == "C2 is below the bar: two raters differ the same way on 2 other units."


def test_a_split_is_part_of_the_pattern_when_a_quarter_of_the_units_split() -> None:
    below = check("yes", "no", alpha=0.6, status=Status.BROKEN)
    assert suggest(replace(below, shared=80, split=19)).kind == "legitimate"
    assert suggest(replace(below, shared=80, split=20)).kind == "ambiguity"
    few = replace(below, shared=4, split=FEWEST_SPLIT - 1)
    assert suggest(few).kind == "legitimate", "two units are no pattern"


def test_at_the_bar_there_is_no_pattern() -> None:
    case = check("yes", "no", shared=8, split=4, repeats=3, alpha=0.8)
    assert suggest(case).kind == "legitimate"
    assert suggest(replace(case, bar=0.9)).kind == "ambiguity", "a project may set its bar higher"
    assert suggest(replace(case, alpha=None)).kind == "legitimate"


def test_a_preference_is_no_wording_that_a_pattern_could_speak_against() -> None:
    case = replace(preference(1, 0), alpha=0.2, status=Status.BROKEN, shared=8, split=8, repeats=7)
    assert suggest(case).kind == "legitimate"


# ---- slip


def test_a_lone_dissent_on_a_check_that_clears_is_a_slip() -> None:
    clears = check("no", "yes", "yes", status=Status.CLEARS)
    found = suggest(clears)
    assert (found.kind, found.why) == ("slip", "Rater 1 stands alone, and C2 otherwise clears.")
    assert found.strength > suggest(replace(clears, status=Status.CLEARS_THIN)).strength
    assert suggest(replace(clears, status=Status.TENTATIVE)).kind == "legitimate"
    assert suggest(check("no", "yes", status=Status.CLEARS)).kind == "legitimate"


def test_a_dissent_at_odds_with_the_own_vote_is_a_slip() -> None:
    """B is better on C2 by their own labels, which they cite for A; with the others' it is not."""
    case = check("no", "yes", "yes")
    own = {**PLAIN, ("C2", "A"): "no", ("C2", "B"): "yes"}
    odd = changed(case, 1, labels=own, margin=1, cites=frozenset({"C2"}))
    found = suggest(odd)
    assert (found.kind, found.strength) == ("slip", Strength.FAIR)
    assert found.why == ("Rater 1 stands alone: they prefer A, but their own C2 speaks against it.")
    assert suggest(changed(odd, 1, margin=-1)).kind == "legitimate"


def test_a_vote_that_would_be_at_odds_anyway_says_nothing_about_this_label() -> None:
    case = check("no", "yes", "yes")
    own = {**PLAIN, ("C2", "A"): "no", ("C2", "B"): "no", ("G1", "A"): "fail"}
    assert suggest(changed(case, 1, labels=own, margin=1)).kind == "legitimate"


def test_a_preference_for_a_side_that_fails_a_gate_by_the_own_labels_is_a_slip() -> None:
    own = {**PLAIN, ("G1", "B"): "fail"}
    case = preference(-1, 1, 2, labels=own)
    found = suggest(case)
    assert found.kind == "weighting", "with equal labels the first rule has spoken"
    case = changed(case, 3, labels={**own, ("C1", "A"): "no"})
    found = suggest(case)
    assert (found.kind, found.why) == (
        "slip",
        "Rater 1 stands alone: their own vote prefers B though B fails a gate.",
    )


def test_a_dissent_faster_than_anyone_reads_is_a_slip() -> None:
    case = check("no", "yes", "yes", characters=3_000)
    limit = round(3_000 / FASTEST_READING)
    assert suggest(changed(case, 1, active_s=limit)).kind == "legitimate"
    found = suggest(changed(case, 1, active_s=limit - 1))
    assert found.kind == "slip"
    assert "59 seconds on 3,000 characters, faster than these can be read" in found.why
    assert suggest(changed(case, 2, active_s=1)).kind == "legitimate", "haste of the others"
    unread = replace(case, characters=None)
    assert suggest(changed(unread, 1, active_s=1)).kind == "legitimate"


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        (None, "legitimate"),
        ((10, 10), "legitimate"),
        ((3, 4), "legitimate"),
        ((8, 10), "slip"),
        ((18, 20), "legitimate"),
        ((0, GOLD_MISSES), "slip"),
    ],
)
def test_a_dissent_of_who_misses_known_answers_on_the_check_is_a_slip(
    gold: tuple[int, int] | None, kind: str
) -> None:
    assert suggest(changed(check("no", "yes", "yes"), 1, gold=gold)).kind == kind


def test_two_reasons_make_a_slip_the_surer() -> None:
    case = changed(check("no", "yes", "yes", characters=3_000), 1, active_s=5)
    assert suggest(case).strength == Strength.FAIR
    assert suggest(changed(case, 1, active_s=5, gold=(1, 5))).strength == Strength.STRONG
    assert suggest(replace(case, status=Status.CLEARS)).strength == Strength.STRONG


def test_evidence_against_one_vote_goes_before_the_pattern_and_a_flag_before_both() -> None:
    case = check("no", "yes", "yes", alpha=0.5, status=Status.BROKEN, shared=8, split=4)
    case = changed(replace(case, characters=3_000), 1, active_s=5)
    assert suggest(case).kind == "slip"
    assert suggest(changed(case, 1, active_s=500)).kind == "ambiguity"
    assert suggest(changed(case, 1, active_s=5, unclear=frozenset({"C2"}))).kind == "ambiguity"


# ---- who stands alone


@pytest.mark.parametrize(
    ("level", "values", "lone"),
    [
        ("nominal", ("no", "yes"), None),
        ("nominal", ("no", "yes", "yes"), "Rater 1"),
        ("nominal", ("no", "yes", "yes", "no"), None),
        ("nominal", ("no", "yes", "na"), None),
        ("ordinal", ("1", "4", "5"), "Rater 1"),
        ("ordinal", ("3", "4", "5"), None),
        ("ordinal", ("4", "4", "5"), "Rater 3"),
        ("ordinal", ("1", "na", "5"), "Rater 2"),
        ("interval", ("10", "11.5", "90"), "Rater 3"),
        ("interval", ("10", "50", "90"), None),
    ],
)
def test_a_lone_dissent_is_farther_from_all_than_they_are_apart(
    level: str, values: tuple[str, ...], lone: str | None
) -> None:
    case = check(*values, level=level, scale=SCALE if level == "ordinal" else ())
    found = lone_dissent(case)
    assert (found.handle if found else None) == lone


# ---- legitimate


def test_the_same_ids_for_opposite_choices_are_the_strongest_legitimate_case() -> None:
    case = preference(1, -1)
    for n in (1, 2):
        case = changed(case, n, cites=frozenset({"C1", "C2"}))
    case = changed(case, 2, labels={**PLAIN, ("C1", "B"): "no"})
    found = suggest(case)
    assert (found.kind, found.strength) == ("legitimate", Strength.STRONG)
    assert found.why == "Rater 1 and Rater 2 cite the same, C1 and C2, for opposite choices."
    some = changed(case, 2, cites=frozenset({"C1"}))
    assert suggest(some).strength == Strength.FAIR


def test_of_a_check_only_its_own_id_counts_since_a_rationale_explains_the_preference() -> None:
    case = check("yes", "no")
    for n in (1, 2):
        case = changed(case, n, cites=frozenset({"C1"}))
    assert suggest(case).strength == Strength.WEAK
    for n in (1, 2):
        case = changed(case, n, cites=frozenset({"C2"}), margin=1)
    assert suggest(case).why == "Rater 1 and Rater 2 both cite C2 and label it otherwise."
    assert suggest(case).strength == Strength.FAIR
    assert suggest(changed(case, 2, margin=-1)).strength == Strength.STRONG


# ---- patterns


def test_repeats_count_other_units_on_which_two_raters_differ_the_same_way() -> None:
    splits = [{1: "yes", 2: "no"}, {1: "yes", 2: "no", 3: "no"}, {1: "no", 2: "yes"}]
    patterns = Patterns(splits, "nominal")
    assert [patterns.repeats(one) for one in splits] == [1, 1, 0]


def test_on_an_ordered_scale_the_higher_value_is_the_way() -> None:
    splits = [{1: "5", 2: "1"}, {1: "3", 2: "2"}, {1: "2", 2: "3"}]
    patterns = Patterns(splits, "ordinal", SCALE)
    assert [patterns.repeats(one) for one in splits] == [1, 1, 0]


# ---- whatever the case


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Any case with two raters or more who do not all say the same."""
    kind = draw(st.sampled_from(["gate", "criterion", "preference"]))
    codes = {"gate": ("pass", "fail", "na"), "criterion": ("yes", "no", "na")}
    values = PREFERENCE if kind == "preference" else codes[kind]
    key = {"gate": "G1", "criterion": "C1", "preference": "preference"}[kind]
    part = "" if kind == "preference" else "A"
    size = draw(st.integers(2, 5))
    given = draw(
        st.lists(st.sampled_from(values), min_size=size, max_size=size).filter(
            lambda found: len(set(found)) > 1
        )
    )
    return Case(
        key=key,
        name="the preference" if kind == "preference" else key,
        kind=kind,  # type: ignore[arg-type]
        part=part,
        level="ordinal" if kind == "preference" else "nominal",
        voters=tuple(
            draw(voters_of(f"Rater {n}", value, key, part)) for n, value in enumerate(given, 1)
        ),
        scale=values if kind == "preference" else (),
        alpha=draw(st.none() | st.floats(-1, 1)),
        status=draw(st.sampled_from(list(Status))),
        shared=draw(st.integers(1, 100)),
        split=draw(st.integers(1, 100)),
        repeats=draw(st.none() | st.integers(0, 9)),
        characters=draw(st.none() | st.integers(0, 100_000)),
    )


KEYS = st.frozensets(st.sampled_from(["G1", "C1", "C2"]))


@st.composite
def voters_of(draw: st.DrawFn, handle: str, value: str, key: str, part: str) -> Voter:
    labels = {
        ("G1", "A"): draw(st.sampled_from(["pass", "fail"])),
        ("G1", "B"): draw(st.sampled_from(["pass", "fail"])),
        ("C1", "A"): draw(st.sampled_from(["yes", "no"])),
        ("C1", "B"): draw(st.sampled_from(["yes", "no", "na"])),
        ("C2", ""): draw(st.sampled_from(["yes", "no"])),
    }
    if key == "preference":
        margin: int | None = 2 - PREFERENCE.index(value)
    else:
        margin = draw(st.none() | st.integers(-2, 2))
        labels[key, part] = value
    of = draw(st.integers(0, 9))
    return Voter(
        handle=handle,
        value=value,
        labels=labels,
        margin=margin,
        cites=draw(KEYS),
        unclear=draw(KEYS),
        active_s=draw(st.none() | st.integers(0, 2_000)),
        gold=draw(st.none() | st.just((draw(st.integers(0, of)), of))),
    )


@given(cases())
def test_every_case_has_exactly_one_kind_with_a_reason(case: Case) -> None:
    found = suggest(case)
    assert found.kind in KINDS
    assert found.why.endswith(".")
    assert found.why[:1].isupper()
    assert found.strength in Strength


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_raters_changes_nothing(case: Case, dice: random.Random) -> None:
    shuffled = list(case.voters)
    dice.shuffle(shuffled)
    assert suggest(replace(case, voters=tuple(shuffled))) == suggest(case)


@given(cases())
def test_names_change_nothing_but_the_names(case: Case) -> None:
    renamed = replace(
        case,
        voters=tuple(replace(voter, handle=f"Expert {voter.handle[-1]}") for voter in case.voters),
    )
    found, other = suggest(case), suggest(renamed)
    assert (found.kind, found.strength) == (other.kind, other.strength)
    assert found.why.replace("Rater", "Expert") == other.why


@given(cases())
def test_weighting_only_where_no_label_differs_and_preferences_are_opposite(case: Case) -> None:
    if suggest(case).kind != "weighting":
        return
    assert case.kind == "preference"
    assert opposite(voter.margin for voter in case.voters)
    for place in PLAIN:
        assert len({voter.labels[place] for voter in case.voters if place in voter.labels}) < 2


@given(cases())
def test_no_slip_without_one_who_stands_alone(case: Case) -> None:
    found = suggest(case)
    if found.kind == "slip":
        lone = lone_dissent(case)
        assert lone is not None
        assert found.why.startswith(f"{lone.handle} stands alone")


@given(cases(), st.integers(1, 5))
def test_one_more_flag_never_leads_away_from_ambiguity(case: Case, number: int) -> None:
    before = suggest(case)
    number = min(number, len(case.voters))
    flags = case.voters[number - 1].unclear | {case.key}
    after = suggest(changed(case, number, unclear=flags))
    if before.kind != "weighting":
        assert after.kind == "ambiguity"
    if before.kind == "ambiguity" and any(case.key in voter.unclear for voter in case.voters):
        assert after.strength >= before.strength


@given(cases(), st.integers(0, 9), st.integers(0, 9))
def test_the_more_a_split_repeats_the_more_it_is_ambiguous(case: Case, one: int, two: int) -> None:
    less, more = (suggest(replace(case, repeats=times, alpha=0.5)) for times in sorted((one, two)))
    if less.kind == "ambiguity":
        assert more.kind == "ambiguity"
        assert more.strength >= less.strength


@given(cases(), st.integers(1, 2_000), st.integers(1, 2_000))
def test_a_slip_stays_one_the_faster_it_was_made(case: Case, one: int, two: int) -> None:
    case = replace(case, characters=40_000)
    lone = lone_dissent(case)
    if lone is None:
        return
    number = case.voters.index(lone) + 1
    fast, slow = (suggest(changed(case, number, active_s=s)) for s in sorted((one, two)))
    if slow.kind == "slip":
        assert fast.kind == "slip"
        assert fast.strength >= slow.strength
