"""An outline as a browser sends it, and a short name for what it shows.

Pure: no Django, no I/O.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

from rubrics.editor_fields import is_long
from rubrics.outline import (
    ANCHOR_FIELDS,
    CHECK_FIELDS,
    ROOT_FIELDS,
    SECTIONS,
    CheckOutline,
    Outline,
    in_order,
    new_anchor,
)

_NAME = re.compile(r"check-([0-9]{1,4})-(?:anchor-([0-9]{1,4})-)?([a-z_]+)")


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
            anchors.setdefault(n, {}).setdefault(int(m), new_anchor())[key] = _typed(value)
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


def _typed(value: str) -> str:
    return value.replace("\r\n", "\n").strip()


def seal(outline: Outline) -> str:
    """A short name for what a form shows, to see later whether anybody changed it. A field of one
    line takes no line feeds: they do not count there.
    """
    shown = {
        name: _trimmed(text) if is_long(name) else text.replace("\n", "")
        for name, text in fields_of(outline).items()
    }
    return seal_text(json.dumps(shown, sort_keys=True))


def seal_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))
