"""The passages of the responses that a rater attached to checks: where a label comes from. Pure.

A passage lies in one response, whatever part its check is answered for: a check that is asked
once about the whole pair takes its evidence from either side. As seen its side is Left or Right,
as stored A or B. Places are code points of the readable text (annotate/rendering/readable.py),
end exclusive; the quote is the text that stood there when it was chosen. See
docs/design/evidence.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from annotate.ballot import Ballot, CanonicalAnswer, Order, seen_part, side_of

MAX_PASSAGES = 50
MAX_QUOTE = 2_000
# More than the most passages at their longest, every character escaped; the page sends far less.
MAX_FIELD = 400_000
_SAID = 60


@dataclass(frozen=True)
class Passage:
    """A stretch of the response on `side`, attached to the check with this key."""

    check: str
    side: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True)
class Reading:
    """What a form's field holds: the passages that stand, and what is wrong with the others.

    `given` has every passage that could be read at all, in the order of the field; `refused` says
    by place in it (1-based, 0 for the field as a whole) what keeps it from counting.
    """

    passages: tuple[Passage, ...] = ()
    given: tuple[Passage, ...] = ()
    refused: Mapping[int, str] = field(default_factory=dict)

    @property
    def problem(self) -> str:
        """All refusals as one message; '' without any."""
        return " ".join(dict.fromkeys(self.refused.values()))


def read(written: str, ballot: Ballot, texts: Mapping[str, str]) -> Reading:
    """The passages of a form's `evidence` field, held against the readable `texts` by seen side."""
    items = _items(written)
    if isinstance(items, str):
        return Reading(refused={0: items})
    given: list[Passage] = []
    refused: dict[int, str] = {}
    stands: list[Passage] = []
    for item in items:
        passage = _passage(item)
        if passage is None:
            refused[0] = (
                "Part of the evidence did not arrive whole: it needs a check, a side, "
                "a start, an end and a quote each. Select it again."
            )
            continue
        given.append(passage)
        if problem := _problem(passage, ballot, texts):
            refused[len(given)] = problem
        else:
            stands.append(passage)
    if len(items) > MAX_PASSAGES:
        refused[0] = (
            f"Keep the evidence to {MAX_PASSAGES} passages: there are {len(items)}. "
            "Remove those that matter least."
        )
    return Reading(in_order(stands, ballot), tuple(given), refused)


def as_field(passages: Iterable[Passage]) -> str:
    """The form's field for passages; '' for none. `read` gives them back."""
    rows = [
        {
            "check": passage.check,
            "side": passage.side,
            "start": passage.start,
            "end": passage.end,
            "quote": passage.quote,
        }
        for passage in passages
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")) if rows else ""


def kept(sent: object) -> str:
    """The field as a draft keeps it: as it came, for nothing of it may get lost unseen."""
    text = str(sent or "").strip()
    return "" if text == "[]" else text[: MAX_FIELD + 1]


def without(written: str, number: str) -> str:
    """The field after one passage was taken away by its place (1-based), or all of them."""
    items = _items(written)
    if number == "all" or isinstance(items, str):
        return "" if number == "all" else written
    given = [passage for item in items if (passage := _passage(item))]
    return as_field(passage for n, passage in enumerate(given, 1) if str(n) != number)


def in_order(passages: Iterable[Passage], ballot: Ballot) -> tuple[Passage, ...]:
    """Each passage once, from left to right, as they stand in the text, then as in the rubric."""
    rank = {check.key: n for n, check in enumerate(ballot.checks)}
    once = {(one.check, one.side, one.start, one.end): one for one in passages}
    return tuple(
        sorted(once.values(), key=lambda one: (one.side, one.start, one.end, rank[one.check]))
    )


def given(written: str) -> tuple[Passage, ...]:
    """The passages of a field as they were given, whatever stands at their places."""
    items = _items(written)
    if isinstance(items, str):
        return ()
    return tuple(passage for item in items if (passage := _passage(item)))


def counted(passages: Iterable[Passage], answer: CanonicalAnswer) -> tuple[Passage, ...]:
    """The canonical passages of checks that were answered, or that the answer cites.

    What is attached to a check that a gate has switched off stays in the draft, as its answer does.
    """
    asked = {label.key for label in answer.labels} | set(answer.cites)
    return tuple(passage for passage in passages if passage.check in asked)


def canonical(passages: Iterable[Passage], order: Order) -> tuple[Passage, ...]:
    """The passages as they are stored: sides are A and B."""
    return tuple(replace(passage, side=side_of(passage.side, order)) for passage in passages)


def seen(passages: Iterable[Passage], order: Order) -> tuple[Passage, ...]:
    """The inverse of `canonical`."""
    return tuple(replace(passage, side=seen_part(passage.side, order)) for passage in passages)


def place_of(passage: Passage, text: str) -> tuple[int, int] | None:
    """Where the passage stands in a text that may have been rendered anew since.

    At its place, else where its quote stands if it stands once, else nowhere.
    """
    if not passage.quote:
        return None
    if text[passage.start : passage.end] == passage.quote:
        return passage.start, passage.end
    at = text.find(passage.quote)
    if at < 0 or text.find(passage.quote, at + 1) >= 0:
        return None
    return at, at + len(passage.quote)


def short(quote: str) -> str:
    """A quote on one line, cut where it is long."""
    line = " ".join(quote.split())
    return line if len(line) <= _SAID else f"{line[: _SAID - 1].rstrip()}…"


def _items(written: str) -> list[Any] | str:
    """The rows of the field, or why it has none."""
    if not written:
        return []
    if len(written) > MAX_FIELD:
        return "The evidence is too long to be kept: remove some passages."
    try:
        items = json.loads(written)
    except (ValueError, RecursionError):
        return "The evidence did not arrive whole: select the passages again."
    if not isinstance(items, list):
        return "The evidence is not a list of passages: select them again."
    return items


def _passage(item: object) -> Passage | None:
    if not isinstance(item, dict):
        return None
    check, side, quote = (item.get(name) for name in ("check", "side", "quote"))
    start, end = item.get("start"), item.get("end")
    if not (isinstance(check, str) and isinstance(side, str) and isinstance(quote, str)):
        return None
    # Not isinstance: true and false are whole numbers to Python.
    if type(start) is not int or type(end) is not int:
        return None
    return Passage(_clean(check), _clean(side), start, end, _clean(quote))


def _clean(text: str) -> str:
    """Without half characters, which no database and no page can hold."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _problem(passage: Passage, ballot: Ballot, texts: Mapping[str, str]) -> str:
    check, side, start, end = passage.check, passage.side, passage.start, passage.end
    if ballot.check(check) is None:
        return f"Evidence for “{short(check)}”: no such check is asked here."
    if side not in texts:
        sides = " or ".join(texts)
        return f"Evidence for {check}: “{short(side)}” is no response. It is {sides}."
    here = f"The evidence for {check} in {side}"
    if start >= end or not passage.quote.strip():
        return f"{here} is empty: select some text."
    if end - start > MAX_QUOTE or len(passage.quote) > MAX_QUOTE:
        long = max(end - start, len(passage.quote))
        return f"{here} is too long: {long:,} characters, at most {MAX_QUOTE:,}. Select less."
    text = texts[side]
    if start < 0 or end > len(text):
        return (
            f"{here} lies outside the text, which has {len(text):,} characters. "
            "Remove it or select it again."
        )
    if text[start:end] != passage.quote:
        return (
            f"{here}, “{short(passage.quote)}”, does not stand at its place in the text any more. "
            "Remove it or select it again."
        )
    return ""
