"""What meetings decided, as Markdown that any editor opens. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# What begins something in the middle of a line; texts never stand at the beginning of one.
_SIGNS = re.compile(r"([\\`*_<>&~|!$^])")
# With a backslash before them many readers take them for mathematics.
_BRACKETS = str.maketrans({"[": "&#91;", "]": "&#93;"})


@dataclass(frozen=True)
class Change:
    """A change of the next version: the checks, what became of them, the words, who and when.

    `since` says that somebody wrote over it later; '' while it stands.
    """

    keys: str
    what: str
    text: str = ""
    by: str = ""
    at: str = ""
    since: str = ""

    @property
    def recorded(self) -> str:
        return ", ".join(filter(None, [self.by and f"by {self.by}", self.at, self.since]))


@dataclass(frozen=True)
class Entry:
    """One disagreement: `labels` are counted, not named. `kind` is '' while it is open.

    `part` is '' where the whole pair is asked about. `ruled` says who asked for the ruling and who
    decided it, with the times.
    """

    title: str
    check: str
    pair: str
    part: str
    labels: str
    kind: str
    suggested: str
    why: str
    note: str
    by: str
    at: str
    changes: tuple[Change, ...] = ()
    ruling: str = ""
    ruled: str = ""

    @property
    def is_told(self) -> bool:
        """Whether anybody said or did more about it than to choose a kind."""
        return bool(self.note or self.changes or self.ruling)


@dataclass(frozen=True)
class Silent:
    """The disagreements on one check that were sorted without a word."""

    check: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Session:
    """A meeting, or what was sorted outside of any (without `led` and `lasted`)."""

    when: str
    led: str = ""
    lasted: str = ""
    entries: tuple[Entry, ...] = ()

    @property
    def told(self) -> tuple[Entry, ...]:
        """What was decided in words, by a change or by a ruling."""
        return tuple(entry for entry in self.entries if entry.is_told)

    @property
    def silent(self) -> tuple[Silent, ...]:
        """The others by check, in the order in which the checks come."""
        by_check: dict[str, list[Entry]] = {}
        for entry in self.entries:
            if not entry.is_told:
                by_check.setdefault(entry.check, []).append(entry)
        return tuple(Silent(check, tuple(entries)) for check, entries in by_check.items())

    @property
    def silent_in_words(self) -> str:
        """“60 sorted without a word: 41 slip, 19 legitimate”."""
        kinds = Counter(entry.kind for entry in self.entries if not entry.is_told)
        counted = ", ".join(
            f"{count} {kind or 'without a kind'}" for kind, count in kinds.most_common()
        )
        return f"{kinds.total()} sorted without a word: {counted}"


@dataclass(frozen=True)
class Minutes:
    """`raters` gave the votes, which `votes_of` names: "the round". Who was there nobody notes."""

    heading: str
    rubric: str
    raters: tuple[str, ...]
    votes_of: str
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
    if minutes.raters:
        names = ", ".join(escaped(name) for name in minutes.raters)
        yield f"Raters of {minutes.votes_of}: {names}  "
    yield f"Still open: {minutes.open}"
    for session in minutes.sessions:
        yield ""
        yield f"## {escaped(session.when)}"
        if session.led:
            yield ""
            yield f"Led by {escaped(session.led)}, {escaped(session.lasted)}."
        for entry in session.told:
            yield ""
            yield from _entry(entry)
        if session.silent:
            yield ""
            yield from _silent(session)


def _silent(session: Session) -> Iterable[str]:
    """A table, since nobody reads sixty sections to learn that nothing was said."""
    yield f"### {escaped(session.silent_in_words)}"
    yield ""
    yield "| Check | Pair | Response | Labels | Kind | Suggested | By | When |"
    yield "|---|---|---|---|---|---|---|---|"
    for group in session.silent:
        for one in group.entries:
            suggested = f"{one.suggested}. {one.why}" if one.suggested else ""
            cells = [one.check, one.pair, one.part, one.labels, one.kind or "not sorted"]
            written = [*cells, suggested, one.by, one.at]
            yield f"| {' | '.join(escaped(cell) for cell in written)} |"


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
        yield _recorded(f"{said}: {escaped(change.text)}" if change.text else said, change.recorded)
    if entry.ruling:
        yield _recorded(f"- Ruling: {escaped(entry.ruling)}", entry.ruled)


def _recorded(said: str, record: str) -> str:
    return f"{said} ({escaped(record)})" if record else said
