"""Regular expressions of a rubric, in the syntax of RE2, whose time is linear in the text.

Pure: no Django, no I/O. Python's own engine can be kept busy for hours by one unlucky pattern and
one text; RE2 leaves out what makes that possible (https://github.com/google/re2/wiki/Syntax).
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import re2

from rubrics.check_work import Work

MAX_PATTERN = 1_000
# Instructions of one compiled pattern, and of those of a whole schema, which stay in memory. What
# they may cost on a text is bounded apart: check_work.
MAX_PROGRAM = 10_000
MAX_PROGRAMS = 100_000

_LOOKAROUND = re.compile(r"\(\?<?[=!]")
_BACKREFERENCE = re.compile(r"\\[1-9]|\(\?P=|\\k")
_SURROGATE = re.compile("[\ud800-\udfff]")


class PatternError(ValueError):
    """RE2 does not take the pattern; the message says what to do instead."""


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern; `program` is how many instructions it has."""

    engine: Any
    program: int

    def found(self, text: str, work: Work) -> bool:
        """Whether it matches anywhere in the text. Raises Undecided where that is too much work."""
        read = text.encode("utf-8", "replace")
        work.pay(self.program, len(read))
        return self.engine.search(read) is not None


@dataclass
class Patterns:
    """The patterns of one schema: compiled once and kept with it, however many they are."""

    kept: dict[str, Pattern] = field(default_factory=dict)
    programs: int = 0

    def of(self, pattern: str) -> Pattern:
        """Raises PatternError."""
        found = self.kept.get(pattern)
        if found is None:
            found = _compile(pattern)
            if self.programs + found.program > MAX_PROGRAMS:
                raise PatternError("with the others matches in too many ways: use fewer or smaller")
            self.programs += found.program
            self.kept[pattern] = found
        return found


def refusal(pattern: str) -> str:
    """Why a pattern is not taken, and what to do; '' where it is taken."""
    try:
        _compiled(pattern)
    except PatternError as error:
        return str(error)
    return ""


def found(pattern: str, text: str, work: Work) -> bool:
    """Whether the pattern matches anywhere in the text. Raises PatternError, Undecided."""
    return _compiled(pattern).found(text, work)


def _compile(pattern: str) -> Pattern:
    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"a pattern has up to {MAX_PATTERN:,} characters: write several")
    if _SURROGATE.search(pattern):
        raise PatternError("holds half a character (a surrogate): write the whole character")
    options = re2.Options()
    options.log_errors = False
    # Nobody asks what a group matched, and noting it is slow.
    options.never_capture = True
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise PatternError(_reason(pattern, error)) from None
    if compiled.programsize > MAX_PROGRAM:
        raise PatternError(_TOO_LARGE)
    return Pattern(compiled, compiled.programsize)


# The patterns of rules, of which one has up to a hundred.
_compiled = lru_cache(maxsize=512)(_compile)

_TOO_LARGE = "matches in too many ways: use smaller repetitions, or a rule that counts"


def _reason(pattern: str, error: Exception) -> str:
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    if "invalid perl operator" in text and _LOOKAROUND.search(pattern):
        return (
            "looks ahead or behind, (?=…), (?!…), (?<=…) or (?<!…), which can take hours: write "
            "what is to be found, or put what must be absent under must_not_match"
        )
    if _BACKREFERENCE.search(pattern) and ("invalid escape" in text or "perl operator" in text):
        return "refers back to a group (\\1), which can take hours: write the text out"
    if "repetition size" in text:
        return "repeats more than 1,000 times: use smaller repetitions, or a rule that counts"
    if "too large" in text:
        return _TOO_LARGE
    return f"is no regular expression that RE2 knows ({text})"
