"""One form, as one simulated rater sends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from annotate import evidence
from annotate.ballot import (
    Answer,
    Ballot,
    GateState,
    Order,
    criteria_are_asked,
    gate_state,
    side_of,
    stop_of,
)
from annotate.simulation.kinds import Kind
from annotate.simulation.preferring import Preferred, prefer
from annotate.simulation.raters import SimulatedRater, place_in
from annotate.simulation.reading import Pressed, press
from annotate.simulation.saying import passages, rationale, unclear
from annotate.simulation.timing import seconds
from annotate.simulation.truths import Cell, Truth


@dataclass(frozen=True)
class Situation:
    """Where a vote is given: the pair's place in the queue, its length, and its readable text by
    canonical side, which is asked for only where a passage is taken from it."""

    position: int = 1
    queue: int = 1
    words: int = 0
    text_of: Callable[[str], str] = lambda _side: ""


@dataclass(frozen=True)
class Filled:
    """A whole answer in seen terms, its form `fields`, the seconds it took, and `planted`: the
    canonical cells that are not the truth, ("preference", "") among them, with their kind."""

    answer: Answer
    fields: Mapping[str, Any]
    active_s: int
    planted: Mapping[Cell, Kind]


def fill(
    ballot: Ballot,
    truth: Truth,
    rater: SimulatedRater,
    order: Order,
    dice: Random,
    at: Situation = Situation(),
) -> dict[str, Any]:
    """The form as this rater sends it: fields in seen terms, whole and in order."""
    return dict(filled(ballot, truth, rater, order, dice, at).fields)


def filled(
    ballot: Ballot,
    truth: Truth,
    rater: SimulatedRater,
    order: Order,
    dice: Random,
    at: Situation = Situation(),
) -> Filled:
    """The form and what is behind it.

    The preference and the rationale follow from what the rater means, so that a label pressed by
    mistake contradicts them; a gate decides by what was pressed.
    """
    place = place_in(at.position, at.queue)
    pressed = {
        (check.key, part): press(
            check, (check.key, side_of(part, order)), truth, rater, place, dice
        )
        for check in ballot.checks
        for part in check.parts
    }
    answer = Answer(
        labels={seen: one.code for seen, one in pressed.items()},
        unclear=unclear(ballot, truth, rater, dice),
    )
    read = {(key, side_of(part, order)): one.read for (key, part), one in pressed.items()}
    shown = passages(ballot, read, rater, order, at.text_of, dice)
    planted = _planted(ballot, answer, pressed, order)
    if ballot.preference and gate_state(ballot, answer) is GateState.PASSED:
        preferred = prefer(ballot, truth, read, rater, dice)
        answer = _with_preference(ballot, truth, read, rater, preferred, answer, order)
        if preferred.kind is not None:
            planted["preference", ""] = preferred.kind
    slipped, labels = Kind.SLIP in planted.values(), len(pressed)
    took = seconds(rater, place, words=at.words, labels=labels, slipped=slipped, dice=dice)
    return Filled(answer, _fields(answer, shown), took, planted)


def _planted(
    ballot: Ballot, answer: Answer, pressed: Mapping[tuple[str, str], Pressed], order: Order
) -> dict[Cell, Kind]:
    """The deviations among the labels that count as asked."""
    asked = {check.key for check in ballot.gates}
    if criteria_are_asked(ballot, gate_state(ballot, answer)):
        asked |= {check.key for check in ballot.criteria}
    return {
        (key, side_of(part, order)): one.kind
        for (key, part), one in pressed.items()
        if one.kind is not None and key in asked
    }


def _with_preference(
    ballot: Ballot,
    truth: Truth,
    read: Mapping[Cell, str],
    rater: SimulatedRater,
    preferred: Preferred,
    answer: Answer,
    order: Order,
) -> Answer:
    code = ballot.preference[len(ballot.preference) // 2 - preferred.margin]
    why, nothing_says_it = rationale(ballot, truth, read, rater, preferred.meant, order)
    stop = stop_of(ballot, code, order)
    return replace(answer, stop=stop, rationale=why, nothing_says_it=nothing_says_it)


def _fields(answer: Answer, shown: tuple[evidence.Passage, ...]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        f"label:{key}:{part}": code for (key, part), code in answer.labels.items()
    }
    fields.update({f"unclear:{key}": True for key in sorted(answer.unclear)})
    if answer.stop is not None:
        fields.update(preference=str(answer.stop), rationale=answer.rationale)
    if answer.nothing_says_it:
        fields["nothing_says_it"] = True
    if shown:
        fields["evidence"] = evidence.as_field(shown)
    return fields
