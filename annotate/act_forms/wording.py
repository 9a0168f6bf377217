"""Other words, and a new check."""

from __future__ import annotations

from typing import Any

from django import forms

from annotate.act_forms.base import ActForm, area, number


class RewordForm(ActForm):
    kind, title, says_now = "reword", "Reword", False

    text = area("The check", rows=3)
    title_ = forms.CharField(label="Title", required=False, max_length=60)
    help = area("Help for raters", rows=3)

    def begun(self) -> dict[str, Any]:
        if self.check is None:
            return {}
        return {"text": self.check.text, "title_": self.check.title, "help": self.check.help}

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "key": given["key"],
            "text": given["text"],
            "title": given["title_"],
            "help": given["help"],
        }


class AddForm(ActForm):
    kind, title, of_check = "add", "Add a check", False

    kind_ = forms.ChoiceField(
        label="It is a",
        choices=[("criterion", "criterion"), ("gate", "gate")],
        initial="criterion",
        widget=forms.RadioSelect,
    )
    text = area("The check", rows=3)
    title_ = forms.CharField(label="Title", required=False, max_length=60)
    weight = forms.CharField(label="Weight of a criterion", initial="1", max_length=20)

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "kind": given["kind_"],
            "text": given["text"],
            "title": given["title_"],
            "weight": number(given["weight"]),
        }
