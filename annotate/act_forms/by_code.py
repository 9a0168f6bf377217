"""A check that code decides from then on."""

from __future__ import annotations

from typing import Any

from django import forms

from annotate.act_forms.base import ActForm, area, number
from rubrics.check_rules import JSON, LANGUAGE, LISTS, OVERLAP, RULES

RULE_WORDS = {
    "min_words": "at least so many words",
    "max_words": "at most so many words",
    "min_characters": "at least so many characters",
    "max_characters": "at most so many characters",
    "min_sentences": "at least so many sentences",
    "max_sentences": "at most so many sentences",
    "must_contain": "contains all of these words",
    "must_not_contain": "contains none of these words",
    "must_match": "something matches each of these patterns",
    "must_not_match": "nothing matches any of these patterns",
    "headings": "has these headings",
    "language": "is written in one of these languages",
    "json": "is one JSON value and nothing else",
    "json_schema": "is JSON that fits this schema",
    "max_prompt_overlap": "repeats at most this share of the prompt",
}


class AutomaticForm(ActForm):
    kind, title = "automatic", "Check by code"

    rule = forms.ChoiceField(
        label="The rule", choices=[(name, RULE_WORDS.get(name, name)) for name in RULES]
    )
    value = area(
        "Its value",
        help_text="A number; a share such as 0.3; or words, patterns and languages, one to a line.",
    )
    decides = forms.BooleanField(
        label="It works as a gate: what fails it never reaches raters", required=False
    )

    def begun(self) -> dict[str, Any]:
        return {"decides": self.check is not None and self.check.kind == "gate"}

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        value = rule_value(given["rule"], given["value"])
        rule = {given["rule"]: value} if value not in ("", []) else {}
        return {"key": given["key"], "rule": rule, "decides": given["decides"]}


def rule_value(name: str, written: str) -> object:
    """What a rule is given, as the format takes it; what does not fit is refused there."""
    if name == JSON:
        return True
    if name == OVERLAP:
        return number(written)
    if name not in LISTS:
        return written.strip()
    lines = written.replace(",", "\n") if name == LANGUAGE else written
    return [line.strip() for line in lines.splitlines() if line.strip()]
