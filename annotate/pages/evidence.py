"""What the label page shows of a draft's evidence: in the texts, at the cells, and as a list."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from annotate import evidence
from annotate.rendered import marked
from annotate.rendering.readable import Mark, readable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from annotate.ballot import Answer, Ballot
    from annotate.evidence import Passage
    from annotate.pages.label import Side
    from annotate.pages.label_rows import Row

_FAILS = ("fail", "no")


@dataclass(frozen=True)
class Listed:
    """A passage of the list; `number` is its place in the field, by which it is taken away."""

    number: int
    check: str
    side: str
    quote: str
    problem: str


@dataclass(frozen=True)
class ShownEvidence:
    """`written` is the form's field; `problem` what is wrong with it as a whole, or with any."""

    written: str = ""
    listed: tuple[Listed, ...] = ()
    problem: str = ""
    marks: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict)
    counts: Mapping[tuple[str, str], int] = field(default_factory=dict)
    most: int = evidence.MAX_PASSAGES
    longest: int = evidence.MAX_QUOTE

    @property
    def total(self) -> int:
        return len(self.listed)

    def at(self, check: str, part: str) -> int:
        """How many passages a cell has; one that is asked once counts those of both sides."""
        if part:
            return self.counts.get((check, part), 0)
        return sum(count for (key, _), count in self.counts.items() if key == check)


def shown_evidence(
    written: str, ballot: Ballot, answer: Answer, html: Mapping[str, str]
) -> ShownEvidence:
    """The evidence of a form's field over the rendered texts, by seen side.

    What no longer fits its text is listed with the reason and marked nowhere.
    """
    if not written:
        return ShownEvidence()
    reading = evidence.read(written, ballot, {side: readable(text) for side, text in html.items()})
    return ShownEvidence(
        written=written,
        listed=tuple(
            Listed(
                number=number,
                check=passage.check,
                side=passage.side,
                quote=evidence.short(passage.quote),
                problem=reading.refused.get(number, ""),
            )
            for number, passage in enumerate(reading.given, start=1)
        ),
        problem=reading.problem,
        marks={
            side: tuple(
                _mark(passage, ballot, answer)
                for passage in reading.passages
                if passage.side == side
            )
            for side in html
        },
        counts=Counter((passage.check, passage.side) for passage in reading.passages),
    )


def with_counts(rows: tuple[Row, ...], shown: ShownEvidence) -> tuple[Row, ...]:
    """The rows with the number of passages at each cell."""
    if not shown.counts:
        return rows
    return tuple(
        replace(
            row,
            cells=tuple(replace(cell, evidence=shown.at(row.key, cell.side)) for cell in row.cells),
        )
        for row in rows
    )


def with_marks(sides: tuple[Side, ...], shown: ShownEvidence) -> tuple[Side, ...]:
    """The responses with their passages marked."""
    return tuple(
        replace(side, html=marked(side.html, marks))
        if (marks := shown.marks.get(side.name))
        else side
        for side in sides
    )


def _mark(passage: Passage, ballot: Ballot, answer: Answer) -> Mark:
    check = ballot.check(passage.check)
    part = passage.side if check is not None and passage.side in check.parts else ""
    return Mark(
        start=passage.start,
        end=passage.end,
        tag=passage.check,
        fails=answer.labels.get((passage.check, part)) in _FAILS,
    )
