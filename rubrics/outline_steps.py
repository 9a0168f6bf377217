"""What the buttons of the editor do to an outline: add, remove and move checks and anchors.

Pure: no Django, no I/O. A step that names nothing there changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rubrics.content import VERDICTS, Kind
from rubrics.outline import (
    CHECK_FIELDS,
    SECTIONS,
    YES_NO,
    CheckOutline,
    Outline,
    in_order,
)

Row = TypeVar("Row")

LETTERS: dict[Kind, str] = {"gate": "G", "criterion": "C", "automatic": "A"}
_STEP = re.compile(r"([a-z]+)(?::([a-z]+|[0-9]{1,4})(?:\.([0-9]{1,4}))?)?")


def take(outline: Outline, step: str) -> tuple[Outline, str]:
    """The outline after a step such as 'add:gate', 'up:3', 'pass:3' or 'remove:3.1', and the field
    where its author goes on ('' where nothing was done).
    """
    match = _STEP.fullmatch(step)
    if match is None:
        return outline, ""
    verb, what, inner = match[1], match[2] or "", match[3]
    if verb == "add":
        return _add(outline, what)
    if not what.isdecimal() or int(what) >= len(outline.checks):
        return outline, ""
    n = int(what)
    if inner is not None:
        return _anchor_step(outline, verb, n, int(inner))
    if verb in VERDICTS:
        return _add_anchor(outline, n, verb)
    if verb in SECTIONS:
        return _become(outline, n, verb)
    return _check_step(outline, verb, n)


def _add(outline: Outline, kind: str) -> tuple[Outline, str]:
    for known in SECTIONS:
        if known == kind:
            fields = dict.fromkeys(CHECK_FIELDS[known], "")
            fields["id"] = _free_id(outline, known)
            if known == "criterion":
                fields |= {"weight": "1", "answers": YES_NO}
            added = CheckOutline(known, fields)
            changed = in_order(replace(outline, checks=(*outline.checks, added)))
            return changed, f"check-{_index(changed, added)}-check"
    return outline, ""


def _free_id(outline: Outline, kind: Kind) -> str:
    taken = {check.value("id").lower() for check in outline.checks}
    letter = LETTERS[kind]
    number = next(n for n in range(1, len(taken) + 2) if f"{letter}{n}".lower() not in taken)
    return f"{letter}{number}"


def _index(outline: Outline, sought: CheckOutline) -> int:
    return next(n for n, check in enumerate(outline.checks) if check is sought)


def _check_step(outline: Outline, verb: str, n: int) -> tuple[Outline, str]:
    checks = outline.checks
    if verb == "remove":
        rest = checks[:n] + checks[n + 1 :]
        return replace(outline, checks=rest), f"check-{min(n, len(rest) - 1)}" if rest else "add"
    other = {"up": n - 1, "down": n + 1}.get(verb, -1)
    if not 0 <= other < len(checks) or checks[other].kind != checks[n].kind:
        return outline, ""
    return replace(outline, checks=_swapped(checks, n, other)), f"check-{other}"


def _become(outline: Outline, n: int, kind: str) -> tuple[Outline, str]:
    """The check in another part of the rubric; what that part knows no field for is left behind."""
    old = outline.checks[n]
    for known in SECTIONS:
        if known == kind and known != old.kind:
            fields = {name: old.value(name) for name in CHECK_FIELDS[known]}
            if known == "criterion":
                fields |= {"weight": fields["weight"] or "1", "answers": YES_NO}
            if known == "automatic":
                fields |= {"lineage_kind": "moved_to_automatic", "lineage_keys": old.value("id")}
            anchors = () if known == "automatic" else old.anchors
            moved = CheckOutline(known, fields, anchors)
            checks = (*outline.checks[:n], *outline.checks[n + 1 :], moved)
            changed = in_order(replace(outline, checks=checks))
            return changed, f"check-{_index(changed, moved)}"
    return outline, ""


def _add_anchor(outline: Outline, n: int, verdict: str) -> tuple[Outline, str]:
    check = outline.checks[n]
    if check.kind == "automatic":
        return outline, ""
    added = {"verdict": verdict, "origin": "real", "text": "", "note": ""}
    changed = _with_anchors(outline, n, (*check.anchors, added))
    return changed, f"check-{n}-anchor-{len(check.anchors)}-text"


def _anchor_step(outline: Outline, verb: str, n: int, m: int) -> tuple[Outline, str]:
    anchors = outline.checks[n].anchors
    if m >= len(anchors):
        return outline, ""
    if verb == "remove":
        return _with_anchors(outline, n, anchors[:m] + anchors[m + 1 :]), f"check-{n}"
    other = {"up": m - 1, "down": m + 1}.get(verb, -1)
    if not 0 <= other < len(anchors):
        return outline, ""
    return _with_anchors(outline, n, _swapped(anchors, m, other)), f"check-{n}-anchor-{other}-text"


def _with_anchors(outline: Outline, n: int, anchors: Sequence[Mapping[str, str]]) -> Outline:
    checks = list(outline.checks)
    checks[n] = replace(checks[n], anchors=tuple(anchors))
    return replace(outline, checks=tuple(checks))


def _swapped(rows: tuple[Row, ...], one: int, other: int) -> tuple[Row, ...]:
    changed = list(rows)
    changed[one], changed[other] = changed[other], changed[one]
    return tuple(changed)
