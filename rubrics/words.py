"""Words that every page says alike: names in a row, counted nouns, numbers, labels.

Pure: no Django, no I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

# A short sentence names no more; of more it names three and counts the others.
_MOST = 4


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


def value_words(value: str | float) -> str:
    """A label as people write it: codes without underscores, numbers without needless digits."""
    return value.replace("_", " ") if isinstance(value, str) else number_words(value)


def number_words(value: float) -> str:
    """All digits that tell a number from another, and no needless ones: 3, 0.1."""
    return str(int(value)) if value == int(value) else repr(value)


def bar_words(bar: float) -> str:
    """A bar as people write it: 0.80, .667."""
    return f"{bar:.2f}" if round(bar, 2) == bar else f"{bar:.3f}".lstrip("0")
