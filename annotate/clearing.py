"""What a check's reliability comes to in words, whether it clears, and what a lead does next.

Pure. The rules are DESIGN §7 (Clearing) and docs/design/clearing.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from annotate.proposals import Proposal
from annotate.reliability import (
    Bars,
    Level,
    Reliability,
    Status,
    Value,
    explain,
    explain_interval,
    notes,
    status,
)
from rubrics.content import NA
from rubrics.words import bar_words, counted_noun, listed, value_words

Kind = Literal["gate", "criterion", "preference", "outcome"]
Figure = Literal["values", "applicability"]

# The pairs of a calibration round, unless its lead asks for another number.
ROUND_SIZE = 40
CLEARED = (Status.CLEARS, Status.CLEARS_THIN)
# The one word that no measurement gives.
WAIVED = "waived"
_UNTESTED = (Status.NOT_TESTABLE, Status.UNDEFINED)
# What holds volume closed, the most urgent first; the last only where a project is that strict.
_URGENCY = (Status.BROKEN, Status.TENTATIVE, *_UNTESTED, Status.CLEARS_THIN)


@dataclass(frozen=True)
class Row:
    """One figure of a report: how well raters agree on one check, and what that comes to.

    `figure` is "values", or "applicability" for the question whether an ordinal or interval check
    applies at all. `split` counts the units on which raters differ. `own` is the round's own
    reliability where `reliability` is pooled over several rounds. `counts` says whether volume
    waits for this row, `waived` why it no longer does though the check has not cleared ('' where
    it does). `missing` minority units are missing before it can be tested. `thin_waits` says that
    clearing thin is not enough here.
    """

    key: str
    kind: Kind
    title: str
    figure: Figure
    level: Level
    scale: tuple[Value, ...]
    reliability: Reliability
    split: int
    status: Status
    words: str
    notes: tuple[str, ...]
    counts: bool
    own: Reliability | None = None
    waived: str = ""
    missing: int = 0
    thin_waits: bool = False

    @property
    def cleared(self) -> bool:
        """As far as volume is concerned: a strict project has no use for what clears thin."""
        return self.status in CLEARED and not self.is_waiting

    @property
    def is_waiting(self) -> bool:
        """It clears thin, in a project where that waits for another round."""
        return self.thin_waits and self.status == Status.CLEARS_THIN

    @property
    def is_waived(self) -> bool:
        """A waiver is moot once the check clears after all."""
        return bool(self.waived) and not self.cleared

    @property
    def done(self) -> bool:
        """Volume no longer waits for it."""
        return self.cleared or self.is_waived

    @property
    def state(self) -> str:
        """The status as people are told it: a waiver stands before what was measured."""
        return WAIVED if self.is_waived else self.status

    @property
    def code(self) -> str:
        """The name of the figure in addresses."""
        return code_of(self.key, self.figure)

    @property
    def name(self) -> str:
        """The key, or the words of a figure that has none of its own."""
        if self.figure == "applicability":
            return f"{self.key} (applies or not)"
        return self.key.capitalize() if self.kind in ("preference", "outcome") else self.key

    @property
    def minority(self) -> Value | None:
        """The rarer value of a check that has two, one that nobody has given included."""
        given = [value for value, _ in self.reliability.pairable_counts if value != NA]
        scale = [value for value in self.scale if value != NA]
        values = scale if len(scale) == 2 and set(given) <= set(scale) else given
        usual = self.reliability.usual
        if len(values) != 2 or usual not in values:
            return None
        return next(value for value in values if value != usual)


def code_of(key: str, figure: Figure) -> str:
    """One name for a check's figure; keys hold no colon."""
    return key if figure == "values" else f"{key}:{figure}"


Goal = Literal["disagreements", "pairs", "new_round", "decisions", "waive", "probes"]


@dataclass(frozen=True)
class Next:
    """What to do next: one sentence, and one button that leads to `goal`, about check `key`."""

    sentence: str
    action: str
    goal: Goal
    key: str = ""


@dataclass(frozen=True)
class Road:
    """What the next step rests on beside the figures, by key of a check.

    `ready` counts the probe pairs that fail the check and can still be planted; `caught` is
    (caught by every rater, planted) in the rounds that are measured; `proposals` say what to try
    after three rounds below the bar.
    """

    ready: Mapping[str, int] = field(default_factory=dict)
    caught: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    proposals: Mapping[str, Proposal] = field(default_factory=dict)


def row(
    *,
    key: str,
    kind: Kind,
    title: str,
    figure: Figure,
    level: Level,
    scale: Sequence[Value],
    reliability: Reliability,
    split: int,
    bars: Bars,
    counts: bool,
    own: Reliability | None = None,
    waived: str = "",
) -> Row:
    """A row with its status under the bars and the words that go with it."""
    found = status(reliability, bars)
    bare = Row(
        key=key,
        kind=kind,
        title=title,
        figure=figure,
        level=level,
        scale=tuple(scale),
        reliability=reliability,
        split=split,
        status=found,
        words="",
        notes=notes(reliability),
        counts=counts,
        own=own,
        waived=waived,
        missing=max(0, bars.minority - reliability.minority_units),
        thin_waits=bars.thin_waits,
    )
    return _with_words(bare, bars)


def _with_words(bare: Row, bars: Bars) -> Row:
    words = _words(bare, bars)
    return Row(**{**vars(bare), "words": words[:1].upper() + words[1:]})


def _words(row: Row, bars: Bars) -> str:
    match row.status:
        case Status.UNDEFINED:
            return f"{explain(row.reliability)}."
        case Status.NOT_TESTABLE:
            return _too_few(row, bars)
        case Status.CLEARS_THIN:
            interval = row.reliability.interval
            why = explain_interval(row.reliability)
            if interval is not None:
                why = f"lower end {interval[0]:.2f}, below {bar_words(bars.tentative)}"
            return f"{why}; waits for another round." if row.is_waiting else f"{why}."
        case Status.BROKEN | Status.TENTATIVE:
            return f"raters differ on {counted_noun(row.split, 'unit')}."
    return ""


def _too_few(row: Row, bars: Bars) -> str:
    found = row.reliability.minority_units
    if row.minority is not None:
        return f"{found} of {bars.minority} units needed with {value_words(row.minority)}."
    usual = "" if row.reliability.usual is None else value_words(row.reliability.usual)
    return f"{found} of {bars.minority} units needed with a label other than {usual}."


def required(rows: Sequence[Row]) -> list[Row]:
    """The rows that volume waits for."""
    return [row for row in rows if row.counts]


def checks(rows: Sequence[Row]) -> tuple[int, int]:
    """(cleared or waived, all) of the checks that volume waits for; each needs all its figures."""
    by_key: dict[str, bool] = {}
    for found in required(rows):
        by_key[found.key] = by_key.get(found.key, True) and found.done
    return sum(by_key.values()), len(by_key)


def waived(rows: Sequence[Row]) -> list[str]:
    """The checks that volume would wait for were they not waived."""
    return _keys([row for row in required(rows) if row.is_waived])


def next_step(
    rows: Sequence[Row], *, version: int, imported: bool = False, road: Road | None = None
) -> Next:
    """What keeps volume closed and what to do about it, the most urgent first."""
    road = road or Road()
    holding = _holding(rows)
    if not holding:
        return _all_cleared(rows, version, imported=imported)
    if holding[0].status in (Status.BROKEN, Status.TENTATIVE):
        if imported:
            return _imported_disagreements(holding)
        return _disagreements(rows, holding, version, road)
    if holding[0].is_waiting:
        return _thin(holding, version)
    return _imported_untested(holding) if imported else _untested(holding, version, road)


def _holding(rows: Sequence[Row]) -> list[Row]:
    """The rows of the most urgent state among those not done, the lowest alpha first."""
    for state in _URGENCY:
        if found := _of_state(rows, state):
            return sorted(found, key=lambda row: row.reliability.alpha or 0.0)
    return []


def holding_words(rows: Sequence[Row]) -> str:
    """Every check that keeps volume closed, by its state: “C2 broken, C4 and C5 not testable”."""
    words = {
        Status.BROKEN: "broken",
        Status.TENTATIVE: "tentative",
        Status.NOT_TESTABLE: "not testable yet",
        Status.UNDEFINED: "undefined",
        Status.CLEARS_THIN: "thin",
    }
    states = ((words[state], _of_state(rows, state)) for state in _URGENCY)
    return "; ".join(f"{listed(_keys(found))} {said}" for said, found in states if found)


def _of_state(rows: Sequence[Row], state: Status) -> list[Row]:
    return [row for row in required(rows) if row.status == state and not row.done]


def _all_cleared(rows: Sequence[Row], version: int, *, imported: bool) -> Next:
    if not required(rows):
        return Next("There is nothing in these votes to measure.", "See the pairs", "pairs")
    thin = _keys([row for row in required(rows) if row.status == Status.CLEARS_THIN])
    also = f" {listed(thin)} only just: look again at the first overlap." if thin else ""
    if imported:
        sentence = f"Every check reaches the bar in these votes.{also}"
        return Next(sentence, "See the decisions", "decisions")
    spared = waived(rows)
    cleared = f"has cleared or is waived ({listed(spared)})" if spared else "has cleared"
    return Next(
        f"Every check of version {version} {cleared}, so volume labelling may begin.{also}",
        "See the decisions",
        "decisions",
    )


def _imported_disagreements(holding: Sequence[Row]) -> Next:
    state = "broken" if holding[0].status == Status.BROKEN else "tentative"
    return Next(
        f"In these votes {_are(holding)} {state}. Read {_splits(holding)} before relying on them.",
        "Read the disagreements",
        "disagreements",
        holding[0].key,
    )


def _imported_untested(holding: Sequence[Row]) -> Next:
    return Next(
        f"On these votes {_are(holding)} not testable: too few labels are off the usual one.",
        "See the pairs",
        "pairs",
        holding[0].key,
    )


def _disagreements(rows: Sequence[Row], holding: Sequence[Row], version: int, road: Road) -> Next:
    """Below the bar: settle, reword and try on fresh pairs, or what three rounds have shown."""
    state = "broken" if holding[0].status == Status.BROKEN else "tentative"
    sentence = (
        f"Volume stays closed: {_are(holding)} {state}. Settle {_splits(holding)} in the meeting, "
        f"then publish version {version + 1} and label fresh pairs."
    )
    first = next((road.proposals[key] for key in _bare(holding) if key in road.proposals), None)
    if first is not None:
        sentence += f" {first.sentence}"
    untested = [row for state in _UNTESTED for row in _of_state(rows, state)]
    if untested:
        sentence += f" {_are(untested)} not testable yet: {_plant(untested, road)} in that round."
    key = first.key if first is not None else holding[0].key
    return Next(sentence, "Read the disagreements", "disagreements", key)


def _untested(holding: Sequence[Row], version: int, road: Road) -> Next:
    """Too few minority units: another round, probes, or a waiver that rests on what they caught."""
    names, key = listed(_keys(holding)), holding[0].key
    said = f"Volume stays closed: {_needs(holding)}."
    met = [(row.key, *road.caught[row.key]) for row in holding if row.key in road.caught]
    for missed, caught, planted in met:
        if caught < planted:
            sentence = (
                f"{said} Of {counted_noun(planted, 'planted failure')} of {missed} raters missed "
                f"{planted - caught}: read them, then make plain what {missed} asks."
            )
            return Next(sentence, "See the probe pairs", "probes", missed)
    if met:
        first, _, planted = met[0]
        every = "all " if planted > 1 else ""
        sentence = (
            f"{said} Raters caught {every}{counted_noun(planted, 'planted failure')} of {first}: "
            f"waive it for that reason, or label another round with version {version}."
        )
        return Next(sentence, f"Waive {first}", "waive", first)
    it = "it" if len(_keys(holding)) == 1 else "them"
    if any(road.ready.get(row.key) for row in holding):
        sentence = (
            f"{said} Label another round with version {version} and {_plant(holding, road)} in "
            f"it, or waive {names} with a reason."
        )
    else:
        sentence = (
            f"{said} Label another round with version {version}; its figures are added to these. "
            f"Probe pairs in it would show whether raters see a failure, and a waiver with a "
            f"reason opens volume without {it}."
        )
    return Next(sentence, "Start a round", "new_round", key)


def _thin(holding: Sequence[Row], version: int) -> Next:
    """A strict project: one lucky round is not enough, and nobody looks again once volume runs."""
    keys = _keys(holding)
    clear, it = ("clears", "it") if len(keys) == 1 else ("clear", "them")
    sentence = (
        f"Volume stays closed: {listed(keys)} {clear} only just, which is not enough in this "
        f"project. Label another round with version {version}; its figures are added to these. "
        f"A waiver with a reason opens volume without {it}."
    )
    return Next(sentence, "Start a round", "new_round", holding[0].key)


def _needs(rows: Sequence[Row]) -> str:
    """“G2 is not testable yet, 8 more units with fail are missing”."""
    if len(_keys(rows)) == 1:
        return f"{_are(rows)} not testable yet, {_lack(rows[0])}"
    each = [f"{_key(row)} ({_lack(row)})" for row in _one_each(rows)]
    return f"{listed(each)} are not testable yet"


def _lack(row: Row) -> str:
    if row.status == Status.UNDEFINED and row.reliability.reason != "no_variation":
        return explain(row.reliability)
    usual = row.reliability.usual
    if row.minority is not None:
        which = f"with {value_words(row.minority)}"
    else:
        which = "off the usual label" if usual is None else f"off {value_words(usual)}"
    return f"{counted_noun(row.missing, 'more unit')} {which} needed"


def _plant(rows: Sequence[Row], road: Road) -> str:
    """“plant the 8 probe pairs that fail G2”, or what there is to plant first."""
    there = [(row.key, road.ready[row.key]) for row in _one_each(rows) if road.ready.get(row.key)]
    if not there:
        return "plant probe pairs"
    each = [f"{times} that fail{'s' * (times == 1)} {key}" for key, times in there]
    noun = "probe pair" if there[0][1] == 1 else "probe pairs"
    return f"plant the {listed(each).replace(' ', f' {noun} ', 1)}"


def _one_each(rows: Sequence[Row]) -> list[Row]:
    """A row for each check: it may hold volume up with two figures."""
    return list({row.key: row for row in reversed(rows)}.values())[::-1]


def _are(rows: Sequence[Row]) -> str:
    keys = _keys(rows)
    return f"{listed(keys)} {'is' if len(keys) == 1 else 'are'}"


def _splits(rows: Sequence[Row]) -> str:
    whose = "its" if len(_keys(rows)) == 1 else "their"
    return f"{whose} {counted_noun(sum(row.split for row in rows), 'disagreement')}"


def _bare(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.key for row in rows))


def _keys(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(_key(row) for row in rows))


def _key(row: Row) -> str:
    return f"the {row.key}" if row.kind in ("preference", "outcome") else row.key
