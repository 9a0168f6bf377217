"""One change of the next version at a time: what it makes, what it keeps, what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrics import document, edits
from rubrics.comparison import sources
from rubrics.content import Lineage
from tests.pure.test_document_roundtrip import rubrics

if TYPE_CHECKING:
    from rubrics.content import Criterion, Rubric

SOURCE = """
task: file-summaries
rubric_version: 1
gates:
  - id: G1
    check: Every amount matches the file.
    anchors:
      - {verdict: pass, origin: real, text: "Estimate $18,240.50."}
  - {id: G2, check: States no coverage decision of its own.}
criteria:
  - id: C1
    weight: 3
    check: Lists every open item and names its owner.
    help: Items the file has closed do not count.
    anchors:
      - {verdict: pass, text: "Receipts are due from the insured."}
      - {verdict: fail, text: "Some items are open."}
  - id: C2
    weight: 2
    check: Says what it costs.
    anchors:
      - {verdict: fail, text: "It will be dear."}
  - {id: C4, weight: 1, check: At most one page., level: ordinal, values: ["1", "2", "3"]}
automatic:
  - {id: A1, check: At most 150 words., rule: {max_words: 150}}
preference:
  scale: 5
  rationale: Cite what decided it.
"""
PARTS = [{"text": "Lists every open item."}, {"text": "Names an owner for each open item."}]


@pytest.fixture
def base() -> Rubric:
    return document.parse(SOURCE).rubric


def check(rubric: Rubric, key: str) -> Criterion:
    return next(found for found in rubric.criteria if found.key == key)


def test_a_passage_becomes_an_example(base: Rubric) -> None:
    detail = {
        "key": "C2",
        "verdict": "pass",
        "text": " $900. ",
        "origin": "real",
        "note": "Why.",
    }
    edited = edits.apply(base, base, "anchor", detail)
    added = check(edited.rubric, "C2").anchors[-1]
    assert (added.verdict, added.text, added.origin, added.note) == (
        "pass",
        "$900.",
        "real",
        "Why.",
    )
    assert edited.keys == ("C2",)
    with pytest.raises(edits.EditError, match="has this example already"):
        edits.apply(base, edited.rubric, "anchor", detail)


def test_a_split_makes_checks_that_both_descend_from_the_one(base: Rubric) -> None:
    edited = edits.apply(base, base, "split", {"key": "C1", "parts": PARTS})
    # C5: neither C2 nor the C3 that was never there is taken.
    assert edited.keys == ("C1", "C5")
    assert [found.key for found in edited.rubric.of_kind("criterion")] == ["C1", "C5", "C2", "C4"]
    assert sources(base, edited.rubric)["C1"] == sources(base, edited.rubric)["C5"] == ("C1",)
    first, second = (check(edited.rubric, key) for key in edited.keys)
    assert (first.weight, second.weight) == (3, 3)
    assert [anchor.verdict for anchor in (*first.anchors, *second.anchors)] == ["pass", "pass"]


def test_what_fails_goes_to_the_part_that_people_name_and_to_no_other(base: Rubric) -> None:
    parts = [PARTS[0], {**PARTS[1], "anchors": ["Some items are open."]}]
    edited = edits.apply(base, base, "split", {"key": "C1", "parts": parts})
    first, second = (check(edited.rubric, key) for key in edited.keys)
    assert [anchor.verdict for anchor in first.anchors] == ["pass"]
    assert [anchor.verdict for anchor in second.anchors] == ["pass", "fail"]


def test_a_part_has_the_help_that_it_brings_even_none(base: Rubric) -> None:
    parts = [PARTS[0], {**PARTS[1], "help": ""}]
    edited = edits.apply(base, base, "split", {"key": "C1", "parts": parts})
    first, second = (check(edited.rubric, key) for key in edited.keys)
    assert first.help == "Items the file has closed do not count."
    assert second.help == ""


def test_a_merge_keeps_the_passing_examples_that_people_name(base: Rubric) -> None:
    detail = {"keys": ["C2", "C1"], "text": "x", "anchors": ["Receipts are due from the insured."]}
    merged = check(edits.apply(base, base, "merge", detail).rubric, "C2")
    assert [(anchor.verdict, anchor.text) for anchor in merged.anchors] == [
        ("pass", "Receipts are due from the insured."),
        ("fail", "It will be dear."),
        ("fail", "Some items are open."),
    ]


def test_what_passes_one_and_fails_another_is_kept_as_neither_by_guess(base: Rubric) -> None:
    both = {"key": "C2", "verdict": "pass", "text": "Some items are open."}
    draft = edits.apply(base, base, "anchor", both).rubric
    detail = {"keys": ["C2", "C1"], "text": "x", "anchors": [both["text"]]}
    with pytest.raises(edits.EditError, match="fails one of them"):
        edits.apply(base, draft, "merge", detail)


def test_what_is_split_again_in_the_same_draft_still_descends_from_the_published_check(
    base: Rubric,
) -> None:
    once = edits.apply(base, base, "split", {"key": "C1", "parts": PARTS})
    twice = edits.apply(
        base, once.rubric, "split", {"key": "C5", "parts": [{"text": "One."}, {"text": "Two."}]}
    )
    assert twice.keys == ("C5", "C6")
    assert sources(base, twice.rubric)["C6"] == ("C1",)
    assert edits.standing_keys(base, twice.rubric, "C1") == ("C1", "C5", "C6")


def test_a_merge_keeps_what_fails_and_both_lines(base: Rubric) -> None:
    edited = edits.apply(
        base, base, "merge", {"keys": ["C2", "C1"], "text": "Says what is open and what it costs."}
    )
    merged = check(edited.rubric, "C2")
    assert edited.keys == ("C2",)
    assert merged.lineage == Lineage("merged_from", ("C2", "C1"))
    kept = [anchor.text for anchor in merged.anchors]
    assert kept == ["It will be dear.", "Some items are open."]
    assert merged.weight == 5
    assert "C1" not in [found.key for found in edited.rubric.criteria]


def test_a_check_moves_to_code_and_its_line_goes_on(base: Rubric) -> None:
    detail = {"key": "G2", "rule": {"must_not_contain": ["covered"]}}
    edited = edits.apply(base, base, "automatic", detail)
    moved = check(edited.rubric, "A2")
    assert (moved.kind, moved.decides, moved.rule) == (
        "automatic",
        True,
        (("must_not_contain", ("covered",)),),
    )
    assert edits.standing_keys(base, edited.rubric, "G2") == ("A2",)


def test_weights_scales_and_the_procedure_change(base: Rubric) -> None:
    weighed = edits.apply(base, base, "weight", {"key": "C1", "weight": "2.5"})
    assert check(weighed.rubric, "C1") == replace(check(base, "C1"), weight=2.5)
    three = edits.apply(base, base, "scale", {"key": "preference", "values": ["3"]})
    assert check(three.rubric, "preference").values == ("A", "tie", "B")
    told = edits.apply(base, base, "procedure", {"help": "A slight edge is one check.", "text": ""})
    assert told.keys == ("preference",)
    assert check(told.rubric, "preference").help == "A slight edge is one check."
    added = edits.apply(base, base, "add", {"kind": "gate", "text": "Names nobody's doctor."})
    assert (added.keys, check(added.rubric, "G3").values) == (("G3",), ("pass", "fail"))


@pytest.mark.parametrize(
    ("kind", "detail", "message"),
    [
        ("split", {"key": "C1", "parts": PARTS[:1]}, "two checks or more"),
        ("split", {"key": "C1", "parts": [*PARTS[:1], {"text": "  "}]}, "two checks or more"),
        ("split", {"key": "C1", "parts": PARTS[:1] * 2}, "say the same"),
        (
            "split",
            {"key": "C1", "parts": [PARTS[0], {**PARTS[1], "anchors": ["Never said."]}]},
            "no example that fails C1",
        ),
        (
            "merge",
            {"keys": ["C1", "C2"], "text": "x", "anchors": ["It will be dear."]},
            "no example that passes C1 and C2",
        ),
        ("split", {"key": "preference", "parts": PARTS}, "preference cannot be split"),
        ("split", {"key": "A1", "parts": PARTS}, "decided by code"),
        ("merge", {"keys": ["C1"], "text": "x"}, "two checks or more"),
        ("merge", {"keys": ["C1", "C1"], "text": "x"}, "two checks or more"),
        ("merge", {"keys": ["G1", "C1"], "text": "x"}, "only checks of one kind"),
        ("merge", {"keys": ["C1", "C4"], "text": "x"}, "in different ways"),
        ("merge", {"keys": ["C1", "C2"], "text": " "}, "Word the check"),
        ("reword", {"key": "C1", "text": ""}, "Word the check"),
        ("reword", {"key": "C9", "text": "x"}, "no check C9"),
        ("reword", {"key": "C1", "text": "Lists every open item and names its owner."}, "already"),
        ("reword", {"key": "C1", "text": "x", "title": "t" * 41}, "title is over 40"),
        ("anchor", {"key": "C1", "verdict": "maybe", "text": "x"}, "passes or fails"),
        ("anchor", {"key": "C1", "verdict": "pass", "text": ""}, "Select the passage"),
        ("anchor", {"key": "A1", "verdict": "pass", "text": "x"}, "Only gates and criteria"),
        ("automatic", {"key": "C1", "rule": {}}, "what the code should check"),
        ("automatic", {"key": "C1", "rule": {"max_wards": 3}}, "max_wards"),
        ("weight", {"key": "G1", "weight": 2}, "Only a criterion"),
        ("weight", {"key": "C1", "weight": "nan"}, "greater than 0"),
        ("weight", {"key": "C1", "weight": -1}, "greater than 0"),
        ("scale", {"key": "preference", "values": ["A", "B"]}, "3, 5 or 7"),
        ("scale", {"key": "C4", "values": ["1"]}, "two answers or more"),
        ("add", {"kind": "automatic", "text": "x"}, "a gate or a criterion"),
        ("paint", {}, "no such change"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    base: Rubric, kind: str, detail: dict[str, Any], message: str
) -> None:
    with pytest.raises(edits.EditError, match=message):
        edits.apply(base, base, kind, detail)


# ---- Whether a change is still there

CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("anchor", {"key": "C1", "verdict": "pass", "text": "Rosa owns the receipts."}),
    ("reword", {"key": "C1", "text": "Lists every open item.", "title": "Open items"}),
    ("split", {"key": "C1", "parts": PARTS}),
    ("merge", {"keys": ["C1", "C2"], "text": "Lists every open item and what it costs."}),
    ("automatic", {"key": "C1", "rule": {"max_words": 9}}),
    ("weight", {"key": "C1", "weight": "5"}),
    ("scale", {"key": "C4", "values": ["low", "high"]}),
    ("scale", {"key": "preference", "values": ["3"]}),
    ("procedure", {"text": "Which one helps more?", "rationale": "Say why."}),
    ("add", {"kind": "gate", "text": "Names the file."}),
]


@pytest.mark.parametrize(("kind", "detail"), CHANGES)
def test_a_change_is_there_until_the_document_is_without_it(
    base: Rubric, kind: str, detail: dict[str, Any]
) -> None:
    made = edits.apply(base, base, kind, detail)
    assert edits.is_there(made.rubric, kind, made.keys, detail)
    assert not edits.is_there(base, kind, made.keys, detail)


@pytest.mark.parametrize(("kind", "detail"), CHANGES)
def test_a_change_elsewhere_takes_none_away(
    base: Rubric, kind: str, detail: dict[str, Any]
) -> None:
    made = edits.apply(base, base, kind, detail)
    later = edits.apply(base, made.rubric, "reword", {"key": "G2", "text": "Decides nothing."})
    assert edits.is_there(later.rubric, kind, made.keys, detail)


def test_what_a_change_made_may_be_reworded_and_an_example_goes_along(base: Rubric) -> None:
    split = {"key": "C1", "parts": PARTS}
    made = edits.apply(base, base, "split", split)
    later = edits.apply(base, made.rubric, "reword", {"key": "C1", "text": "Lists all items."})
    assert edits.is_there(later.rubric, "split", made.keys, split)
    example = {"key": "C1", "verdict": "pass", "text": "Rosa owns the receipts."}
    with_it = edits.apply(base, base, "anchor", example)
    parted = edits.apply(base, with_it.rubric, "split", split)
    assert edits.is_there(parted.rubric, "anchor", with_it.keys, example)


@given(rubrics(), st.data())
def test_no_split_loses_a_line_or_takes_a_name_that_was_used(
    rubric: Rubric, data: st.DataObject
) -> None:
    asked = [*rubric.gates, *rubric.of_kind("criterion")]
    if not asked:
        return
    key = data.draw(st.sampled_from(asked)).key
    try:
        edited = edits.apply(rubric, rubric, "split", {"key": key, "parts": PARTS})
    except edits.EditError:
        # The format's own limits, such as that of ids.
        return
    before = {found.key for found in rubric.criteria}
    assert edited.keys[0] == key
    assert not before.intersection(edited.keys[1:])
    assert all(sources(rubric, edited.rubric)[made] == (key,) for made in edited.keys)
    others = {k: v for k, v in sources(rubric, edited.rubric).items() if k not in edited.keys}
    assert others == {k: (k,) for k in before - {key}}
