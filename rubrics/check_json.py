"""JSON in responses, read strictly.

Pure: no Django, no I/O.
"""

import json
import math
from typing import Any

MAX_DEPTH = 64
MAX_DIGITS = 300


class NotJson(ValueError):
    """The text is no JSON; the message says why."""


def value_of(text: str) -> Any:
    """The value of a text that is one JSON value and nothing else. Raises NotJson.

    Stricter than Python's own reader, which takes NaN and a key twice: two programs would read
    those differently.
    """
    if text.lstrip().startswith(("```", "~~~")):
        raise NotJson("begins with a Markdown fence")
    try:
        value = json.loads(
            text.strip(" \t\r\n"),
            object_pairs_hook=_object,
            parse_float=_float,
            parse_int=_int,
            parse_constant=_constant,
        )
    except RecursionError:
        raise NotJson(TOO_DEEP) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NotJson(f"{error.msg[:1].lower()}{error.msg[1:]} at {where}") from None
    measure(value, {})
    return value


TOO_DEEP = f"is nested over {MAX_DEPTH} levels deep"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise NotJson(f"has the key {short(key)} twice in one object")
        made[key] = value
    return made


def _float(text: str) -> float:
    if len(text) > MAX_DIGITS or math.isinf(float(text)):
        raise NotJson("holds a number out of range")
    return float(text)


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise NotJson(f"holds a number of more than {MAX_DIGITS} digits")
    return int(text)


def _constant(name: str) -> Any:
    raise NotJson(f"holds {name}, which is not JSON")


def measure(value: Any, sizes: dict[int, int], depth: int = 0) -> int:
    """The characters of a value, about; `sizes` is filled for lists and objects."""
    if isinstance(value, str):
        return len(value) + 2
    if not isinstance(value, dict | list):
        return 8
    if depth >= MAX_DEPTH:
        raise NotJson(TOO_DEEP)
    inner = value.values() if isinstance(value, dict) else value
    size = sum(measure(each, sizes, depth + 1) for each in inner) + len(value) + 2
    if isinstance(value, dict):
        size += sum(map(len, value))
    sizes[id(value)] = size
    return size


def short(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
