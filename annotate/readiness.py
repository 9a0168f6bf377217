"""What should stand before the first thousand pairs are labelled: seven lines, from plain counts.

Pure. The lines are those of docs/calibration.md; each says how far it is, in figures, and what to
do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from annotate.clearing import ROUND_SIZE
from rubrics.content import Rubric
from rubrics.hints import hints
from rubrics.words import counted_noun, listed

# The pairs that the lines are about, and the share of them that are known answers.
FIRST_PAIRS = 1000
GOLD_SHARE = 0.05
# Half of the known answers hold a planted gate failure, where there are gates.
PLANTED_SHARE = 0.5
# The share of every batch that a second person labels.
OVERLAP_SHARE = 0.1

_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven")

Code = Literal["sorted", "procedure", "examples", "code", "rounds", "gold", "kept"]


class State(StrEnum):
    DONE = "done"
    PARTLY = "partly"
    NOT_YET = "not_yet"


@dataclass(frozen=True)
class Line:
    """One line: its `figure` is the number that it rests on, `words` what there is to say, `todo`
    what to do as a request ('' where it is done), `action` what its link is called."""

    code: Code
    title: str
    state: State
    figure: str
    words: str
    todo: str
    action: str


@dataclass(frozen=True)
class Facts:
    """Where a project stands with one rubric.

    `rubric` is its newest published version, None where there is none (`drafts` then says whether
    one is being written). `differing` and `sorted` are disagreements of all `compared` batches:
    closed rounds and imported votes that hold a vote; `simulated` closed rounds count for nothing.
    `cleared`, `waived` and `checks` count the checks of the
    newest version as its `rounds` closed rounds have tried them; `holding` says in words what holds
    volume closed. `gold` known answers are ready to be hidden, `planted` of them with a gate
    failure. `traced` examples are linked to a pair. `pairs` have a vote.
    """

    rubric: Rubric | None
    drafts: int = 0
    compared: int = 0
    simulated: int = 0
    differing: int = 0
    sorted: int = 0
    traced: int = 0
    rounds: int = 0
    running: bool = False
    cleared: int = 0
    waived: int = 0
    checks: int = 0
    holding: str = ""
    gold: int = 0
    planted: int = 0
    votes: int = 0
    pairs: int = 0
    releases: int = 0


@dataclass(frozen=True)
class Readiness:
    """The lines in their order, and the one to do next: None once all are done."""

    lines: tuple[Line, ...]
    next: Line | None
    pairs: int

    @property
    def done(self) -> int:
        return sum(line.state == State.DONE for line in self.lines)

    @property
    def sentence(self) -> str:
        if self.next is None:
            return (
                f"All {_NUMBERS[len(self.lines)]} lines are done: the first {FIRST_PAIRS:,} pairs "
                "can be labelled."
            )
        done, all_of = _NUMBERS[self.done].capitalize(), _NUMBERS[len(self.lines)]
        return f"{done} of {all_of} lines {_is(self.done)} done. {self.next.todo}"


def readiness(facts: Facts) -> Readiness:
    """The seven lines. What comes next is the first that is not done, a rubric before anything
    else and disagreements only where there are some."""
    lines = (
        _sorted(facts),
        _procedure(facts),
        _examples(facts),
        _code(facts),
        _rounds(facts),
        _gold(facts),
        _kept(facts),
    )
    order: list[Code] = ["procedure", "sorted", "examples", "code", "rounds", "gold", "kept"]
    if not facts.differing:
        order = ["procedure", "examples", "code", "rounds", "sorted", "gold", "kept"]
    by_code = {line.code: line for line in lines}
    waiting = [by_code[code] for code in order if by_code[code].state != State.DONE]
    return Readiness(lines, waiting[0] if waiting else None, facts.pairs)


def _sorted(facts: Facts) -> Line:
    """Past disagreements are sorted by kind."""
    left = facts.differing - facts.sorted
    figure = f"{facts.sorted} of {facts.differing}" if facts.differing else "none found"
    action = "Sort disagreements" if left > 0 else "See the disagreements"
    if not facts.compared and not facts.differing:
        state, words = State.NOT_YET, f"No votes have been compared yet.{_simulated(facts)}"
        action = "See the round" if facts.running else "Import votes"
        todo = (
            "Close a round, or import votes that were given before: their splits are sorted here."
        )
    elif left <= 0:
        state, todo = State.DONE, ""
        words = "Every disagreement has its kind." if facts.differing else "Raters never differed."
    else:
        state = State.PARTLY if facts.sorted else State.NOT_YET
        words = f"{counted_noun(left, 'disagreement')} {_is(left)} not sorted yet."
        todo = f"Sort the {counted_noun(left, 'disagreement')} that have no kind yet."
        if left == 1:
            todo = "Sort the one disagreement that has no kind yet."
    return Line(
        "sorted",
        "Past disagreements are sorted: slip, ambiguity, weighting or legitimate",
        state,
        figure,
        words,
        todo,
        action,
    )


def _procedure(facts: Facts) -> Line:
    """Gates, then atomic criteria, then a preference with a margin."""
    title = "Gates come first, then criteria that ask one thing, then a preference with a margin"
    if facts.rubric is None:
        drafted = "The rubric is still a draft.", "Publish the rubric."
        none = "There is no rubric yet.", "Write a rubric and publish it."
        words, todo = drafted if facts.drafts else none
        return Line("procedure", title, State.NOT_YET, "", words, todo, "Open the rubrics")
    figure, lacking = _parts(facts.rubric)
    compound = _on_asked(facts.rubric, "compound")
    said: list[str] = []
    asks: list[str] = []
    if lacking:
        said.append(f"The rubric has no {' and no '.join(lacking)}.")
        asks.append(f"Add a {' and a '.join(lacking)}.")
    if compound:
        keys = list(dict.fromkeys(key for key, _ in compound))
        may = "may ask two things at once"
        said.append(f"{listed(keys)} {may}: “{compound[0][1]}”.")
        asks.append(f"Split {listed(keys)}, or word {_it(keys)} as one thing.")
    return Line(
        "procedure",
        title,
        State.PARTLY if asks else State.DONE,
        figure,
        " ".join(said) or "Each check asks one thing, as far as its words tell.",
        " ".join(asks),
        "Read the rubric",
    )


def _parts(rubric: Rubric) -> tuple[str, list[str]]:
    """How many there are of each part of the procedure, and the names of those that are missing."""
    gates, criteria = len(rubric.gates), len(rubric.of_kind("criterion"))
    stops = len(rubric.preference.values) if rubric.preference else 0
    parts = (
        (gates, counted_noun(gates, "gate"), "gate"),
        (criteria, f"{criteria} {'criterion' if criteria == 1 else 'criteria'}", "criterion"),
        (stops, f"{stops} points", "preference"),
    )
    figure = ", ".join(said for there, said, _ in parts if there)
    return figure, [name for there, _, name in parts if not there]


def _examples(facts: Facts) -> Line:
    """Every gate and criterion has a real pass and a real fail example."""
    title = "Every check has a real example that passes and a real one that fails"
    if facts.rubric is None:
        return _waits("examples", title)
    checks = (*facts.rubric.gates, *facts.rubric.of_kind("criterion"))
    lacking = [
        check.key
        for check in checks
        if {one.verdict for one in check.anchors if one.origin == "real"} != {"pass", "fail"}
    ]
    whole = len(checks) - len(lacking)
    traced = f" {counted_noun(facts.traced, 'example')} {_is(facts.traced)} linked to a pair."
    words = f"Real examples are missing in {listed(lacking)}." if lacking else "None is missing."
    return Line(
        "examples",
        title,
        _state(whole, len(checks)),
        f"{whole} of {len(checks)}",
        words + (traced if facts.traced else ""),
        f"Give real examples, one that passes and one that fails, to {listed(lacking)}."
        if lacking
        else "",
        "Add examples",
    )


def _code(facts: Facts) -> Line:
    """What a program can measure is not asked of experts."""
    title = "What code can check is checked by code before anyone reads a pair"
    if facts.rubric is None:
        return _waits("code", title)
    by_hand = list(dict.fromkeys(key for key, _ in _on_asked(facts.rubric, "code")))
    automatic = len(facts.rubric.of_kind("automatic"))
    figure = f"{automatic} by code"
    if not by_hand:
        words = (
            f"Code decides {counted_noun(automatic, 'check')}; no other looks measurable."
            if automatic
            else "No check looks measurable."
        )
        return Line("code", title, State.DONE, figure, words, "", "See the checks")
    return Line(
        "code",
        title,
        State.PARTLY if automatic else State.NOT_YET,
        figure,
        f"{listed(by_hand)} {'looks' if len(by_hand) == 1 else 'look'} measurable, and experts "
        f"are asked.",
        f"Move {listed(by_hand)} to an automatic check.",
        "See the checks",
    )


def _rounds(facts: Facts) -> Line:
    """Rounds of 40 until every check clears."""
    title = f"Rounds of {ROUND_SIZE} pairs have run until every check clears"
    if facts.rubric is None:
        return _waits("rounds", title)
    number = facts.rubric.number
    figure = f"{facts.cleared} of {facts.checks}" if facts.rounds else "no round"
    if not facts.rounds:
        words = f"No closed round has tried version {number}.{_simulated(facts)}"
        todo = "Close the open round when its raters have finished."
        if not facts.running:
            todo = f"Run a round of {ROUND_SIZE} fresh pairs with version {number}."
        return Line("rounds", title, State.NOT_YET, figure, words, todo, _to_a_round(facts))
    tried = f"Version {number}, {counted_noun(facts.rounds, 'round')}"
    waived = f", {facts.waived} waived" if facts.waived else ""
    if facts.checks and facts.cleared == facts.checks:
        words = f"{tried}: every check has cleared{waived}."
        return Line("rounds", title, State.DONE, figure, words, "", "See the rounds")
    holding = facts.holding or "not every check was asked"
    return Line(
        "rounds",
        title,
        State.PARTLY if facts.cleared else State.NOT_YET,
        figure,
        f"{tried}: {holding}{waived}.",
        f"Bring the rest over the bar: {holding}.",
        "See the rounds",
    )


def _gold(facts: Facts) -> Line:
    """Known answers and second review are ready for volume."""
    title = "Known answers and a second reader are ready for the volume batches"
    if facts.rubric is None:
        return _waits("gold", title)
    needed = round(FIRST_PAIRS * GOLD_SHARE)
    failures = round(needed * PLANTED_SHARE) if facts.rubric.gates else 0
    lacking, planting = max(0, needed - facts.gold), max(0, failures - facts.planted)
    second = (
        f"A second person will label {OVERLAP_SHARE:.0%} of every batch: that is set when volume "
        "opens."
    )
    words = f"{GOLD_SHARE:.0%} of the next {FIRST_PAIRS:,} pairs is {needed}"
    words += f", {failures} of them with a planted gate failure" if failures else ""
    if not lacking and not planting:
        done = State.DONE
        return Line(
            "gold",
            title,
            done,
            f"{facts.gold} of {needed}",
            f"{words}. {second}",
            "",
            "See known answers",
        )
    todo = f"Write {counted_noun(max(lacking, planting), 'known answer')} more"
    todo += f", {planting} of them with a gate failure." if planting else "."
    said = f"{words}; {facts.planted} have one now. {second}" if failures else f"{words}. {second}"
    state = State.PARTLY if facts.gold else State.NOT_YET
    return Line(
        "gold", title, state, f"{facts.gold} of {needed}", said, todo, "Write known answers"
    )


def _kept(facts: Facts) -> Line:
    """Every vote is kept, decided pairs leave under a policy, the rubric has versions."""
    title = "Every vote is kept, decided pairs are exported by a rule, the rubric has versions"
    if facts.rubric is None:
        return _waits("kept", title)
    figure = f"{counted_noun(facts.releases, 'export')}"
    kept = f"{facts.votes:,} votes are kept, each with its revisions"
    if facts.votes == 1:
        kept = "1 vote is kept, with its revisions"
    versions = f"the rubric is at version {facts.rubric.number}"
    if facts.releases:
        words = (
            f"{kept}; {versions}; decided pairs left in {counted_noun(facts.releases, 'export')}."
        )
        return Line("kept", title, State.DONE, figure, words, "", "See the decisions")
    return Line(
        "kept",
        title,
        State.PARTLY,
        figure,
        f"{kept}; {versions}; no decided pairs have been exported.",
        "Export the decided pairs of a round, by the policy that training will use.",
        "See the decisions" if facts.compared else _to_a_round(facts),
    )


def _to_a_round(facts: Facts) -> str:
    return "See the round" if facts.running else "Start a round"


def _simulated(facts: Facts) -> str:
    """Said where nothing else is there, lest the rounds that are look forgotten."""
    there = facts.simulated and not facts.compared
    return " Simulated raters do not count here." if there else ""


def _waits(code: Code, title: str) -> Line:
    words = "This waits for a published rubric."
    return Line(code, title, State.NOT_YET, "", words, "Publish the rubric.", "Open the rubrics")


def _on_asked(rubric: Rubric, code: str) -> list[tuple[str, str]]:
    """(key, the author's words) of each hint of a kind."""
    return [(rubric.criteria[one.n].key, one.words) for one in hints(rubric) if one.code == code]


def _state(done: int, of: int) -> State:
    if done >= of:
        return State.DONE
    return State.PARTLY if done else State.NOT_YET


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _it(keys: Sequence[str]) -> str:
    return "it" if len(keys) == 1 else "each"
