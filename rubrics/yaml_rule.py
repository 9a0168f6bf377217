"""The rule of an automatic check, from located YAML values.

Pure: no Django, no I/O. Unfit values are noted as problems, each at its own line.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from rubrics.check_rules import (
    COUNTS,
    JSON,
    LISTS,
    MAX_COUNT,
    MAX_TEXTS,
    OVERLAP,
    RULES,
    SCHEMA,
    Rule,
    contradictions,
    rule_of,
    schema_refusal,
    text_refusal,
)
from rubrics.content import RuleValue
from rubrics.yaml_reader import NUMBER, Item

_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBERS = frozenset({f"{_TAG}int", f"{_TAG}float"})


def read_rule(check: Item, item: Item | None) -> Rule:
    if item is None or item.is_empty:
        (item or check).problem("an automatic check needs a rule, such as rule: {max_words: 150}")
        return ()
    keys = item.mapping(RULES)
    if item.is_mapping and not item.node.value:
        item.problem(f"a rule needs at least one of {', '.join(RULES)}")
    rule: dict[str, RuleValue] = {}
    for name, entry in keys.items():
        value = _value(name, entry)
        if value is not None:
            rule[name] = value
    read = rule_of(rule)
    for said in contradictions(read):
        item.problem(said)
    return read


def _value(name: str, entry: Item) -> RuleValue | None:
    if name in COUNTS:
        return entry.whole(1, MAX_COUNT)
    if name in LISTS:
        return _texts(name, entry)
    if name == JSON:
        return _json(entry)
    return _schema(entry) if name == SCHEMA else _share(entry)


def _texts(name: str, entry: Item) -> tuple[str, ...] | None:
    texts = entry.texts()
    items = entry.sequence() if entry.is_sequence else [entry]
    if len(items) > MAX_TEXTS:
        entry.problem(f"holds {len(items)} texts, over {MAX_TEXTS}: make it several checks")
        return None
    for item, text in zip(items, texts or (), strict=False):
        if said := text_refusal(name, text):
            item.problem(said)
    return texts


def _json(entry: Item) -> bool | None:
    wanted = entry.flag()
    if wanted is False:
        entry.problem("json is true where the text must be JSON; else leave it out")
    return wanted


def _share(entry: Item) -> float | None:
    share = entry.number()
    if share is not None and not 0 <= share < 1:
        entry.problem(f"{OVERLAP} is a share from 0 to below 1, such as 0.3; not {share:g}")
        return None
    return share


def schema_of(node: yaml.Node) -> str:
    """A schema as the text that stands for it, as far as it goes: nothing is judged."""
    ((_, text),) = rule_of({SCHEMA: _plain(Item(node, "", []))})
    return str(text)


def _schema(entry: Item) -> str | None:
    """A schema written as YAML or as a JSON text, as the one text that stands for it."""
    if isinstance(entry.node, yaml.ScalarNode):
        written: Any = entry.text()
    else:
        before = len(entry.problems)
        written = _plain(entry)
        if len(entry.problems) > before:
            return None
    if written is None:
        return None
    ((_, text),) = rule_of({SCHEMA: written})
    if said := schema_refusal(str(text)):
        entry.problem(said)
    return str(text)


def _plain(item: Item) -> Any:
    """YAML as the JSON value it stands for; what could be read two ways is a problem."""
    node = item.node
    if isinstance(node, yaml.MappingNode):
        names = [str(key.value) for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        return {name: _plain(inner) for name, inner in item.mapping(names).items()}
    if item.is_sequence:
        return [_plain(inner) for inner in item.sequence()]
    written = str(node.value)
    if node.tag == f"{_TAG}null":
        return None
    if node.tag == f"{_TAG}bool" and written in ("true", "false"):
        return written == "true"
    if node.tag in _NUMBERS and NUMBER.fullmatch(written) and len(written) < 300:
        return int(written) if _INTEGER.fullmatch(written) else item.number()
    return item.text() if node.tag == f"{_TAG}str" else item.code()
