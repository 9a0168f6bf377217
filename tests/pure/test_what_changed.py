"""What was changed in a check, in the words of a table's cell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from annotate.lineage import lines
from annotate.what_changed import QUOTED, Step, Told, joined, quoted, wording_words
from rubrics.content import Rubric
from rubrics.document import parse
from tests.pure.test_document_roundtrip import rubrics
from tests.pure.test_lineage import history


def rubric(source: str) -> Rubric:
    return parse(f"task: t\n{source}").rubric


def told(old: str, new: str, before: tuple[str, ...], after: tuple[str, ...]) -> Told:
    return Step(rubric(old), rubric(new), {"a real one": "pair-31"}).told(before, after)


def of_c1(old: str, new: str) -> Told:
    start = "criteria:\n  - {id: C1, check: "
    return told(f"{start}{old}}}\n", f"{start}{new}}}\n", ("C1",), ("C1",))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("Amounts match.", "Amounts match to the cent.", "“to the cent” added"),
        ("Lists all items.", "Lists all items, in any order.", "“in any order” added"),
        ("Lists all items", "Lists all items.", "“.” added"),
        ("Every amount matches.", "Every sum matches.", "“amount” became “sum”"),
        ("Amounts all match.", "Amounts match.", "“all” left out"),
        ("One thing.", "Something else altogether!", "“One thing.” became “Something else"),
        ("", "Now it says this.", "“Now it says this.” added"),
        ("It said this.", "", "“It said this.” left out"),
        ("a b c d e f g h i j", "a x c y e z g h i j", "now “a x c y e z g h i j”"),
    ],
)
def test_a_new_wording_is_told_by_the_words_that_changed(
    before: str, after: str, words: str
) -> None:
    assert words in wording_words(before, after)


def test_an_untouched_check_says_nothing() -> None:
    assert of_c1("one", "one") == Told()
    assert Told().head == ""


def test_a_change_is_named_with_its_words() -> None:
    assert of_c1("one", "one and two") == Told(("Reworded",), ("“and two” added",))


def test_weights_and_scales_are_told_from_and_to() -> None:
    found = of_c1("one, weight: 2", "one, weight: 3, allows_na: true")
    assert found.head == "Weight, N/A is now an answer"
    assert found.details == ("2 → 3",)


def test_anchors_are_counted_and_named_by_their_pair() -> None:
    anchors = (
        "anchors: [{verdict: pass, text: a real one, origin: real},"
        " {verdict: fail, text: made up, origin: invented}]"
    )
    assert of_c1("one", f"one, {anchors}") == Told(
        ("2 anchors added",), ("from pair-31, 1 invented",)
    )


def test_several_changes_of_a_check_are_one_line() -> None:
    found = of_c1("one", "one more, weight: 2, anchors: [{verdict: pass, text: a real one}]")
    assert found.head == "Reworded, 1 anchor added, weight"


def test_a_split_says_into_how_many_and_forks() -> None:
    first, second, _ = history()
    found = Step(first, second, {}).told(("C1",), ("C5",))
    assert found == Told(("Split in two",), (), "split")


def test_a_merger_names_what_it_was_made_of() -> None:
    _, second, third = history()
    found = Step(second, third, {}).told(("C3", "C4"), ("C6",))
    assert found == Told(("Merged from C3 and C4",), (), "merge")


def test_a_move_to_code_says_the_rule_and_the_old_id_and_nothing_else() -> None:
    first, second, _ = history()
    found = Step(first, second, {}).told(("C2",), ("A1",))
    assert found == Told(("Moved to code",), ("at most 90 words, was C2",))


def test_new_renamed_and_removed_checks_are_named_so() -> None:
    _, second, third = history()
    step = Step(second, third, {})
    assert step.told((), ("C7",)).head == "Added"
    assert step.told(("C5",), ()).head == "Removed"
    assert step.told(("G1",), ("G2",)) == Told(("Renamed",), ("was G1",))
    assert step.told((), ()) == Told()


def test_a_change_of_procedure_stands_with_the_preference() -> None:
    old = "preference: {scale: 5}\n"
    new = (
        "gates:\n  - {id: G1, check: safe}\npreference: {scale: 3, rationale: Cite what decides.}\n"
    )
    found = told(old, new, ("preference",), ("preference",))
    assert found.head == "Procedure, scale"
    assert found.details == (
        "gates come first now",
        "rationale: “Cite what decides.” added",
        "Left much, Left slightly, Tie, Right slightly, Right much → Left, Tie, Right",
    )


def test_cells_of_several_checks_name_each_in_its_details() -> None:
    found = joined([Told(("Reworded",), ("a",)), Told(("Reworded", "Weight"), ("b",))], "XY")
    assert found == Told(("Reworded", "Weight"), ("X: a", "Y: b"))


def test_a_long_wording_is_cut() -> None:
    assert len(quoted("word " * 500)) <= QUOTED + 2


@settings(deadline=None)
@given(rubrics(), rubrics())
def test_any_step_between_any_two_rubrics_can_be_told(old: Rubric, new: Rubric) -> None:
    step = Step(old, new, {})
    for line in lines([old, new]):
        found = step.told(*line.cells)
        assert all(found.heads)
        assert all(found.details)
        if old == new:
            assert found == Told()
