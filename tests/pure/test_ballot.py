from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate import ballot as ballots
from annotate.ballot import LEFT, RIGHT, SEEN_SIDES, Answer, Ballot, Check, GateState, Order

FIVE = ("A_much", "A_slight", "tie", "B_slight", "B_much")


def check(key: str, *, na: bool = False, **more: object) -> Check:
    gate = key.startswith("G")
    given: dict[str, object] = {
        "values": ("pass", "fail") if gate else ("yes", "no"),
        "parts": SEEN_SIDES,
        **more,
    }
    return Check(key=key, kind="gate" if gate else "criterion", allows_na=na, **given)  # type: ignore[arg-type]


def ballot(*, ask_after_gate: bool = True, preference: tuple[str, ...] = FIVE) -> Ballot:
    checks = (check("G1"), check("G2", na=True), check("C1"), check("C2", na=True))
    return Ballot(checks=checks, preference=preference, ask_after_gate=ask_after_gate)


def answer(
    g1: str = "pass/pass",
    g2: str = "pass/pass",
    *,
    criteria: bool = True,
    stop: int | None = 2,
    rationale: str = "[C1] decides.",
    **more: object,
) -> Answer:
    labels: dict[tuple[str, str], str] = {}
    for key, values in (("G1", g1), ("G2", g2)):
        for side, value in zip(SEEN_SIDES, values.split("/"), strict=True):
            if value:
                labels[key, side] = value
    if criteria:
        labels |= {(key, side): "yes" for key in ("C1", "C2") for side in SEEN_SIDES}
    return Answer(labels=labels, stop=stop, rationale=rationale, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("g1", "g2", "state"),
    [
        ("pass/pass", "pass/pass", GateState.PASSED),
        ("pass/pass", "na/na", GateState.PASSED),
        ("fail/pass", "pass/pass", GateState.RIGHT_WINS),
        ("pass/fail", "pass/pass", GateState.LEFT_WINS),
        ("pass/pass", "pass/fail", GateState.LEFT_WINS),
        ("fail/pass", "fail/pass", GateState.RIGHT_WINS),
        ("fail/fail", "pass/pass", GateState.BOTH_FAIL),
        ("fail/pass", "pass/fail", GateState.BOTH_FAIL),
        ("fail/pass", "na/fail", GateState.BOTH_FAIL),
        ("fail/pass", "pass/", GateState.OPEN),
        ("/", "/", GateState.OPEN),
    ],
)
def test_gates_decide_only_when_all_are_answered(g1: str, g2: str, state: GateState) -> None:
    assert ballots.gate_state(ballot(), answer(g1, g2)) is state


def test_a_ballot_without_gates_is_passed() -> None:
    only_preference = Ballot(checks=(), preference=FIVE, ask_after_gate=True)
    assert ballots.gate_state(only_preference, Answer()) is GateState.PASSED
    assert ballots.problems(only_preference, Answer(stop=3, rationale="Equal.")) == {}


def test_a_whole_answer_has_no_problems() -> None:
    assert ballots.problems(ballot(), answer()) == {}


@pytest.mark.parametrize("g1", ["fail/pass", "pass/fail", "fail/fail"])
def test_no_preference_beside_a_deciding_gate(g1: str) -> None:
    found = ballots.problems(ballot(), answer(g1, stop=2))
    assert list(found) == ["preference"]
    assert "G1 decides" in found["preference"]
    assert ballots.problems(ballot(), answer(g1, stop=None, rationale="")) == {}


def test_a_preference_waits_for_every_gate() -> None:
    assert "preference" in ballots.problems(ballot(), answer("pass/", stop=1))


def test_without_measuring_criteria_are_not_asked_after_a_gate_and_not_kept() -> None:
    strict = ballot(ask_after_gate=False)
    decided = answer("fail/pass", stop=None, criteria=False)
    assert ballots.problems(strict, decided) == {}
    kept = ballots.canonical(strict, answer("fail/pass", stop=None), "AB")
    assert {label.key for label in kept.labels} == {"G1", "G2"}
    assert "label:C1:Left" in ballots.problems(ballot(), decided)


def test_criteria_after_a_deciding_gate_are_marked() -> None:
    kept = ballots.canonical(ballot(), answer("fail/pass", stop=None, rationale=""), "AB")
    how = {(label.key, label.how) for label in kept.labels}
    expected = {("G1", "asked"), ("G2", "asked"), ("C1", "after_gate"), ("C2", "after_gate")}
    assert how == expected
    assert kept.cites == ("G1",)


@pytest.mark.parametrize("rationale", ["", "   ", "Left is better."])
def test_a_preference_needs_a_rationale_that_cites(rationale: str) -> None:
    assert list(ballots.problems(ballot(), answer(rationale=rationale))) == ["rationale"]


def test_nothing_says_it_and_an_unclear_check_stand_for_a_citation() -> None:
    for more in ({"nothing_says_it": True}, {"unclear": frozenset({"C2"})}):
        assert ballots.problems(ballot(), answer(rationale="Reads better.", **more)) == {}


@pytest.mark.parametrize("token", ["C9", "G12", "A", "B", "c1"])
def test_citing_what_is_not_in_the_rubric_is_refused(token: str) -> None:
    found = ballots.problems(ballot(), answer(rationale=f"[{token}] decides."))
    assert found["rationale"].startswith(f"{token} is not in this rubric")


def test_bracketed_prose_is_no_citation() -> None:
    text = "[C1] [sic] [see the file] [Left]"
    assert ballots.unknown_citations(ballot(), text) == ()


def test_an_unknown_code_is_refused_with_the_ones_that_are_taken() -> None:
    found = ballots.problems(ballot(), answer("maybe/pass"))
    assert "choose one of pass, fail" in found["label:G1:Left"]
    assert "label:C1:Left" in ballots.problems(
        ballot(), Answer(labels={**answer().labels, ("C1", LEFT): "na"}, stop=None)
    )


@pytest.mark.parametrize(
    ("code", "taken"),
    [
        *((code, True) for code in ("0", "100", "12.5", "1e2", "na")),
        *((code, False) for code in ("-1", "101", "nan", "inf", "1_0", "")),
    ],
)
def test_a_measured_check_takes_numbers_within_its_bounds(code: str, taken: bool) -> None:
    assert check("C3", na=True, values=(), bounds=(0.0, 100.0)).takes(code) is taken


@pytest.mark.parametrize(
    ("g1", "words"),
    [
        ("pass/pass", "No gate decides: criteria, then the preference."),
        ("fail/pass", "G1 fails on Left only: Right wins."),
        ("pass/fail", "G1 fails on Right only: Left wins."),
        ("fail/fail", "Both fail (G1): not a preference pair; it goes to the rewrite queue."),
    ],
)
def test_the_sentence_says_what_the_gates_mean(g1: str, words: str) -> None:
    assert ballots.sentence(ballot(), answer(g1)).startswith(words)


def test_the_sentence_names_every_failing_gate() -> None:
    said = ballots.sentence(ballot(), answer("fail/pass", "fail/pass"))
    assert said.startswith("G1, G2 fail on Left only: Right wins.")


orders = st.sampled_from(["AB", "BA"])
texts = st.text(alphabet=st.sampled_from("ab [].\n"), max_size=12)
tokens = st.sampled_from(["[Left]", "[Right]", "[C1]", "[G2]", " better ", "[sic]"])


@given(orders, st.lists(st.one_of(tokens, texts)))
def test_tokens_come_back_as_they_were_seen(order: Order, pieces: list[str]) -> None:
    text = "".join(pieces)
    assert ballots.seen_text(ballots.canonical_text(text, order), order) == text


@given(orders, st.sampled_from(FIVE))
def test_a_stop_and_its_code_are_inverse(order: Order, code: str) -> None:
    stop = ballots.stop_of(ballot(), code, order)
    assert ballots.preference_code(ballot(), stop, order) == code


@given(orders, st.sampled_from(SEEN_SIDES))
def test_a_side_and_its_place_are_inverse(order: Order, part: str) -> None:
    assert ballots.seen_part(ballots.side_of(part, order), order) == part


def mirrored(one: Answer) -> Answer:
    """What somebody who saw the responses the other way round would have entered."""
    other = {LEFT: RIGHT, RIGHT: LEFT}
    words = {f"[{LEFT}]": f"[{RIGHT}]", f"[{RIGHT}]": f"[{LEFT}]"}
    return Answer(
        labels={(key, other[side]): code for (key, side), code in one.labels.items()},
        stop=None if one.stop is None else len(FIVE) + 1 - one.stop,
        rationale=ballots.TOKEN.sub(lambda m: words.get(m[0], m[0]), one.rationale),
        nothing_says_it=one.nothing_says_it,
        unclear=one.unclear,
    )


@st.composite
def whole_answers(draw: st.DrawFn) -> Answer:
    labels = {
        (check.key, part): draw(st.sampled_from(check.codes))
        for check in ballot().checks
        for part in check.parts
    }
    decided = ballots.gate_state(ballot(), Answer(labels=labels)).decides
    return Answer(
        labels=labels,
        stop=None if decided else draw(st.integers(1, 5)),
        rationale="[C1] " + "".join(draw(st.lists(tokens))),
        unclear=draw(st.frozensets(st.sampled_from(["C1", "G2"]))),
    )


@given(whole_answers())
def test_what_is_stored_does_not_depend_on_the_order_of_the_sides(one: Answer) -> None:
    stored = ballots.canonical(ballot(), one, "AB")
    other = ballots.canonical(ballot(), mirrored(one), "BA")

    def rows(labels: tuple[ballots.CanonicalLabel, ...]) -> set[ballots.CanonicalLabel]:
        return set(labels)

    assert rows(stored.labels) == rows(other.labels)
    assert (stored.rationale, stored.cites) == (other.rationale, other.cites)
    assert (stored.nothing_says_it, stored.unclear) == (other.nothing_says_it, other.unclear)


def test_an_answer_with_problems_cannot_be_stored() -> None:
    with pytest.raises(ValueError, match="preference"):
        ballots.canonical(ballot(), answer("fail/pass", stop=1), "AB")
