"""What the pages say about a rubric: its scales, its rules, and what changed, in words.

Pure: no Django, no I/O. Texts of a rubric pass through as they are; templates escape them.
"""

from dataclasses import dataclass

from rubrics.check_language import called
from rubrics.check_rules import LANGUAGE
from rubrics.content import Descent
from rubrics.document import PREFERENCE, YES_NO, Change, Criterion, Family, Rubric, RuleValue
from rubrics.words import joined, seen_words

_ABOUT: dict[Family, str] = {
    "subject": "once, for the whole",
    "side": "for each response",
    "text": "for the text",
    "step": "for each step",
    "attempt": "for each attempt",
    "error_item": "for each error found",
}
_KINDS = {
    "gate": "gate",
    "criterion": "criterion",
    "automatic": "automatic check",
    "preference": "preference",
}
_RULES = {
    "min_words": "at least {} words",
    "max_words": "at most {} words",
    "min_characters": "at least {} characters",
    "max_characters": "at most {} characters",
    "min_sentences": "at least {} sentences",
    "max_sentences": "at most {} sentences",
    "must_contain": "contains {}",
    "must_not_contain": "does not contain {}",
    "must_match": "something matches {}",
    "must_not_match": "nothing matches {}",
    "headings": "has the heading {}",
    "language": "is written in {}",
    "json": "is one JSON value and nothing else",
    "json_schema": "is JSON that fits its schema",
    "max_prompt_overlap": "at most {} of its passages stand in the prompt",
}
# Rules that one text of their list is enough for, to pass or to fail.
_ANY_OF = frozenset({"must_not_contain", "must_not_match", "language"})
_LABELS = {
    "task": "Task renamed",
    "name": "Name changed",
    "subject": "Another kind of subject",
    "rationale": "Instruction for the rationale changed",
    "order": "Order changed",
    "added": "Added",
    "removed": "Removed",
    "renamed": "Another id",
    "moved": "Moved",
    "reworded": "Reworded",
    "title": "Title changed",
    "help": "Help changed",
    "reweighted": "Weight changed",
    "values": "Answers changed",
    "level": "Level changed",
    "family": "Asked of something else",
    "note": "Note on an anchor changed",
    "rule": "Rule changed",
}

_LINEAGE: dict[Descent, str] = {
    "unchanged": "",
    "reworded": "Reworded from {}",
    "split_from": "Split from {}",
    "merged_from": "Merged from {}",
    "moved_to_automatic": "Moved to code; was {}",
}


@dataclass(frozen=True)
class Told:
    """One change: what happened, and the texts before and after ('' where there is none)."""

    label: str
    before: str = ""
    after: str = ""


def tell(change: Change) -> Told:
    before, after = change.before, change.after
    if change.what == "split_from":
        return Told(f"Split from {before}")
    if change.what == "merged_from":
        return Told(f"Merged from {before}", after=after)
    if change.what == "moved":
        before, after = _KINDS[before], _KINDS[after]
    if change.what == "allows_na":
        return Told("N/A is now an answer" if after == "yes" else "N/A is no longer an answer")
    if change.what == "decides":
        return Told("Works as a gate now" if after == "yes" else "No longer works as a gate")
    if change.what == "anchors":
        return Told(_anchor_label(change), before, after)
    if change.what == "values" and change.key == PREFERENCE:
        before, after = _stops(before), _stops(after)
    return Told(_LABELS[change.what], before, after)


def _anchor_label(change: Change) -> str:
    if not change.before:
        return "Anchor added"
    return "Anchors in another order" if change.after else "Anchor removed"


def _stops(codes: str) -> str:
    return ", ".join(stop(code) for code in codes.split(", "))


def stop(code: str) -> str:
    """A point of a preference scale as raters see it: Left for A, Right for B."""
    words = seen_words(code)
    return f"{words[:1].upper()}{words[1:]}"


def kind_words(check: Criterion) -> str:
    return _KINDS[check.kind]


def answer_words(check: Criterion) -> str:
    """How a check is answered, about what, and whether N/A is an answer."""
    na = "N/A where it does not apply" if check.allows_na else "no N/A"
    return f"{_answers(check)}, {_ABOUT[check.family]}; {na}"


def _answers(check: Criterion) -> str:
    if check.kind == "gate":
        return "Pass or fail"
    if check.bounds:
        lowest, highest = (f"{end:g}" for end in check.bounds)
        return f"A number from {lowest} to {highest}"
    if is_yes_no(check):
        return "Yes or no"
    if check.level == "ordinal":
        return f"{len(check.values)} steps, lowest first"
    return f"One of {len(check.values)} answers"


def is_yes_no(check: Criterion) -> bool:
    return check.level == "nominal" and check.values == YES_NO


def rule_words(check: Criterion) -> tuple[str, ...]:
    """What code looks for, one phrase per rule; all of them must hold."""
    return tuple(_RULES[name].format(_rule_value(name, value)) for name, value in check.rule)


def _rule_value(name: str, value: RuleValue) -> str:
    if isinstance(value, float):
        return f"{value:.0%}"
    if isinstance(value, int):
        return f"{value:,}"
    texts = value if isinstance(value, tuple) else (value,)
    between = " or " if name in _ANY_OF else " and "
    if name == LANGUAGE:
        return between.join(map(called, texts))
    return between.join(f"“{text}”" for text in texts)


def lineage_words(check: Criterion) -> str:
    """Where a check comes from, where its document says so: 'Split from C4'."""
    if check.lineage is None:
        return ""
    if check.lineage.kind == "reworded" and check.lineage.keys == (check.key,):
        return "Reworded"
    return _LINEAGE[check.lineage.kind].format(joined(check.lineage.keys))


def contents(rubric: Rubric) -> str:
    """How many of what a rubric asks: '3 gates, 4 criteria and a preference'."""
    parts = [
        _count(len(rubric.gates), "gate", "gates"),
        _count(len(rubric.of_kind("criterion")), "criterion", "criteria"),
        "a preference" if rubric.preference else "",
    ]
    return joined([part for part in parts if part])


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}" if number else ""
