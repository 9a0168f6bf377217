"""Two versions as one text: nothing is lost, nothing made up, and it reads as a person marks it."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrics import document, redline
from rubrics.content import Anchor, Criterion, Rubric
from tests.pure.test_document_roundtrip import raw_texts, rubrics
from tests.rubrics.making import make_yaml

near = st.lists(st.sampled_from(["a", "b", "the", "  ", "\n", ".", "é"]), max_size=30).map("".join)


def shown(pieces: tuple[redline.Piece, ...]) -> str:
    sign = {"same": "{}", "del": "[-{}-]", "ins": "[+{}+]"}
    return "".join(sign[piece.mark].format(piece.text) for piece in pieces)


def parsed(source: str) -> Rubric:
    return document.parse(source).rubric


@given(raw_texts | near, raw_texts | near)
def test_the_marked_text_gives_back_both_texts(before: str, after: str) -> None:
    pieces = redline.words(before, after)
    assert "".join(p.text for p in pieces if p.mark != "ins") == before
    assert "".join(p.text for p in pieces if p.mark != "del") == after
    assert all(piece.text for piece in pieces)


def test_changes_are_marked_word_by_word() -> None:
    before = "Every dollar amount matches the claim file."
    after = "Every amount and date matches the claim file."
    assert shown(redline.words(before, after)) == (
        "Every[- dollar-] amount[+ and date+] matches the claim file."
    )


def test_neighbouring_changes_are_one() -> None:
    marked = shown(redline.words("It names the old owner here.", "It names the new person here."))
    assert marked == "It names the [-old owner-][+new person+] here."


def test_two_texts_with_little_in_common_stand_one_after_the_other() -> None:
    marked = shown(redline.words("Is polite.", "Names the court and the year of every case."))
    assert marked == "[-Is polite.-][+Names the court and the year of every case.+]"


def test_a_long_text_is_told_as_a_whole() -> None:
    before = "word " * 5000
    assert [piece.mark for piece in redline.words(before, before + "more")] == ["del", "ins"]


BASE = """
task: letters
gates:
  - id: G1
    check: Every amount matches the file.
    anchors:
      - {verdict: pass, origin: real, text: We are sending $4120.}
      - {verdict: fail, text: We are sending about four thousand dollars.}
criteria:
  - {id: C1, weight: 2, check: Lists open items with owners.}
  - {id: C2, weight: 1, check: Has at most 150 words.}
  - {id: C3, weight: 1, check: Ends with a phone number.}
preference: {scale: 5}
"""
NEXT = """
task: letters
gates:
  - id: G1
    check: Every amount and date matches the file.
    anchors:
      - {verdict: pass, origin: real, text: We are sending $4120.}
      - {verdict: fail, text: We are sending roughly four thousand dollars.}
      - {verdict: fail, origin: real, text: The loss was in spring.}
criteria:
  - {id: C1, weight: 3, check: Lists every open item., lineage: {split_from: C1}}
  - {id: C4, weight: 2, check: Names an owner for each open item., lineage: {split_from: C1}}
  - {id: C5, weight: 1, check: Names the adjuster.}
automatic:
  - id: A1
    check: Has at most 150 words.
    rule: {max_words: 150}
    lineage: {moved_to_automatic: C2}
preference: {scale: 7}
"""


def test_a_comparison_runs_in_the_order_of_the_new_document_with_removals_apart() -> None:
    found = redline.redline(parsed(BASE), parsed(NEXT))

    keys = [(check.key, check.fate) for check in found.checks]
    assert keys == [
        ("G1", "changed"),
        ("C1", "changed"),
        ("C4", "changed"),
        ("C5", "added"),
        ("A1", "changed"),
        ("preference", "changed"),
    ]
    assert [check.key for check in found.removed] == ["C3"]
    gate = found.checks[0]
    assert shown(gate.text) == "Every amount[+ and date+] matches the file."
    assert [(a.verdict, a.fate) for a in gate.anchors] == [
        ("pass", "same"),
        ("fail", "changed"),
        ("fail", "added"),
    ]
    assert shown(gate.anchors[1].text) == (
        "We are sending [-about-][+roughly+] four thousand dollars."
    )
    assert found.checks[1].labels == ("Split from C1", "Weight 2 → 3")
    assert found.checks[4].labels[:2] == ("Id C2 → A1", "Moved: criterion → automatic check")
    assert found.summary == (
        "1 check reworded, 1 added, 1 removed, 2 split off, 1 moved to code, "
        "1 answered in another way, 1 with other anchors"
    )


def test_what_code_will_decide_is_told_with_its_rule() -> None:
    old = parsed(make_yaml())
    rule = (("max_words", 60),)
    added = Criterion(
        key="A2", kind="automatic", family="side", text="It is short.", rule=rule, decides=True
    )
    found = redline.redline(old, replace(old, criteria=(*old.criteria, added)))
    (check,) = [check for check in found.checks if check.key == "A2"]
    assert check.labels == (
        "Rule: at most 60 words",
        "Works as a gate: a pair with a response that fails it goes to no expert",
    )


def test_what_changed_begins_the_note() -> None:
    changes = redline.told_changes(parsed(BASE), parsed(NEXT))
    assert redline.note_starts(changes) == {
        "G1": "reworded, other anchors",
        "C1": "split from C1",
        "C4": "split from C1",
        "C5": "added",
        "A1": "was C2, moved to code",
        "preference": "other answers",
        "C3": "removed",
    }


@given(rubrics(), rubrics())
def test_any_two_rubrics_compare_and_only_equal_ones_say_nothing(old: Rubric, new: Rubric) -> None:
    found = redline.redline(old, new)
    assert found.is_empty == (document.compare(old, new) == ())
    assert [check.key for check in found.checks] == [check.key for check in new.criteria]


def test_a_version_against_itself_says_nothing() -> None:
    one = parsed(make_yaml())
    found = redline.redline(one, replace(one, number=7))
    assert found.is_empty
    assert {check.fate for check in found.checks} == {"same"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (" a" * 2_900, " a" * 2_901),
        ("a b " * 1_400, "b a " * 1_400),
        ("a b c " * 900, "c a " * 1_400),
        ("a b c " * 80, "c a " * 110),
        ("x" * 100_000, "x" * 99_999),
    ],
)
def test_texts_that_say_one_word_over_and_over_are_compared_quickly(
    before: str, after: str
) -> None:
    old, new = (
        Criterion("G1", "gate", "side", text=text, anchors=(Anchor("pass", text + "!"),))
        for text in (before, after)
    )
    began = time.process_time()
    redline.redline(Rubric("t", criteria=(old,)), Rubric("t", criteria=(new,)))
    assert time.process_time() - began < 2
    pieces = redline.words(before, after)
    assert "".join(p.text for p in pieces if p.mark != "ins") == before
