"""Regular expressions of a rubric, in the syntax of RE2, whose time is linear in the text.

Pure: no Django, no I/O. Python's own engine can be kept busy for hours by one unlucky pattern and
one text; RE2 leaves out what makes that possible (https://github.com/google/re2/wiki/Syntax).
"""

import re
from functools import lru_cache
from typing import Any

import re2

MAX_PATTERN = 1_000
# A text of 100,000 characters under the slowest patterns of this size took two seconds.
MAX_PROGRAM = 10_000

_LOOKAROUND = re.compile(r"\(\?<?[=!]")
_BACKREFERENCE = re.compile(r"\\[1-9]|\(\?P=|\\k")
_SURROGATE = re.compile("[\ud800-\udfff]")


class PatternError(ValueError):
    """RE2 does not take the pattern; the message says what to do instead."""


def refusal(pattern: str) -> str:
    """Why a pattern is not taken, and what to do; '' where it is taken."""
    try:
        _compiled(pattern)
    except PatternError as error:
        return str(error)
    return ""


def found(pattern: str, text: str) -> bool:
    """Whether the pattern matches anywhere in the text. Raises PatternError."""
    return _compiled(pattern).search(text.encode("utf-8", "replace")) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"a pattern has up to {MAX_PATTERN:,} characters: write several")
    if _SURROGATE.search(pattern):
        raise PatternError("holds half a character (a surrogate): write the whole character")
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise PatternError(_reason(pattern, error)) from None
    if compiled.programsize > MAX_PROGRAM:
        raise PatternError(_TOO_LARGE)
    return compiled


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
