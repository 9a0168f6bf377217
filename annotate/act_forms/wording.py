"""Other words and other checks: reworded, split, merged, added."""

from __future__ import annotations

from typing import Any

from django import forms

from annotate.act_forms.base import ActForm, area, named, number

PARTS = 4


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


class SplitForm(ActForm):
    kind, title = "split", "Split"
    template = "annotate/meeting_act_split.html"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for n in range(1, PARTS + 1):
            self.fields[f"title_{n}"] = forms.CharField(
                label=f"Title {n}", required=False, max_length=60
            )
            self.fields[f"text_{n}"] = area(f"Check {n}")

    @property
    def checks(self) -> list[tuple[Any, Any]]:
        return [(self[f"title_{n}"], self[f"text_{n}"]) for n in range(1, PARTS + 1)]

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "key": given["key"],
            "parts": [
                {"text": given[f"text_{n}"], "title": given[f"title_{n}"]}
                for n in range(1, PARTS + 1)
                if given[f"text_{n}"].strip()
            ],
        }


class MergeForm(ActForm):
    kind, title, of_check = "merge", "Merge", False

    keys = forms.MultipleChoiceField(
        label="The checks to merge", required=False, widget=forms.CheckboxSelectMultiple
    )
    text = area("The check that takes their place", rows=3)
    title_ = forms.CharField(label="Title", required=False, max_length=60)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        keys = self.fields["keys"]
        keys.choices = [(c.key, named(c)) for c in self.standing.asked]  # type: ignore[attr-defined]

    def begun(self) -> dict[str, Any]:
        asked = {check.key for check in self.standing.asked}
        return {"keys": [key for key in self.standing.keys if key in asked]}

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {"keys": given["keys"], "text": given["text"], "title": given["title_"]}


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
