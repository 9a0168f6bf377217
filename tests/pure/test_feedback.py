"""An answer beside the known one: in seen terms, counted only where both were asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotate.ballot import SEEN_SIDES, Ballot, Check, Order
from annotate.feedback import Compared, compare, different, sentence
from rubrics.content import SCALES

PASS_FAIL, YES_NO = ("pass", "fail"), ("yes", "no")
BALLOT = Ballot(
    checks=(
        Check("G1", "gate", PASS_FAIL, allows_na=False, parts=SEEN_SIDES),
        Check("C1", "criterion", YES_NO, allows_na=True, parts=SEEN_SIDES),
        Check("C2", "criterion", (), allows_na=False, parts=("",), bounds=(0, 100)),
    ),
    preference=SCALES[5],
    ask_after_gate=True,
)
PLACES = [("G1", "A"), ("G1", "B"), ("C1", "A"), ("C1", "B"), ("C2", ""), ("preference", "")]
ORDERS: st.SearchStrategy[Order] = st.sampled_from(["AB", "BA"])
LABELS = st.dictionaries(st.sampled_from(PLACES), st.sampled_from(["pass", "no", "7"]))
TOLD = {
    ("G1", "A"): "pass",
    ("G1", "B"): "pass",
    ("C1", "A"): "yes",
    ("C1", "B"): "no",
    ("C2", ""): "7",
    ("preference", ""): "A_slight",
}


def test_places_run_from_left_to_right_whatever_the_order() -> None:
    own = {**TOLD, ("C1", "A"): "no"}
    found = compare(BALLOT, "BA", own, TOLD)
    assert [(one.key, one.part) for one in found] == [
        ("G1", "Left"),
        ("G1", "Right"),
        ("C1", "Left"),
        ("C1", "Right"),
        ("C2", ""),
        ("preference", ""),
    ]
    # A stands on the right.
    assert [(one.own, one.known) for one in found if one.differs] == [("no", "yes")]
    assert [one.part for one in found if one.differs] == ["Right"]
    assert different(found) == ("C1",)


def test_what_was_not_asked_of_one_of_them_is_not_counted() -> None:
    own = {place: code for place, code in TOLD.items() if place[0] != "preference"}
    last = compare(BALLOT, "AB", own, TOLD)[-1]
    assert (last.own, last.known, last.counts, last.same, last.differs) == (
        "",
        "A_slight",
        False,
        False,
        False,
    )


def test_the_same_number_is_the_same_answer_however_it_is_written() -> None:
    found = compare(BALLOT, "AB", {("C2", ""): "7.0"}, {("C2", ""): "7"})
    assert found[4].same
    assert not compare(BALLOT, "AB", {("C2", ""): "7.5"}, {("C2", ""): "7"})[4].same


def test_a_sentence_says_how_many_and_what_to_look_at_again() -> None:
    off = {("C1", "A"): "no", ("G1", "B"): "fail", ("preference", ""): "tie"}
    found = compare(BALLOT, "AB", {**TOLD, **off}, TOLD)
    assert sentence(found) == (
        "3 of 6 answers are the same; look again at G1, C1 and the preference."
    )
    assert sentence(compare(BALLOT, "AB", TOLD, TOLD)) == (
        "All 6 answers are the same as the known ones."
    )
    one = Compared("C1", "Left", "yes", "yes")
    assert sentence([one]) == "Your one answer is the same as the known one."
    other = Compared("C1", "Right", "yes", "no")
    assert sentence([one, other]) == "1 of 2 answers is the same; look again at C1."
    assert sentence([]) == "There is no known answer to compare with."


@given(order=ORDERS, own=LABELS, known=LABELS)
def test_every_answer_counts_once_and_only_where_both_were_asked(
    order: Order, own: dict[tuple[str, str], str], known: dict[tuple[str, str], str]
) -> None:
    found = compare(BALLOT, order, own, known)
    assert len(found) == len(PLACES)
    assert sum(one.counts for one in found) == len(own.keys() & known.keys())
    agree = [place for place in own.keys() & known.keys() if own[place] == known[place]]
    assert sum(one.same for one in found) == len(agree)
    assert all(one.same + one.differs == one.counts for one in found)
    assert sentence(found)


@given(own=LABELS, known=LABELS)
def test_how_much_is_the_same_does_not_hang_on_where_the_sides_stood(
    own: dict[tuple[str, str], str], known: dict[tuple[str, str], str]
) -> None:
    one, other = (compare(BALLOT, order, own, known) for order in ("AB", "BA"))
    assert sentence(one) == sentence(other)
