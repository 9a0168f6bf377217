"""Hints on wording that costs agreement: what two careful raters would read in two ways.

Pure: no Django, no I/O. A hint names the words, says why they cost agreement and what to do next.
It never blocks anything: the author knows the work, these rules know only the words. They are kept
narrow, since a hint that is wrong twice is read no third time; `tests/pure/test_hints.py` holds
wordings sorted by hand and counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rubrics.content import Criterion, Rubric, missing_anchors
from rubrics.hint_words import (
    BAD_THINGS,
    CODE,
    COMPARATIVES,
    COMPOUND,
    CONDITION,
    DOUBLE_NEGATIVE,
    HEDGES,
    IMPORTANT,
    MEASURED,
    NEGATORS,
    QUOTED,
    STOP_WORDS,
    UNOBSERVABLE,
    VAGUE,
    YES_IS_BAD,
)

# No more of a wording is looked at: who reads on after a page has lost the raters anyway.
LOOKED_AT = 2_000
# Shared content words, as a share of all, from which two checks seem to ask the same.
OVERLAP = 0.6
# A weight below this share of the total hardly moves a score.
SMALL_SHARE = 0.03


@dataclass(frozen=True)
class Hint:
    """`n` counts the checks of the rubric from 0; `field` is check, weight, anchors, answers or
    allows_na; `words` are the author's ('' where there are none to quote)."""

    n: int
    field: str
    code: str
    words: str
    why: str
    step: str


def hints(rubric: Rubric) -> tuple[Hint, ...]:
    """Every hint, in the order of the checks; the preference and automatic checks get none."""
    asked = [(n, c) for n, c in enumerate(rubric.criteria) if c.kind in ("gate", "criterion")]
    found = [hint for n, check in asked for hint in _on_check(n, check)]
    found += _missing_anchors(rubric, asked)
    found += _overlaps(asked)
    found += _weights(asked)
    return tuple(sorted(found, key=lambda hint: hint.n))


def _on_check(n: int, check: Criterion) -> Iterator[Hint]:
    for code, words in on_wording(check.text, yes_no="yes" in check.values or check.kind == "gate"):
        yield Hint(n, "check", code, words, *_SAID[code])
    if not check.allows_na and (match := CONDITION.search(_unquoted(check.text))):
        yield Hint(n, "allows_na", "condition", match[0], *_SAID["condition"])
    if check.kind == "criterion" and check.level == "nominal" and _are_numbers(check.values):
        words = ", ".join(check.values[:5])
        yield Hint(n, "answers", "numbers", words, *_SAID["numbers"])


def _are_numbers(values: Sequence[str]) -> bool:
    return bool(values) and all(value.isdecimal() for value in values)


def on_wording(text: str, *, yes_no: bool = True) -> tuple[tuple[str, str], ...]:
    """(code, words) of each hint on one wording, each code once. `yes_no`: it is answered yes or
    no, so that a wording can make yes the bad answer."""
    plain = _unquoted(text)
    found: dict[str, str] = {}

    def note(code: str, match: re.Match[str] | None) -> None:
        if match and code not in found:
            found[code] = match[0].strip(" ,.;")

    note("compound", _compound(plain))
    note("hedge", HEDGES.search(plain))
    note("vague", IMPORTANT.search(plain) or VAGUE.search(plain))
    if not MEASURED.search(plain):
        note("vague", _ABSOLUTE.search(plain))
    note("unobservable", UNOBSERVABLE.search(plain))
    note("double_negative", DOUBLE_NEGATIVE.search(plain) or _two_negators(plain))
    if yes_no and "double_negative" not in found:
        note("yes_is_bad", _yes_is_bad(plain))
    note("comparative", COMPARATIVES.search(plain))
    note("code", CODE.search(plain))
    return tuple(found.items())


_ABSOLUTE = re.compile(
    r"\b(?:accurate(?:ly)?|correct(?:ly)?|complete(?:ly)?|comprehensive(?:ly)?|thorough(?:ly)?"
    r"|truthful|precise(?:ly)?)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[a-z)]\.\s+[A-Z][a-z]+[^.]{8,}")


def _unquoted(text: str) -> str:
    """Without what stands in quotes: words that the text must hold are no words about it."""
    return QUOTED.sub(" … ", " ".join(text[:LOOKED_AT].split()))


def _compound(text: str) -> re.Match[str] | None:
    return COMPOUND.search(text) or _SENTENCE.search(text)


def _two_negators(text: str) -> re.Match[str] | None:
    """Two negations in one clause; a comma, 'and' or 'or' between them begins another."""
    for clause in re.split(r"[,;:]|\band\b|\bor\b|\bbut\b", text):
        if match := re.search(rf"{NEGATORS}.*{NEGATORS}", clause, re.IGNORECASE):
            return match
    return None


def _yes_is_bad(text: str) -> re.Match[str] | None:
    for pattern in (BAD_THINGS, YES_IS_BAD):
        for match in pattern.finditer(text):
            if not re.search(NEGATORS, text[: match.end()], re.IGNORECASE):
                return match
    return None


def _missing_anchors(rubric: Rubric, asked: Sequence[tuple[int, Criterion]]) -> Iterator[Hint]:
    lacking: dict[str, list[str]] = {}
    for key, verdict in missing_anchors(rubric):
        lacking.setdefault(key, []).append(verdict)
    for n, check in asked:
        if verdicts := sorted(set(lacking.get(check.key, ())), reverse=True):
            words = "no example that " + " and none that ".join(
                f"{verdict}{'es' if verdict == 'pass' else 's'}" for verdict in verdicts
            )
            yield Hint(n, "anchors", "anchors", words, *_SAID["anchors"])


def _overlaps(asked: Sequence[tuple[int, Criterion]]) -> Iterator[Hint]:
    """One for each check, naming the first it resembles."""
    about = [content_words(check.text[:LOOKED_AT]) for _, check in asked]
    for place, (n, _) in enumerate(asked):
        like = (k for k in range(place) if _are_alike(about[k], about[place]))
        if (first := next(like, None)) is not None:
            words = f"much the same as {asked[first][1].key}"
            yield Hint(n, "check", "overlap", words, *_SAID["overlap"])


def _are_alike(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    shared = len(ours & theirs)
    return shared >= 3 and shared >= OVERLAP * (len(ours) + len(theirs) - shared)


def content_words(text: str) -> frozenset[str]:
    """What a wording is about: its words without endings and without the small ones."""
    words = re.findall(r"[\w$€£%]+", text.casefold())
    return frozenset(_stem(word) for word in words if word not in STOP_WORDS)


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word


def _weights(asked: Sequence[tuple[int, Criterion]]) -> Iterator[Hint]:
    weighed = [(n, check) for n, check in asked if check.kind == "criterion"]
    for n, check in weighed:
        if check.weight is None:
            yield Hint(n, "weight", "no_weight", "", *_SAID["no_weight"])
    known = [(n, check.weight) for n, check in weighed if check.weight is not None]
    total = sum(weight for _, weight in known)
    if known and len({weight for _, weight in known}) == 1 and known[0][1] != 1:
        n, weight = known[0]
        yield Hint(n, "weight", "same_weight", f"{weight:g} each", *_SAID["same_weight"])
    for n, weight in known:
        if 0 < weight < SMALL_SHARE * total:
            words = f"{weight:g} of {total:g}"
            yield Hint(n, "weight", "small_weight", words, *_SAID["small_weight"])


# Why it costs agreement, and what to do next.
_SAID: dict[str, tuple[str, str]] = {
    "compound": (
        "Two things to check in one: where only one of them holds, raters answer differently.",
        "Split it into two checks, each with its own weight.",
    ),
    "hedge": (
        "It leaves open when it counts; each rater draws that line elsewhere.",
        "Say exactly when it counts, or leave the words out.",
    ),
    "vague": (
        "Everybody has a line of their own for this word.",
        "Say what can be seen in the text, or move the word to the help and add two anchors.",
    ),
    "unobservable": (
        "What somebody meant or knows cannot be read off the text; raters guess.",
        "Say which words in the text would show it.",
    ),
    "double_negative": (
        "Two negations: under time pressure some raters answer the opposite.",
        "Say what must be there instead of what must not be missing.",
    ),
    "yes_is_bad": (
        "Yes would be the bad answer here, and every other check has yes for the good one.",
        "Turn it round, so that yes is the good answer.",
    ),
    "comparative": (
        "It compares with something it does not name; each response is judged for itself.",
        "Name what it is compared with, or give a number.",
    ),
    "code": (
        "Code counts without dissent; experts' time goes to what needs judgement.",
        "Make it an automatic check.",
    ),
    "condition": (
        "Where the condition does not hold, some raters say yes and some say no.",
        "Allow N/A, and say in the help when it applies.",
    ),
    "numbers": (
        "Read as names without order, so that 1 against 2 counts as much as 1 against 5.",
        "Choose steps, lowest first, if they are a scale.",
    ),
    "anchors": (
        "Wording alone is where experts part; an example shows where the line is.",
        "Add one that passes and one that fails, from real outputs where you have them.",
    ),
    "overlap": (
        "One fault is counted twice, and raters wonder which check it belongs to.",
        "Merge the two, or say in the help what belongs to which.",
    ),
    "no_weight": ("Without a weight it counts 1.", "Write the weight down."),
    "same_weight": (
        "Every criterion weighs the same, so the number says nothing.",
        "Set all to 1, or give more to what matters more.",
    ),
    "small_weight": (
        "So small a share hardly moves a score, and it costs a decision on every pair.",
        "Leave the check out, or give it the weight it deserves.",
    ),
}
