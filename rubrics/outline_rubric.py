"""The rubric an outline stands for, as far as it goes: for the preview and the hints only.

Pure: no Django, no I/O. Nothing here is ever stored: a draft comes from `document.parse` alone.
"""

from __future__ import annotations

from rubrics import outline as outlines
from rubrics import yaml_reader
from rubrics.content import (
    DESCENTS,
    GATE_VALUES,
    LEVELS,
    ORIGINS,
    PART_FAMILY,
    PREFERENCE,
    PREFERENCE_TEXT,
    SCALES,
    VERDICTS,
    YES_NO,
    Anchor,
    Criterion,
    Level,
    Lineage,
    Rubric,
)
from rubrics.outline import CheckOutline, Outline

_LEVELS: dict[str, Level] = {outlines.STEPS: "ordinal", outlines.NUMBER: "interval"}


def as_far_as_it_goes(outline: Outline) -> Rubric:
    checks = [_check(outline, check) for check in outline.checks]
    if outline.value("preference"):
        checks.append(_preference(outline))
    return Rubric(
        task=outline.value("task"),
        name=outline.value("name"),
        subject=outline.subject,
        criteria=tuple(checks),
        rationale=outline.value("rationale"),
    )


def _check(outline: Outline, check: CheckOutline) -> Criterion:
    usual = PART_FAMILY[outline.subject]
    whole = check.value("family") == "subject" and check.kind == "criterion"
    level = _LEVELS.get(check.value("answers"), "nominal")
    values = tuple(filter(None, check.value("values").split("\n"))) or YES_NO
    bounds = _bounds(check) if level == "interval" else None
    return Criterion(
        key=check.value("id"),
        kind=check.kind,
        family="subject" if whole else usual,
        level=level if level in LEVELS else "nominal",
        values=_values(check, values, bounds),
        bounds=bounds,
        allows_na=bool(check.value("allows_na")),
        weight=_weight(check.value("weight")) if check.kind == "criterion" else None,
        text=check.value("check"),
        help=check.value("help"),
        title=check.value("title"),
        anchors=_anchors(check),
        lineage=_lineage(check),
    )


def _values(
    check: CheckOutline, values: tuple[str, ...], bounds: tuple[float, float] | None
) -> tuple[str, ...]:
    if check.kind != "criterion":
        return GATE_VALUES
    return () if bounds else values


def _bounds(check: CheckOutline) -> tuple[float, float] | None:
    low, high = _weight(check.value("low")), _weight(check.value("high"))
    return None if low is None or high is None else (low, high)


def _weight(text: str) -> float | None:
    return float(text) if yaml_reader.NUMBER.fullmatch(text) else None


def _anchors(check: CheckOutline) -> tuple[Anchor, ...]:
    return tuple(
        Anchor(verdict, anchor["text"], origin, anchor.get("note", ""))
        for anchor in check.anchors
        for verdict in VERDICTS
        for origin in ORIGINS
        if (anchor.get("verdict"), anchor.get("origin")) == (verdict, origin) and anchor.get("text")
    )


def _lineage(check: CheckOutline) -> Lineage | None:
    keys = tuple(key.strip() for key in check.value("lineage_keys").split(",") if key.strip())
    for descent in DESCENTS:
        if keys and descent == check.value("lineage_kind"):
            return Lineage(descent, keys)
    return None


def _preference(outline: Outline) -> Criterion:
    points = outline.value("scale")
    names = tuple(n.strip() for n in outline.value("scale_names").split(",") if n.strip())
    return Criterion(
        key=PREFERENCE,
        kind="preference",
        family="subject",
        level="ordinal",
        values=SCALES[int(points)] if points in ("3", "5", "7") else names,
        text=outline.value("preference_check") or PREFERENCE_TEXT,
        title=outline.value("preference_title"),
        help=outline.value("preference_help"),
    )
