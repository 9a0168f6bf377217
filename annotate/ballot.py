"""What a rater is asked on one subject, and when an answer is whole and in order.

Pure. A ballot is filled in as it is seen: its parts are Left and Right for a pair (whichever
response stands there), so that every message speaks of what the rater sees; `canonical` turns a
filled ballot into what is stored. The rules are DESIGN §6, 3 to 5.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from annotate.decisions import SIDES
from rubrics.content import NA

LEFT, RIGHT = "Left", "Right"
SEEN_SIDES = (LEFT, RIGHT)
Order = Literal["AB", "BA"]
MAX_RATIONALE = 20_000
MAX_REWRITE = 20_000

# A citation is one bracketed word, so that prose such as “[see the file]” stays prose.
TOKEN = re.compile(r"\[([A-Za-z][A-Za-z0-9_]{0,31})\]")
# Bracketed words that can only have been meant as a citation: C9, G12, A, B.
_MEANT_AS_CITATION = re.compile(r"[A-Za-z]{1,3}\d+|[AaBb]")


@dataclass(frozen=True)
class Check:
    """A gate or criterion: `parts` are what it is answered for, `values` its codes in order.

    A measured check has no values but `bounds`, the lowest and the highest number it takes.
    """

    key: str
    kind: Literal["gate", "criterion"]
    values: tuple[str, ...]
    allows_na: bool
    parts: tuple[str, ...]
    bounds: tuple[float, float] | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        return (*self.values, NA) if self.allows_na else self.values

    def takes(self, code: str) -> bool:
        """Whether the code, or the number it writes, is an answer to this check."""
        if self.bounds is None or (code == NA and self.allows_na):
            return code in self.codes
        number = number_of(code)
        return number is not None and self.bounds[0] <= number <= self.bounds[1]

    @property
    def choices(self) -> str:
        """What it takes, in words."""
        if self.bounds is None:
            return f"choose one of {', '.join(self.codes)}"
        low, high = self.bounds
        return f"give a number from {low:g} to {high:g}{', or na' if self.allows_na else ''}"


@dataclass(frozen=True)
class Ballot:
    """The questions on one subject. `preference` holds the scale from A to B, () without one."""

    checks: tuple[Check, ...]
    preference: tuple[str, ...]
    ask_after_gate: bool

    @property
    def gates(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.kind == "gate")

    @property
    def criteria(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.kind == "criterion")

    def check(self, key: str) -> Check | None:
        return next((check for check in self.checks if check.key == key), None)


@dataclass(frozen=True)
class Answer:
    """A ballot as filled in, in seen terms. `stop` counts the preference's stops from the left."""

    labels: Mapping[tuple[str, str], str] = field(default_factory=dict)
    stop: int | None = None
    rationale: str = ""
    nothing_says_it: bool = False
    unclear: frozenset[str] = frozenset()
    # What the answer should have been; it counts only where both responses fail.
    rewrite: str = ""


class GateState(StrEnum):
    """Where the gates leave the pair."""

    OPEN = "open"
    PASSED = "passed"
    LEFT_WINS = "left_wins"
    RIGHT_WINS = "right_wins"
    BOTH_FAIL = "both_fail"

    @property
    def decides(self) -> bool:
        return self in (GateState.LEFT_WINS, GateState.RIGHT_WINS, GateState.BOTH_FAIL)


@dataclass(frozen=True)
class CanonicalLabel:
    key: str
    part: str
    code: str
    how: Literal["asked", "after_gate"]


@dataclass(frozen=True)
class CanonicalAnswer:
    """What is stored: sides are A and B, the preference is a code of the rubric's scale."""

    labels: tuple[CanonicalLabel, ...]
    rationale: str
    cites: tuple[str, ...]
    nothing_says_it: bool
    unclear: tuple[str, ...]
    rewrite: str


def number_of(code: str) -> float | None:
    """The finite number that a code writes, in plain digits; None for anything else."""
    try:
        number = float(code) if code.isascii() and "_" not in code else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def gate_state(ballot: Ballot, answer: Answer) -> GateState:
    """Whether the gates are open, passed, or decide the pair; `open` until every cell is answered.

    A ballot without gates, and one whose gates are all passed (or not applicable), is `passed`.
    """
    cells = [(gate.key, part) for gate in ballot.gates for part in gate.parts]
    if any(cell not in answer.labels for cell in cells):
        return GateState.OPEN
    failing = {part for key, part in cells if answer.labels[key, part] == "fail"}
    if not failing:
        return GateState.PASSED
    if failing.issuperset(SEEN_SIDES):
        return GateState.BOTH_FAIL
    return GateState.RIGHT_WINS if LEFT in failing else GateState.LEFT_WINS


def failed_gates(ballot: Ballot, answer: Answer) -> tuple[str, ...]:
    """Keys of the gates that fail on any side, in rubric order: what a gate decision cites."""
    return tuple(
        gate.key
        for gate in ballot.gates
        if any(answer.labels.get((gate.key, part)) == "fail" for part in gate.parts)
    )


def sentences(ballot: Ballot) -> dict[GateState, str]:
    """What each state of the gates means for the pair; `{gates}` stands for the failing gates."""
    after = (
        "The criteria are still measured, no preference is asked."
        if ballot.ask_after_gate
        else "Criteria and preference are not asked."
    )
    return {
        GateState.OPEN: "Every gate on both sides first; one that fails on one side decides.",
        GateState.PASSED: "No gate decides: criteria, then the preference.",
        GateState.LEFT_WINS: f"{{gates}} on Right only: Left wins. {after}",
        GateState.RIGHT_WINS: f"{{gates}} on Left only: Right wins. {after}",
        GateState.BOTH_FAIL: (
            "Both fail ({gates}): not a preference pair; it goes to the rewrite queue."
        ),
    }


def sentence(ballot: Ballot, answer: Answer) -> str:
    state = gate_state(ballot, answer)
    keys = failed_gates(ballot, answer)
    failing = ", ".join(keys)
    if state in (GateState.LEFT_WINS, GateState.RIGHT_WINS):
        failing += " fails" if len(keys) == 1 else " fail"
    return sentences(ballot)[state].replace("{gates}", failing)


def criteria_are_asked(ballot: Ballot, state: GateState) -> bool:
    """After a deciding gate the criteria are asked only where the round measures them."""
    return ballot.ask_after_gate or not state.decides


def problems(ballot: Ballot, answer: Answer) -> dict[str, str]:
    """What keeps the answer from being a vote: field name → what to do. Empty when it is whole.

    Field names are `label:KEY:PART`, `preference`, `rationale`, `rewrite`.
    """
    found: dict[str, str] = {}
    state = gate_state(ballot, answer)
    asked = list(ballot.gates)
    if criteria_are_asked(ballot, state):
        asked += ballot.criteria
    for check in asked:
        found.update(_missing(check, answer))
    for (key, part), code in answer.labels.items():
        found.update(_foreign(ballot, key, part, code))
    found.update(_preference_problem(ballot, answer, state))
    found.update(_rationale_problem(ballot, answer, state))
    found.update(_rewrite_problem(answer, state))
    return found


def _missing(check: Check, answer: Answer) -> Iterable[tuple[str, str]]:
    for part in check.parts:
        if (check.key, part) not in answer.labels:
            where = f" for {part}" if part else ""
            yield f"label:{check.key}:{part}", f"{check.key} is not answered{where}."


def _foreign(ballot: Ballot, key: str, part: str, code: str) -> Iterable[tuple[str, str]]:
    check = ballot.check(key)
    if check is None or part not in check.parts:
        yield f"label:{key}:{part}", f"{key} is not asked here."
    elif not check.takes(code):
        yield f"label:{key}:{part}", f"“{code}” is not an answer to {key}: {check.choices}."


def _preference_problem(
    ballot: Ballot, answer: Answer, state: GateState
) -> Iterable[tuple[str, str]]:
    if not ballot.preference:
        if answer.stop is not None:
            yield "preference", "This rubric asks for no preference."
        return
    if state.decides and answer.stop is not None:
        keys = ", ".join(failed_gates(ballot, answer))
        verb = "decide" if "," in keys else "decides"
        yield (
            "preference",
            (
                f"{keys} {verb} this pair, so no preference is asked: it has been cleared. "
                "Change the gate if it was a slip."
            ),
        )
    elif state is GateState.PASSED and answer.stop is None:
        yield "preference", "Choose a preference; a tie is one of them."
    elif state is GateState.OPEN and answer.stop is not None:
        yield "preference", "Answer every gate on both sides first; the preference comes last."
    elif answer.stop is not None and not 1 <= answer.stop <= len(ballot.preference):
        yield "preference", f"Choose one of the {len(ballot.preference)} stops of the scale."


def _rationale_problem(
    ballot: Ballot, answer: Answer, state: GateState
) -> Iterable[tuple[str, str]]:
    if len(answer.rationale) > MAX_RATIONALE:
        yield (
            "rationale",
            (
                f"Shorten the rationale to {MAX_RATIONALE:,} characters: it has "
                f"{len(answer.rationale):,}, all of them kept here."
            ),
        )
        return
    if unknown := unknown_citations(ballot, answer.rationale):
        ids = ", ".join(check.key for check in ballot.checks)
        yield "rationale", f"{unknown[0]} is not in this rubric. Cite one of {ids}, Left or Right."
        return
    if state.decides or answer.stop is None:
        return
    if not answer.rationale.strip():
        yield "rationale", "Say in a few words what decided, ties too."
    elif not (cited(ballot, answer.rationale) or answer.nothing_says_it or answer.unclear):
        if not ballot.checks:
            return
        yield (
            "rationale",
            (
                "Cite the gate or criterion that decided (the buttons under the text do it), tick "
                "“Nothing in the rubric says it”, or mark a check as unclear."
            ),
        )


def _rewrite_problem(answer: Answer, state: GateState) -> Iterable[tuple[str, str]]:
    if state is GateState.BOTH_FAIL and len(answer.rewrite) > MAX_REWRITE:
        yield (
            "rewrite",
            (
                f"Shorten what the answer should have been to {MAX_REWRITE:,} characters: it has "
                f"{len(answer.rewrite):,}, all of them kept here."
            ),
        )


def cited(ballot: Ballot, rationale: str) -> tuple[str, ...]:
    """Keys of the checks that the text cites, in rubric order."""
    tokens = set(TOKEN.findall(rationale))
    return tuple(check.key for check in ballot.checks if check.key in tokens)


def unknown_citations(ballot: Ballot, rationale: str) -> tuple[str, ...]:
    """Bracketed words that were meant as citations and are none of this rubric's."""
    known = {check.key for check in ballot.checks} | set(SEEN_SIDES)
    return tuple(
        token
        for token in TOKEN.findall(rationale)
        if token not in known and _MEANT_AS_CITATION.fullmatch(token)
    )


def side_of(part: str, order: Order) -> str:
    """The canonical key of a seen part: Left is A under AB and B under BA; others as they are."""
    if part not in SEEN_SIDES:
        return part
    return order[SEEN_SIDES.index(part)]


def seen_part(side: str, order: Order) -> str:
    """The seen name of a canonical side; the inverse of `side_of`."""
    return SEEN_SIDES[order.index(side)] if side in SIDES else side


def preference_code(ballot: Ballot, stop: int, order: Order) -> str:
    """The code of the `stop`-th place from the left (1-based) on the rubric's scale from A to B."""
    scale = ballot.preference if order == "AB" else ballot.preference[::-1]
    return scale[stop - 1]


def stop_of(ballot: Ballot, code: str, order: Order) -> int:
    """The place from the left (1-based) at which a preference code is shown."""
    scale = ballot.preference if order == "AB" else ballot.preference[::-1]
    return scale.index(code) + 1


def canonical_text(text: str, order: Order) -> str:
    """The rationale with its side tokens made canonical; every other character as it was."""
    return TOKEN.sub(lambda match: f"[{side_of(match[1], order)}]", text)


def seen_text(text: str, order: Order) -> str:
    """The inverse of `canonical_text`."""
    return TOKEN.sub(lambda match: f"[{seen_part(match[1], order)}]", text)


def canonical(ballot: Ballot, answer: Answer, order: Order) -> CanonicalAnswer:
    """The answer as it is stored. Raises ValueError when `problems` finds any."""
    if found := problems(ballot, answer):
        raise ValueError("; ".join(found.values()))
    state = gate_state(ballot, answer)
    if not criteria_are_asked(ballot, state):
        answer = replace(answer, labels=_only(ballot.gates, answer))
    labels = [
        CanonicalLabel(
            check.key,
            side_of(part, order),
            answer.labels[check.key, part],
            "after_gate" if state.decides and check.kind == "criterion" else "asked",
        )
        for check in ballot.checks
        for part in check.parts
        if (check.key, part) in answer.labels
    ]
    if answer.stop is not None:
        code = preference_code(ballot, answer.stop, order)
        labels.append(CanonicalLabel("preference", "", code, "asked"))
    by_gate = failed_gates(ballot, answer) if state.decides else ()
    cites = dict.fromkeys((*by_gate, *cited(ballot, answer.rationale)))
    return CanonicalAnswer(
        labels=tuple(labels),
        rationale=canonical_text(answer.rationale, order),
        cites=tuple(cites),
        nothing_says_it=answer.nothing_says_it,
        unclear=tuple(check.key for check in ballot.checks if check.key in answer.unclear),
        rewrite=answer.rewrite.strip() if state is GateState.BOTH_FAIL else "",
    )


def _only(checks: Iterable[Check], answer: Answer) -> dict[tuple[str, str], str]:
    keys = {check.key for check in checks}
    return {cell: code for cell, code in answer.labels.items() if cell[0] in keys}
