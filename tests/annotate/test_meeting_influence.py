"""The figure that the meeting shows beside a disagreement, and the words under it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from annotate.disagreements import Differing, Group, Settled, Unit
from annotate.pages.meeting import influence_of
from annotate.reliability import Status
from annotate.triage import Strength, Suggestion

if TYPE_CHECKING:
    from annotate.triage import CheckKind


def differing_on(unit: Unit, gain: float | None) -> Differing:
    return Differing(unit, (), gain, Suggestion("slip", "", Strength.WEAK), None, 1)


def told(
    alpha: float, *, gain: float | None, settled: Settled | None, key: str = "C2"
) -> tuple[str, ...]:
    """What is said of pair-1, whose check is at `alpha` and gains so much without it."""
    unit = Unit(1, "pair-1", UUID(int=1), key, "")
    item = differing_on(unit, gain)
    kind: CheckKind = "criterion" if key == "C2" else "preference"
    group = Group(key, kind, "", "nominal", (), alpha, Status.BROKEN, 40, settled)
    found = influence_of(group, item)
    assert found is not None
    return (found.name, found.before, found.after, found.words)


def test_the_figure_beside_a_disagreement_says_what_it_is_of() -> None:
    """Settled together with others, or left out: never the one under the name of the other."""
    alone = Settled(0.81, ("pair-1",), reaches=True)
    four = Settled(0.81, ("pair-9", "pair-1", "pair-3", "pair-2"), reaches=True)
    others = Settled(0.81, ("pair-9",), reaches=True)
    assert told(0.58, gain=0.04, settled=alone)[2:] == ("0.81", "if this pair is settled")
    assert told(0.58, gain=0.04, settled=four)[2:] == ("0.81", "if this and three more are settled")
    without = ("C2", "0.58", "0.62", "without this pair")
    assert told(0.58, gain=0.04, settled=others) == without
    assert told(0.58, gain=0.04, settled=None) == without
    little = "leaving this pair out moves it little"
    assert told(0.58, gain=0.004, settled=None, key="preference") == (
        "Preference",
        "0.58",
        "",
        little,
    )
    assert told(0.58, gain=-0.2, settled=others)[3] == little
    assert told(0.58, gain=None, settled=None)[3] == little


def test_what_lies_in_whether_a_check_applies_moves_no_figure_of_its_values() -> None:
    unit = Unit(1, "pair-1", UUID(int=1), "C2", "")
    group = Group("C2", "criterion", "", "ordinal", ("1", "2"), 0.58, Status.BROKEN, 40, None)
    item = differing_on(unit, 0.04)
    assert influence_of(group, item) is not None
    assert influence_of(group, replace(item, applies=True)) is None
