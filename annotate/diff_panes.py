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
from annotate.one_sided import one_sided
from annotate.rendering.blocks import Blocks
from annotate.rendering.characters import show_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from annotate.one_sided import Own


FOLDED_FROM = 150  # words that are alike
KEPT_BESIDE = 40  # words of them that stay in view beside a change


@dataclass(frozen=True)
class DiffPanes:
    """`in_order`: compared word by word; else each pane marks what only its side says."""

    left: str
    right: str
    changes: int
    percent_same: int
    in_order: bool = True
    only_left: int = 0
    only_right: int = 0


def diff_panes(left: str, right: str) -> DiffPanes:
    """The panes of two texts: word by word, or by what stands nowhere in the other."""
    left, right = show_controls(left, marks=True), show_controls(right, marks=True)
    found = difference(left, right)
    if found is None:
        return _one_sided_panes(left, right)
    return DiffPanes(
        left=_pane(found, left=True),
        right=_pane(found, left=False),
        changes=found.changes,
        # Never a whole hundred while something differs.
        percent_same=min(round(100 * found.ratio), 99 if found.changes else 100),
    )


def _one_sided_panes(left: str, right: str) -> DiffPanes:
    own_left, own_right = one_sided(left, right)
    return DiffPanes(
        left=_own_pane(left, own_left, first=1),
        right=_own_pane(right, own_right, first=1 + len(own_left)),
        changes=len(own_left) + len(own_right),
        percent_same=0,
        in_order=False,
        only_left=len(own_left),
        only_right=len(own_right),
    )


def _own_pane(text: str, own: Sequence[Own], *, first: int) -> str:
    """The text whole, with its own stretches marked and the numbers in them marked once more."""
    blocks = Blocks()
    at = 0
    for number, stretch in enumerate(own, start=first):
        blocks.text(text[at : stretch.start])
        inner, within = "", stretch.start
        for start, end in stretch.numbers:
            inner += (
                f'{escape(text[within:start])}<b class="own-number">{escape(text[start:end])}</b>'
            )
            within = end
        inner += escape(text[within : stretch.end])
        blocks.put(f'<mark class="only-here" data-n="{number}">{inner}</mark>')
        at = stretch.end
    blocks.text(text[at:])
    return blocks.html()


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
