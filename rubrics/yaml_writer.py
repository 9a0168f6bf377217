"""A Rubric as YAML that people can read and edit, and that reads back as the same Rubric.

Pure: no Django, no I/O.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

import yaml

from rubrics.check_json import NotJson, value_of
from rubrics.check_rules import LANGUAGE, SCHEMA
from rubrics.content import (
    PART_FAMILY,
    PREFERENCE_TEXT,
    YES_NO,
    Anchor,
    Criterion,
    Rubric,
    RuleValue,
)

_WIDTH = 96
_LONG = 72
# Line separators that YAML folds or rewrites, and characters its writer must escape.
_ESCAPED = re.compile("[\x80-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
# What YAML holds only as an escape, which JSON has too.
_UNFIT = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


class _Inline(list[object]):
    """A list written on one line: [a, b]."""


class _Writer(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001 - the overridden signature
        super().increase_indent(flow=flow, indentless=False)

    def ignore_aliases(self, data: object) -> bool:
        return True


def _write_text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))


def _write_inline(writer: yaml.SafeDumper, items: _Inline) -> yaml.SequenceNode:
    return writer.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=True)


_Writer.add_representer(str, _write_text)
_Writer.add_representer(_Inline, _write_inline)


def _style(text: str) -> str | None:
    if _ESCAPED.search(text):
        return '"'
    if "\n" in text:
        return "|"
    # A folded line that breaks before a tab would keep its line break.
    return ">" if len(text) > _LONG and "\t" not in text else None


def dump(rubric: Rubric) -> str:
    """YAML in the full form; `parse(dump(rubric)).rubric == rubric` for every parsed rubric."""
    return write(dict(_document(rubric)))


def write(plain: Mapping[str, object]) -> str:
    """Plain values as this format is laid out; for a document that is no rubric yet."""
    return yaml.dump(
        plain,
        Dumper=_Writer,
        sort_keys=False,
        allow_unicode=True,
        width=_WIDTH,
        default_flow_style=False,
    )


def inline(items: Iterable[object]) -> list[object]:
    """A list that `write` puts on one line."""
    return _Inline(items)


def _document(rubric: Rubric) -> Iterator[tuple[str, object]]:
    yield "task", rubric.task
    if rubric.name:
        yield "name", rubric.name
    if rubric.number is not None:
        yield "rubric_version", rubric.number
    yield "subject", rubric.subject
    usual_family = PART_FAMILY[rubric.subject]
    for section, kind in (
        ("gates", rubric.of_kind("gate")),
        ("criteria", rubric.of_kind("criterion")),
        ("automatic", rubric.of_kind("automatic")),
    ):
        if kind:
            yield section, [dict(_check(check, usual_family)) for check in kind]
    if rubric.preference:
        yield "preference", dict(_preference(rubric.preference, rubric.rationale))


def _check(check: Criterion, usual_family: str) -> Iterator[tuple[str, object]]:
    yield "id", check.key
    if check.title:
        yield "title", check.title
    if check.weight is not None:
        yield "weight", number(check.weight)
    yield "check", check.text
    if check.help:
        yield "help", check.help
    if check.family != usual_family:
        yield "family", check.family
    if check.kind == "criterion":
        yield from _scale(check)
    if check.allows_na:
        yield "allows_na", True
    if check.rule:
        yield "rule", {name: _rule_value(name, value) for name, value in check.rule}
    if check.decides:
        yield "decides", True
    if check.lineage:
        keys = check.lineage.keys
        yield "lineage", {check.lineage.kind: keys[0] if len(keys) == 1 else _Inline(keys)}
    if check.anchors:
        yield "anchors", [dict(_anchor(anchor)) for anchor in check.anchors]


def _scale(check: Criterion) -> Iterator[tuple[str, object]]:
    if check.level == "nominal" and check.values == YES_NO:
        return
    yield "level", check.level
    if check.bounds:
        yield "range", _Inline([number(end) for end in check.bounds])
    else:
        yield "values", _Inline(check.values)


def _rule_value(name: str, value: RuleValue) -> object:
    if name == SCHEMA:
        return schema_lines(str(value))
    if isinstance(value, float):
        return number(value)
    if name == LANGUAGE and isinstance(value, tuple) and len(value) == 1:
        return value[0]
    return list(value) if isinstance(value, tuple) else value


def schema_lines(text: str) -> str:
    """The JSON text of a schema as people read it; any other text as it is."""
    try:
        schema = value_of(text)
    except NotJson:
        return text
    lines = json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False)
    return json.dumps(schema, indent=2, sort_keys=True) if _UNFIT.search(lines) else lines


def _anchor(anchor: Anchor) -> Iterator[tuple[str, object]]:
    yield "verdict", anchor.verdict
    yield "origin", anchor.origin
    yield "text", anchor.text
    if anchor.note:
        yield "note", anchor.note


def _preference(check: Criterion, rationale: str) -> Iterator[tuple[str, object]]:
    yield "scale", _Inline(check.values)
    if check.text != PREFERENCE_TEXT:
        yield "check", check.text
    if check.title:
        yield "title", check.title
    if check.help:
        yield "help", check.help
    if rationale:
        yield "rationale", rationale


def number(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
