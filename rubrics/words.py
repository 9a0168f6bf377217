"""Words that every page says alike: names in a row, counted nouns, numbers, labels.

Pure: no Django, no I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rubrics.content import NA

# A short sentence names no more; of more it names three and counts the others.
_MOST = 4
_STRENGTH = {"slight": "slightly", "clear": "clearly"}


def joined(names: Iterable[str], last: str = "and") -> str:
    """All of them: "C1", "C1 and C2", "C1, C2 and C3"; '' of none."""
    *most, end = [*names] or [""]
    return f"{', '.join(most)} {last} {end}" if most else end


def listed(names: Sequence[str]) -> str:
    """At most four, for a sentence that must stay short: "C1, C2, C3 and 3 more"."""
    if len(names) > _MOST:
        return joined([*names[: _MOST - 1], f"{len(names) - _MOST + 1} more"])
    return joined(names)


def counted_noun(times: int, noun: str) -> str:
    """Such as "1 pair" or "3 pairs"; the noun takes a plain s."""
    return f"{times} {noun}" if times == 1 else f"{times} {noun}s"


def label_words(code: str) -> str:
    """A label as people read it: "A slightly", "B much", "tie", "N/A"; files keep the code."""
    if code == NA:
        return "N/A"
    side, *strength = code.split("_")
    if side in ("A", "B"):
        strength = [_STRENGTH.get(word, word) for word in strength]
    return " ".join([side, *strength])


def seen_words(code: str, order: Literal["AB", "BA"] = "AB") -> str:
    """A preference as the rater saw it: "Left slightly", "tie". `order` begins with what stood on
    the left.
    """
    side, *strength = label_words(code).split(" ")
    seen = {order[0]: "Left", order[1]: "Right"}
    return " ".join([seen.get(side, side), *strength])


def value_words(value: str | float) -> str:
    """A label or a measured value as people read it."""
    return label_words(value) if isinstance(value, str) else number_words(value)


def number_words(value: float) -> str:
    """All digits that tell a number from another, and no needless ones: 3, 0.1."""
    return str(int(value)) if value == int(value) else repr(value)


def bar_words(bar: float) -> str:
    """A bar as people write it: 0.80, .667."""
    return f"{bar:.2f}" if round(bar, 2) == bar else f"{bar:.3f}".lstrip("0")
