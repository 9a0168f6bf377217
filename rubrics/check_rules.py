"""The rules of automatic checks: their names, what each is given, and what is refused.

Pure: no Django, no I/O. `checks` decides by them, the format and the editor read and write them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rubrics import check_json, check_language, check_patterns, check_schema
from rubrics.content import RuleValue

MAX_COUNT = 10_000_000
MAX_TEXTS = 50

UNITS = ("words", "characters", "sentences")
COUNTS = tuple(f"{end}_{unit}" for unit in UNITS for end in ("min", "max"))
PHRASES = ("must_contain", "must_not_contain")
PATTERNS = ("must_match", "must_not_match")
HEADINGS = "headings"
LANGUAGE = "language"
LISTS = (*PHRASES, *PATTERNS, HEADINGS, LANGUAGE)
JSON = "json"
SCHEMA = "json_schema"
OVERLAP = "max_prompt_overlap"
RULES = (*COUNTS, *LISTS, JSON, SCHEMA, OVERLAP)

Rule = tuple[tuple[str, RuleValue], ...]

_WHOLE = re.compile(r"0|[1-9][0-9]{0,15}")


def rule_of(plain: Mapping[str, Any]) -> Rule:
    """A rule in its one form from plain values, such as a canonical document or a form holds them.

    Nothing is judged: what does not fit stays as it is, and is refused where the document is read.
    """
    return tuple(sorted((name, _value(name, value)) for name, value in plain.items()))


def _value(name: str, value: Any) -> RuleValue:
    if name == SCHEMA:
        return _schema(value)
    if isinstance(value, list | tuple):
        return tuple(value)
    if name in LISTS:
        return (str(value),)
    if name in COUNTS and isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    if name == OVERLAP and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    kept: RuleValue = value
    return kept


def _schema(value: Any) -> str:
    """The text that stands for a schema; a text that is no JSON stays as it is."""
    if not isinstance(value, str):
        return check_schema.schema_text(value)
    try:
        return check_schema.schema_text(check_json.value_of(value))
    except check_json.NotJson:
        return value


def text_refusal(name: str, text: str) -> str:
    """Why one text of a rule is not taken, and what to do; '' where it is taken."""
    if name in PATTERNS and (said := check_patterns.refusal(text)):
        return f"the pattern {said}"
    if name == LANGUAGE and text not in check_language.LANGUAGES:
        known = ", ".join(check_language.LANGUAGES)
        return f"{text} is no language that code can tell: use one of {known}"
    return ""


def schema_refusal(text: str) -> str:
    said = check_schema.refusal(text)
    return f"the schema {said}" if said else ""


def contradictions(rule: Rule) -> tuple[str, ...]:
    """Why nothing could ever pass."""
    values = dict(rule)
    found = []
    for unit in UNITS:
        low, high = values.get(f"min_{unit}"), values.get(f"max_{unit}")
        if isinstance(low, int) and isinstance(high, int) and low > high:
            found.append(f"min_{unit} {low} is above max_{unit} {high}: nothing could pass")
    return tuple(found)
