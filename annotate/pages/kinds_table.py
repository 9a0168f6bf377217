"""The disagreements of each round by their kind, as people sorted them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.history import KINDS, OneRound
from annotate.models import Disagreement
from rubrics.words import counted_noun

_ORDER = ("ambiguity", "weighting", "slip", "legitimate")


@dataclass(frozen=True)
class KindRow:
    name: str
    counts: tuple[tuple[OneRound, int], ...]
    total: bool = False


@dataclass(frozen=True)
class KindsTable:
    rounds: tuple[OneRound, ...]
    rows: tuple[KindRow, ...]
    sentence: str


def kinds_table(rounds: Sequence[OneRound]) -> KindsTable | None:
    """A row for each kind, one for what nobody has sorted, and their sum; None without rounds."""
    if not rounds:
        return None
    rows = [
        KindRow(str(Disagreement.Kind(kind).label).capitalize(), _each(rounds, kind))
        for kind in sorted(KINDS, key=lambda kind: _ORDER.index(str(kind.value)))
    ]
    open_ones = KindRow("Not sorted yet", tuple((one, one.open) for one in rounds))
    whole = KindRow("All", tuple((one, _all(one)) for one in rounds), total=True)
    return KindsTable(tuple(rounds), (*rows, open_ones, whole), _sentence(rounds))


def _each(rounds: Sequence[OneRound], kind: str) -> tuple[tuple[OneRound, int], ...]:
    return tuple((one, one.sorted.get(kind, 0)) for one in rounds)


def _all(one: OneRound) -> int:
    return one.open + sum(one.sorted.values())


def _sentence(rounds: Sequence[OneRound]) -> str:
    """What became of ambiguity, between the first and the last round that were sorted."""
    waiting = sum(one.open for one in rounds)
    begun = [one for one in rounds if any(one.sorted.values())]
    if not begun:
        if not waiting:
            return "Raters gave the same label everywhere they met."
        return f"Nobody has sorted {'it' if waiting == 1 else 'them'} yet: begin with the newest."
    done = [one for one in begun if not one.open]
    said = _ambiguity(done if len(done) > 1 else begun)
    if waiting:
        verb = "is" if waiting == 1 else "are"
        said += f" {counted_noun(waiting, 'disagreement')} {verb} not sorted yet."
    return said


def _ambiguity(rounds: Sequence[OneRound]) -> str:
    cure = "Ambiguity is what a rubric can cure"
    first, last = rounds[0].sorted.get("ambiguity", 0), rounds[-1].sorted.get("ambiguity", 0)
    if len(rounds) == 1:
        return f"{cure}: {first} in round {rounds[0].batch.number}."
    if first == last:
        return f"{cure}; it stayed at {last}."
    return f"{cure}; it {'fell' if last < first else 'rose'} from {first} to {last}."
