"""Two versions of a rubric as one text with its insertions and deletions, check by check.

Pure: no Django, no I/O. What changed is decided by `rubrics.comparison`; this lays it out.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rubrics import wording
from rubrics.comparison import Change, compare, sources
from rubrics.content import PREFERENCE, Anchor, Criterion, Rubric

Mark = Literal["same", "del", "ins"]
Fate = Literal["same", "changed", "added", "removed"]

# Below this share of common words the two are two texts: a mosaic of both helps nobody.
ALIKE = 0.35
# Texts of more words than this are told as a whole; a comparison word by word takes the square.
MAX_TOKENS = 6_000
# As many places of one word in the other text as an ordinary page has; a text that says the same
# word over and over would take the matcher the cube of its length.
MAX_MEETINGS = 60_000
# A word with the white space before it: an inserted word then leaves its neighbours alone.
_TOKEN = re.compile(r"\s*\w+|\s*[^\w\s]|\s+$")

# Shown as words in the text itself, not as a sentence beside it.
_IN_TEXT = ("reworded", "title", "help", "anchors", "note", "rationale", "added", "removed")


@dataclass(frozen=True)
class Piece:
    """A run of words: in both, only before ('del') or only after ('ins')."""

    mark: Mark
    text: str


@dataclass(frozen=True)
class RedAnchor:
    verdict: str
    fate: Fate
    origin: str
    text: tuple[Piece, ...]
    note: tuple[Piece, ...]


@dataclass(frozen=True)
class RedCheck:
    """One check of the new document, or one that is gone. `labels` are sentences on its change."""

    key: str
    kind: str
    fate: Fate
    labels: tuple[str, ...]
    title: tuple[Piece, ...]
    text: tuple[Piece, ...]
    help: tuple[Piece, ...]
    anchors: tuple[RedAnchor, ...]

    @property
    def help_changed(self) -> bool:
        return any(piece.mark != "same" for piece in self.help)

    @property
    def anchors_changed(self) -> bool:
        return any(anchor.fate != "same" for anchor in self.anchors)


@dataclass(frozen=True)
class Redline:
    """`whole` are sentences on the rubric itself; `removed` checks stand apart, in old order."""

    whole: tuple[str, ...]
    rationale: tuple[Piece, ...]
    checks: tuple[RedCheck, ...]
    removed: tuple[RedCheck, ...]
    summary: str

    @property
    def is_empty(self) -> bool:
        return not self.summary


def words(before: str, after: str) -> tuple[Piece, ...]:
    """Both texts as one: 'same' and 'del' in order give `before`, 'same' and 'ins' give `after`."""
    if before == after:
        return (Piece("same", after),) if after else ()
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if _is_costly(old, new):
        return _pieces(before, after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < ALIKE:
        return _pieces(before, after)
    return tuple(_joined(matcher.get_opcodes(), old, new))


def _is_costly(old: Sequence[str], new: Sequence[str]) -> bool:
    if len(old) + len(new) > MAX_TOKENS:
        return True
    before, after = Counter(old), Counter(new)
    return sum(count * after[word] for word, count in before.items()) > MAX_MEETINGS


def _pieces(before: str, after: str) -> tuple[Piece, ...]:
    marked: tuple[tuple[Mark, str], ...] = (("del", before), ("ins", after))
    return tuple(Piece(mark, text) for mark, text in marked if text)


def _joined(
    opcodes: Sequence[tuple[str, int, int, int, int]], old: Sequence[str], new: Sequence[str]
) -> Iterator[Piece]:
    """Changes that only white space keeps apart are one change: it reads as a person marks it."""
    before = after = ""
    for place, (tag, a, b, c, d) in enumerate(opcodes):
        gone, come = "".join(old[a:b]), "".join(new[c:d])
        between = 0 < place < len(opcodes) - 1 and not gone.strip()
        if tag == "equal" and not between:
            yield from _change(before, after)
            before = after = ""
            yield Piece("same", gone)
        else:
            before, after = before + gone, after + come
    yield from _change(before, after)


def _change(before: str, after: str) -> Iterator[Piece]:
    """A change without the space that both begin with."""
    space = before[: len(before) - len(before.lstrip())]
    if space and after.startswith(space):
        yield Piece("same", space)
        before, after = before.removeprefix(space), after.removeprefix(space)
    yield from _pieces(before, after)


def redline(old: Rubric, new: Rubric) -> Redline:
    changes = told_changes(old, new)
    earlier = {check.key: check for check in old.criteria}
    origin = sources(old, new)
    by_key: dict[str, list[Change]] = {}
    for change in changes:
        by_key.setdefault(change.key, []).append(change)
    gone = [earlier[c.key] for c in changes if c.what == "removed"]
    return Redline(
        whole=tuple(_sentence(c) for c in by_key.get("", ()) if c.what not in _IN_TEXT),
        rationale=words(old.rationale, new.rationale),
        checks=tuple(
            _red_check(
                [earlier[key] for key in origin[check.key]], check, by_key.get(check.key, ())
            )
            for check in new.criteria
        ),
        removed=tuple(_removed(check) for check in gone),
        summary=summary(changes),
    )


def told_changes(old: Rubric, new: Rubric) -> tuple[Change, ...]:
    """The changes of `compare` without those that only follow from a move to code: an automatic
    check has no weight, no answers and no anchors."""
    changes = compare(old, new)
    by_code = {c.key for c in changes if c.what == "moved" and c.after == "automatic"}
    follow = ("reweighted", "values", "level", "allows_na", "anchors", "note")
    return tuple(c for c in changes if not (c.key in by_code and c.what in follow))


def _red_check(origin: list[Criterion], check: Criterion, changes: Sequence[Change]) -> RedCheck:
    before = origin[0] if len(origin) == 1 else None
    fate: Fate = "changed" if changes else "same"
    return RedCheck(
        key=check.key,
        kind=wording.kind_words(check),
        fate="added" if not origin else fate,
        labels=(
            *map(_sentence, (c for c in changes if c.what not in _IN_TEXT)),
            *(_by_code(check) if not origin else ()),
        ),
        title=words(before.title if before else "", check.title),
        text=words("\n".join(each.text for each in origin), check.text),
        help=words("\n".join(each.help for each in origin if each.help), check.help),
        anchors=_anchors([a for each in origin for a in each.anchors], check.anchors),
    )


def _by_code(check: Criterion) -> Iterator[str]:
    """What a new check does that nobody is asked: its words alone do not say it."""
    if check.kind == "automatic":
        yield f"Rule: {'; '.join(wording.rule_words(check))}"
        if check.decides:
            yield "Works as a gate: a pair with a response that fails it goes to no expert"


def _removed(check: Criterion) -> RedCheck:
    return RedCheck(
        key=check.key,
        kind=wording.kind_words(check),
        fate="removed",
        labels=(),
        title=words(check.title, ""),
        text=words(check.text, ""),
        help=words(check.help, ""),
        anchors=_anchors(check.anchors, ()),
    )


def _anchors(before: Sequence[Anchor], after: Sequence[Anchor]) -> tuple[RedAnchor, ...]:
    """Those of the new document in its order, each beside the old one it continues, then the rest.

    Equal ones first; then, verdict by verdict, one that shares most words.
    """
    left = list(before)
    pairs: dict[int, Anchor] = {}
    for n, anchor in enumerate(after):
        same = [old for old in left if (old.verdict, old.text) == (anchor.verdict, anchor.text)]
        if same:
            left.remove(same[0])
            pairs[n] = same[0]
    for n, anchor in enumerate(after):
        if n not in pairs and (close := _closest(anchor, left)):
            left.remove(close)
            pairs[n] = close
    shown = [_red_anchor(pairs.get(n), anchor) for n, anchor in enumerate(after)]
    return (*shown, *(_red_anchor(anchor, None) for anchor in left))


def _closest(anchor: Anchor, among: Sequence[Anchor]) -> Anchor | None:
    same_verdict = [old for old in among if old.verdict == anchor.verdict]
    ours = anchor.text.split()
    rated = [
        (difflib.SequenceMatcher(None, theirs, ours).ratio(), n)
        for n, theirs in enumerate(old.text.split() for old in same_verdict)
        if not _is_costly(theirs, ours)
    ]
    best = max(rated, default=(0.0, 0))
    return same_verdict[best[1]] if best[0] >= ALIKE else None


def _red_anchor(old: Anchor | None, new: Anchor | None) -> RedAnchor:
    here = new or old
    assert here is not None
    changed: Fate = "same" if old == new else "changed"
    origin: str = here.origin
    if old and new and old.origin != new.origin:
        origin = f"{old.origin} → {new.origin}"
    return RedAnchor(
        verdict=here.verdict,
        fate="added" if old is None else "removed" if new is None else changed,
        origin=origin,
        text=words(old.text if old else "", new.text if new else ""),
        note=words(old.note if old else "", new.note if new else ""),
    )


# ---- In words


def _sentence(change: Change) -> str:
    """One change that stands beside the text: 'Weight 2 → 3'."""
    told = wording.tell(change)
    if change.what == "merged_from" or not (told.before or told.after):
        return told.label
    short = {
        "reweighted": "Weight",
        "renamed": "Id",
        "order": "Order",
        "values": "Answers",
        "rule": "Rule",
        "level": "Level",
        "task": "Task",
        "name": "Name",
        "subject": "Subject",
        "moved": "Moved:",
        "family": "Asked about",
    }
    label = short.get(change.what, told.label)
    return f"{label} {told.before or 'none'} → {told.after or 'none'}"


# What a change is called in the summary, in this order; several kinds of change may share a name.
_COUNTED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("reworded", ("reworded",)),
    ("added", ("added",)),
    ("removed", ("removed",)),
    ("split off", ("split_from",)),
    ("merged", ("merged_from",)),
    ("moved to code", ("moved_to_code",)),
    ("moved", ("moved",)),
    ("renamed", ("renamed",)),
    ("weighted anew", ("reweighted",)),
    ("answered in another way", ("values", "level", "family", "allows_na", "rule", "decides")),
    ("with other anchors", ("anchors",)),
    ("with another title, help or note", ("title", "help", "note")),
)


def summary(changes: Sequence[Change]) -> str:
    """'2 checks reworded, 1 added, 1 moved to code; the order changed'; '' where nothing did."""
    kinds: dict[str, set[str]] = {}
    for change in changes:
        if change.key:
            kinds.setdefault(change.key, set()).add(_what(change))
    for whats in kinds.values():
        if {"moved_to_code", "moved"} & whats:
            whats.discard("renamed")
        if "moved_to_code" in whats:
            whats -= {"rule", "decides"}
        if "split_from" in whats:
            whats.intersection_update({"split_from"})
    counts = [
        (sum(1 for whats in kinds.values() if not whats.isdisjoint(names)), called)
        for called, names in _COUNTED
    ]
    parts = [f"{count} {called}" for count, called in counts if count]
    if parts:
        number, _, rest = parts[0].partition(" ")
        parts[0] = f"{number} {'check' if number == '1' else 'checks'} {rest}"
    whole = [
        {
            "order": "the order changed",
            "rationale": "the instruction for the rationale changed",
        }.get(change.what, f"the {change.what} changed")
        for change in changes
        if not change.key
    ]
    return "; ".join(filter(None, [", ".join(parts), ", ".join(whole)]))


def _what(change: Change) -> str:
    code = change.what == "moved" and change.after == "automatic"
    return "moved_to_code" if code else change.what


def note_starts(changes: Sequence[Change]) -> dict[str, str]:
    """What changed in each check, by its key: "reworded, other anchors". The beginning of a note,
    to be completed with the reason. The instruction for the rationale is told with the preference,
    whose procedure it is.
    """
    by_key: dict[str, list[Change]] = {}
    for change in changes:
        key = PREFERENCE if change.what == "rationale" else change.key
        if key:
            by_key.setdefault(key, []).append(change)
    return {key: ", ".join(_brief(group)) for key, group in by_key.items()}


def _brief(changes: Sequence[Change]) -> list[str]:
    found = {change.what: change for change in changes}
    if "split_from" in found:
        return [f"split from {found['split_from'].before}"]
    said = {
        "title": "another title",
        "help": "another help",
        "note": "another note",
        "anchors": "other anchors",
        "values": "other answers",
        "level": "another level",
        "family": "asked about something else",
        "allows_na": "N/A",
        "rule": "another rule",
        "rationale": "another instruction for the rationale",
    }
    briefs: list[str] = []
    for change in changes:
        if change.what == "reweighted":
            brief = f"weight {change.before or 'none'} → {change.after or 'none'}"
        elif change.what == "decides":
            brief = "works as a gate" if change.after == "yes" else "no longer works as a gate"
        elif change.what == "renamed":
            brief = f"was {change.before}"
        elif change.what == "merged_from":
            brief = f"merged from {change.before}"
        elif change.what == "moved":
            brief = "moved to code" if change.after == "automatic" else f"now a {change.after}"
        else:
            brief = said.get(change.what, change.what)
        follows = change.what == "rule" and "moved to code" in briefs
        if not follows and brief not in briefs:
            briefs.append(brief)
    return briefs
