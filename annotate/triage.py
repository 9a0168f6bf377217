"""Which kind of disagreement a split is, as a suggestion with its reason in words. Pure.

A person accepts or changes it; nothing follows from it by itself. The rules, their order and where
each constant comes from are docs/design/triage.md. In short, the first that holds decides:

1. weighting: on a preference for opposite sides, all gate and criterion labels agree;
2. ambiguity: a rater flagged this very check as unclear on this subject;
3. slip: a lone dissent with evidence against it: at odds with the rater's own vote, made faster
   than the texts can be read, or by a rater who misses known answers on this check;
4. ambiguity: a gate or criterion below the bar, and this split is part of that pattern;
5. slip: a lone dissent on a gate or criterion that otherwise clears;
6. legitimate: what remains.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import combinations
from typing import Literal, TypeVar

from annotate.ballot import number_of
from annotate.decisions import SIDES
from annotate.reliability import Bars, Level, Status
from rubrics.content import NA
from rubrics.words import joined

Kind = Literal["slip", "ambiguity", "weighting", "legitimate"]
KINDS: tuple[Kind, ...] = ("slip", "ambiguity", "weighting", "legitimate")
CheckKind = Literal["gate", "criterion", "preference"]
T = TypeVar("T")

# The same two raters differ the same way on so many other units of a check: twice is a reading,
# once may be chance.
REPEATS = 2
# Or the check splits on so large a share of its units, and on no fewer units than this. A quarter
# of the units split is alpha .667 for three raters who use two values equally often.
WIDESPREAD = 0.25
FEWEST_SPLIT = 3
# Characters a second of both responses: 500 English words a minute. Above that readers skim.
FASTEST_READING = 50.0
# Known answers missed on one check: two, and a fifth of those met.
GOLD_MISSES = 2
GOLD_SHARE = 0.2
# Equal fractions must not miss a bar by the last bit.
_ROUNDING = 1e-9
_RANKS = {"fail": 0.0, "pass": 1.0, "no": 0.0, "yes": 1.0}


class Strength(IntEnum):
    """How much speaks for a suggestion: nothing in particular, one sign, several that agree.

    More of the same evidence never makes it weaker.
    """

    WEAK = 1
    FAIR = 2
    STRONG = 3


@dataclass(frozen=True)
class Suggestion:
    """`why` is whole sentences; raters stand in it by the handles that the caller gave."""

    kind: Kind
    why: str
    strength: Strength


@dataclass(frozen=True)
class Voter:
    """One rater's whole vote on the subject.

    `value` is the label on the unit in question, '' without one; `labels` has all gate and
    criterion labels by (key, part), that one among them; `margin` counts steps of preference,
    positive to A (`decisions.margins_of`), None where none was asked. `active_s` is None where
    nobody measured it. `gold` is (right, of): known answers of planted pairs on this check.
    """

    handle: str
    value: str = ""
    labels: Mapping[tuple[str, str], str] = field(default_factory=dict)
    margin: int | None = None
    cites: frozenset[str] = frozenset()
    unclear: frozenset[str] = frozenset()
    active_s: int | None = None
    gold: tuple[int, int] | None = None


@dataclass(frozen=True)
class Case:
    """A unit on which raters differ, with all that the rules look at.

    `key` and `name` are the check's own ("C2"; "the preference" in a sentence). `scale` has its
    codes in order, () where it has none; `scales` those of every ordinal check of the rubric, the
    worst first: what tells which side a label speaks for. `voters` are all who voted on the
    subject. `alpha` and `status` are the figure that the split lies in, over all votes that count;
    `shared` counts the check's units with two labels or more and `split` those on which raters
    differ, this one among them. `repeats` is what `Patterns.repeats` says, None where raters
    are no persons. `characters` is the length of the responses together, None where it is unknown.
    """

    key: str
    name: str
    kind: CheckKind
    part: str
    level: Level
    voters: tuple[Voter, ...]
    scale: tuple[str, ...] = ()
    scales: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    alpha: float | None = None
    status: Status = Status.UNDEFINED
    bar: float = Bars.clear
    shared: int = 0
    split: int = 0
    repeats: int | None = None
    characters: int | None = None

    @property
    def labelled(self) -> tuple[Voter, ...]:
        """Those who gave a label on the unit."""
        return tuple(voter for voter in self.voters if voter.value)

    @property
    def below(self) -> bool:
        """Whether alpha is below the bar that clears."""
        return self.alpha is not None and self.alpha < self.bar - _ROUNDING

    @property
    def clears(self) -> bool:
        return self.status in (Status.CLEARS, Status.CLEARS_THIN)


def suggest(case: Case) -> Suggestion:
    """The suggested kind of a split; the same for the same votes in whatever order they come."""
    case = replace(case, voters=tuple(sorted(case.voters, key=lambda one: _natural(one.handle))))
    rules = (_weighting, _flagged, _doubtful, _patterned, _stray)
    return next((found for rule in rules if (found := rule(case))), None) or _legitimate(case)


def opposite(margins: Iterable[int | None]) -> bool:
    """Whether preferences differ in sign: some lean to A, some to B. A tie leans to neither."""
    given = [margin for margin in margins if margin is not None]
    return any(margin > 0 for margin in given) and any(margin < 0 for margin in given)


# --- 1. weighting


def _weighting(case: Case) -> Suggestion | None:
    sides = _preferring(case)
    if case.kind != "preference" or not all(sides):
        return None
    compared, differing = _compared(case.labelled)
    if not compared or differing:
        return None
    one, other = (frozenset[str]().union(*(voter.cites for voter in side)) for side in sides)
    why = (
        f"{_prefers(sides[0], 'A')}, {_prefers(sides[1], 'B')}, and all gate and criterion labels "
        "that they share agree"
    )
    lone = lone_dissent(case)
    if lone and (against := _at_odds(case, lone)):
        why = f"{why}. {lone.handle} stands alone: {against}. It may be a slip"
        return Suggestion("weighting", f"{why}.", Strength.WEAK)
    if one and one == other:
        why = f"{why}. Both sides cite {_named(one)}: it may be taste"
        return Suggestion("weighting", f"{why}.", Strength.WEAK)
    if one and other and not one & other:
        why = f"{why}: one side cites {_named(one)}, the other {_named(other)}"
        return Suggestion("weighting", f"{why}.", Strength.STRONG)
    return Suggestion("weighting", f"{why}.", Strength.FAIR)


def _preferring(case: Case) -> tuple[list[Voter], list[Voter]]:
    """Who prefers A, and who B."""
    given = case.labelled
    return [v for v in given if (v.margin or 0) > 0], [v for v in given if (v.margin or 0) < 0]


def _compared(voters: Sequence[Voter]) -> tuple[int, list[str]]:
    """How many labels two or more of them share, and the checks on which they differ."""
    given: dict[tuple[str, str], list[str]] = {}
    for voter in voters:
        for place, code in voter.labels.items():
            given.setdefault(place, []).append(code)
    shared = {place: codes for place, codes in given.items() if len(codes) > 1}
    differing = {key for (key, _), codes in shared.items() if len(set(codes)) > 1}
    return len(shared), sorted(differing, key=_natural)


# --- 2. and 4. ambiguity


def _flagged(case: Case) -> Suggestion | None:
    flagging = [voter.handle for voter in case.voters if case.key in voter.unclear]
    if not flagging:
        return None
    why = f"{joined(flagging)} flagged {case.name} unclear"
    if case.below:
        why += f" and {case.name} is below the bar"
    strong = case.below or len(flagging) > 1
    return Suggestion("ambiguity", f"{why}.", Strength.STRONG if strong else Strength.FAIR)


def _patterned(case: Case) -> Suggestion | None:
    if case.kind == "preference" or not case.below:
        return None
    repeated, spread = _is_repeated(case), _is_widespread(case)
    if not (repeated or spread):
        return None
    told = []
    if spread:
        told.append(f"raters differ on {case.split} of {case.shared} units")
    if repeated:
        told.append(f"two raters differ the same way on {case.repeats} other units")
    why = f"{_capital(case.name)} is below the bar: {', and '.join(told)}."
    return Suggestion("ambiguity", why, Strength.STRONG if len(told) > 1 else Strength.FAIR)


def _is_repeated(case: Case) -> bool:
    return case.repeats is not None and case.repeats >= REPEATS


def _is_widespread(case: Case) -> bool:
    return case.split >= FEWEST_SPLIT and case.split >= WIDESPREAD * case.shared - _ROUNDING


# --- 3. and 5. slip


def _doubtful(case: Case) -> Suggestion | None:
    lone = lone_dissent(case)
    if lone is None:
        return None
    reasons = [reason for reason in (_at_odds(case, lone), _hasty(case, lone)) if reason]
    if missed := _misses(case, lone):
        reasons.append(missed)
    if not reasons:
        return None
    if _clears_otherwise(case):
        reasons.append(f"{case.name} otherwise clears")
    why = f"{lone.handle} stands alone: {'; '.join(reasons)}."
    return Suggestion("slip", why, Strength.STRONG if len(reasons) > 1 else Strength.FAIR)


def _stray(case: Case) -> Suggestion | None:
    lone = lone_dissent(case)
    if lone is None or not _clears_otherwise(case):
        return None
    thin = case.status == Status.CLEARS_THIN
    why = f"{lone.handle} stands alone, and {case.name} otherwise clears"
    return Suggestion(
        "slip",
        f"{why}, if only just." if thin else f"{why}.",
        Strength.WEAK if thin else Strength.FAIR,
    )


def _clears_otherwise(case: Case) -> bool:
    """Legitimate taste is part of a preference: that it clears makes no dissent a slip."""
    return case.clears and case.kind != "preference"


def lone_dissent(case: Case) -> Voter | None:
    """The one rater who stands farther from everybody than the others stand from each other.

    Of three labels or more. Labels of a nominal check are one apart or equal; those of an ordered
    one are as far apart as their places, unless somebody says that the check does not apply: then
    that alone is in question.
    """
    voters = case.labelled
    if len(voters) < 3:
        return None
    points = _points(case, voters)
    if points is None:
        return _lone_of_classes(voters, _classes(case, voters))
    order = sorted(range(len(voters)), key=lambda n: points[n])
    ranked = [points[n] for n in order]
    if ranked[1] - ranked[0] > ranked[-1] - ranked[1] + _ROUNDING:
        return voters[order[0]]
    if ranked[-1] - ranked[-2] > ranked[-2] - ranked[0] + _ROUNDING:
        return voters[order[-1]]
    return None


def _points(case: Case, voters: Sequence[Voter]) -> list[float] | None:
    if case.level == "nominal":
        return None
    found = [_point(voter.value, case.level, case.scale) for voter in voters]
    return None if None in found else [point for point in found if point is not None]


def _point(code: str, level: Level, scale: Sequence[str]) -> float | None:
    if level == "ordinal" and scale:
        return float(scale.index(code)) if code in scale else None
    return number_of(code)


def _classes(case: Case, voters: Sequence[Voter]) -> list[str]:
    if case.level == "nominal":
        return [voter.value for voter in voters]
    return [NA if voter.value == NA else "" for voter in voters]


def _lone_of_classes(voters: Sequence[Voter], classes: Sequence[str]) -> Voter | None:
    times = Counter(classes)
    if len(times) != 2:
        return None
    return next((v for v, one in zip(voters, classes, strict=True) if times[one] == 1), None)


def _at_odds(case: Case, lone: Voter) -> str:
    """Why the vote contradicts itself, where it would not with the label that the others gave."""
    why = _contradiction(lone, case.scales)
    return why if why and not _contradiction(_mended(case, lone), case.scales) else ""


def _mended(case: Case, lone: Voter) -> Voter:
    """The vote as it would be with what the others gave: their commonest label or margin."""
    others = [voter for voter in case.labelled if voter is not lone]
    if case.kind == "preference":
        return replace(lone, margin=_commonest(voter.margin for voter in others))
    code = _commonest(voter.value for voter in others)
    return replace(lone, labels={**lone.labels, (case.key, case.part): code})


def _commonest(found: Iterable[T]) -> T:
    times = Counter(found)
    return min(times, key=lambda one: (-times[one], str(one)))


def _contradiction(voter: Voter, scales: Mapping[str, Sequence[str]]) -> str:
    """How a vote contradicts itself, in words; '' where it does not, or has no preference."""
    if voter.margin is None:
        return ""
    leans = {key: _lean(voter, key, scales) for key in {key for key, _ in voter.labels}}
    failing = {part for (_, part), code in voter.labels.items() if code == "fail" and part in SIDES}
    if len(failing) == 1:
        (side,) = failing
        if voter.margin == 0 or (voter.margin > 0) == (side == "A"):
            given = "calls it a tie" if voter.margin == 0 else f"prefers {side}"
            return f"their own vote {given} though {side} fails a gate"
    if voter.margin == 0:
        return ""
    preferred = "A" if voter.margin > 0 else "B"
    signed = {key: lean * (1 if preferred == "A" else -1) for key, lean in leans.items() if lean}
    if signed and all(lean < 0 for lean in signed.values()):
        keys = _named(signed)
        return f"they prefer {preferred}, but their own {keys} {_speak(signed)} against it"
    cited = {key: lean for key, lean in signed.items() if key in voter.cites}
    if cited and all(lean < 0 for lean in cited.values()):
        keys = _named(cited)
        return f"they cite {keys} for {preferred}, but their own {keys} {_speak(cited)} against it"
    return ""


def _speak(keys: Mapping[str, int]) -> str:
    return "speaks" if len(keys) == 1 else "speak"


def _lean(voter: Voter, key: str, scales: Mapping[str, Sequence[str]]) -> int:
    """1 where the labels on a check speak for A, -1 for B, 0 for neither or nobody knows."""
    a, b = (_rank(voter.labels.get((key, side), ""), scales.get(key, ())) for side in SIDES)
    return 0 if a is None or b is None else (a > b) - (a < b)


def _rank(code: str, scale: Sequence[str]) -> float | None:
    """How good a label is; None where nothing says so, as with a measured number."""
    if code in scale:
        return float(scale.index(code))
    return _RANKS.get(code)


def _hasty(case: Case, lone: Voter) -> str:
    if lone.active_s is None or not case.characters:
        return ""
    if case.characters <= FASTEST_READING * lone.active_s:
        return ""
    return (
        f"they spent {_seconds(lone.active_s)} on {case.characters:,} characters, "
        "faster than these can be read"
    )


def _misses(case: Case, lone: Voter) -> str:
    right, of = lone.gold or (0, 0)
    missed = of - right
    if missed < GOLD_MISSES or missed < GOLD_SHARE * of - _ROUNDING:
        return ""
    return f"they miss {missed} of {of} known answers on {case.name}"


# --- 6. legitimate


def _legitimate(case: Case) -> Suggestion:
    found = [
        grounds for pair in combinations(case.labelled, 2) if (grounds := _grounds(case, *pair))
    ]
    if not found:
        return Suggestion("legitimate", _what_remains(case), Strength.WEAK)
    strength, why = max(found, key=lambda one: one[0])
    return Suggestion("legitimate", why, strength)


def _grounds(case: Case, one: Voter, other: Voter) -> tuple[Strength, str] | None:
    """How far two raters rest opposite choices on the same ids; None where they do not.

    Of a check, the ids that count are its own: a rationale explains the preference.
    """
    whose, apart = joined([one.handle, other.handle]), opposite((one.margin, other.margin))
    both = one.cites & other.cites
    keys = _named(both)
    if case.kind != "preference":
        if one.value == other.value or case.key not in both:
            return None
        why = f"{whose} both cite {case.key} and label it otherwise"
        if apart:
            return Strength.STRONG, f"{why}, for opposite preferences."
        return Strength.FAIR, f"{why}."
    if not apart or not both:
        return None
    if one.cites == other.cites:
        return Strength.STRONG, f"{whose} cite the same, {keys}, for opposite choices."
    return Strength.FAIR, f"{whose} both cite {keys} for opposite choices."


def _what_remains(case: Case) -> str:
    if case.kind != "preference":
        return "Nothing points to a slip or to the wording: both readings can stand."
    if not opposite(voter.margin for voter in case.labelled):
        return "They differ in degree: no two prefer opposite sides."
    compared, differing = _compared(case.labelled)
    if differing:
        return f"They differ on {joined(differing)} as well: settle that first."
    if not compared:
        return "They prefer opposite sides, and no check was asked that could say why."
    return "They prefer opposite sides, and nothing points to a slip."


# --- patterns over all splits of a check


class Patterns:
    """Over all split units of one check: how often two raters differ the same way.

    `splits` has the labels of each by rater. On an ordered scale the same way means that the same
    one gives the higher value, on a nominal one that the same two values are given.
    """

    def __init__(
        self, splits: Iterable[Mapping[int, str]], level: Level, scale: Sequence[str] = ()
    ) -> None:
        self._level, self._scale = level, scale
        self._times = Counter(way for given in splits for way in self._ways(given))

    def repeats(self, given: Mapping[int, str]) -> int:
        """On how many other units do two raters who differ here differ the same way, at most."""
        return max((self._times[way] - 1 for way in self._ways(given)), default=0)

    def _ways(self, given: Mapping[int, str]) -> Iterable[tuple[object, ...]]:
        for one, other in combinations(sorted(given), 2):
            a, b = given[one], given[other]
            if a == b:
                continue
            low, high = (_point(code, self._level, self._scale) for code in (a, b))
            ordered = self._level != "nominal" and low is not None and high is not None
            yield (one, other, low < high) if ordered else (one, other, a, b)  # type: ignore[operator]


# --- words


def _prefers(voters: Sequence[Voter], side: str) -> str:
    verb = "prefers" if len(voters) == 1 else "prefer"
    return f"{joined([voter.handle for voter in voters])} {verb} {side}"


def _named(keys: Iterable[str]) -> str:
    return joined(sorted(keys, key=_natural))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _seconds(number: int) -> str:
    return "1 second" if number == 1 else f"{number:,} seconds"


def _natural(name: str) -> list[tuple[int, str]]:
    """Rater 2 before Rater 10."""
    return [
        (int(piece), "") if piece.isdecimal() else (-1, piece)
        for piece in re.split(r"([0-9]+)", name)
    ]
