"""Seven lines before the first thousand pairs, from plain counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.readiness import Code, Facts, Line, State, readiness
from rubrics.content import Rubric
from rubrics.document import parse
from tests.pure.test_document_roundtrip import rubrics

ANCHORS = (
    "anchors: [{verdict: pass, origin: real, text: a}, {verdict: fail, origin: real, text: b}]"
)
WHOLE = f"""
task: t
rubric_version: 2
gates:
  - {{id: G1, check: Every amount matches the file., {ANCHORS}}}
criteria:
  - {{id: C1, check: The first sentence names the cause of loss., {ANCHORS}}}
automatic:
  - {{id: A1, check: Short., rule: {{max_words: 90}}}}
preference: {{scale: 5}}
"""


def rubric(source: str = WHOLE) -> Rubric:
    return parse(source).rubric


READY = Facts(
    rubric=rubric(),
    compared=3,
    differing=12,
    sorted=12,
    rounds=2,
    cleared=2,
    checks=2,
    gold=50,
    planted=25,
    votes=240,
    pairs=80,
    releases=1,
)


def line(facts: Facts, code: Code) -> Line:
    return next(one for one in readiness(facts).lines if one.code == code)


def test_everything_in_place_is_seven_lines_done() -> None:
    found = readiness(READY)
    assert [one.state for one in found.lines] == [State.DONE] * 7
    assert found.next is None
    assert found.sentence == "All seven lines are done: the first 1,000 pairs can be labelled."


def test_the_lines_stand_in_the_order_of_the_checklist() -> None:
    codes = [one.code for one in readiness(READY).lines]
    assert codes == ["sorted", "procedure", "examples", "code", "rounds", "gold", "kept"]


def test_nothing_at_all_begins_with_a_rubric() -> None:
    found = readiness(Facts(rubric=None))
    assert found.done == 0
    assert found.sentence == "None of seven lines are done. Write a rubric and publish it."
    assert readiness(Facts(rubric=None, drafts=1)).sentence.endswith("Publish the rubric.")


@pytest.mark.parametrize(
    ("done", "state", "todo"),
    [
        (0, State.NOT_YET, "Sort the 12 disagreements that have no kind yet."),
        (11, State.PARTLY, "Sort the one disagreement that has no kind yet."),
        (12, State.DONE, ""),
    ],
)
def test_disagreements_are_done_when_each_has_its_kind(done: int, state: State, todo: str) -> None:
    found = line(replace(READY, sorted=done), "sorted")
    assert (found.state, found.figure, found.todo) == (state, f"{done} of 12", todo)


def test_raters_who_never_differed_leave_nothing_to_sort() -> None:
    assert line(replace(READY, differing=0, sorted=0), "sorted").state == State.DONE
    never = line(replace(READY, differing=0, sorted=0, compared=0), "sorted")
    assert never.state == State.NOT_YET


def test_what_has_not_been_compared_yet_is_not_asked_for_first() -> None:
    found = readiness(replace(READY, differing=0, sorted=0, compared=0, rounds=0, cleared=0))
    assert found.next is not None
    assert found.next.code == "rounds"
    assert found.sentence == (
        "Five of seven lines are done. Run a round of 40 fresh pairs with version 2."
    )


def test_a_part_of_the_procedure_that_is_missing_is_named() -> None:
    bare = rubric("task: t\ncriteria:\n  - {id: C1, check: One.}\n")
    found = line(replace(READY, rubric=bare), "procedure")
    assert found.state == State.PARTLY
    assert found.words == "The rubric has no gate and no preference."
    assert found.todo == "Add a gate and a preference."
    assert found.figure == "1 criterion"


def test_a_check_that_asks_two_things_is_quoted() -> None:
    source = WHOLE.replace(
        "The first sentence names the cause of loss.", "Lists open items and names an owner."
    )
    found = line(replace(READY, rubric=rubric(source)), "procedure")
    assert found.state == State.PARTLY
    assert found.words.startswith("C1 may ask two things at once: “")
    assert found.todo == "Split C1, or word it as one thing."


@pytest.mark.parametrize("origin", ["invented", "real"])
def test_only_real_examples_count_and_both_are_needed(origin: str) -> None:
    source = WHOLE.replace("verdict: fail, origin: real", f"verdict: fail, origin: {origin}")
    found = line(replace(READY, rubric=rubric(source)), "examples")
    expected = (State.DONE, "2 of 2") if origin == "real" else (State.NOT_YET, "0 of 2")
    assert (found.state, found.figure) == expected


def test_a_check_that_looks_measurable_is_to_be_moved_to_code() -> None:
    source = WHOLE.replace("The first sentence names the cause of loss.", "At most 220 words.")
    found = line(replace(READY, rubric=rubric(source)), "code")
    assert found.state == State.PARTLY
    assert found.todo == "Move C1 to an automatic check."


def test_no_automatic_check_is_needed_where_none_looks_measurable() -> None:
    bare = rubric("task: t\ncriteria:\n  - {id: C1, check: Names the cause.}\n")
    found = line(replace(READY, rubric=bare), "code")
    assert (found.state, found.words) == (State.DONE, "No check looks measurable.")


def test_the_rounds_say_what_holds_volume_closed_and_count_waivers() -> None:
    facts = replace(READY, cleared=1, holding="C1 tentative")
    found = line(facts, "rounds")
    assert (found.state, found.figure) == (State.PARTLY, "1 of 2")
    assert found.words == "Version 2, 2 rounds: C1 tentative."
    spared = line(replace(READY, waived=1), "rounds")
    assert (spared.state, spared.words) == (
        State.DONE,
        "Version 2, 2 rounds: every check has cleared, 1 waived.",
    )


def test_a_running_round_is_closed_before_another_is_started() -> None:
    found = line(replace(READY, rounds=0, cleared=0, running=True), "rounds")
    assert found.todo == "Close the open round when its raters have finished."


@pytest.mark.parametrize(
    ("gold", "planted", "state", "todo"),
    [
        (0, 0, State.NOT_YET, "Write 50 known answers more, 25 of them with a gate failure."),
        (49, 25, State.PARTLY, "Write 1 known answer more."),
        (60, 20, State.PARTLY, "Write 5 known answers more, 5 of them with a gate failure."),
        (50, 25, State.DONE, ""),
    ],
)
def test_known_answers_are_five_in_a_hundred_half_of_them_with_a_gate_failure(
    gold: int, planted: int, state: State, todo: str
) -> None:
    found = line(replace(READY, gold=gold, planted=planted), "gold")
    assert (found.state, found.todo) == (state, todo)


def test_a_rubric_without_gates_plants_no_gate_failure() -> None:
    bare = rubric("task: t\ncriteria:\n  - {id: C1, check: Names the cause.}\n")
    assert line(replace(READY, rubric=bare, planted=0), "gold").state == State.DONE


def test_votes_are_kept_from_the_start_and_an_export_makes_the_line_whole() -> None:
    found = line(replace(READY, releases=0), "kept")
    assert found.state == State.PARTLY
    assert "240 votes are kept" in found.words
    assert line(READY, "kept").state == State.DONE


counts = st.integers(0, 60)


COUNTED = (
    *("compared", "differing", "sorted", "rounds", "cleared", "checks", "waived"),
    *("gold", "planted", "votes", "releases", "traced"),
)


@settings(deadline=None)
@given(rubrics(), st.tuples(*[counts] * len(COUNTED)), st.booleans())
def test_a_line_that_is_not_done_says_what_to_do_and_one_that_is_asks_nothing(
    one: Rubric, given_counts: tuple[int, ...], running: bool
) -> None:
    facts = Facts(rubric=replace(one, number=1), running=running)
    for name, value in zip(COUNTED, given_counts, strict=True):
        facts = replace(facts, **{name: value})  # type: ignore[arg-type]
    found = readiness(facts)
    for each in found.lines:
        assert bool(each.todo) == (each.state != State.DONE), each
        assert each.words.endswith(".")
    waiting = [each for each in found.lines if each.state != State.DONE]
    assert (found.next in waiting) if waiting else (found.next is None)
    assert found.done == len(found.lines) - len(waiting)


def test_simulated_rounds_alone_are_said_to_count_for_nothing() -> None:
    none = Facts(rubric=rubric())
    simulated = replace(none, simulated=2)
    for code in ("sorted", "rounds"):
        assert "Simulated raters" not in line(none, code).words
        assert line(simulated, code).words.endswith("Simulated raters do not count here.")
    assert "Simulated" not in line(replace(READY, simulated=2), "sorted").words


def test_a_line_leads_to_what_is_there() -> None:
    none = Facts(rubric=rubric())
    running = replace(none, running=True)
    actions = [
        [line(facts, code).action for code in ("sorted", "kept")] for facts in (none, running)
    ]
    assert actions == [["Import votes", "Start a round"], ["See the round", "See the round"]]
    assert line(replace(READY, releases=0), "kept").action == "See the decisions"
