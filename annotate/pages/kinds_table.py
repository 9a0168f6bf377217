"""The disagreements of each round by their kind, as people sorted them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.history import KINDS, OneRound
from annotate.models import Disagreement
from rubrics.words import counted_noun

_TO_COMPARE = 2
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
    """What became of ambiguity, between the first and the last round that are sorted to the end.

    Where some of a round waits, its ambiguity is a number that still grows.
    """
    waiting = sum(one.open for one in rounds)
    begun = [one for one in rounds if any(one.sorted.values())]
    if not begun:
        if not waiting:
            return "Raters gave the same label everywhere they met."
        return f"Nobody has sorted {'it' if waiting == 1 else 'them'} yet: begin with the newest."
    said = _ambiguity([one for one in rounds if not one.open], begun)
    if waiting:
        verb = "is" if waiting == 1 else "are"
        said += f" {counted_noun(waiting, 'disagreement')} {verb} not sorted yet."
    return said


def _ambiguity(done: Sequence[OneRound], begun: Sequence[OneRound]) -> str:
    cure = "Ambiguity is what a rubric can cure"
    if len(done) < _TO_COMPARE:
        newest = begun[-1]
        so_far = " so far" if newest.open else ""
        return f"{cure}: {_found(newest)} in round {newest.batch.number}{so_far}."
    first, last = done[0], done[-1]
    if _found(first) == _found(last):
        return f"{cure}; it stayed at {_found(last)}."
    verb = "fell" if _found(last) < _found(first) else "rose"
    return (
        f"{cure}; it {verb} from {_found(first)} in round {first.batch.number} "
        f"to {_found(last)} in round {last.batch.number}."
    )


def _found(one: OneRound) -> int:
    return one.sorted.get("ambiguity", 0)
