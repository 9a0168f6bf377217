"""What else to try with a check that rewording has not settled: split, code, or a ruling.

Pure. After three rounds below the bar, over all versions that the check has lived through, another
wording is the least likely thing to help; why that is, is said in words (DESIGN §7, Clearing).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from annotate.reliability import Value
from rubrics.content import Rubric
from rubrics.document import sources
from rubrics.hints import on_wording

Way = Literal["split", "automatic", "ruling"]

# So many rounds below the bar, one after the other, before something else is proposed.
ROUNDS = 3
# Splits that follow one line between the same raters: so many at least, and this share of all.
FACING = 3
FACING_SHARE = 0.6


@dataclass(frozen=True)
class Proposal:
    """`way` to go on with check `key`; `why` is a clause, `do` says it as a request."""

    key: str
    way: Way
    rounds: int
    why: str
    do: str

    @property
    def sentence(self) -> str:
        return (
            f"{self.key} has stayed below the bar for {self.rounds} rounds: {self.do}, {self.why}."
        )


@dataclass(frozen=True)
class Facing:
    """Of `splits` units on which raters differ, the most in which the same two stand on the same
    opposite sides (`same`), and in how many of these each of the two cites the check (`cited`).
    """

    splits: int = 0
    same: int = 0
    cited: int = 0

    @property
    def lines_up(self) -> bool:
        return self.same >= FACING and self.same >= FACING_SHARE * self.splits

    @property
    def argued(self) -> bool:
        """Both sides say why, more often than not."""
        return self.lines_up and 2 * self.cited > self.same


@dataclass(frozen=True)
class Case:
    """A check that is below the bar: its wording now, and what has been tried.

    `below` are the rounds in a row, the latest included, in which its alpha stayed below the bar;
    `wordings` counts the different wordings among them. `was_split` where it comes of a split.
    """

    key: str
    text: str
    below: int
    wordings: int = 1
    was_split: bool = False
    facing: Facing = Facing()


def propose(case: Case) -> Proposal | None:
    """None before the third round. What raters did weighs more than what the wording looks like."""
    if case.below < ROUNDS:
        return None
    hints = dict(on_wording(case.text))
    if case.facing.argued:
        facing = case.facing
        why = (
            f"since the same two raters stand on opposite sides in {facing.same} of "
            f"{facing.splits} splits and both cite it"
        )
        return _proposal(case, "ruling", why)
    if "code" in hints:
        return _proposal(case, "automatic", f"since “{hints['code']}” can be measured by code")
    if "compound" in hints:
        again = " again" if case.was_split else ""
        return _proposal(
            case, "split", f"since “{hints['compound']}” asks two things at once{again}"
        )
    if case.facing.lines_up:
        facing = case.facing
        why = f"since the same two raters differ in {facing.same} of {facing.splits} splits"
        return _proposal(case, "ruling", why)
    if case.wordings >= ROUNDS:
        return _proposal(case, "ruling", f"since {case.wordings} wordings have not settled it")
    return _proposal(case, "ruling", "since nothing in its wording can be split or measured")


_DO: Mapping[Way, str] = {
    "split": "split it",
    "automatic": "make it an automatic check",
    "ruling": "send its splits to the policy owner for a ruling",
}


def _proposal(case: Case, way: Way, why: str) -> Proposal:
    return Proposal(case.key, way, case.below, why, _DO[way])


def facing(units: Iterable[Mapping[int, tuple[Value, bool]]]) -> Facing:
    """How far the splits of one check follow one line between two raters.

    `units` give by rater the label and whether that rater's vote cites the check. A pair of raters
    counts once for each way round: who says yes here and no there stands on no side.
    """
    splits = 0
    same: dict[tuple[int, int, Value, Value], list[bool]] = {}
    for given in units:
        if len({value for value, _ in given.values()}) < 2:
            continue
        splits += 1
        for (one, (a, cites)), (other, (b, also)) in combinations(sorted(given.items()), 2):
            if a != b:
                same.setdefault((one, other, a, b), []).append(cites and also)
    best = max(same.values(), key=lambda found: (len(found), sum(found)), default=[])
    return Facing(splits, len(best), sum(best))


def line_of(key: str, documents: Sequence[Rubric]) -> list[tuple[str, ...]]:
    """The keys that a check of the newest document had in each, newest first.

    `documents` are a rubric's versions, oldest first. A renamed check has its older name there, a
    merged one several; from where it was new on, and where it was asked of nobody, there are none.
    """
    if not documents:
        return []
    found: list[tuple[str, ...]] = [(key,)]
    for older, newer in zip(reversed(documents[:-1]), reversed(documents), strict=False):
        origin = sources(older, newer)
        asked = {check.key for check in older.criteria if check.kind != "automatic"}
        before = [was for now in found[-1] for was in origin.get(now, ()) if was in asked]
        found.append(tuple(dict.fromkeys(before)))
    return found


def below_in_a_row(alphas: Sequence[float | None], bar: float) -> int:
    """How many of the latest figures, oldest first, lie below the bar without one that reaches it.

    What is undefined neither counts nor breaks the row.
    """
    times = 0
    for alpha in reversed(alphas):
        if alpha is None:
            continue
        # Alphas that are equal as fractions must not miss a bar by the last bit.
        if alpha >= bar - 1e-9:
            break
        times += 1
    return times
