"""A rubric document as the fields of a form: what somebody typed, right or wrong, field by field.

Pure: no Django, no I/O. The YAML text stays the one source. An outline is read from it without
judging anything (`outline_reader`), so that the form can show what is there, and written back as
YAML (`outline_writer`), so that `rubrics.document.parse` alone says what is wrong and in which
line. `outline_form` has its names and values as a browser sends them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rubrics.check_rules import RULES as RULES
from rubrics.content import PART_FAMILY, Kind, SubjectKind

SECTIONS: dict[Kind, str] = {"gate": "gates", "criterion": "criteria", "automatic": "automatic"}

ROOT_FIELDS = (
    "task",
    "name",
    "rubric_version",
    "subject",
    "preference",
    "scale",
    "scale_names",
    "preference_check",
    "preference_title",
    "preference_help",
    "rationale",
)
_COMMON = ("id", "title", "check", "help", "family", "lineage_kind", "lineage_keys")
CHECK_FIELDS: dict[Kind, tuple[str, ...]] = {
    "gate": (*_COMMON, "allows_na"),
    "criterion": (*_COMMON, "allows_na", "weight", "answers", "values", "low", "high"),
    "automatic": (*_COMMON, *RULES, "decides"),
}
ANCHOR_FIELDS = ("verdict", "origin", "text", "note")

# Answers of a criterion as the form offers them; the format writes a level and values.
YES_NO, NAMED, STEPS, NUMBER = "yes_no", "named", "steps", "number"
OWN_SCALE = "own"
ON = "on"


@dataclass(frozen=True)
class CheckOutline:
    """One check: `fields` by CHECK_FIELDS, `anchors` by ANCHOR_FIELDS, and its line in the YAML."""

    kind: Kind
    fields: Mapping[str, str]
    anchors: tuple[Mapping[str, str], ...] = ()
    line: int = 0
    # How many of the anchors were written in the short form, which stands before the list.
    short: int = 0

    def value(self, name: str) -> str:
        return self.fields.get(name, "")


@dataclass(frozen=True)
class Outline:
    """A whole document: `fields` by ROOT_FIELDS; checks run gates, criteria, automatic checks."""

    fields: Mapping[str, str]
    checks: tuple[CheckOutline, ...] = field(default=())

    def value(self, name: str) -> str:
        return self.fields.get(name, "")

    @property
    def subject(self) -> SubjectKind:
        for subject in PART_FAMILY:
            if subject == self.value("subject"):
                return subject
        return "pair"


def in_order(outline: Outline) -> Outline:
    """Gates, criteria, automatic checks, as the document has them."""
    kinds = list(SECTIONS)
    checks = sorted(outline.checks, key=lambda check: kinds.index(check.kind))
    return replace(outline, checks=tuple(checks))


def new_anchor() -> dict[str, str]:
    return {"verdict": "", "origin": "invented", "text": "", "note": ""}
