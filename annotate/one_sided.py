"""Two texts of different wording → what each says that stands nowhere in the other. Pure.

Where too few words are in the same order for a comparison word by word, order is left aside: a
number (an amount, a date, a share), a name or a content word is marked where the other text has it
nowhere, and a sentence as a whole where most of what it says is its own. Swapping the texts swaps
the sides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from annotate.diffing import SPEAKING_WORD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotate.diffing import Span

# A number with what belongs to it: 18,240.50, 04/11/2025, 9:30, 12-04, 40%.
_NUMBER = r"(?<!\w)\d+(?:[.,:/\-]\d+)*%?(?!\w)"
_TOKEN = re.compile(f"(?P<number>{_NUMBER})|(?P<word>{SPEAKING_WORD})|(?P<end>[.!?…。！？;\\n])")
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_BESIDE = re.compile("[ $€£¥-]{0,2}")
_ENDINGS = ("ing", "ed", "e")
_SHORTEST = 4  # letters of a word that says something; a name or CJK may be shorter
# A sentence is marked whole from here on: fewer marks, and it reads as one thing that was said.
_OWN_SHARE = 0.6
_OWN_WORDS = 3
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
        about above after again against also although among another around because been before
        being below between both came come could does doing done down during each either else
        ever every from further give given goes gone have having hence here hers herself himself
        into itself just least less like made make many might more most much must neither none
        only onto other ought ours over perhaps quite rather same shall should since some still
        such than that their theirs them then there therefore these they this those though
        through thus told took toward under unless until upon used very want well went were what
        when where whether which while whom whose will with within without would your yours
        """,
    )
)

Kind = Literal["words", "sentence"]


@dataclass(frozen=True)
class Own:
    """A stretch of a text that is this side's alone; `numbers`: those in it that are."""

    start: int
    end: int
    kind: Kind
    numbers: tuple[Span, ...] = ()


@dataclass(frozen=True)
class _Term:
    start: int
    end: int
    key: str  # what it has in common with other spellings of it
    is_number: bool


def one_sided(left: str, right: str) -> tuple[tuple[Own, ...], tuple[Own, ...]]:
    """What each of two texts says that the other does not, in the order of its text."""
    a, b = list(_sentences(left)), list(_sentences(right))
    return tuple(_own(left, a, _keys(b))), tuple(_own(right, b, _keys(a)))


def _keys(sentences: list[list[_Term]]) -> frozenset[str]:
    return frozenset(term.key for sentence in sentences for term in sentence)


def _own(text: str, sentences: list[list[_Term]], there: frozenset[str]) -> Iterator[Own]:
    for sentence in sentences:
        own = [term for term in sentence if term.key not in there]
        numbers = tuple((term.start, term.end) for term in own if term.is_number)
        if len(own) >= _OWN_WORDS and len(own) >= _OWN_SHARE * len(sentence):
            yield Own(sentence[0].start, sentence[-1].end, "sentence", numbers)
            continue
        for run in _runs(text, own):
            within = tuple((term.start, term.end) for term in run if term.is_number)
            yield Own(run[0].start, run[-1].end, "words", within)


def _runs(text: str, terms: list[_Term]) -> Iterator[list[_Term]]:
    """Neighbours with nothing but a blank, a hyphen or the sign of a currency between them."""
    run: list[_Term] = []
    for term in terms:
        if run and not _BESIDE.fullmatch(text, run[-1].end, term.start):
            yield run
            run = []
        run.append(term)
    if run:
        yield run


def _sentences(text: str) -> Iterator[list[_Term]]:
    """The terms of each sentence that has some; the end of a line ends one, too."""
    terms: list[_Term] = []
    for found in _TOKEN.finditer(text):
        start, end = found.span()
        if found["end"]:
            if terms:
                yield terms
            terms = []
        elif found["number"]:
            terms.append(_Term(start, end, _number_key(found[0]), is_number=True))
        elif _says_something(found[0]):
            terms.append(_Term(start, end, _word_key(found[0]), is_number=False))
    if terms:
        yield terms


def _number_key(number: str) -> str:
    """4/11 is 04/11, and 4510 is 4,510.00."""
    if "/" in number:
        return "/".join(part.lstrip("0") or "0" for part in number.split("/"))
    plain = _THOUSANDS.sub("", number)
    return plain.removesuffix(".00")


def _says_something(word: str) -> bool:
    if word.casefold() in _COMMON:
        return False
    if not word.isascii() or any(sign.isdigit() for sign in word):
        return True
    return len(word) >= _SHORTEST or (len(word) > 1 and word.isupper())


def _word_key(word: str) -> str:
    """Estimate, estimates, estimated and the estimate's are one word."""
    key = word.casefold().replace("’", "'")
    key = key.removesuffix("'s")
    if len(key) > _SHORTEST and key.endswith("s") and not key.endswith("ss"):
        key = key[:-1]
    for ending in _ENDINGS:
        if key.endswith(ending) and len(key) - len(ending) >= _SHORTEST - 1:
            return key.removesuffix(ending)
    return key
