"""What meetings decided, as Markdown that any editor opens. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# What begins something in the middle of a line; texts never stand at the beginning of one.
_SIGNS = re.compile(r"([\\`*_<>&~|!$^])")
# With a backslash before them many readers take them for mathematics.
_BRACKETS = str.maketrans({"[": "&#91;", "]": "&#93;"})


@dataclass(frozen=True)
class Change:
    """A change of the next version: the checks, what became of them, the words."""

    keys: str
    what: str
    text: str = ""


@dataclass(frozen=True)
class Entry:
    """One disagreement: `labels` are counted, not named. `kind` is '' while it is open."""

    title: str
    labels: str
    kind: str
    suggested: str
    why: str
    note: str
    by: str
    at: str
    changes: tuple[Change, ...] = ()
    ruling: str = ""


@dataclass(frozen=True)
class Session:
    """A meeting, or what was sorted outside of any (without `led` and `lasted`)."""

    when: str
    led: str = ""
    lasted: str = ""
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Minutes:
    heading: str
    rubric: str
    present: tuple[str, ...]
    sessions: tuple[Session, ...]
    open: int


def markdown(minutes: Minutes) -> str:
    """The minutes as a document; whatever people wrote stands in it as they wrote it."""
    return "\n".join(_lines(minutes)).rstrip() + "\n"


def escaped(text: str) -> str:
    """Text in one line that Markdown shows as it is."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split())).translate(_BRACKETS)


def _lines(minutes: Minutes) -> Iterator[str]:
    yield f"# {escaped(minutes.heading)}"
    yield ""
    yield f"Rubric: {escaped(minutes.rubric)}  "
    if minutes.present:
        yield f"Raters: {', '.join(escaped(name) for name in minutes.present)}  "
    yield f"Still open: {minutes.open}"
    for session in minutes.sessions:
        yield ""
        yield f"## {escaped(session.when)}"
        if session.led:
            yield ""
            yield f"Led by {escaped(session.led)}, {escaped(session.lasted)}."
        for entry in session.entries:
            yield ""
            yield from _entry(entry)


def _entry(entry: Entry) -> Iterable[str]:
    yield f"### {escaped(entry.title)}"
    yield ""
    yield f"- Labels: {escaped(entry.labels)}"
    kind = escaped(entry.kind) or "not sorted"
    yield f"- Kind: {kind}{f', by {escaped(entry.by)}, {escaped(entry.at)}' if entry.by else ''}"
    if entry.suggested:
        yield f"- Suggested: {escaped(entry.suggested)}. {escaped(entry.why)}".rstrip()
    if entry.note:
        yield f"- Decision: {escaped(entry.note)}"
    for change in entry.changes:
        said = f"- Change: {escaped(change.keys)} {escaped(change.what)}"
        yield f"{said}: {escaped(change.text)}" if change.text else said
    if entry.ruling:
        yield f"- Ruling: {escaped(entry.ruling)}"
