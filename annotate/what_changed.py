"""What was changed in a check from one version to the next, in the few words of a table's cell.

Pure. Texts of a rubric pass through as they are; templates escape them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotate.lineage import Keys, parts_of
from rubrics.comparison import Change
from rubrics.content import Anchor, Criterion, Rubric
from rubrics.document import sources
from rubrics.redline import note_starts, told_changes, words
from rubrics.wording import rule_words, tell
from rubrics.words import counted_noun, listed

# A cell quotes no more of a wording than this; the versions stand side by side elsewhere.
QUOTED = 120
# More changed places than this in a wording are told by the new wording.
PLACES = 2
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_SHORT = {
    "reworded": "Reworded",
    "title": "Title",
    "help": "Help",
    "note": "Note on an anchor",
    "reweighted": "Weight",
    "values": "Scale",
    "level": "Level",
    "family": "Asked of something else",
    "rule": "Rule",
    "renamed": "Renamed",
}


@dataclass(frozen=True)
class Told:
    """`heads` say what was done, `details` how. `fork` is the shape of the step: one cell into
    several rows, several cells into one, or none. Nothing in `heads`: unchanged.
    """

    heads: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    fork: Literal["", "split", "merge"] = ""

    @property
    def head(self) -> str:
        first, *rest = self.heads or ("",)
        return ", ".join([first, *(_lower(one) for one in rest)])


@dataclass(frozen=True)
class Step:
    """Two neighbouring versions, compared once for all lines.

    `places` give the id of the pair that an anchor's text was taken from, by that text.
    """

    old: Rubric
    new: Rubric
    places: Mapping[str, str]

    def told(self, before: Keys, after: Keys) -> Told:
        """What became of the checks `before` of the old version, as `after` of the new one."""
        if not before and not after:
            return Told()
        if not after:
            return Told(("Removed",))
        if not before:
            return Told(("Added",))
        return joined([self._of_check(key) for key in after], after)

    def is_begun(self, key: str, note: str) -> bool:
        """Whether a note is no more than what it was begun with: the cell says that already."""
        begun = note_starts(told_changes(self.old, self.new)).get(key, "")
        return note.strip().rstrip(".").casefold() == begun.casefold()

    def _of_check(self, key: str) -> Told:
        parents = sources(self.old, self.new)[key]
        if not parents:
            return Told(("Added",))
        check = _check(self.new, key)
        if len(parents) > 1:
            return Told((f"Merged from {listed(parents)}",), (), "merge")
        parent = _check(self.old, parents[0])
        parts = parts_of(self.old, self.new)[parent.key]
        if len(parts) > 1:
            anchors = list(self._anchors(parent, check, removed=False))
            heads = (_split_head(len(parts)), *(head for head, _ in anchors))
            return Told(heads, tuple(detail for _, detail in anchors if detail), "split")
        return self._changed(parent, check)

    def _changed(self, parent: Criterion, check: Criterion) -> Told:
        changes = [one for one in told_changes(self.old, self.new) if one.key == check.key]
        found = [*self._moved(parent, check), *self._words(changes, check)]
        found += self._anchors(parent, check) if check.kind != "automatic" else ()
        found += self._procedure() if check.kind == "preference" else ()
        moved = parent.kind != check.kind
        told = [one for one in changes if one.what in _PLAIN and not (moved and one.what == "rule")]
        found += [(_SHORT[one.what], _from_to(one)) for one in told]
        found += [(tell(one).label, "") for one in changes if one.what == "allows_na"]
        if parent.key != check.key and not found:
            found = [("Renamed", f"was {parent.key}")]
        heads = tuple(dict.fromkeys(head for head, _ in found))
        return Told(heads, tuple(detail for _, detail in found if detail))

    def _moved(self, parent: Criterion, check: Criterion) -> Iterator[tuple[str, str]]:
        if parent.kind == check.kind:
            return
        was = f"was {parent.key}" if parent.key != check.key else ""
        if check.kind == "automatic":
            yield "Moved to code", ", ".join([*rule_words(check), *([was] if was else [])])
        else:
            yield f"Now a {check.kind}", was

    def _words(self, changes: Sequence[Change], check: Criterion) -> Iterator[tuple[str, str]]:
        # How a check that code decides is worded matters to nobody who rates.
        if check.kind == "automatic":
            return
        reworded = any(change.what == "reworded" for change in changes)
        for change in changes:
            # A title follows the wording: it is told where it alone has changed.
            shown = change.what in ("reworded", "help") or (change.what == "title" and not reworded)
            if shown:
                head = "Procedure" if check.kind == "preference" else _SHORT[change.what]
                yield head, wording_words(change.before, change.after)

    def _anchors(
        self, parent: Criterion, check: Criterion, *, removed: bool = True
    ) -> Iterator[tuple[str, str]]:
        added = _without(check.anchors, parent.anchors)
        gone = _without(parent.anchors, check.anchors)
        if added:
            yield f"{counted_noun(len(added), 'anchor')} added", self._from(added)
        if gone and removed:
            yield f"{counted_noun(len(gone), 'anchor')} removed", ""

    def _from(self, anchors: Sequence[Anchor]) -> str:
        """The pairs that anchors were taken from, and how many were taken from none."""
        named = list(dict.fromkeys(self.places[a.text] for a in anchors if a.text in self.places))
        rest = sum(anchor.text not in self.places for anchor in anchors)
        invented = sum(a.origin == "invented" for a in anchors if a.text not in self.places)
        said = [f"from {listed(named)}"] if named else []
        if rest and (named or invented):
            said.append(f"{invented} invented" if invented == rest else f"{rest} without a pair")
        return ", ".join(said)

    def _procedure(self) -> Iterator[tuple[str, str]]:
        """What changed for the rubric as a whole is a change of how a preference is reached."""
        if self.new.gates and not self.old.gates:
            yield "Procedure", "gates come first now"
        if self.old.rationale != self.new.rationale:
            told = wording_words(self.old.rationale, self.new.rationale)
            yield "Procedure", f"rationale: {told}"


def _lower(head: str) -> str:
    return head if head.startswith("N/A") else head[:1].lower() + head[1:]


_PLAIN = ("reweighted", "values", "level", "family", "rule")


def joined(told: Sequence[Told], keys: Sequence[str] = ()) -> Told:
    """Several cells as one; details are named by their `keys` where there are several."""
    if len(told) == 1:
        return told[0]
    named = keys if len(keys) == len(told) else [""] * len(told)
    forks = [one.fork for one in told if one.fork]
    return Told(
        heads=tuple(dict.fromkeys(head for one in told for head in one.heads)),
        details=tuple(
            dict.fromkeys(
                f"{key}: {detail}" if key else detail
                for key, one in zip(named, told, strict=True)
                for detail in one.details
            )
        ),
        fork=forks[0] if forks else "",
    )


def wording_words(before: str, after: str) -> str:
    """'“to the cent” added', '“says” became “gives”', or the new words as a whole."""
    if not before or not after:
        return f"{quoted(after)} added" if after else f"{quoted(before)} left out"
    places = list(_places(before, after))
    if len(places) > PLACES:
        return f"now {quoted(after)}"
    return "; ".join(_place_words(gone, come) for gone, come in places)


def _places(before: str, after: str) -> Iterator[tuple[str, str]]:
    """(words that went, words that came) at each changed place."""
    gone = come = ""
    for piece in words(before, after):
        if piece.mark == "same":
            if gone or come:
                yield gone, come
            gone = come = ""
        elif piece.mark == "del":
            gone += piece.text
        else:
            come += piece.text
    if gone or come:
        yield gone, come


def _place_words(gone: str, come: str) -> str:
    if gone.strip() and come.strip():
        return f"{quoted(gone)} became {quoted(come)}"
    return f"{quoted(_bare(come))} added" if come.strip() else f"{quoted(_bare(gone))} left out"


def _bare(words: str) -> str:
    """Without the marks that only join a clause to the one before it."""
    return words.strip().lstrip(",;:. ") or words


def quoted(text: str) -> str:
    plain = " ".join(text.split())
    cut = plain if len(plain) <= QUOTED else plain[: QUOTED - 1].rstrip() + "…"
    return f"“{cut}”"


def _from_to(change: Change) -> str:
    told = tell(change)
    return f"{told.before or 'none'} → {told.after or 'none'}"


def _split_head(parts: int) -> str:
    return f"Split in {_NUMBERS.get(parts, parts)}"


def _check(rubric: Rubric, key: str) -> Criterion:
    return next(check for check in rubric.criteria if check.key == key)


def _without(these: Sequence[Anchor], those: Sequence[Anchor]) -> list[Anchor]:
    known = {(anchor.verdict, anchor.text) for anchor in those}
    return [anchor for anchor in these if (anchor.verdict, anchor.text) not in known]
