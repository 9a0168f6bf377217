"""One record of a file → the known answer that it gives on a pair, or what is wrong with it.

A row is `{"id": …, "labels": {"G1": {"A": "pass", "B": "fail"}, "C3": "yes"}, "preference": …,
"why": …, "use": …}`. Which checks there are, and what they take, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.ingest.problems import Problem, shown
from annotate.ingest.readers import Record
from annotate.ingest.strict_json import json_text

FIELDS = ("id", "labels", "preference", "why", "use")
WHOLE = ""


@dataclass(frozen=True, slots=True)
class GoldRow:
    """line: where it begins. labels: (key, canonical part or '') → code. Texts are '' if absent."""

    line: int
    id: str
    labels: Mapping[tuple[str, str], str]
    preference: str
    why: str
    use: str


def gold_row(record: Record) -> GoldRow | tuple[Problem, ...]:
    """The row, or every problem that it has."""
    problems: list[Problem] = []
    for name in record.fields:
        if name not in FIELDS:
            message = f"{shown(name)} is no field of a known answer: {', '.join(FIELDS)} are."
            problems.append(Problem(record.line, name, message, "unknown_field"))
    texts = {}
    for name in FIELDS:
        if name == "labels":
            continue
        value = _text(record.fields.get(name))
        if value is None:
            problems.append(Problem(record.line, name, "Give a text here.", "not_a_text"))
        texts[name] = value or ""
    if "id" in texts and not texts["id"].strip() and record.fields.get("id") is None:
        problems.append(Problem(record.line, "id", "Name the pair by its id.", "missing"))
    labels: dict[tuple[str, str], str] = {}
    for item in _labels(record.fields.get("labels"), record.line):
        if isinstance(item, Problem):
            problems.append(item)
        else:
            labels[item[0]] = item[1]
    if problems:
        return tuple(problems)
    return GoldRow(line=record.line, labels=labels, **texts)


def place_name(key: str, part: str) -> str:
    """The field of a label as a problem names it."""
    return f"labels.{key}.{part}" if part else f"labels.{key}"


def _labels(value: Any, line: int) -> Iterator[tuple[tuple[str, str], str] | Problem]:
    if not isinstance(value, Mapping):
        message = 'Give the labels as an object: {"G1": {"A": "pass", "B": "fail"}}.'
        yield Problem(line, "labels", message, "not_an_object")
        return
    for key, given in value.items():
        parts = given if isinstance(given, Mapping) else {WHOLE: given}
        for part, code in parts.items():
            text = _text(code)
            if text:
                yield (str(key), str(part)), text
            else:
                message = f"{shown(code)} is no label: give a code of the check as a text."
                yield Problem(line, place_name(str(key), str(part)), message, "not_a_label")


def _text(value: Any) -> str | None:
    """The text of a scalar, '' for null; None for what is none. `true` is no code of any check."""
    if isinstance(value, bool | Mapping | list):
        return None
    return json_text(value) or ""
