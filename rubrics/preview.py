"""A rubric as its raters would see it: the rows of the label page, without a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rubrics import wording

if TYPE_CHECKING:
    from rubrics.content import Anchor, Criterion, Rubric

NO_WORDING = "No wording yet."


@dataclass(frozen=True)
class Option:
    """`mark` is pass, fail or na where the answer has a sign of its own."""

    word: str
    mark: str = ""


@dataclass(frozen=True)
class Cell:
    """`side` is Left, Right, or '' where the answer is about the whole."""

    side: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Row:
    key: str
    title: str
    text: str
    help: str
    anchors: tuple[Anchor, ...]
    cells: tuple[Cell, ...]
    bounds: tuple[float, float] | None
    is_scale: bool

    @property
    def is_tall(self) -> bool:
        return self.is_scale or len(self.cells) < 2


@dataclass(frozen=True)
class Step:
    number: int
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Stop:
    side: str
    word: str


@dataclass(frozen=True)
class Preview:
    steps: tuple[Step, ...]
    stops: tuple[Stop, ...]
    question: str
    rationale: str
    contents: str

    @property
    def has_sides(self) -> bool:
        return any(cell.side for step in self.steps for row in step.rows for cell in row.cells)

    @property
    def last_number(self) -> int:
        return len(self.steps) + 1


def preview_of(rubric: Rubric) -> Preview:
    named = (("Gates", rubric.gates), ("Criteria", rubric.of_kind("criterion")))
    present = [(title, checks) for title, checks in named if checks]
    preference = rubric.preference
    return Preview(
        steps=tuple(
            Step(n, title, tuple(map(_row, checks)))
            for n, (title, checks) in enumerate(present, start=1)
        ),
        stops=tuple(map(_stop, preference.values)) if preference else (),
        question=preference.heading if preference else "",
        rationale=rubric.rationale,
        contents=wording.contents(rubric),
    )


def _row(check: Criterion) -> Row:
    gate, yes_no = check.kind == "gate", wording.is_yes_no(check)
    good, bad = ("pass", "fail") if gate else ("yes", "no")
    signed = (Option(good, "pass"), Option(bad, "fail"))
    options = signed if gate or yes_no else tuple(Option(value) for value in check.values)
    if check.allows_na:
        options = (*options, Option("N/A", "na"))
    # Pass lies inside on both hands: the left cell runs the other way.
    mirrored = tuple(reversed(options)) if gate or yes_no else options
    sided = check.family == "side"
    return Row(
        key=check.key,
        title=check.heading or NO_WORDING,
        text=check.text,
        help=check.help,
        anchors=check.anchors,
        cells=(Cell("Left", mirrored), Cell("Right", options)) if sided else (Cell("", options),),
        bounds=check.bounds,
        is_scale=not gate and not yes_no,
    )


def _stop(code: str) -> Stop:
    side, _, strength = wording.stop(code).partition(" ")
    return Stop(side, strength)
