"""Rubrics as documents: read, write, hash and compare. The face of the pure rubric modules.

`content` holds the values, `yaml_reader` YAML with places, `yaml_rubric` the rules of the format,
`yaml_writer` the way back, `comparison` what changed. Callers import from here. Pure.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from rubrics import yaml_reader, yaml_rubric
from rubrics.check_rules import rule_of
from rubrics.comparison import Change, compare, sources
from rubrics.content import (
    FAMILIES,
    GATE_VALUES,
    KINDS,
    LEVELS,
    NA,
    PART_FAMILY,
    PREFERENCE,
    SCALES,
    SUBJECTS,
    YES_NO,
    Anchor,
    Criterion,
    Family,
    Kind,
    Level,
    Lineage,
    Parsed,
    Problem,
    Rubric,
    RubricError,
    RuleValue,
    SubjectKind,
    Verdict,
    missing_anchors,
)
from rubrics.yaml_writer import dump

HASH_VERSION = 1


def parse(source: str | bytes) -> Parsed:
    """Read a YAML document. Raises RubricError with every problem, each with line and key."""
    return yaml_rubric.read(yaml_reader.compose(source))


def canonical(rubric: Rubric) -> str:
    """One-line JSON with sorted keys: equal for equal rubrics, whatever their YAML looked like.

    The version number is left out: it names a document, it is no part of it.
    """
    return _json(_plain(rubric))


def digest(rubric: Rubric) -> str:
    """Hash of everything but the number: '1:' (the hash's version) and 64 hex digits."""
    return _hashed(canonical(rubric))


def semantic_digest(rubric: Rubric) -> str:
    """Hash of what a label means; in the form of `digest`.

    Leaves out what a revision may mend under the same number: the rubric's name, help texts,
    notes on anchors, and lineage, which tells a check's history and not what it asks. Everything
    else counts: wording, titles, examples and their origin, scales, weights, N/A, rules, order.
    """
    plain = _plain(rubric)
    del plain["name"]
    for check in plain["criteria"]:
        del check["help"], check["lineage"]
        for anchor in check["anchors"]:
            del anchor["note"]
    return _hashed(_json(plain))


def from_canonical(text: str) -> Rubric:
    """The rubric of a canonical document, without number. Raises ValueError for any other text."""
    try:
        plain = json.loads(text)
        criteria = tuple(_criterion(check) for check in plain.pop("criteria"))
        return Rubric(criteria=criteria, **plain)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not a canonical rubric: {error}") from error


def _plain(rubric: Rubric) -> dict[str, Any]:
    return {
        "task": rubric.task,
        "name": rubric.name,
        "subject": rubric.subject,
        "rationale": rubric.rationale,
        "criteria": [_plain_criterion(check) for check in rubric.criteria],
    }


def _plain_criterion(check: Criterion) -> dict[str, Any]:
    plain = {
        **vars(check),
        "anchors": [dict(vars(anchor)) for anchor in check.anchors],
        "lineage": vars(check.lineage) if check.lineage else None,
        "rule": dict(check.rule),
    }
    # Younger than the first published documents, whose hashes stand: told only where it is true.
    if not check.decides:
        del plain["decides"]
    return plain


def _criterion(plain: Mapping[str, Any]) -> Criterion:
    lineage, bounds = plain["lineage"], plain["bounds"]
    return Criterion(
        **{
            **plain,
            "values": tuple(plain["values"]),
            "anchors": tuple(Anchor(**anchor) for anchor in plain["anchors"]),
            "lineage": Lineage(lineage["kind"], tuple(lineage["keys"])) if lineage else None,
            "bounds": (bounds[0], bounds[1]) if bounds else None,
            "rule": rule_of(plain["rule"]),
        }
    )


def _json(plain: Mapping[str, Any]) -> str:
    return json.dumps(
        plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def _hashed(text: str) -> str:
    return f"{HASH_VERSION}:{hashlib.sha256(bytes([HASH_VERSION]) + text.encode()).hexdigest()}"


__all__ = [
    "FAMILIES",
    "GATE_VALUES",
    "KINDS",
    "LEVELS",
    "NA",
    "PART_FAMILY",
    "PREFERENCE",
    "SCALES",
    "SUBJECTS",
    "YES_NO",
    "Anchor",
    "Change",
    "Criterion",
    "Family",
    "Kind",
    "Level",
    "Lineage",
    "Parsed",
    "Problem",
    "Rubric",
    "RubricError",
    "RuleValue",
    "SubjectKind",
    "Verdict",
    "canonical",
    "compare",
    "digest",
    "dump",
    "from_canonical",
    "missing_anchors",
    "parse",
    "rule_of",
    "semantic_digest",
    "sources",
]
