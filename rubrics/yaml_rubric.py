"""The rules of the rubric format: located YAML values to a Rubric, with everything wrong at once.

Pure: no Django, no I/O. The format is described in docs/rubric-format.md.
"""

import re
from collections.abc import Mapping

from rubrics import yaml_reader
from rubrics.content import (
    PREFERENCE,
    PREFERENCE_TEXT,
    SCALES,
    SUBJECTS,
    Criterion,
    Kind,
    Parsed,
    Problem,
    Rubric,
    SubjectKind,
    missing_anchors,
)
from rubrics.yaml_check import items_of, read_check, text_of, title
from rubrics.yaml_reader import Item, quoted

MAX_NUMBER = 1_000_000
MAX_NAME = 120

_TASK = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}")
# A side, then its strength in words, which the other side must mirror.
_SCALE_NAME = re.compile(r"A((?:_[A-Za-z0-9]+)*)")

_ROOT = (
    "task",
    "name",
    "rubric_version",
    "subject",
    "gates",
    "criteria",
    "automatic",
    "preference",
)
_SECTIONS: dict[str, Kind] = {"gates": "gate", "criteria": "criterion", "automatic": "automatic"}
_PREFERENCE = ("scale", "rationale", "check", "title", "help")
_NOT_IN_PREFERENCE = {
    "weight": "the preference has no weight",
    "allows_na": "the preference has no N/A: its middle point is the tie",
}


def read(root: Item) -> Parsed:
    """The rubric of a composed document. Raises RubricError with every problem found."""
    keys = root.mapping(_ROOT)
    if not root.is_mapping:
        yaml_reader.finish(root.problems)
    subject = _subject(keys.get("subject"))
    checks = [
        (item, read_check(item, kind, subject))
        for section, kind in _SECTIONS.items()
        for item in items_of(keys.get(section))
    ]
    criteria = [check for _, check in checks if check]
    rationale = ""
    if preference := keys.get("preference"):
        criterion, rationale = _preference(preference, subject)
        criteria.append(criterion)
    rubric = Rubric(
        task=_task(root, keys.get("task")),
        name=_name(keys),
        number=keys["rubric_version"].whole(1, MAX_NUMBER) if "rubric_version" in keys else None,
        subject=subject,
        criteria=tuple(criteria),
        rationale=rationale,
    )
    _refuse_repeated_ids(checks)
    _refuse_empty(root, keys)
    yaml_reader.finish(root.problems)
    return Parsed(rubric, _warnings(rubric, {check.key: item for item, check in checks if check}))


def _task(root: Item, item: Item | None) -> str:
    task = item.code() if item else ""
    if task == "":
        (item or root).problem("task is missing: a short name for what is judged")
    elif item and task and not _TASK.fullmatch(task):
        item.problem(
            f"{quoted(task)} is no short name: use letters, digits, - and _, up to 50, "
            "and write words in name"
        )
    return task or ""


def _name(keys: Mapping[str, Item]) -> str:
    name = text_of(keys, "name")
    if len(name) > MAX_NAME:
        keys["name"].problem(f"name is over {MAX_NAME} characters")
    return name


def _subject(item: Item | None) -> SubjectKind:
    return (item.choice(SUBJECTS) if item else None) or "pair"


def _preference(item: Item, subject: SubjectKind) -> tuple[Criterion, str]:
    """The preference as a criterion, and the instruction for its rationale."""
    keys = item.mapping(_PREFERENCE, _NOT_IN_PREFERENCE)
    if subject != "pair":
        item.problem(f"a preference compares A with B: the subject {subject} has no sides")
    if item.is_mapping and "scale" not in keys:
        item.problem("the preference needs a scale: 3, 5 or 7 points")
    preference = Criterion(
        key=PREFERENCE,
        kind="preference",
        family="subject",
        level="ordinal",
        values=_preference_scale(keys["scale"]) if "scale" in keys else (),
        text=text_of(keys, "check") or PREFERENCE_TEXT,
        help=text_of(keys, "help"),
        title=title(keys),
    )
    return preference, text_of(keys, "rationale")


def _preference_scale(item: Item) -> tuple[str, ...]:
    if not item.is_sequence:
        points = item.code()
        if points in ("3", "5", "7"):
            return SCALES[int(points)]
        if points is not None:
            item.problem(_unknown_scale(points))
        return ()
    names = [entry.code() for entry in item.sequence()]
    if None in names:
        return ()
    scale = tuple(name for name in names if name is not None)
    if not _is_mirrored(scale):
        item.problem(_unknown_scale(f"[{', '.join(scale)}]"))
    return scale


def _is_mirrored(scale: tuple[str, ...]) -> bool:
    half = len(scale) // 2
    ends = [_SCALE_NAME.fullmatch(name) for name in scale[:half]]
    mirrored = tuple("B" + end.group(1) for end in reversed(ends) if end)
    return (
        len(scale) in SCALES
        and scale[half] == "tie"
        and scale[half + 1 :] == mirrored
        and len(set(scale)) == len(scale)
    )


def _unknown_scale(written: str) -> str:
    return (
        f"unknown scale {quoted(written, 80)}: use 3, 5 or 7, or names from A to B that mirror "
        f"each other around tie, such as [{', '.join(SCALES[5])}]"
    )


def _refuse_repeated_ids(checks: list[tuple[Item, Criterion | None]]) -> None:
    first: dict[str, tuple[str, int]] = {}
    for item, check in checks:
        if not check or not check.key:
            continue
        if known := first.get(check.key.lower()):
            key, line = known
            item.problem(f"the id {check.key} is already used in line {line} (as {key})")
        else:
            first[check.key.lower()] = check.key, item.line


def _refuse_empty(root: Item, keys: Mapping[str, Item]) -> None:
    asked = _count(keys, "gates") + _count(keys, "criteria") + ("preference" in keys)
    if not asked:
        root.problem(
            "an empty rubric: it asks experts nothing; add gates, criteria or a preference"
        )


def _count(keys: Mapping[str, Item], section: str) -> int:
    return len(keys[section].node.value) if section in keys else 0


def _warnings(rubric: Rubric, places: Mapping[str, Item]) -> tuple[Problem, ...]:
    ending = {"pass": "passes", "fail": "fails"}
    found = [
        Problem(
            places[key].line,
            places[key].where,
            f"{key} has no {verdict} anchor: add an example of what {ending[verdict]}",
        )
        for key, verdict in missing_anchors(rubric)
    ]
    for check in rubric.of_kind("criterion"):
        item = places[check.key]
        written = {key.value for key, _ in item.node.value}
        if "weight" not in written:
            found.append(Problem(item.line, item.where, f"{check.key} has no weight: 1 is used"))
        if "level" not in written and all(value.isdecimal() for value in check.values):
            message = (
                f"{check.key} has numbers for values and no level: they are read as names without "
                "order; add level: ordinal if they are a scale"
            )
            found.append(Problem(item.line, item.where, message))
    return tuple(sorted(found, key=lambda problem: problem.line))
