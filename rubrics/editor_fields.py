"""The fields of the editor's form: labels, choices, and what is said at each.

Pure: no Django, no I/O.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rubrics.content import SUBJECTS
from rubrics.outline import (
    CHECK_FIELDS,
    NAMED,
    NUMBER,
    ON,
    OWN_SCALE,
    SECTIONS,
    STEPS,
    YES_NO,
    Outline,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rubrics.content import Kind
    from rubrics.hints import Hint
    from rubrics.outline import CheckOutline

    Messages = Mapping[str, tuple[str, ...]]

Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Said:
    """A hint and the field it stands at."""

    place: str
    hint: Hint


@dataclass(frozen=True)
class Field:
    """`kind`: line, area, choice or flag. `shows` names the answers a field is there for."""

    name: str
    label: str
    kind: str
    value: str
    help: str = ""
    choices: Choices = ()
    problems: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    rows: int = 2
    shows: str = ""
    size: str = ""
    suggestions: tuple[str, ...] = ()

    @property
    def is_on(self) -> bool:
        return self.value == ON

    @property
    def unknown(self) -> str:
        """A value that is none of the choices: shown, so that nothing is lost unseen."""
        return "" if self.value in dict(self.choices) else self.value


@dataclass(frozen=True)
class AnchorForm:
    n: int
    m: int
    verdict: str
    fields: tuple[Field, ...]
    is_first: bool
    is_last: bool


@dataclass(frozen=True)
class CheckForm:
    n: int
    kind: Kind
    key: str
    heading: str
    fields: tuple[Field, ...]
    rare: tuple[Field, ...]
    more: tuple[Field, ...]
    anchors: tuple[AnchorForm, ...]
    problems: tuple[str, ...]
    problem_count: int
    anchor_hints: tuple[Hint, ...]
    hint_count: int
    is_open: bool
    rare_open: bool
    more_open: bool
    is_first: bool
    is_last: bool
    others: Choices = field(default=())

    @property
    def name(self) -> str:
        return f"check-{self.n}"


_SUBJECT: Choices = tuple(
    (subject, words)
    for subject, words in zip(
        SUBJECTS,
        ("a pair of responses", "one answer", "a trace, step by step", "a chain of attempts"),
        strict=True,
    )
)
_SCALES: Choices = (
    ("5", "5 points"),
    ("3", "3 points"),
    ("7", "7 points"),
    (OWN_SCALE, "names of its own"),
)
_ANSWERS: Choices = (
    (YES_NO, "Yes or no"),
    (NAMED, "Named answers, in no order"),
    (STEPS, "Steps, lowest first"),
    (NUMBER, "A number from … to …"),
)
_FAMILY: Choices = (
    ("", "each response (or part)"),
    ("subject", "the subject as a whole"),
    ("error_item", "each error found"),
)
_LINEAGE: Choices = (
    ("", "continues the check with the same id"),
    ("unchanged", "unchanged from"),
    ("reworded", "reworded from"),
    ("split_from", "split from"),
    ("merged_from", "merged from"),
    ("moved_to_automatic", "moved to code from"),
)
_ORIGINS: Choices = (("real", "real"), ("invented", "invented"))
_VERDICTS: Choices = (("pass", "passes"), ("fail", "fails"))

# name: label, kind, help, and what the widget needs.
_CHECK: dict[str, Field] = {
    f.name: f
    for f in (
        Field("id", "Id", "line", "", size="short"),
        Field("weight", "Weight", "line", "", size="short"),
        Field("title", "Title", "line", "", help="For narrow rows, up to 40 characters."),
        Field("check", "Wording", "area", "", help="Yes, or pass, is the good answer."),
        Field("help", "Help", "area", "", help="When it fails; when it does not apply."),
        Field("answers", "Answers", "choice", "", choices=_ANSWERS),
        Field("values", "The answers, one a line", "area", "", rows=4, shows="values"),
        Field("low", "Lowest", "line", "", size="short", shows="range"),
        Field("high", "Highest", "line", "", size="short", shows="range"),
        Field("allows_na", "N/A is an answer", "flag", ""),
        Field("min_words", "At least, words", "line", "", size="short"),
        Field("max_words", "At most, words", "line", "", size="short"),
        Field("min_characters", "At least, characters", "line", "", size="short"),
        Field("max_characters", "At most, characters", "line", "", size="short"),
        Field("min_sentences", "At least, sentences", "line", "", size="short"),
        Field("max_sentences", "At most, sentences", "line", "", size="short"),
        Field("must_contain", "Contains each of these, one a line", "area", ""),
        Field("must_not_contain", "Contains none of these, one a line", "area", ""),
        Field(
            "must_match",
            "Matches each of these patterns, one a line",
            "area",
            "",
            help="Regular expressions, without looking ahead or back.",
        ),
        Field("must_not_match", "Matches none of these patterns, one a line", "area", ""),
        Field("headings", "Has these headings, one a line", "area", ""),
        Field(
            "language",
            "Is written in",
            "line",
            "",
            help="A code such as en; several between commas.",
        ),
        Field(
            "max_prompt_overlap",
            "Repeats at most this share from the prompt",
            "line",
            "",
            help="From 0 to below 1, such as 0.3.",
        ),
        Field("json", "Is one JSON value and nothing else", "flag", ""),
        Field("json_schema", "Fits this JSON Schema", "area", "", rows=4),
        Field(
            "decides",
            "Works as a gate",
            "flag",
            "",
            help="A response that fails it fails the pair's gates, and no expert is asked.",
        ),
        Field("family", "One answer is about", "choice", "", choices=_FAMILY),
        Field("lineage_kind", "Where it comes from", "choice", "", choices=_LINEAGE),
        Field(
            "lineage_keys",
            "Ids in the version before",
            "line",
            "",
            help="Several between commas, where checks were merged.",
        ),
    )
}
_ANCHOR = (
    Field("verdict", "It", "choice", "", choices=_VERDICTS, size="short"),
    Field("origin", "It is", "choice", "", choices=_ORIGINS, size="short"),
    Field("text", "Example", "area", ""),
    Field("note", "Why", "area", "", rows=1),
)
_MORE = ("family", "lineage_kind", "lineage_keys")
# Rules that few checks need: folded away where they are empty.
_RARE = ("headings", "language", "max_prompt_overlap", "json", "json_schema")
_ORDER: dict[Kind, tuple[str, ...]] = {
    kind: tuple(name for name in _CHECK if name in CHECK_FIELDS[kind]) for kind in SECTIONS
}
_ROOT: dict[str, tuple[Field, ...]] = {
    "whole": (
        Field("task", "Task", "line", "", help="A short name: letters, digits, - and _."),
        Field("name", "Name", "line", "", help="What people read; the task where it is empty."),
        Field(
            "rubric_version",
            "Version",
            "line",
            "",
            size="short",
            help="The next free number where it is empty.",
        ),
        Field("subject", "What is judged", "choice", "", choices=_SUBJECT),
    ),
    "preference": (
        Field("preference", "Ask for a preference, last", "flag", ""),
        Field("scale", "Scale", "choice", "", choices=_SCALES),
        Field(
            "scale_names",
            "Names, from A to B",
            "line",
            "",
            help="Between commas; the middle is tie, the second half mirrors the first.",
            shows="names",
        ),
        Field("rationale", "Hint above the rationale", "area", ""),
    ),
    "question": (
        Field(
            "preference_check",
            "Question",
            "area",
            "",
            help="Which response is better, all in all? where it is empty.",
        ),
        Field("preference_title", "Title", "line", ""),
        Field("preference_help", "Help", "area", ""),
    ),
}


_AREAS = {
    "": {each.name for group in _ROOT.values() for each in group if each.kind == "area"},
    "check": {each.name for each in _CHECK.values() if each.kind == "area"},
    "anchor": {each.name for each in _ANCHOR if each.kind == "area"},
}


def is_long(name: str) -> bool:
    """Whether a field, by its name in the form, has several lines: others take no line feeds."""
    path, _, last = name.rpartition("-")
    return last in _AREAS["anchor" if "-anchor-" in path else "check" if path else ""]


def _filled(
    template: Field, name: str, value: str, messages: Messages, told: tuple[Hint, ...] = ()
) -> Field:
    return Field(
        **{
            **vars(template),
            "name": name,
            "value": value,
            "problems": messages.get(name, ()),
            "hints": told,
        }
    )


def field_groups(outline: Outline, messages: Messages) -> dict[str, tuple[Field, ...]]:
    """The fields of the rubric as a whole, and of its preference."""
    return {
        group: tuple(
            _filled(each, each.name, outline.value(each.name), messages) for each in fields
        )
        for group, fields in _ROOT.items()
    }


def check_forms(
    outline: Outline,
    messages: Messages,
    told: tuple[Said, ...],
    ids_before: tuple[str, ...],
    focus: str,
) -> dict[str, tuple[CheckForm, ...]]:
    """The checks of each kind."""
    hints: dict[str, list[Hint]] = {}
    for said in told:
        hints.setdefault(said.place, []).append(said.hint)
    forms: dict[str, list[CheckForm]] = {kind: [] for kind in SECTIONS}
    for n in range(len(outline.checks)):
        form = _check_form(outline, n, messages, hints, ids_before, focus)
        forms[form.kind].append(form)
    return {kind: tuple(rows) for kind, rows in forms.items()}


def _check_form(
    outline: Outline,
    n: int,
    messages: Messages,
    hints: Mapping[str, list[Hint]],
    ids_before: tuple[str, ...],
    focus: str,
) -> CheckForm:
    check = outline.checks[n]
    name = f"check-{n}"
    same_kind = [k for k, other in enumerate(outline.checks) if other.kind == check.kind]
    mine = [place for place in messages if place == name or place.startswith(f"{name}-")]
    fields = {
        key: _check_field(check, n, key, messages, hints, ids_before) for key in _ORDER[check.kind]
    }
    more = tuple(fields[key] for key in fields if key in _MORE)
    rare = tuple(fields[key] for key in fields if key in _RARE)
    return CheckForm(
        n=n,
        kind=check.kind,
        key=check.value("id"),
        heading=check.value("title") or check.value("check"),
        fields=tuple(fields[key] for key in fields if key not in _MORE + _RARE),
        rare=rare,
        more=more,
        anchors=tuple(_anchor_form(check, n, m, messages) for m in range(len(check.anchors))),
        problems=messages.get(name, ()),
        problem_count=sum(len(messages[place]) for place in mine),
        anchor_hints=tuple(hints.get(f"{name}-anchors", ())),
        hint_count=sum(
            len(found) for place, found in hints.items() if place.startswith(name + "-")
        ),
        is_open=bool(mine) or focus == name or focus.startswith(f"{name}-"),
        rare_open=any(each.value or each.problems for each in rare),
        more_open=any(each.problems for each in more),
        is_first=n == same_kind[0],
        is_last=n == same_kind[-1],
        others=tuple(each for each in _BECOME if each[0] != check.kind),
    )


_BECOME: Choices = (
    ("gate", "Make it a gate"),
    ("criterion", "Make it a criterion"),
    ("automatic", "Make it an automatic check"),
)


def _check_field(
    check: CheckOutline,
    n: int,
    key: str,
    messages: Messages,
    hints: Mapping[str, list[Hint]],
    ids_before: tuple[str, ...],
) -> Field:
    name = f"check-{n}-{key}"
    found = _filled(_CHECK[key], name, check.value(key), messages, tuple(hints.get(name, ())))
    if key != "lineage_keys":
        return found
    return Field(**{**vars(found), "suggestions": ids_before})


def _anchor_form(check: CheckOutline, n: int, m: int, messages: Messages) -> AnchorForm:
    anchor = check.anchors[m]
    fields = tuple(
        _filled(each, name, anchor.get(each.name, ""), messages)
        for each in _ANCHOR
        for name in (f"check-{n}-anchor-{m}-{each.name}",)
    )
    last = len(check.anchors) - 1
    return AnchorForm(n, m, anchor.get("verdict", ""), fields, m == 0, m == last)
