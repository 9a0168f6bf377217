"""What a check's reliability comes to in words, whether it clears, and what a lead does next.

Pure. The rules are DESIGN §7 (Clearing) and docs/design/clearing.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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

Kind = Literal["gate", "criterion", "preference", "outcome"]
Figure = Literal["values", "applicability"]

# The pairs of a calibration round, unless its lead asks for another number.
ROUND_SIZE = 40
CLEARED = (Status.CLEARS, Status.CLEARS_THIN)
# What holds volume closed, the most urgent first.
_URGENCY = (Status.BROKEN, Status.TENTATIVE, Status.NOT_TESTABLE, Status.UNDEFINED)


@dataclass(frozen=True)
class Row:
    """One figure of a report: how well raters agree on one check, and what that comes to.

    `figure` is "values", or "applicability" for the question whether an ordinal or interval check
    applies at all. `split` counts the units on which raters differ. `own` is the round's own
    reliability where `reliability` is pooled over several rounds. `counts` says whether volume
    waits for this row.
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

    @property
    def cleared(self) -> bool:
        return self.status in CLEARED

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
        """The rarer value of a check that has two."""
        values = [value for value, _ in self.reliability.pairable_counts if value != NA]
        usual = self.reliability.usual
        if len(values) != 2 or usual not in values:
            return None
        return next(value for value in values if value != usual)


def code_of(key: str, figure: Figure) -> str:
    """One name for a check's figure; keys hold no colon."""
    return key if figure == "values" else f"{key}:{figure}"


@dataclass(frozen=True)
class Next:
    """What to do next: one sentence, and one button that leads to `goal`, about check `key`."""

    sentence: str
    action: str
    goal: Literal["disagreements", "pairs", "new_round", "decisions"]
    key: str = ""


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
            if interval is None:
                return f"{explain_interval(row.reliability)}."
            return f"lower end {interval[0]:.2f}, below {bar_words(bars.tentative)}."
        case Status.BROKEN | Status.TENTATIVE:
            return f"raters differ on {counted(row.split, 'unit')}."
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
    """(cleared, all) of the checks that volume waits for; a check clears with all its figures."""
    by_key: dict[str, bool] = {}
    for found in required(rows):
        by_key[found.key] = by_key.get(found.key, True) and found.cleared
    return sum(by_key.values()), len(by_key)


def next_step(rows: Sequence[Row], *, version: int, imported: bool = False) -> Next:
    """What keeps volume closed and what to do about it, the most urgent first."""
    holding = _holding(rows)
    if not holding:
        return _all_cleared(rows, version, imported=imported)
    keys = listed(_keys(holding))
    verb = "is" if len(_keys(holding)) == 1 else "are"
    if holding[0].status in (Status.BROKEN, Status.TENTATIVE):
        return _disagreements(holding, f"{keys} {verb}", version, imported=imported)
    return _untested(holding, f"{keys} {verb}", version, imported=imported)


def _holding(rows: Sequence[Row]) -> list[Row]:
    """The rows of the most urgent state among those not cleared, the lowest alpha first."""
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
    }
    states = ((words[state], _of_state(rows, state)) for state in _URGENCY)
    return "; ".join(f"{listed(_keys(found))} {said}" for said, found in states if found)


def _of_state(rows: Sequence[Row], state: Status) -> list[Row]:
    return [row for row in required(rows) if row.status == state]


def _all_cleared(rows: Sequence[Row], version: int, *, imported: bool) -> Next:
    if not required(rows):
        return Next("There is nothing in these votes to measure.", "See the pairs", "pairs")
    thin = _keys([row for row in required(rows) if row.status == Status.CLEARS_THIN])
    also = f" {listed(thin)} only just: look again at the first overlap." if thin else ""
    if imported:
        sentence = f"Every check reaches the bar in these votes.{also}"
        return Next(sentence, "See the decisions", "decisions")
    return Next(
        f"Every check of version {version} has cleared, so volume labelling may begin.{also}",
        "See the decisions",
        "decisions",
    )


def _disagreements(holding: Sequence[Row], subject: str, version: int, *, imported: bool) -> Next:
    state = "broken" if holding[0].status == Status.BROKEN else "tentative"
    split = sum(row.split for row in holding)
    whose = "its" if len(_keys(holding)) == 1 else "their"
    read = f"{whose} {counted(split, 'disagreement')}"
    action = "Read the disagreements"
    if imported:
        sentence = f"In these votes {subject} {state}. Read {read} before relying on them."
    else:
        sentence = (
            f"Volume stays closed: {subject} {state}. Settle {read}, "
            f"then publish version {version + 1} and label fresh pairs."
        )
    return Next(sentence, action, "disagreements", holding[0].key)


def _untested(holding: Sequence[Row], subject: str, version: int, *, imported: bool) -> Next:
    if imported:
        sentence = f"On these votes {subject} not testable: too few labels are off the usual one."
        return Next(sentence, "See the pairs", "pairs", holding[0].key)
    return Next(
        f"Volume stays closed: {subject} not testable yet. "
        f"Label another round with version {version}; its figures are added to these.",
        "Start a round",
        "new_round",
        holding[0].key,
    )


def _keys(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(_key(row) for row in rows))


def _key(row: Row) -> str:
    return f"the {row.key}" if row.kind in ("preference", "outcome") else row.key


def listed(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(times: int, noun: str) -> str:
    return f"{times} {noun}" if times == 1 else f"{times} {noun}s"


def value_words(value: Value) -> str:
    """A label as people write it: codes without underscores, numbers without needless digits."""
    return value.replace("_", " ") if isinstance(value, str) else number_words(value)


def number_words(value: float) -> str:
    """All digits that tell a number from another, and no needless ones: 3, 0.1."""
    return str(int(value)) if value == int(value) else repr(value)


def bar_words(bar: float) -> str:
    """A bar as people write it: 0.80, .667."""
    return f"{bar:.2f}" if round(bar, 2) == bar else f"{bar:.3f}".lstrip("0")
