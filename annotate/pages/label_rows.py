"""The rows of a ballot as cells with their keys, and the stops of its preference: seen terms only.

The label page, practice, known answers and the page of components draw them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate import ballot as ballots
from annotate.ballot import LEFT, RIGHT
from annotate.keymap import cap
from annotate.labelling import field_name
from rubrics.document import GATE_VALUES, NA, YES_NO
from rubrics.words import label_words, seen_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from annotate.ballot import Answer, Ballot, Check, Order
    from annotate.pages.keys import PageKeys
    from rubrics.document import Anchor, Criterion

# Pass lies inside, towards the question, N/A outside: the cells mirror the hands.
_PLACES = {
    LEFT: ("na", "fail", "pass"),
    RIGHT: ("pass", "fail", "na"),
    "": ("pass", "fail", "na"),
}


@dataclass(frozen=True)
class Option:
    code: str
    word: str
    mark: str  # pass, fail, na, or '' for a value of a longer scale
    key: str
    chosen: bool


@dataclass(frozen=True)
class Cell:
    """One answer: a check on one side ('' where it is asked once)."""

    id: str
    name: str
    side: str
    options: tuple[Option, ...]
    is_scale: bool
    bounds: tuple[float, float] | None
    value: str
    error: str
    disabled: bool
    # How many passages are attached to it.
    evidence: int = 0


@dataclass(frozen=True)
class Row:
    key: str
    kind: str
    title: str
    text: str
    help: str
    anchors: tuple[Anchor, ...]
    cells: tuple[Cell, ...]
    unclear: bool
    is_tall: bool
    is_now: bool

    @property
    def errors(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.error]


@dataclass(frozen=True)
class Stop:
    number: int
    side: str
    word: str
    key: str
    chosen: bool


@dataclass(frozen=True)
class Step:
    rows: tuple[Row, ...]
    answered: int
    total: int

    @property
    def is_done(self) -> bool:
        return self.answered == self.total

    @property
    def is_here(self) -> bool:
        return any(row.is_now for row in self.rows)

    @property
    def unclear(self) -> str:
        """The checks marked as unclear, as the head of the step names them."""
        keys = [row.key for row in self.rows if row.unclear]
        return f"{', '.join(keys)} unclear" if keys else ""


def rows_of(
    asked: Sequence[Criterion],
    ballot: Ballot,
    answer: Answer,
    errors: Mapping[str, str],
    *,
    closed: bool,
    keys: PageKeys,
) -> tuple[Row, ...]:
    content = {criterion.key: criterion for criterion in asked}
    state = ballots.gate_state(ballot, answer)
    criteria_off = not ballots.criteria_are_asked(ballot, state)
    rows: list[Row] = []
    for check in ballot.checks:
        off = closed or (criteria_off and check.kind == "criterion")
        cells = tuple(
            _cell(check, part, answer, errors, disabled=off, keys=keys) for part in check.parts
        )
        is_open = not off and any(not cell.value for cell in cells)
        rows.append(
            _row(
                content[check.key],
                cells,
                unclear=check.key in answer.unclear,
                is_now=is_open and not any(row.is_now for row in rows),
            )
        )
    return tuple(rows)


def _row(criterion: Criterion, cells: tuple[Cell, ...], *, unclear: bool, is_now: bool) -> Row:
    return Row(
        key=criterion.key,
        kind=criterion.kind,
        title=criterion.heading,
        text=criterion.text,
        help=criterion.help,
        anchors=criterion.anchors,
        cells=cells,
        unclear=unclear,
        is_tall=len(cells) == 1 or any(cell.is_scale for cell in cells),
        is_now=is_now,
    )


def _cell(
    check: Check,
    part: str,
    answer: Answer,
    errors: Mapping[str, str],
    *,
    disabled: bool,
    keys: PageKeys,
) -> Cell:
    name = field_name(check.key, part)
    value = answer.labels.get((check.key, part), "")
    marks = _marks(check)
    options = [
        Option(
            code=code,
            word=label_words(code),
            mark=marks.get(code, ""),
            key=_key(check, part, code, marks, keys),
            chosen=code == value,
        )
        for code in check.codes
    ]
    is_scale = set(marks.values()) != {"pass", "fail", "na"}
    if not is_scale:
        options.sort(key=lambda option: _PLACES[part].index(option.mark))
    return Cell(
        id=target_of(name)[1:],
        name=name,
        side=part,
        options=tuple(options),
        is_scale=is_scale,
        bounds=check.bounds,
        value=value,
        error=errors.get(name, ""),
        disabled=disabled,
    )


def _key(check: Check, part: str, code: str, marks: Mapping[str, str], keys: PageKeys) -> str:
    """The cap of the key that chooses a code; '' where none does."""
    if mark := marks.get(code):
        return cap(keys.chosen.cell_key(part, mark))
    return keys.chosen.digits_of(len(check.values))[check.values.index(code)]


def _marks(check: Check) -> dict[str, str]:
    """Code → the mark it is shown with; a scale of its own has marks for N/A only."""
    two = check.values if check.values in (GATE_VALUES, YES_NO) else ()
    return {**dict(zip(two, ("pass", "fail"), strict=False)), NA: "na"}


def step_of(rows: Sequence[Row], kind: str) -> Step:
    own = tuple(row for row in rows if row.kind == kind)
    cells = [cell for row in own for cell in row.cells]
    return Step(own, sum(1 for cell in cells if cell.value), len(cells))


def stops_of(ballot: Ballot, answer: Answer, order: Order, keys: PageKeys) -> tuple[Stop, ...]:
    """The preference from left to right as this rater sees it: mirrored with the responses."""
    stops = []
    digits = keys.chosen.digits_of(len(ballot.preference))
    for number, key in enumerate(digits, start=1):
        side, word = stop_words(ballots.preference_code(ballot, number, order), order)
        stops.append(Stop(number, side, word, key, number == answer.stop))
    return tuple(stops)


def stop_words(code: str, order: Order) -> tuple[str, str]:
    if code == "tie":
        return "Tie", "equal"
    side, _, strength = seen_words(code, order).partition(" ")
    return side, strength or "better"


def target_of(name: str) -> str:
    """Where a field stands on the page."""
    return "#" + name.replace(":", "-").rstrip("-")
