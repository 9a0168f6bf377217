"""A difference of two texts → safe HTML of the two panes that show it side by side. Pure.

Each pane holds its own text whole and verbatim, like the source. What the other side lacks is a
`mark`; where this side lacks something stands an empty place. Both carry the number of the change,
by which the scripts of the page keep the panes level. Long stretches that are alike are folded.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from annotate.diffing import Difference, difference, word_places
from annotate.rendering.blocks import Blocks
from annotate.rendering.characters import show_controls

if TYPE_CHECKING:
    from collections.abc import Iterator


FOLDED_FROM = 150  # words that are alike
KEPT_BESIDE = 40  # words of them that stay in view beside a change


@dataclass(frozen=True)
class DiffPanes:
    left: str
    right: str
    changes: int
    percent_same: int


def diff_panes(left: str, right: str) -> DiffPanes | None:
    """The panes of two texts; None where they are too different to compare word by word."""
    found = difference(show_controls(left, marks=True), show_controls(right, marks=True))
    if found is None:
        return None
    return DiffPanes(
        left=_pane(found, left=True),
        right=_pane(found, left=False),
        changes=found.changes,
        # Never a whole hundred while something differs.
        percent_same=min(round(100 * found.ratio), 99 if found.changes else 100),
    )


def _pane(found: Difference, *, left: bool) -> str:
    blocks = Blocks()
    number = 0
    for place, run in enumerate(found.runs):
        text = run.left if left else run.right
        if run.kind == "changed":
            number += 1
            blocks.put(_changed(text, number))
            continue
        first, last = place == 0, place == len(found.runs) - 1
        for part, words in _folds(text, first=first, last=last):
            if words:
                blocks.put(
                    f'<details class="same" data-before="{number}"><summary>{words} words alike'
                    f"</summary>{escape(part)}</details>"
                )
            else:
                blocks.text(part)
    return blocks.html()


def _changed(text: str, number: int) -> str:
    words = text.strip()
    if not words:
        empty = f'<span class="only-there" data-n="{number}" role="img" aria-label="words only on'
        return f'{empty} the other side"></span>{escape(text)}'
    before, after = text[: text.index(words)], text[text.index(words) + len(words) :]
    return f'{before}<mark class="only-here" data-n="{number}">{escape(words)}</mark>{after}'


def _folds(text: str, *, first: bool, last: bool) -> Iterator[tuple[str, int]]:
    """The text in parts, each with the number of words that are folded in it, 0 for none."""
    places = word_places(text)
    head, tail = 0 if first else KEPT_BESIDE, 0 if last else KEPT_BESIDE
    if len(places) < FOLDED_FROM or (first and last):
        yield text, 0
        return
    # Blanks at the seams fold, too: the text goes on at the beginning of a line.
    start = places[head - 1][1] if head else 0
    stop = places[-tail][0] if tail else len(text)
    yield text[:start], 0
    yield text[start:stop], len(places) - head - tail
    yield text[stop:], 0
