"""A line for each check through the versions, whatever it was called on the way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.lineage import Line, lines, parts_of, spans
from rubrics.content import Criterion, Kind, Lineage, Rubric
from rubrics.document import parse, sources

# The four kinds of steps in one history: split, merged, moved to code, renamed, removed, added.
FIRST = """
gates:
  - {id: G1, check: amounts}
criteria:
  - {id: C1, check: items and owners}
  - {id: C2, check: short}
  - {id: C3, check: polite}
  - {id: C4, check: friendly}
preference: {scale: 5}
"""
SECOND = """
gates:
  - {id: G1, check: amounts and dates}
criteria:
  - {id: C1, check: items, lineage: {split_from: C1}}
  - {id: C5, check: owners, lineage: {split_from: C1}}
  - {id: C3, check: polite}
  - {id: C4, check: friendly}
automatic:
  - {id: A1, check: short, rule: {max_words: 90}, lineage: {moved_to_automatic: C2}}
preference: {scale: 5}
"""
THIRD = """
gates:
  - {id: G2, check: amounts and dates, lineage: {unchanged: G1}}
criteria:
  - {id: C1, check: items}
  - {id: C6, check: kind, lineage: {merged_from: [C3, C4]}}
  - {id: C7, check: dated}
automatic:
  - {id: A1, check: short, rule: {max_words: 90}}
preference: {scale: 5}
"""


def rubric(source: str) -> Rubric:
    return parse(f"task: t\n{source}").rubric


def history() -> list[Rubric]:
    return [rubric(source) for source in (FIRST, SECOND, THIRD)]


def cells(found: tuple[Line, ...]) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {line.key: line.cells for line in found}


def test_a_line_follows_its_check_through_renames_splits_mergers_and_moves() -> None:
    assert cells(lines(history())) == {
        "G2": (("G1",), ("G1",), ("G2",)),
        "C1": (("C1",), ("C1",), ("C1",)),
        "C6": (("C3", "C4"), ("C3", "C4"), ("C6",)),
        "C7": ((), (), ("C7",)),
        "A1": (("C2",), ("A1",), ("A1",)),
        "C5": (("C1",), ("C5",), ()),
        "preference": (("preference",),) * 3,
    }


def test_lines_run_in_the_order_of_the_newest_with_what_ended_behind_its_group() -> None:
    found = lines(history())
    assert [line.key for line in found] == ["G2", "C1", "C6", "C7", "A1", "C5", "preference"]
    assert [line.key for line in found if line.ended] == ["C5"]
    assert [line.group for line in found] == [0, 1, 1, 1, 1, 1, 2]


def test_two_lines_share_the_cell_of_the_check_that_both_were() -> None:
    second = lines(history()[:2])
    assert [line.key for line in second] == ["G1", "C1", "C5", "C3", "C4", "A1", "preference"]
    assert spans(second, 0) == (1, 2, 0, 1, 1, 1, 1)
    assert spans(second, 1) == (1,) * 7


def test_lines_apart_from_each_other_repeat_the_cell_that_both_were() -> None:
    assert set(spans(lines(history()), 0)) == {1}


def test_a_split_is_known_from_the_version_before_it() -> None:
    assert parts_of(*history()[:2]) == {
        "G1": ("G1",),
        "C1": ("C1", "C5"),
        "C2": ("A1",),
        "C3": ("C3",),
        "C4": ("C4",),
        "preference": ("preference",),
    }


def test_a_key_that_comes_back_after_its_check_was_removed_is_another_check() -> None:
    gone = replace(history()[0], criteria=history()[0].gates)
    found = lines([history()[0], gone, history()[0]])
    assert [line.cells for line in found if line.key == "C1"] == [
        ((), (), ("C1",)),
        (("C1",), (), ()),
    ]


@pytest.mark.parametrize("count", [0, 1])
def test_no_version_has_no_lines_and_one_has_a_line_for_each_check(count: int) -> None:
    assert [line.key for line in lines(history()[:count])] == [
        check.key for one in history()[:count] for check in one.criteria
    ]


# ---- Whatever happens from version to version

KEYS = st.sampled_from(["C1", "C2", "C3", "C4", "C5"])
KINDS: st.SearchStrategy[Kind] = st.sampled_from(["gate", "criterion", "automatic"])


@st.composite
def checks(draw: st.DrawFn) -> Criterion:
    named = draw(st.none() | st.lists(KEYS, min_size=1, max_size=3, unique=True).map(tuple))
    kind = draw(st.sampled_from(["reworded", "split_from", "merged_from"]))
    lineage = Lineage(kind, named) if named else None  # type: ignore[arg-type]
    return Criterion(draw(KEYS), draw(KINDS), "side", text="check", lineage=lineage)


rubrics = st.lists(checks(), max_size=5, unique_by=lambda check: check.key).map(
    lambda found: Rubric("t", criteria=tuple(found))
)
histories = st.lists(rubrics, max_size=5)


@settings(deadline=None)
@given(histories)
def test_no_check_of_any_version_is_lost(versions: list[Rubric]) -> None:
    found = lines(versions)
    for n, version in enumerate(versions):
        assert {key for line in found for key in line.cells[n]} == {c.key for c in version.criteria}


@settings(deadline=None)
@given(histories)
def test_every_cell_holds_what_the_next_one_continues(versions: list[Rubric]) -> None:
    for line in lines(versions):
        assert line.cells[line.last] == (line.key,)
        assert not any(line.cells[line.last + 1 :])
        for n in range(line.last):
            origin = sources(versions[n], versions[n + 1])
            continued = {old for new in line.cells[n + 1] for old in origin[new]}
            assert set(line.cells[n]) == continued
            assert len(set(line.cells[n])) == len(line.cells[n])


@settings(deadline=None)
@given(histories)
def test_the_newest_version_stands_in_its_own_order(versions: list[Rubric]) -> None:
    standing = [line for line in lines(versions) if not line.ended]
    expected = [check.key for check in versions[-1].criteria] if versions else []
    assert [line.key for line in standing] == expected


@settings(deadline=None)
@given(histories)
def test_shared_cells_cover_every_row_once(versions: list[Rubric]) -> None:
    found = lines(versions)
    for n in range(len(versions)):
        covered = spans(found, n)
        assert sum(covered) == len(found)
        start = 0
        for row, span in enumerate(covered):
            start = row if span else start
            if not span:
                assert found[row].cells[n] == found[start].cells[n] != ()
