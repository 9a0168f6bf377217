"""An outline as YAML, in the full form.

Pure: no Django, no I/O.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from rubrics import yaml_reader, yaml_writer
from rubrics.check_rules import COUNTS, JSON, LANGUAGE, OVERLAP, RULES, SCHEMA
from rubrics.content import SCALES
from rubrics.outline import (
    ANCHOR_FIELDS,
    NAMED,
    NUMBER,
    OWN_SCALE,
    SECTIONS,
    STEPS,
    YES_NO,
    CheckOutline,
    Outline,
)

_WHOLE = re.compile(r"0|[1-9][0-9]{0,15}")


def write(outline: Outline) -> str:
    """The outline in the full form, as `document.dump` would write the rubric it stands for."""
    return yaml_writer.write(dict(_document(outline)))


def _document(outline: Outline) -> Iterator[tuple[str, object]]:
    yield "task", outline.value("task")
    if name := outline.value("name"):
        yield "name", name
    if number := outline.value("rubric_version"):
        yield "rubric_version", _whole(number)
    yield "subject", outline.value("subject")
    for kind, section in SECTIONS.items():
        if checks := [check for check in outline.checks if check.kind == kind]:
            yield section, [dict(_check(check)) for check in checks]
    if outline.value("preference"):
        yield "preference", dict(_preference(outline))


def _check(check: CheckOutline) -> Iterator[tuple[str, object]]:
    yield "id", check.value("id")
    if title := check.value("title"):
        yield "title", title
    if weight := check.value("weight"):
        yield "weight", _number(weight)
    yield "check", check.value("check")
    for name in ("help", "family"):
        if text := check.value(name):
            yield name, text
    if check.kind == "criterion":
        yield from _scale(check)
    if check.value("allows_na"):
        yield "allows_na", True
    if check.kind == "automatic":
        yield "rule", dict(_rule(check))
    if check.value("decides"):
        yield "decides", True
    if descent := check.value("lineage_kind"):
        keys = _parts(check.value("lineage_keys"), ",")
        yield "lineage", {descent: keys[0] if len(keys) == 1 else yaml_writer.inline(keys)}
    if check.anchors:
        yield "anchors", [dict(_anchor(anchor)) for anchor in check.anchors]


def _scale(check: CheckOutline) -> Iterator[tuple[str, object]]:
    answers = check.value("answers")
    if answers == YES_NO:
        return
    yield "level", {NAMED: "nominal", STEPS: "ordinal", NUMBER: "interval"}.get(answers, answers)
    if answers == NUMBER:
        yield "range", yaml_writer.inline([_number(check.value(end)) for end in ("low", "high")])
    else:
        yield "values", yaml_writer.inline(_parts(check.value("values"), "\n"))


def _rule(check: CheckOutline) -> Iterator[tuple[str, object]]:
    for name in sorted(RULES):
        if text := check.value(name):
            yield name, _rule_value(name, text)


def _rule_value(name: str, text: str) -> object:
    if name in COUNTS:
        return _whole(text)
    if name == JSON:
        return True
    if name == OVERLAP:
        return _number(text)
    if name == SCHEMA:
        return text
    parts = _parts(text.replace(",", "\n") if name == LANGUAGE else text, "\n")
    return parts[0] if name == LANGUAGE and len(parts) == 1 else parts


def _anchor(anchor: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    for name in ANCHOR_FIELDS:
        if name != "note" or anchor.get(name):
            yield name, anchor.get(name, "")


def _preference(outline: Outline) -> Iterator[tuple[str, object]]:
    points = outline.value("scale")
    if points == OWN_SCALE:
        yield "scale", yaml_writer.inline(_parts(outline.value("scale_names"), ","))
    elif points:
        names = SCALES.get(int(points)) if points in ("3", "5", "7") else None
        yield "scale", yaml_writer.inline(names) if names else points
    for name in ("check", "title", "help"):
        if text := outline.value(f"preference_{name}"):
            yield name, text
    if rationale := outline.value("rationale"):
        yield "rationale", rationale


def _parts(text: str, mark: str) -> list[str]:
    return [part.strip() for part in text.split(mark) if part.strip()]


def _number(text: str) -> object:
    """A number where it is one; else the text, which the parser refuses by name."""
    if not yaml_reader.NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return text
    return yaml_writer.number(float(text))


def _whole(text: str) -> object:
    return int(text) if _WHOLE.fullmatch(text) else text
