"""One change of a rubric's next version at a time: an example, a wording, a split, a merge.

Pure: no Django, no I/O. A meeting says what a check should become; this makes the document that
says so, with the lineage by which its labels can be followed. What the format refuses
(docs/rubric-format.md) is refused here in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from rubrics import document
from rubrics.comparison import sources
from rubrics.content import (
    GATE_VALUES,
    PREFERENCE,
    SCALES,
    VERDICTS,
    YES_NO,
    Anchor,
    Criterion,
    Kind,
    Lineage,
    Origin,
    Rubric,
    RubricError,
)

_NUMBERED = re.compile(r"([A-Za-z_]*[A-Za-z])(\d+)")
_LETTERS: Mapping[str, str] = {"gate": "G", "criterion": "C", "automatic": "A"}
_MANY = 20


class EditError(ValueError):
    """The change cannot be made; the message says why and what to do."""


@dataclass(frozen=True)
class Edited:
    """The rubric after one change; `keys` are the checks it made or touched, as they stand now."""

    rubric: Rubric
    keys: tuple[str, ...]


def apply(base: Rubric, draft: Rubric, kind: str, detail: Mapping[str, Any]) -> Edited:
    """`draft` after one change. `base` is the published version that the draft was made from.

    `kind` and what `detail` holds, keys being those of the draft:

    - anchor: key, verdict (pass or fail), text, origin (real or invented), note
    - reword: key, text, title, help
    - split: key, parts (two or more of text, title, help, and anchors: the texts of the failing
      examples that go to this part; none goes by itself)
    - merge: keys (two or more), text, title, anchors (texts of the passing examples to keep)
    - automatic: key, rule, decides
    - weight: key, weight
    - scale: key, values (a number of points will do for the preference)
    - procedure: text, help (of the preference), rationale (the instruction)
    - add: kind (gate or criterion), text, title, weight

    Raises EditError; the rubric that was given is left as it was.
    """
    change = _CHANGES.get(kind)
    if change is None:
        raise EditError(f"There is no such change as “{kind}”: use {', '.join(_CHANGES)}.")
    edited = change(base, draft, detail)
    if edited.rubric == draft:
        raise EditError("That is what the draft says already: nothing would change.")
    _refuse_unreadable(edited.rubric)
    return edited


def is_there(rubric: Rubric, kind: str, keys: Sequence[str], detail: Mapping[str, Any]) -> bool:
    """Whether a document still holds what a change made, as far as the document can tell.

    `kind` and `detail` are what `apply` took, `keys` the checks that it named. An example or a
    wording counts as it was entered, whichever check has it by now. Of checks that a change made
    or moved only the being there counts: what they say may be reworded without undoing it.
    """
    checks = {check.key: check for check in rubric.criteria}
    own = [checks[key] for key in keys if key in checks]
    match kind:
        case "anchor":
            made = (_text(detail, "verdict"), _text(detail, "text"))
            return any((a.verdict, a.text) == made for c in rubric.criteria for a in c.anchors)
        case "reword":
            return any(_reads(check, detail) for check in rubric.criteria)
        case "procedure":
            asked = rubric.preference
            entered = {name: value for name, value in detail.items() if name != "title"}
            rationale = _text(detail, "rationale", rubric.rationale)
            return asked is not None and _reads(asked, entered) and rubric.rationale == rationale
        case "weight":
            return any(check.weight == _number(detail.get("weight")) for check in own)
        case "scale":
            return any(check.values == tuple(_points(check, detail)) for check in own)
        case "automatic":
            return any(check.kind == "automatic" for check in own)
        case "merge":
            gone = {str(key) for key in detail.get("keys") or ()} - set(keys)
            return bool(own) and not gone & set(checks)
    return bool(own) and len(own) == len(keys)


def standing_keys(base: Rubric, draft: Rubric, key: str) -> tuple[str, ...]:
    """The checks of `draft` that a check of `base` lives on in: several after a split, () if none.

    A check that stands under its own name comes first.
    """
    found = [now for now, earlier in sources(base, draft).items() if key in earlier]
    return tuple(sorted(found, key=lambda now: now != key))


def _anchor(_base: Rubric, draft: Rubric, detail: Mapping[str, Any]) -> Edited:
    check = _check(draft, detail)
    if check.kind not in ("gate", "criterion"):
        raise EditError("Only gates and criteria have examples.")
    verdict = _text(detail, "verdict")
    if verdict not in VERDICTS:
        raise EditError("Say whether the example passes or fails.")
    text = _text(detail, "text")
    if not text:
        raise EditError("Select the passage that is the example, or write one.")
    if any(anchor.text == text for anchor in check.anchors):
        raise EditError(f"{check.key} has this example already.")
    origin = cast("Origin", _text(detail, "origin") or "invented")
    added = Anchor(verdict, text, origin, _text(detail, "note"))
    return _replaced(draft, replace(check, anchors=(*check.anchors, added)))


def _reword(_base: Rubric, draft: Rubric, detail: Mapping[str, Any]) -> Edited:
    check = _check(draft, detail)
    return _replaced(
        draft,
        replace(
            check,
            text=_wording(detail),
            title=_text(detail, "title", check.title),
            help=_text(detail, "help", check.help),
        ),
    )


def _split(base: Rubric, draft: Rubric, detail: Mapping[str, Any]) -> Edited:
    check = _check(draft, detail)
    _refuse_unless_asked(check, "split")
    parts = [part for part in _listed(detail, "parts") if _text(part, "text")]
    if len(parts) < 2:
        raise EditError("A split makes two checks or more: word each of them.")
    if len(parts) > _MANY:
        raise EditError(f"A split makes {_MANY} checks at most.")
    if len({_text(part, "text").casefold() for part in parts}) < len(parts):
        raise EditError("Two of the parts say the same: each asks for a thing of its own.")
    lineage = _descends(base, draft, [check.key], "split_from")
    _refuse_foreign(check.key, "fails", [check], [text for part in parts for text in _texts(part)])
    keys = [check.key, *_free_keys(base, draft, check, len(parts) - 1)]
    made = [
        replace(
            check,
            key=key,
            text=_text(part, "text"),
            title=_text(part, "title"),
            # What explained the whole explains its parts, until somebody says otherwise.
            help=_text(part, "help", check.help),
            # Who passed the whole passed each part of it; which part a failure fails, people say.
            anchors=tuple(
                a for a in check.anchors if a.verdict == "pass" or a.text in _texts(part)
            ),
            lineage=lineage,
        )
        for key, part in zip(keys, parts, strict=True)
    ]
    return _replaced(draft, *made)


def _merge(base: Rubric, draft: Rubric, detail: Mapping[str, Any]) -> Edited:
    keys = list(dict.fromkeys(str(key) for key in detail.get("keys") or ()))
    if len(keys) < 2:
        raise EditError("Choose two checks or more to merge.")
    checks = [_check(draft, {"key": key}) for key in keys]
    for check in checks:
        _refuse_unless_asked(check, "merged")
    first = checks[0]
    for other in checks[1:]:
        if other.kind != first.kind:
            raise EditError(
                f"{first.key} is a {first.kind} and {other.key} a {other.kind}: "
                "only checks of one kind can be merged."
            )
        if _answers(other) != _answers(first):
            raise EditError(f"{first.key} and {other.key} are answered in different ways.")
    # What fails one of them fails the whole; what passes one may still fail the other: people say.
    every = [anchor for check in checks for anchor in check.anchors]
    kept = _texts(detail)
    _refuse_foreign(" and ".join(keys), "passes", checks, kept)
    fails = [anchor for anchor in every if anchor.verdict == "fail"]
    for anchor in fails:
        if anchor.text in kept:
            raise EditError(f"“{anchor.text}” fails one of them, so it cannot pass them together.")
    passes = [anchor for anchor in every if anchor.verdict == "pass" and anchor.text in kept]
    weights = [check.weight for check in checks if check.weight is not None]
    merged = replace(
        first,
        text=_wording(detail),
        title=_text(detail, "title"),
        help=_text(detail, "help") or "\n".join(filter(None, (c.help for c in checks))),
        anchors=tuple({anchor.text: anchor for anchor in (*passes, *fails)}.values()),
        allows_na=any(check.allows_na for check in checks),
        weight=sum(weights) if weights else None,
        lineage=_descends(base, draft, keys, "merged_from"),
    )
    rest = tuple(check for check in draft.criteria if check.key not in keys[1:])
    return _replaced(replace(draft, criteria=rest), merged)


def _automatic(base: Rubric, draft: Rubric, detail: Mapping[str, Any]) -> Edited:
    check = _check(draft, detail)
    _refuse_unless_asked(check, "moved to code")
    rule = detail.get("rule")
    if not isinstance(rule, Mapping) or not rule:
        raise EditError("Say what the code should check, such as max_words: 150.")
    (key,) = _free_keys(base, draft, replace(check, kind="automatic", key="A0"), 1)
    moved = Criterion(
        key=key,
        kind="automatic",
        family=check.family,
        values=GATE_VALUES,
        text=check.text,
        help=check.help,
        title=check.title,
        lineage=_descends(base, draft, [check.key], "moved_to_automatic"),
        rule=document.rule_of(rule),
        decides=bool(detail.get("decides", check.kind == "gate")),
    )
    return _replaced(draft, moved, instead_of=check.key)


def _weight(_base: Rubric, draft: Rubric, detail: Mapping[str, Any]) -> Edited:
    check = _check(draft, detail)
    if check.kind != "criterion":
        raise EditError("Only a criterion has a weight.")
    return _replaced(draft, replace(check, weight=_number(detail.get("weight"))))


def _scale(_base: Rubric, draft: Rubric, detail: Mapping[str, Any]) -> Edited:
    check = _check(draft, detail)
    if check.kind not in ("criterion", "preference") or check.level == "interval":
        raise EditError("Only the preference and criteria with answers of their own have a scale.")
    values = _points(check, detail)
    if check.kind == PREFERENCE and len(values) not in SCALES:
        raise EditError("A preference scale has 3, 5 or 7 points.")
    if len(values) < 2:
        raise EditError("A scale has two answers or more, lowest first.")
    return _replaced(draft, replace(check, values=tuple(values)))


def _points(check: Criterion, detail: Mapping[str, Any]) -> list[str]:
    """The answers of a scale as entered; of the preference their number will do."""
    given = detail.get("values") or ()
    values = [str(value).strip() for value in given] if isinstance(given, Sequence) else []
    if check.kind == PREFERENCE and len(values) == 1 and values[0] in ("3", "5", "7"):
        return list(SCALES[int(values[0])])
    return values


def _procedure(_base: Rubric, draft: Rubric, detail: Mapping[str, Any]) -> Edited:
    check = draft.preference
    if check is None:
        raise EditError("This rubric asks for no preference, so there is no procedure to change.")
    asked = replace(
        check,
        text=_text(detail, "text", check.text) or check.text,
        help=_text(detail, "help", check.help),
    )
    told = replace(draft, rationale=_text(detail, "rationale", draft.rationale))
    return _replaced(told, asked)


def _add(base: Rubric, draft: Rubric, detail: Mapping[str, Any]) -> Edited:
    kind = _text(detail, "kind")
    if kind not in ("gate", "criterion"):
        raise EditError("Say whether the new check is a gate or a criterion.")
    alike = draft.of_kind(cast("Kind", kind))
    family = alike[-1].family if alike else document.PART_FAMILY[draft.subject]
    blank = Criterion(key=f"{_LETTERS[kind]}0", kind=cast("Kind", kind), family=family)
    (key,) = _free_keys(base, draft, alike[-1] if alike else blank, 1)
    added = replace(
        blank,
        key=key,
        values=GATE_VALUES if kind == "gate" else YES_NO,
        weight=None if kind == "gate" else _number(detail.get("weight", 1)),
        text=_wording(detail),
        title=_text(detail, "title"),
        help=_text(detail, "help"),
    )
    return Edited(replace(draft, criteria=(*draft.criteria, added)), (key,))


_CHANGES = {
    "anchor": _anchor,
    "reword": _reword,
    "split": _split,
    "merge": _merge,
    "automatic": _automatic,
    "weight": _weight,
    "scale": _scale,
    "procedure": _procedure,
    "add": _add,
}


def _reads(check: Criterion, detail: Mapping[str, Any]) -> bool:
    """Whether a check reads as entered; an empty text of the preference had left it as it was."""
    return (
        check.text == (_text(detail, "text") or check.text)
        and check.title == _text(detail, "title", check.title)
        and check.help == _text(detail, "help", check.help)
    )


def _check(draft: Rubric, detail: Mapping[str, Any]) -> Criterion:
    key = str(detail.get("key", ""))
    for check in draft.criteria:
        if check.key == key:
            return check
    raise EditError(f"The draft has no check {key}: it may have been renamed or merged since.")


def _refuse_unless_asked(check: Criterion, verb: str) -> None:
    if check.kind == "preference":
        raise EditError(f"The preference cannot be {verb}: change its procedure or its scale.")
    if check.kind == "automatic":
        raise EditError(f"{check.key} is decided by code and cannot be {verb}.")


def _replaced(draft: Rubric, *made: Criterion, instead_of: str = "") -> Edited:
    """The draft with these checks in the place of the one that the first of them continues."""
    place = instead_of or made[0].key
    criteria: list[Criterion] = []
    for check in draft.criteria:
        criteria += made if check.key == place else (check,)
    return Edited(replace(draft, criteria=tuple(criteria)), tuple(check.key for check in made))


def _descends(base: Rubric, draft: Rubric, keys: Sequence[str], kind: str) -> Lineage | None:
    """Lineage names keys of the published version: a check that only the draft has, has none."""
    origin = sources(base, draft)
    named = tuple(dict.fromkeys(key for each in keys for key in origin[each]))
    if not named:
        return None
    if kind == "merged_from" and len(named) == 1:
        kind = "reworded"
    if kind != "merged_from" and len(named) > 1:
        return Lineage("merged_from", named)
    return Lineage(cast("Any", kind), named)


def _free_keys(base: Rubric, draft: Rubric, like: Criterion, count: int) -> list[str]:
    """Names that neither version has had: an old name would look like the old check."""
    numbered = _NUMBERED.fullmatch(like.key)
    letters = numbered[1] if numbered else _LETTERS[like.kind]
    taken = {check.key.casefold() for check in (*base.criteria, *draft.criteria)}
    taken |= {
        key.casefold() for check in draft.criteria if check.lineage for key in check.lineage.keys
    }
    highest = max(
        (
            int(found[2])
            for key in taken
            if (found := _NUMBERED.fullmatch(key)) and found[1] == letters.casefold()
        ),
        default=0,
    )
    return [f"{letters}{highest + n}" for n in range(1, count + 1)]


def _answers(check: Criterion) -> tuple[object, ...]:
    return check.level, check.values, check.bounds, check.family


def _wording(detail: Mapping[str, Any]) -> str:
    text = _text(detail, "text")
    if not text:
        raise EditError("Word the check: what must be true of a good answer?")
    return text


def _text(detail: Mapping[str, Any], name: str, otherwise: str = "") -> str:
    value = detail.get(name, otherwise)
    return value.strip() if isinstance(value, str) else otherwise


def _listed(detail: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    given = detail.get(name)
    return [part for part in given if isinstance(part, Mapping)] if isinstance(given, list) else []


def _texts(detail: Mapping[str, Any]) -> list[str]:
    """The examples that somebody named."""
    given = detail.get("anchors")
    return [text for text in given if isinstance(text, str)] if isinstance(given, list) else []


def _refuse_foreign(
    named: str, verb: str, checks: Sequence[Criterion], texts: Sequence[str]
) -> None:
    verdict = {"passes": "pass", "fails": "fail"}[verb]
    known = {a.text for check in checks for a in check.anchors if a.verdict == verdict}
    for text in texts:
        if text not in known:
            raise EditError(f"“{text}” is no example that {verb} {named} any more.")


def _number(given: object) -> float:
    try:
        weight = float(cast("Any", given))
    except (TypeError, ValueError):
        raise EditError("A weight is a number greater than 0.") from None
    if not 0 < weight < 1e6:
        raise EditError("A weight is a number greater than 0.")
    return weight


def _refuse_unreadable(rubric: Rubric) -> None:
    """What is made here is what a person could have written: the format's own rules apply."""
    try:
        document.parse(document.dump(rubric))
    except RubricError as refusal:
        told = [f"{found.where}: {found.message}".lstrip(": ") for found in refusal.problems]
        raise EditError("; ".join(told)) from None
