"""Two texts → which of their words the other lacks. Pure.

Words are compared, white space is not: each side keeps its own. Sentences that stand exactly once
in both texts are matched first (as in the patience diff), then the words between them by difflib;
in a long passage, three words in a row that stand once come between. That reads better than
difflib alone, and it keeps the work small: difflib takes cubic time at worst.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

ENOUGH = 0.5  # share of words in common below which a comparison word by word only confuses
# A step is one word met by the same word of the other text: what difflib goes through at least
# once, at worst once for each word. A passage that would take more counts as changed as a whole.
MAX_STEPS_OF_PASSAGE = 60_000
MAX_STEPS = 300_000

# A Chinese or Japanese character is a word; so is a run of anything that is neither white space
# nor a mark, with the marks inside of "don't", "co-op" and "18,240.50"; so is any other mark.
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_MARKS = "!-/:-@\\[-`{-~¡-¿\u2000-\u206f\u3000-\u303f\uff00-\uff0f"
_RUN = f"[^\\s{_MARKS}{_CJK}]+"
SPEAKING_WORD = f"[{_CJK}]|{_RUN}(?:['’.,-]{_RUN})*"
_WORD = re.compile(f"{SPEAKING_WORD}|\\S")
_SAYS_SOMETHING = re.compile(f"[{_CJK}]|{_RUN}")
_SENTENCE_END = frozenset(".!?…。！？")
_SHORTEST_SENTENCE = 3

Kind = Literal["same", "changed"]
Span = tuple[int, int]
Match = tuple[int, int, int]  # start in a, start in b, words


@dataclass(frozen=True)
class Run:
    """A stretch of both texts, verbatim: alike word for word, or different."""

    kind: Kind
    left: str
    right: str
    words: int  # of the longer side


@dataclass(frozen=True)
class Difference:
    """The runs of two texts in order. Joined, the left ones are the left text, byte for byte, and
    the right ones the right text."""

    runs: tuple[Run, ...]
    ratio: float  # of the words of both texts, those that the other has too

    @property
    def changes(self) -> int:
        return sum(1 for run in self.runs if run.kind == "changed")


@dataclass(frozen=True)
class _Text:
    """A text cut into words; `starts[n]` is where word n begins, with the white space before it
    (the white space after the last word belongs to that word)."""

    text: str
    words: list[str]
    starts: list[int]

    def between(self, first: int, last: int) -> str:
        return self.text[self.starts[first] : self.starts[last]]


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def word_places(text: str) -> list[Span]:
    """Where each word begins and ends."""
    return [found.span() for found in _WORD.finditer(text)]


def difference(left: str, right: str) -> Difference | None:
    """How the texts differ, or None where too few of their words stand in both.

    Swapping the texts swaps the sides and changes nothing else.
    """
    if left > right:
        # difflib depends on which text comes first; what a reader sees must not.
        mirrored = difference(right, left)
        return mirrored and Difference(
            tuple(Run(run.kind, run.right, run.left, run.words) for run in mirrored.runs),
            mirrored.ratio,
        )
    a, b = _cut(left), _cut(right)
    total = len(a.words) + len(b.words)
    if total and 2 * (Counter(a.words) & Counter(b.words)).total() < ENOUGH * total:
        return None
    matched = list(_matches(a.words, b.words))
    ratio = 2 * sum(size for _, _, size in matched) / total if total else 1.0
    if ratio < ENOUGH:
        return None
    return Difference(tuple(_runs(a, b, matched)), ratio)


def _cut(text: str) -> _Text:
    found = list(_WORD.finditer(text))
    starts = [0, *(match.end() for match in found)]
    if len(starts) > 1:
        starts[-1] = len(text)
    return _Text(text, [match[0] for match in found], starts)


def _runs(a: _Text, b: _Text, matched: Sequence[Match]) -> Iterator[Run]:
    if not a.words or not b.words:
        if a.text or b.text:
            kind: Kind = "changed" if a.words or b.words else "same"
            yield Run(kind, a.text, b.text, max(len(a.words), len(b.words)))
        return
    i = j = 0
    for start_a, start_b, size in [*_worth_keeping(a, b, matched), (len(a.words), len(b.words), 0)]:
        if start_a > i or start_b > j:
            longer = max(start_a - i, start_b - j)
            yield Run("changed", a.between(i, start_a), b.between(j, start_b), longer)
        i, j = start_a + size, start_b + size
        if size:
            yield Run("same", a.between(start_a, i), b.between(start_b, j), size)


def _worth_keeping(a: _Text, b: _Text, matched: Sequence[Match]) -> Iterator[Match]:
    """The matches, joined where they touch, less those of a mere comma between two changes."""
    joined: list[Match] = []
    for start_a, start_b, size in matched:
        if joined:
            i, j, before = joined[-1]
            if (i + before, j + before) == (start_a, start_b):
                joined[-1] = (i, j, before + size)
                continue
        joined.append((start_a, start_b, size))
    for start_a, start_b, size in joined:
        at_edge = (start_a == 0 and start_b == 0) or (
            start_a + size == len(a.words) and start_b + size == len(b.words)
        )
        words = a.words[start_a : start_a + size]
        if at_edge or any(_SAYS_SOMETHING.match(word) for word in words):
            yield start_a, start_b, size


def _matches(a: list[str], b: list[str]) -> Iterator[Match]:
    """What is alike, in order."""
    left = MAX_STEPS
    for passage, anchor in _between(_Passage(a, b, (0, len(a)), (0, len(b))), _sentences_once):
        parts: list[tuple[_Passage, Match | None]] = [(passage, None)]
        if passage.steps() > MAX_STEPS_OF_PASSAGE:
            parts = list(_between(passage, _triples_once))
        for part, triple in parts:
            steps = part.steps()
            by_words = steps <= min(left, MAX_STEPS_OF_PASSAGE)
            yield from part.matches(by_words=by_words)
            left -= steps if by_words else 0
            if triple:
                yield triple
        if anchor:
            yield anchor


@dataclass(frozen=True)
class _Passage:
    """A stretch of either text, the one compared with the other."""

    a: list[str]
    b: list[str]
    in_a: Span
    in_b: Span

    def inner(self) -> _Passage:
        """Less the words with which both begin and both end."""
        (i, end_a), (j, end_b) = self.in_a, self.in_b
        while i < end_a and j < end_b and self.a[i] == self.b[j]:
            i, j = i + 1, j + 1
        while i < end_a and j < end_b and self.a[end_a - 1] == self.b[end_b - 1]:
            end_a, end_b = end_a - 1, end_b - 1
        return _Passage(self.a, self.b, (i, end_a), (j, end_b))

    def steps(self) -> int:
        inner = self.inner()
        in_a = Counter(self.a[slice(*inner.in_a)])
        in_b = Counter(self.b[slice(*inner.in_b)])
        return sum(count * in_b[word] for word, count in in_a.items())

    def matches(self, *, by_words: bool) -> Iterator[Match]:
        inner = self.inner()
        (i, end_a), (j, end_b) = inner.in_a, inner.in_b
        if i > self.in_a[0]:
            yield self.in_a[0], self.in_b[0], i - self.in_a[0]
        if by_words and i < end_a and j < end_b:
            matcher = SequenceMatcher(None, self.a[i:end_a], self.b[j:end_b], autojunk=False)
            for block in matcher.get_matching_blocks():
                if block.size:
                    yield i + block.a, j + block.b, block.size
        if end_a < self.in_a[1]:
            yield end_a, end_b, self.in_a[1] - end_a


def _between(
    whole: _Passage, found: Callable[[list[str], Span], dict[tuple[str, ...], Span]]
) -> Iterator[tuple[_Passage, Match | None]]:
    """The passages of `whole` between what `found` finds in both, each with what follows it."""
    i, j = whole.in_a[0], whole.in_b[0]
    anchors = _in_order(found(whole.a, whole.in_a), found(whole.b, whole.in_b))
    for start_a, start_b, size in anchors:
        yield (
            _Passage(whole.a, whole.b, (i, start_a), (j, start_b)),
            (start_a, start_b, size),
        )
        i, j = start_a + size, start_b + size
    yield _Passage(whole.a, whole.b, (i, whole.in_a[1]), (j, whole.in_b[1])), None


def _in_order(
    in_a: Mapping[tuple[str, ...], Span], in_b: Mapping[tuple[str, ...], Span]
) -> list[Match]:
    """The longest list of what stands in both in the same order (by patience sorting)."""
    common = [(span, in_b[words]) for words, span in in_a.items() if words in in_b]
    piles: list[int] = []  # the smallest start in b that ends a list of each length
    ends: list[int] = []
    before: list[int] = []
    for n, (_, (start_b, _)) in enumerate(common):
        at = bisect_left(piles, start_b)
        before.append(ends[at - 1] if at else -1)
        if at == len(piles):
            piles.append(start_b)
            ends.append(n)
        else:
            piles[at], ends[at] = start_b, n
    chain: list[Match] = []
    n = ends[-1] if ends else -1
    while n >= 0:
        (start_a, end_a), (start_b, _) = common[n]
        chain.append((start_a, start_b, end_a - start_a))
        n = before[n]
    return chain[::-1]


def _sentences_once(words: list[str], within: Span) -> dict[tuple[str, ...], Span]:
    """Sentences that stand once, in order, each with its place."""
    start, end = within
    spans = []
    for n in range(start, end):
        if words[n] in _SENTENCE_END or n == end - 1:
            spans.append((start, n + 1))
            start = n + 1
    return _once((tuple(words[i:j]), (i, j)) for i, j in spans if j - i >= _SHORTEST_SENTENCE)


def _triples_once(words: list[str], within: Span) -> dict[tuple[str, ...], Span]:
    """Three words in a row that stand once, each with the place of the first of them."""
    start, end = within
    return _once((tuple(words[n : n + 3]), (n, n + 1)) for n in range(start, end - 2))


def _once(found: Iterable[tuple[tuple[str, ...], Span]]) -> dict[tuple[str, ...], Span]:
    places: dict[tuple[str, ...], Span] = {}
    again: set[tuple[str, ...]] = set()
    for words, span in found:
        if words in places:
            again.add(words)
        places.setdefault(words, span)
    return {words: span for words, span in places.items() if words not in again}
