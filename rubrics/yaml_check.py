"""One gate, criterion or automatic check of the rubric format, from located YAML values.

Pure: no Django, no I/O. Unfit values are noted as problems on the item and stood in for.
"""

import re
from collections.abc import Mapping
from typing import cast

from rubrics.content import (
    DESCENTS,
    FAMILIES,
    GATE_VALUES,
    LEVELS,
    NA,
    ORIGINS,
    PART_FAMILY,
    PREFERENCE,
    VERDICTS,
    YES_NO,
    Anchor,
    Criterion,
    Descent,
    Family,
    Kind,
    Level,
    Lineage,
    SubjectKind,
    Verdict,
)
from rubrics.yaml_reader import Item, quoted
from rubrics.yaml_rule import read_rule

MAX_TITLE = 40
MAX_VALUE = 64
MAX_VALUES = 256
# A rationale cites a side as it cites a check: an id must not read as one.
RESERVED_IDS = (PREFERENCE, "outcome", NA, "a", "b", "left", "right")

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")

_COMMON = ("id", "title", "check", "help", "family", "lineage")
_ANCHORED = ("allows_na", "anchors", "pass_example", "fail_example")
KEYS: dict[Kind, tuple[str, ...]] = {
    "gate": _COMMON + _ANCHORED,
    "criterion": (*_COMMON, *_ANCHORED, "weight", "level", "values", "range"),
    "automatic": (*_COMMON, "rule", "decides"),
}
_GATE_SCALE = "a gate is answered pass or fail: for other answers make it a criterion"
_BY_CODE = "an automatic check is decided by its rule, not by experts"
_NO_RULE = "only an automatic check has a rule"
_NOT_BY_ITSELF = "only an automatic check decides by its rule; a gate decides as it is"
_REFUSED: dict[Kind, dict[str, str]] = {
    "gate": {
        "weight": "a gate has no weight: failing it decides the pair",
        **dict.fromkeys(("values", "level", "range"), _GATE_SCALE),
        "rule": _NO_RULE,
        "decides": _NOT_BY_ITSELF,
    },
    "criterion": {"rule": _NO_RULE, "decides": _NOT_BY_ITSELF},
    "automatic": {
        "weight": "an automatic check has no weight: experts never see it",
        **dict.fromkeys(("values", "level", "range", *_ANCHORED), _BY_CODE),
    },
}


def items_of(section: Item | None) -> list[Item]:
    return section.sequence() if section and not section.is_empty else []


def text_of(keys: Mapping[str, Item], name: str) -> str:
    return keys[name].text() or "" if name in keys else ""


def read_check(item: Item, kind: Kind, subject: SubjectKind) -> Criterion | None:
    if not item.is_mapping:
        item.problem("must be a mapping with id and check")
        return None
    _use_id_as_place(item)
    keys = item.mapping(KEYS[kind], _REFUSED[kind])
    level, values, bounds = _scale(item, keys, kind)
    return Criterion(
        key=_id(item, keys.get("id")),
        kind=kind,
        family=_family(keys.get("family"), kind, subject),
        level=level,
        values=values,
        allows_na=bool(keys["allows_na"].flag()) if "allows_na" in keys else False,
        weight=_weight(keys.get("weight")) if kind == "criterion" else None,
        text=_check_text(item, keys),
        help=text_of(keys, "help"),
        anchors=_anchors(keys),
        lineage=_lineage(keys.get("lineage"), kind),
        title=title(keys),
        bounds=bounds,
        rule=read_rule(item, keys.get("rule")) if kind == "automatic" else (),
        decides=bool(keys["decides"].flag()) if "decides" in keys else False,
    )


def _use_id_as_place(item: Item) -> None:
    """Name the check by its id rather than its position, so that an author finds it by search."""
    for key, value in item.node.value:
        if key.value == "id" and _ID.fullmatch(str(value.value)):
            item.where = f"{item.where.rpartition('.')[0]}.{value.value}"
            return


def _id(check: Item, item: Item | None) -> str:
    key = item.code() if item else ""
    if key == "":
        (item or check).problem("id is missing")
    elif item and key and not _ID.fullmatch(key):
        item.problem(
            f"{quoted(key)} is no id: a letter, then letters, digits or _, up to 32 in all"
        )
    elif item and key and key.lower() in RESERVED_IDS:
        item.problem(f"the id {key} is reserved")
    return key or ""


def _family(item: Item | None, kind: Kind, subject: SubjectKind) -> Family:
    usual = PART_FAMILY[subject]
    family = item.choice(FAMILIES) if item else usual
    if not item or not family:
        return usual
    if family not in (usual, "subject", "error_item"):
        item.problem(f"{family} is no part of the subject {subject}: use {usual} or subject")
    elif kind == "gate" and subject == "pair" and family != "side":
        item.problem("a gate of a pair is answered on each side: leave family out")
    return family


def _weight(item: Item | None) -> float:
    weight = item.number() if item else 1.0
    if item and weight is not None and weight <= 0:
        item.problem(f"weight must be greater than 0; not {weight:g}")
    return weight or 1.0


def _check_text(check: Item, keys: Mapping[str, Item]) -> str:
    text = keys["check"].text() if "check" in keys else ""
    if text == "":
        keys.get("check", check).problem(
            "the check text is missing: what must be true of a good answer"
        )
    return text or ""


def title(keys: Mapping[str, Item]) -> str:
    title = text_of(keys, "title")
    if len(title) > MAX_TITLE:
        keys["title"].problem(
            f"title is over {MAX_TITLE} characters: put the full wording in check"
        )
    return title


def _scale(
    check: Item, keys: Mapping[str, Item], kind: Kind
) -> tuple[Level, tuple[str, ...], tuple[float, float] | None]:
    if kind != "criterion":
        return "nominal", GATE_VALUES, None
    level = (keys["level"].choice(LEVELS) if "level" in keys else None) or "nominal"
    if level == "interval":
        if "values" in keys:
            keys["values"].problem("an interval criterion has range: [lowest, highest], not values")
        return level, (), _bounds(check, keys.get("range"))
    if "range" in keys:
        keys["range"].problem("only a criterion with level: interval has a range")
    if "values" in keys:
        return level, _values(keys["values"]), None
    if level == "ordinal":
        check.problem("an ordinal criterion needs its values, lowest first")
    return level, YES_NO, None


def _bounds(check: Item, item: Item | None) -> tuple[float, float] | None:
    if item is None:
        check.problem("an interval criterion needs range: [lowest, highest]")
        return None
    ends = item.sequence()
    if len(ends) != 2:
        item.problem("range must be [lowest, highest]")
        return None
    low, high = ends[0].number(), ends[1].number()
    if low is None or high is None:
        return None
    if low >= high:
        item.problem(f"the lowest value {low:g} must be below the highest {high:g}")
    return low, high


def _values(item: Item) -> tuple[str, ...]:
    entries = item.sequence()
    if item.is_sequence and not 2 <= len(entries) <= MAX_VALUES:
        item.problem(f"needs from 2 to {MAX_VALUES} values; has {len(entries)}")
    read = [(entry, entry.code()) for entry in entries]
    seen: set[str] = set()
    for entry, value in read:
        if value is None:
            continue
        if not value or len(value) > MAX_VALUE:
            entry.problem(f"a value has from 1 to {MAX_VALUE} characters")
        elif value.casefold() in (NA, "n/a"):
            entry.problem(f"{value} is reserved: write allows_na: true instead")
        elif value.casefold() in seen:
            entry.problem(f"the value {quoted(value)} is there twice")
        seen.add(value.casefold())
    return tuple(value for _, value in read if value)


def _anchors(keys: Mapping[str, Item]) -> tuple[Anchor, ...]:
    short = [
        _short_anchor(keys[f"{verdict}_example"], verdict)
        for verdict in VERDICTS
        if f"{verdict}_example" in keys
    ]
    full = [_anchor(item) for item in items_of(keys.get("anchors"))]
    return tuple(anchor for anchor in short + full if anchor)


def _short_anchor(item: Item, verdict: Verdict) -> Anchor | None:
    text = item.text()
    if text == "":
        item.problem("the example is empty: write it, or leave the key out")
    return Anchor(verdict, text) if text else None


def _anchor(item: Item) -> Anchor | None:
    keys = item.mapping(("verdict", "text", "origin", "note"))
    if not item.is_mapping:
        return None
    if "verdict" not in keys:
        item.problem("an anchor needs verdict: pass or fail")
    verdict = keys["verdict"].choice(VERDICTS) if "verdict" in keys else None
    text = keys["text"].text() if "text" in keys else ""
    if text == "":
        item.problem("an anchor needs its text")
    origin = keys["origin"].choice(ORIGINS) if "origin" in keys else None
    note = text_of(keys, "note")
    return Anchor(verdict, text, origin or "invented", note) if verdict and text else None


def _lineage(item: Item | None, kind: Kind) -> Lineage | None:
    if item is None:
        return None
    entries = item.mapping(DESCENTS)
    if len(entries) != 1:
        if item.is_mapping:
            item.problem(f"lineage says one thing: {', '.join(DESCENTS)}")
        return None
    name, source = next(iter(entries.items()))
    descent = cast("Descent", name)
    keys = [_ancestor(each) for each in (source.sequence() if source.is_sequence else [source])]
    if descent == "merged_from" and len(keys) < 2:
        source.problem("merged_from names two or more ids")
    elif descent != "merged_from" and len(keys) != 1:
        source.problem(f"{descent} names one id")
    if descent == "moved_to_automatic" and kind != "automatic":
        source.problem("only a check under automatic was moved_to_automatic")
    return Lineage(descent, tuple(key for key in keys if key))


def _ancestor(item: Item) -> str | None:
    key = item.code()
    if key is not None and not _ID.fullmatch(key):
        item.problem(f"{quoted(key)} is no id of a check")
    return key
