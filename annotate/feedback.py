"""How an answer given in practice stands beside the known one. Pure.

Both are canonical, labels by (key, part) with the preference under ("preference", ""); what comes
out is in the terms that the rater saw, since it is shown to that rater.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotate.ballot import Ballot, Order, number_of, side_of
from rubrics.content import PREFERENCE
from rubrics.words import joined

Labels = Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class Compared:
    """One answer beside the known one; '' where it was not asked. `part` is Left, Right or ''."""

    key: str
    part: str
    own: str
    known: str

    @property
    def counts(self) -> bool:
        """Where a gate decided for one of the two, there is nothing to compare."""
        return bool(self.own and self.known)

    @property
    def same(self) -> bool:
        return self.counts and _equal(self.own, self.known)

    @property
    def differs(self) -> bool:
        return self.counts and not self.same


def compare(ballot: Ballot, order: Order, own: Labels, known: Labels) -> tuple[Compared, ...]:
    """Every answer of the ballot from left to right and top to bottom, the preference last.

    Values stay codes of the rubric: a preference names canonical sides, whoever shows it turns it.
    """
    places = [(check.key, part) for check in ballot.checks for part in check.parts]
    places += [(PREFERENCE, "")] if ballot.preference else []
    stored = {(key, part): (key, side_of(part, order)) for key, part in places}
    return tuple(
        Compared(*seen, own=own.get(place, ""), known=known.get(place, ""))
        for seen, place in stored.items()
    )


def different(compared: Iterable[Compared]) -> tuple[str, ...]:
    """Keys of the checks with any answer unlike the known one, each once, in order."""
    return tuple(dict.fromkeys(one.key for one in compared if one.differs))


def sentence(compared: Sequence[Compared]) -> str:
    """What the answers come to: how many were the same, and what to look at again."""
    counted = [one for one in compared if one.counts]
    same = sum(one.same for one in counted)
    if not counted:
        return "There is no known answer to compare with."
    if same == len(counted) == 1:
        return "Your one answer is the same as the known one."
    if same == len(counted):
        return f"All {same} answers are the same as the known ones."
    verb = "is" if same == 1 else "are"
    keys = ["the preference" if key == PREFERENCE else key for key in different(counted)]
    return f"{same} of {len(counted)} answers {verb} the same; look again at {joined(keys)}."


def _equal(own: str, known: str) -> bool:
    """The same code, or the same number however it is written."""
    number = number_of(own)
    return own == known or (number is not None and number == number_of(known))
