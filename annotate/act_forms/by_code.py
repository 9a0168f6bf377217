"""A check that code decides from then on."""

from __future__ import annotations

from typing import Any

from django import forms

from annotate.act_forms.base import ActForm, area, number
from rubrics.check_rules import COUNTS, JSON, LANGUAGE, LISTS, OVERLAP, RULES, SCHEMA

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
    template = "annotate/meeting_act_code.html"

    rule = forms.ChoiceField(
        label="The rule", choices=[(name, RULE_WORDS.get(name, name)) for name in RULES]
    )
    # The field that the chosen rule asks for; the page shows only that one.
    number = forms.CharField(
        label="How many",
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    share = forms.CharField(
        label="Share of the prompt",
        required=False,
        max_length=20,
        help_text="From 0 to 1, such as 0.3.",
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
    )
    lines = area("Words, patterns, headings or languages", rows=4, help_text="One to a line.")
    schema = area("The schema", rows=6, help_text="A JSON Schema.")
    decides = forms.BooleanField(
        label="It works as a gate: what fails it never reaches raters", required=False
    )

    def begun(self) -> dict[str, Any]:
        return {"decides": self.check is not None and self.check.kind == "gate"}

    @property
    def asked_for(self) -> list[tuple[str, Any]]:
        return [(name, self[name]) for name in ("number", "share", "lines", "schema")]

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        value = rule_value(given["rule"], given.get(field_of(given["rule"]), ""))
        rule = {given["rule"]: value} if value not in ("", []) else {}
        return {"key": given["key"], "rule": rule, "decides": given["decides"]}


def field_of(rule: str) -> str:
    """The field that a rule asks for; '' where it asks for none."""
    if rule in COUNTS:
        return "number"
    return "lines" if rule in LISTS else {OVERLAP: "share", SCHEMA: "schema"}.get(rule, "")


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
