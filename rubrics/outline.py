"""A rubric document as the fields of a form: what somebody typed, right or wrong, field by field.

Pure: no Django, no I/O. The YAML text stays the one source. An outline is read from it without
judging anything, so that the form can show what is there, and written back as YAML, so that
`rubrics.document.parse` alone says what is wrong and in which line.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import yaml

from rubrics import yaml_reader, yaml_writer
from rubrics.content import (
    PART_FAMILY,
    SCALES,
    VERDICTS,
    Kind,
    Rubric,
    SubjectKind,
)
from rubrics.yaml_check import COUNTS, PHRASES

SECTIONS: dict[Kind, str] = {"gate": "gates", "criterion": "criteria", "automatic": "automatic"}
RULES = COUNTS + PHRASES

ROOT_FIELDS = (
    "task",
    "name",
    "rubric_version",
    "subject",
    "preference",
    "scale",
    "scale_names",
    "preference_check",
    "preference_title",
    "preference_help",
    "rationale",
)
_COMMON = ("id", "title", "check", "help", "family", "lineage_kind", "lineage_keys")
CHECK_FIELDS: dict[Kind, tuple[str, ...]] = {
    "gate": (*_COMMON, "allows_na"),
    "criterion": (*_COMMON, "allows_na", "weight", "answers", "values", "low", "high"),
    "automatic": (*_COMMON, *RULES),
}
ANCHOR_FIELDS = ("verdict", "origin", "text", "note")

# Answers of a criterion as the form offers them; the format writes a level and values.
YES_NO, NAMED, STEPS, NUMBER = "yes_no", "named", "steps", "number"
OWN_SCALE = "own"
ON = "on"

_WHOLE = re.compile(r"0|[1-9][0-9]{0,15}")
_NAME = re.compile(r"check-([0-9]{1,4})-(?:anchor-([0-9]{1,4})-)?([a-z_]+)")


@dataclass(frozen=True)
class CheckOutline:
    """One check: `fields` by CHECK_FIELDS, `anchors` by ANCHOR_FIELDS, and its line in the YAML."""

    kind: Kind
    fields: Mapping[str, str]
    anchors: tuple[Mapping[str, str], ...] = ()
    line: int = 0
    # How many of the anchors were written in the short form, which stands before the list.
    short: int = 0

    def value(self, name: str) -> str:
        return self.fields.get(name, "")


@dataclass(frozen=True)
class Outline:
    """A whole document: `fields` by ROOT_FIELDS; checks run gates, criteria, automatic checks."""

    fields: Mapping[str, str]
    checks: tuple[CheckOutline, ...] = field(default=())

    def value(self, name: str) -> str:
        return self.fields.get(name, "")

    @property
    def subject(self) -> SubjectKind:
        for subject in PART_FAMILY:
            if subject == self.value("subject"):
                return subject
        return "pair"


# ---- From YAML


def read(source: str | bytes) -> Outline:
    """The outline of a document. Raises RubricError where the text is no YAML mapping at all."""
    root = yaml_reader.compose(source)
    if not root.is_mapping:
        root.problem("must be a mapping with keys such as task, gates, criteria")
        yaml_reader.finish(root.problems)
    keys = _entries(root.node)
    fields = {name: _text(keys.get(name)) for name in ("task", "name", "rubric_version", "subject")}
    fields["subject"] = fields["subject"] or "pair"
    checks = [
        _read_check(node, kind, PART_FAMILY.get(fields["subject"], "side"))  # type: ignore[call-overload]
        for kind, section in SECTIONS.items()
        for node in _items(keys.get(section))
    ]
    return Outline({**fields, **_read_preference(keys.get("preference"))}, tuple(checks))


def _entries(node: yaml.Node | None) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode):
            found.setdefault(str(key.value), value)
    return found


def _items(node: yaml.Node | None) -> list[yaml.Node]:
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _text(node: yaml.Node | None) -> str:
    return str(node.value).strip() if isinstance(node, yaml.ScalarNode) else ""


def _flag(node: yaml.Node | None) -> str:
    return ON if _text(node).lower() in ("true", "yes", "on") else ""


def _lines(node: yaml.Node | None) -> str:
    nodes = _items(node) or ([node] if node is not None else [])
    return "\n".join(filter(None, map(_text, nodes)))


def _read_check(node: yaml.Node, kind: Kind, usual_family: str) -> CheckOutline:
    keys = _entries(node)
    fields = {name: _text(keys.get(name)) for name in ("id", "title", "check", "help", "family")}
    if fields["family"] == usual_family:
        fields["family"] = ""
    lineage = next(iter(_entries(keys.get("lineage")).items()), None)
    fields["lineage_kind"] = lineage[0] if lineage else ""
    fields["lineage_keys"] = ", ".join(_lines(lineage[1]).split("\n")) if lineage else ""
    if kind == "automatic":
        rule = _entries(keys.get("rule"))
        fields |= {name: _lines(rule.get(name)) for name in RULES}
    else:
        fields["allows_na"] = _flag(keys.get("allows_na"))
    if kind == "criterion":
        fields |= _read_answers(keys)
    short, full = _read_short_anchors(keys), _read_anchors(keys)
    return CheckOutline(kind, fields, short + full, node.start_mark.line + 1, len(short))


def _read_answers(keys: Mapping[str, yaml.Node]) -> dict[str, str]:
    level, values = _text(keys.get("level")), _lines(keys.get("values"))
    ends = [_text(end) for end in _items(keys.get("range"))] + ["", ""]
    known = {"ordinal": STEPS, "interval": NUMBER, "": "", "nominal": ""}
    plain_yes_no = values in ("", "yes\nno")
    return {
        "weight": _text(keys.get("weight")),
        "answers": known.get(level, level) or (YES_NO if plain_yes_no else NAMED),
        "values": "" if plain_yes_no and known.get(level) == "" else values,
        "low": ends[0],
        "high": ends[1],
    }


def _read_short_anchors(keys: Mapping[str, yaml.Node]) -> tuple[Mapping[str, str], ...]:
    return tuple(
        {**_anchor_defaults(), "verdict": verdict, "text": _text(keys[f"{verdict}_example"])}
        for verdict in VERDICTS
        if f"{verdict}_example" in keys
    )


def _read_anchors(keys: Mapping[str, yaml.Node]) -> tuple[Mapping[str, str], ...]:
    full = [_entries(node) for node in _items(keys.get("anchors"))]
    return tuple({**_anchor_defaults(), **_read_anchor(entries)} for entries in full)


def _anchor_defaults() -> dict[str, str]:
    return {"verdict": "", "origin": "invented", "text": "", "note": ""}


def _read_anchor(entries: Mapping[str, yaml.Node]) -> dict[str, str]:
    return {name: _text(entries[name]) for name in ANCHOR_FIELDS if name in entries}


def _read_preference(node: yaml.Node | None) -> dict[str, str]:
    keys = _entries(node)
    scale = keys.get("scale")
    written = _lines(scale).split("\n") if scale is not None else []
    if len(written) == 1 and written[0] in ("3", "5", "7"):
        points, names = written[0], ""
    else:
        known = {list_of: str(count) for count, list_of in SCALES.items()}
        points = known.get(tuple(written), OWN_SCALE if written else "")
        names = ", ".join(written) if points == OWN_SCALE else ""
    return {
        "preference": ON if node is not None else "",
        "scale": points,
        "scale_names": names,
        "preference_check": _text(keys.get("check")),
        "preference_title": _text(keys.get("title")),
        "preference_help": _text(keys.get("help")),
        "rationale": _text(keys.get("rationale")),
    }


# ---- To YAML


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
            yield name, _whole(text) if name in COUNTS else _parts(text, "\n")


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


# ---- Form fields


def fields_of(outline: Outline) -> dict[str, str]:
    """Flat names and values, as a browser sends them: task, check-0-id, check-0-anchor-1-text."""
    flat = {name: outline.value(name) for name in ROOT_FIELDS}
    for n, check in enumerate(outline.checks):
        flat[f"check-{n}-kind"] = check.kind
        flat |= {f"check-{n}-{name}": check.value(name) for name in CHECK_FIELDS[check.kind]}
        for m, anchor in enumerate(check.anchors):
            flat |= {f"check-{n}-anchor-{m}-{name}": anchor.get(name, "") for name in ANCHOR_FIELDS}
    return flat


def from_fields(flat: Mapping[str, str]) -> Outline | None:
    """The outline of a sent form; None where nothing of the form was sent."""
    found: dict[int, dict[str, str]] = {}
    anchors: dict[int, dict[int, dict[str, str]]] = {}
    for name, value in flat.items():
        if not (match := _NAME.fullmatch(name)):
            continue
        n, m, key = int(match[1]), match[2], match[3]
        if m is None:
            found.setdefault(n, {})[key] = _typed(value)
        elif key in ANCHOR_FIELDS:
            anchors.setdefault(n, {}).setdefault(int(m), _anchor_defaults())[key] = _typed(value)
    if "task" not in flat and not found:
        return None
    checks = tuple(
        CheckOutline(
            kind,
            {name: found[n].get(name, "") for name in CHECK_FIELDS[kind]},
            tuple(anchor for _, anchor in sorted(anchors.get(n, {}).items())),
        )
        for n in sorted(found)
        for kind in SECTIONS
        if found[n].get("kind") == kind
    )
    return in_order(Outline({name: _typed(flat.get(name, "")) for name in ROOT_FIELDS}, checks))


def in_order(outline: Outline) -> Outline:
    """Gates, criteria, automatic checks, as the document has them."""
    kinds = list(SECTIONS)
    checks = sorted(outline.checks, key=lambda check: kinds.index(check.kind))
    return replace(outline, checks=tuple(checks))


def _typed(value: str) -> str:
    return value.replace("\r\n", "\n").strip()


def seal(outline: Outline) -> str:
    """A short name for what a form shows, to see later whether anybody changed it. A field of one
    line takes no line feeds: they do not count there.
    """
    shown = {
        name: _trimmed(text) if _is_long(name) else text.replace("\n", "")
        for name, text in fields_of(outline).items()
    }
    return seal_text(json.dumps(shown, sort_keys=True))


def seal_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _is_long(name: str) -> bool:
    last = name.rpartition("-")[2]
    return last in ("check", "help", "text", "note", "values", *PHRASES) or name in (
        "rationale",
        "preference_check",
        "preference_help",
    )


def start(rubric: Rubric) -> Outline:
    """The outline of a rubric, as a form begins with it."""
    return read(yaml_writer.dump(rubric))
