"""What changed from one version of a rubric to the next, in terms a lead can read.

Pure: no Django, no I/O.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rubrics.content import Anchor, Criterion, Rubric, RuleValue


@dataclass(frozen=True)
class Change:
    """One difference. `key` is the check's key ('' for the rubric as a whole).

    `what`: task, name, subject, rationale, order · added, removed, renamed, split_from,
    merged_from, moved (between gate, criterion and automatic) · reworded, title, help,
    reweighted, values, level, family, allows_na, anchors, note, rule, decides. `before` and `after`
    are texts to show; '' where there is nothing on that side.
    """

    key: str
    what: str
    before: str = ""
    after: str = ""


def sources(old: Rubric, new: Rubric) -> dict[str, tuple[str, ...]]:
    """For each key of `new`, the keys of `old` it continues: () for a new check.

    A check's lineage decides where it names keys that `old` has; otherwise the same key does. A
    lineage that `old` already tells about the same key is history, not a new step.
    """
    earlier = {check.key: check for check in old.criteria}
    return {check.key: _source_keys(check, earlier) for check in new.criteria}


def _source_keys(check: Criterion, earlier: dict[str, Criterion]) -> tuple[str, ...]:
    same = earlier.get(check.key)
    if check.lineage and not (same and same.lineage == check.lineage):
        named = tuple(key for key in check.lineage.keys if key in earlier)
        if named:
            return named
    return (check.key,) if same else ()


def compare(old: Rubric, new: Rubric) -> tuple[Change, ...]:
    """Every change from `old` to `new`, in the order of `new`, removals last.

    Numbers and lineage are not compared. Equal documents give ().
    """
    earlier = {check.key: check for check in old.criteria}
    origin = sources(old, new)
    changes = list(_whole(old, new))
    for check in new.criteria:
        changes += _check(check, [earlier[key] for key in origin[check.key]])
    continued = {key for keys in origin.values() for key in keys}
    changes += [
        Change(check.key, "removed", before=check.text)
        for check in old.criteria
        if check.key not in continued
    ]
    return tuple(changes)


def _whole(old: Rubric, new: Rubric) -> Iterator[Change]:
    for name in ("task", "name", "subject", "rationale"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield Change("", name, before, after)
    kept_before, kept_after = _kept(old, new), _kept(new, old)
    if kept_before != kept_after:
        yield Change("", "order", ", ".join(kept_before), ", ".join(kept_after))


def _kept(rubric: Rubric, other: Rubric) -> list[str]:
    """Keys that both have, of the same kind: a move between kinds is told as a move."""
    kinds = {(check.key, check.kind) for check in other.criteria}
    return [check.key for check in rubric.criteria if (check.key, check.kind) in kinds]


def _check(check: Criterion, origin: list[Criterion]) -> Iterator[Change]:
    if not origin:
        yield Change(check.key, "added", after=check.text)
    elif len(origin) > 1:
        yield Change(check.key, "merged_from", ", ".join(each.key for each in origin), check.text)
    else:
        yield from _descent(origin[0], check)
        yield from _fields(origin[0], check)


def _descent(old: Criterion, new: Criterion) -> Iterator[Change]:
    if new.lineage and new.lineage.kind == "split_from" and new.lineage != old.lineage:
        yield Change(new.key, "split_from", old.key, new.key)
    elif new.key != old.key:
        yield Change(new.key, "renamed", old.key, new.key)
    if new.kind != old.kind:
        yield Change(new.key, "moved", old.kind, new.kind)


def _fields(old: Criterion, new: Criterion) -> Iterator[Change]:
    pairs = (
        ("reworded", old.text, new.text),
        ("title", old.title, new.title),
        ("help", old.help, new.help),
        ("reweighted", _number(old.weight), _number(new.weight)),
        ("values", _scale(old), _scale(new)),
        ("level", old.level, new.level),
        ("family", old.family, new.family),
        ("allows_na", _yes_no(allowed=old.allows_na), _yes_no(allowed=new.allows_na)),
        ("rule", _rules(old), _rules(new)),
        ("decides", _yes_no(allowed=old.decides), _yes_no(allowed=new.decides)),
    )
    for what, before, after in pairs:
        if before != after:
            yield Change(new.key, what, before, after)
    yield from _anchor_changes(old, new)


def _anchor_changes(old: Criterion, new: Criterion) -> Iterator[Change]:
    before = [_anchor(anchor) for anchor in old.anchors]
    after = [_anchor(anchor) for anchor in new.anchors]
    if sorted(before) == sorted(after) and before != after:
        yield Change(new.key, "anchors", "\n".join(before), "\n".join(after))
    yield from (Change(new.key, "anchors", before=text) for text in _without(before, after))
    yield from (Change(new.key, "anchors", after=text) for text in _without(after, before))
    if before == after:
        for was, now in zip(old.anchors, new.anchors, strict=True):
            if was.note != now.note:
                yield Change(new.key, "note", was.note, now.note)


def _without(these: list[str], those: list[str]) -> list[str]:
    """These texts less those, counting repeats."""
    rest = list(those)
    left = []
    for text in these:
        if text in rest:
            rest.remove(text)
        else:
            left.append(text)
    return left


def _anchor(anchor: Anchor) -> str:
    return f"{anchor.verdict}, {anchor.origin}: {anchor.text}"


def _number(number: float | None) -> str:
    return "" if number is None else repr(number).removesuffix(".0")


def _yes_no(*, allowed: bool) -> str:
    return "yes" if allowed else "no"


def _scale(check: Criterion) -> str:
    if check.bounds:
        return " to ".join(_number(end) for end in check.bounds)
    return ", ".join(check.values)


def _rules(check: Criterion) -> str:
    return "; ".join(f"{name}: {_rule(value)}" for name, value in check.rule)


def _rule(value: RuleValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
