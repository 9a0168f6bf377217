"""One JSON object from one line of text, or the reasons why it is none, by field.

Stricter than `json`: repeated keys, NaN and Infinity, numbers out of range, half surrogate pairs,
U+0000 and deep nesting are refused, since a database or another program cannot hold them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from annotate.ingest.problems import Notice, Problem, printable, shown

MAX_DEPTH = 64
MAX_DIGITS = 300
LONE_SURROGATE = re.compile("[\ud800-\udfff]")

REMOVE_NUL = "Remove it, or let it be removed with a warning."


class JsonFloat(float):
    """A float that remembers how the file wrote it."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> JsonFloat:
        number = super().__new__(cls, text)
        number.text = text
        return number


@dataclass(frozen=True, slots=True)
class _Refused:
    """Stands where the parser met a value that is not taken, until its path is known."""

    code: str
    message: str


class _Repeated(dict[str, Any]):
    """An object that has a key twice."""

    keys_twice: tuple[str, ...] = ()


def json_text(value: object) -> str | None:
    """The JSON text of a scalar as the file wrote it, None for null.

    Raises TypeError for a list or an object.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, JsonFloat):
        return value.text
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise TypeError(f"{type(value).__name__} is not a JSON scalar")


def json_value(text: str) -> Any:
    """The value of a JSON text; what it refuses is still inside. Raises ValueError."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_float,
            parse_int=_int,
            parse_constant=_constant,
        )
    except RecursionError:
        return _Refused("too_deep", f"The value is nested deeper than {MAX_DEPTH} levels.")


def json_object(
    text: str, line: int, *, repair: bool = False
) -> tuple[dict[str, Any] | None, list[Problem | Notice]]:
    """The object that a line holds (None if it cannot be taken) and what there is to say.

    repair: remove U+0000 with a notice instead of refusing the line.
    """
    said: list[Problem | Notice] = []
    if "\0" in text:
        said.append(nul_report(line, "", repair=repair))
        if not repair:
            return None, said
        text = text.replace("\0", "")
    try:
        value = json_value(text)
    except ValueError as error:
        return None, [*said, _syntax_problem(line, text, error)]
    if not isinstance(value, dict | _Refused):
        return None, [*said, _not_an_object(line, value)]
    walk = Walk(line, repair=repair, strings="\\u" in text)
    clean = walk.clean(value, "", 0)
    said += walk.said
    refused = any(isinstance(thing, Problem) for thing in said)
    return (None if refused else clean), said


def nul_report(line: int, field: str, *, repair: bool) -> Problem | Notice:
    """What is said of U+0000 in a field: refused, or removed under repair."""
    if repair:
        return Notice(line, field, "U+0000 was removed from the text.", "nul_removed")
    message = f"The text holds the character U+0000. {REMOVE_NUL}"
    return Problem(line, field, message, "nul", flag="--repair")


class Walk:
    """Goes through a parsed value, reports what it refuses by path, and removes U+0000 if told.

    strings: look into strings too (a text without \\u escapes needs no look).
    """

    def __init__(self, line: int, *, repair: bool = False, strings: bool = True) -> None:
        self.line = line
        self.repair = repair
        self.strings = strings
        self.said: list[Problem | Notice] = []

    def clean(self, value: Any, path: str, depth: int) -> Any:
        """The value, without U+0000 under repair; `depth` counts the levels above it."""
        if isinstance(value, str):
            return self._string(value, path) if self.strings else value
        if isinstance(value, _Refused):
            return self._refuse(path, value.code, value.message)
        if not isinstance(value, dict | list):
            return value
        if depth >= MAX_DEPTH:
            message = f"The value is nested deeper than {MAX_DEPTH} levels."
            return self._refuse(path, "too_deep", message)
        if isinstance(value, list):
            return [self.clean(v, f"{path}[{i}]", depth + 1) for i, v in enumerate(value)]
        for key in getattr(value, "keys_twice", ()):
            message = f"The key {shown(key)} occurs twice in one object. Keep one of them."
            self._refuse(_joined(path, key), "repeated_key", message)
        made = {}
        for key, inner in value.items():
            where = _joined(path, key)
            made[self._string(key, where)] = self.clean(inner, where, depth + 1)
        return made

    def _string(self, text: str, path: str) -> str:
        if "\0" in text:
            self.said.append(nul_report(self.line, path, repair=self.repair))
            text = text.replace("\0", "")
        if not text.isascii() and LONE_SURROGATE.search(text):
            message = "The text holds half a surrogate pair, which is no character. Write it anew."
            self._refuse(path, "surrogate", message)
        return text

    def _refuse(self, path: str, code: str, message: str) -> None:
        self.said.append(Problem(self.line, path, message, code))


def _joined(path: str, key: str) -> str:
    name = printable(key[:100])
    return f"{path}.{name}" if path else name


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    counts = Counter(key for key, _ in pairs)
    repeated = _Repeated(made)
    repeated.keys_twice = tuple(key for key, count in counts.items() if count > 1)
    return repeated


def _float(text: str) -> JsonFloat | _Refused:
    if len(text) > MAX_DIGITS or math.isinf(float(text)):
        return _Refused("number", "The number is out of range.")
    return JsonFloat(text)


def _int(text: str) -> int | _Refused:
    if len(text) > MAX_DIGITS:
        return _Refused("number", f"The number has more than {MAX_DIGITS} digits.")
    return int(text)


def _constant(name: str) -> _Refused:
    return _Refused("number", f"{name} is not JSON. Write null for a missing number.")


def _syntax_problem(line: int, text: str, error: ValueError) -> Problem:
    if text.strip() in {"[", "{"}:
        message = "JSONL has one whole object on each line; this one is spread over several lines."
    elif isinstance(error, json.JSONDecodeError):
        message = f"The line is not valid JSON: {error.msg} at character {error.pos + 1}."
    else:
        message = "The line is not valid JSON."
    return Problem(line, "", message, "json")


def _not_an_object(line: int, value: object) -> Problem:
    what = "a list" if isinstance(value, list) else f"the value {shown(value)}"
    message = f'The line holds {what}. Each line must be one JSON object: {{"id": …, …}}.'
    return Problem(line, "", message, "not_an_object")
