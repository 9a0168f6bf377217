"""Where in the form a problem of the document belongs, from its key path and its line.

Pure: no Django, no I/O.
"""

from __future__ import annotations

from collections.abc import Sequence

from rubrics.check_rules import RULES
from rubrics.content import Problem
from rubrics.outline import (
    ANCHOR_FIELDS,
    CHECK_FIELDS,
    ROOT_FIELDS,
    SECTIONS,
    CheckOutline,
    Outline,
)


def place(outline: Outline, problem: Problem) -> str:
    """The field a problem is about, 'check-3' for a check as a whole, '' for the document."""
    section, _, rest = problem.where.partition(".")
    if section in SECTIONS.values():
        return _place_in_check(outline, section, rest, problem.line)
    if section == "preference":
        key = rest.partition(".")[0]
        inner = {"scale": "scale", "rationale": "rationale"}
        return inner.get(key, f"preference_{key}" if key in ("check", "title", "help") else section)
    return section if section in ROOT_FIELDS else ""


def _place_in_check(outline: Outline, section: str, rest: str, line: int) -> str:
    name, *tail = rest.split(".") if rest else [""]
    n = _check_at(outline, section, name, line)
    if n is None:
        return ""
    key = _field_of(outline.checks[n], tail)
    return f"check-{n}-{key}" if key else f"check-{n}"


def _check_at(outline: Outline, section: str, name: str, line: int) -> int | None:
    of_kind = [n for n, check in enumerate(outline.checks) if SECTIONS[check.kind] == section]
    before = [n for n in of_kind if outline.checks[n].line <= line] or of_kind[:1]
    named = [n for n in before if outline.checks[n].value("id") == name]
    if not named and name.isdecimal() and int(name) <= len(of_kind):
        named = of_kind[int(name) - 1 :][:1]
    return next(reversed(named or before), None)


def _field_of(check: CheckOutline, tail: Sequence[str]) -> str:
    if not tail:
        return ""
    first = tail[0]
    if first == "anchors":
        return _anchor_field(check, tail[1:])
    if first in ("pass_example", "fail_example"):
        verdict = first.partition("_")[0]
        found = [m for m, anchor in enumerate(check.anchors) if anchor.get("verdict") == verdict]
        return f"anchor-{found[0]}-text" if found else ""
    if first == "rule":
        return tail[1] if len(tail) > 1 and tail[1] in RULES else ""
    if first == "range":
        return "high" if tail[1:] == ["2"] else "low"
    renamed = {"level": "answers", "lineage": "lineage_keys"}
    key = renamed.get(first, first)
    return key if key in CHECK_FIELDS[check.kind] else ""


def _anchor_field(check: CheckOutline, tail: Sequence[str]) -> str:
    if not tail or not tail[0].isdecimal():
        return ""
    # Problems count within the list.
    m = int(tail[0]) - 1 + check.short
    if not 0 <= m < len(check.anchors):
        return ""
    key = tail[1] if len(tail) > 1 and tail[1] in ANCHOR_FIELDS else "text"
    return f"anchor-{m}-{key}"
