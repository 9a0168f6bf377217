"""Automatic checks: what code decides about one text, by the rule of a check.

Pure: no Django, no I/O (but for the language model, see check_language). A rule and a text always
come to the same: a verdict, or that there is none since it would take too much work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from rubrics import check_json, check_language, check_patterns, check_schema, check_texts
from rubrics.check_rules import COUNTS, OVERLAP, UNITS, Rule
from rubrics.check_work import Undecided, Work
from rubrics.content import RuleValue

# What fails nothing and passes nothing is "undecided": too much work is no verdict on a text.
Code = Literal["pass", "fail", "undecided"]

MAX_DETAIL = 200
# A database or a page cannot hold half a character or U+0000; a detail is one line.
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True)
class Verdict:
    """`detail` says why, in words of up to 200 characters: "212 words, at most 150"."""

    code: Code
    detail: str


@dataclass(frozen=True)
class _Found:
    """`passes` is None where that would take too much work."""

    passes: bool | None
    detail: str = ""


def decide(rule: Rule, text: str, *, prompt: str = "") -> Verdict:
    """What a rule comes to for one text: all of it must hold.

    `rule` is that of a `Criterion` of a document that was accepted; `prompt` is what the text
    answers, its turns between blank lines. A failing verdict tells every part that fails, a
    passing one what was counted. Where no part fails and one would take too much work, the rule
    is undecided. Raises ValueError for a rule that no document can hold.
    """
    found = list(_found(rule, text, prompt))
    failing = [each for each in found if each.passes is False]
    silent = [each for each in found if each.passes is None]
    told = "; ".join(each.detail for each in failing or silent or found if each.detail)
    code: Code = "fail" if failing else "undecided" if silent else "pass"
    return Verdict(code, _one_line(told))


def _one_line(told: str) -> str:
    line = " ".join(_UNSHOWN.sub("\ufffd", told).split())
    return line if len(line) <= MAX_DETAIL else line[: MAX_DETAIL - 1] + "…"


def _found(rule: Rule, text: str, prompt: str) -> Iterator[_Found]:
    limits = {name: cast("int", value) for name, value in rule if name in COUNTS}
    for unit in UNITS:
        yield from _count(text, unit, limits.get(f"min_{unit}"), limits.get(f"max_{unit}"))
    work = Work()
    for name, value in rule:
        if name in COUNTS:
            continue
        if name == OVERLAP:
            yield _overlap(text, prompt, cast("float", value))
        elif name in _LOOKS:
            yield _LOOKS[name](text, value)
        elif name in _WORKS:
            yield _worked(_WORKS[name], text, value, work)
        else:
            raise ValueError(f"There is no rule {name}")


def _worked(
    look: Callable[[str, RuleValue, Work], _Found], text: str, value: RuleValue, work: Work
) -> _Found:
    try:
        return look(text, value, work)
    except Undecided as reason:
        return _Found(None, str(reason))


_COUNTERS: Mapping[str, Callable[[str], int]] = {
    "words": check_texts.words,
    "characters": check_texts.characters,
    "sentences": check_texts.sentences,
}


def _count(text: str, unit: str, low: int | None, high: int | None) -> Iterator[_Found]:
    if low is None and high is None:
        return
    counted = _COUNTERS[unit](text)
    short, long = low is not None and counted < low, high is not None and counted > high
    # A text that fails is told the limit it misses, one that passes all of them.
    asked = [f"at least {low:,}"] if low is not None and not long else []
    asked += [f"at most {high:,}"] if high is not None and not short else []
    called = unit if counted != 1 else unit.removesuffix("s")
    yield _Found(not (short or long), f"{counted:,} {called}, {' and '.join(asked)}")


def _must_contain(text: str, value: RuleValue) -> _Found:
    missing = [phrase for phrase in _texts(value) if phrase not in text]
    return _Found(not missing, f"does not contain {_quoted(missing)}" if missing else "")


def _must_not_contain(text: str, value: RuleValue) -> _Found:
    there = [phrase for phrase in _texts(value) if phrase in text]
    return _Found(not there, f"contains {_quoted(there)}" if there else "")


def _must_match(text: str, value: RuleValue, work: Work) -> _Found:
    missing = [each for each in _texts(value) if not check_patterns.found(each, text, work)]
    return _Found(not missing, f"nothing matches {_quoted(missing)}" if missing else "")


def _must_not_match(text: str, value: RuleValue, work: Work) -> _Found:
    there = [each for each in _texts(value) if check_patterns.found(each, text, work)]
    return _Found(not there, f"something matches {_quoted(there)}" if there else "")


def _headings(text: str, value: RuleValue) -> _Found:
    there = check_texts.headings(text)
    words = {check_texts.same_heading(heading) for _, heading in there}
    levelled = {(level, check_texts.same_heading(heading)) for level, heading in there}
    missing = []
    for wanted in _texts(value):
        level = len(wanted) - len(wanted.lstrip("#"))
        plain = check_texts.same_heading(wanted)
        if not ((level, plain) in levelled if level else plain in words):
            missing.append(wanted)
    return _Found(not missing, f"has no heading {_quoted(missing)}" if missing else "")


def _language(text: str, value: RuleValue) -> _Found:
    passes, found = check_language.written_in(text, _texts(value))
    if not found:
        return _Found(passes=True, detail="language not certain, so not held against it")
    asked = " or ".join(map(check_language.called, _texts(value)))
    return _Found(
        passes, "" if passes else f"written in {check_language.called(found)}, not {asked}"
    )


def _json(text: str, _value: RuleValue) -> _Found:
    try:
        check_json.value_of(text)
    except check_json.NotJson as error:
        return _Found(passes=False, detail=f"no JSON: {error}")
    return _Found(passes=True)


def _schema(text: str, value: RuleValue, work: Work) -> _Found:
    try:
        problem = check_schema.problem(text, cast("str", value), work)
    except check_json.NotJson as error:
        return _Found(passes=False, detail=f"no JSON: {error}")
    return _Found(not problem, f"not as the schema asks: {problem}" if problem else "")


def _overlap(text: str, prompt: str, limit: float) -> _Found:
    shared, runs = check_texts.overlap(text, prompt)
    if not runs or not prompt.strip():
        return _Found(passes=True, detail="too short to repeat the prompt" if prompt else "")
    percent = f"{shared / runs:.0%} of its passages stand in the prompt, at most {limit:.0%}"
    return _Found(shared <= limit * runs, percent)


_LOOKS: Mapping[str, Callable[[str, RuleValue], _Found]] = {
    "must_contain": _must_contain,
    "must_not_contain": _must_not_contain,
    "headings": _headings,
    "language": _language,
    "json": _json,
}
# Those that might take long, out of one purse.
_WORKS: Mapping[str, Callable[[str, RuleValue, Work], _Found]] = {
    "must_match": _must_match,
    "must_not_match": _must_not_match,
    "json_schema": _schema,
}


def _texts(value: RuleValue) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def _quoted(texts: list[str]) -> str:
    return ", ".join(f"“{each if len(each) <= 40 else each[:39] + '…'}”" for each in texts)
