"""A YAML text as an outline, without judging anything: what is there, field by field.

Pure: no Django, no I/O.
"""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from rubrics import yaml_reader, yaml_writer
from rubrics.check_rules import JSON, RULES, SCHEMA
from rubrics.content import PART_FAMILY, SCALES, VERDICTS, Kind, Rubric
from rubrics.outline import (
    ANCHOR_FIELDS,
    NAMED,
    NUMBER,
    ON,
    OWN_SCALE,
    SECTIONS,
    STEPS,
    YES_NO,
    CheckOutline,
    Outline,
    new_anchor,
)
from rubrics.yaml_rule import schema_of


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


def _schema(node: yaml.Node | None) -> str:
    """A schema as the JSON text that the form shows, whether it was written so or as YAML."""
    if node is None or isinstance(node, yaml.ScalarNode):
        return _text(node)
    return yaml_writer.schema_lines(schema_of(node))


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
        fields |= {JSON: _flag(rule.get(JSON)), SCHEMA: _schema(rule.get(SCHEMA))}
        fields["decides"] = _flag(keys.get("decides"))
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
        {**new_anchor(), "verdict": verdict, "text": _text(keys[f"{verdict}_example"])}
        for verdict in VERDICTS
        if f"{verdict}_example" in keys
    )


def _read_anchors(keys: Mapping[str, yaml.Node]) -> tuple[Mapping[str, str], ...]:
    full = [_entries(node) for node in _items(keys.get("anchors"))]
    return tuple({**new_anchor(), **_read_anchor(entries)} for entries in full)


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


def start(rubric: Rubric) -> Outline:
    """The outline of a rubric, as a form begins with it."""
    return read(yaml_writer.dump(rubric))
