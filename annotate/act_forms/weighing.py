"""What counts how much, and how it is answered: a weight, a scale, the procedure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from annotate.act_forms.base import ActForm, area, named, number
from rubrics.content import PREFERENCE, SCALES

if TYPE_CHECKING:
    from rubrics.content import Criterion

Choices = list[tuple[str, str]]


class ChangeForm(ActForm):
    """A weight, a scale or the procedure: `what` says which of its fields counts."""

    kind, title = "change", "Weight, scale or procedure"
    template = "annotate/meeting_act_change.html"

    what = forms.ChoiceField(label="What changes", widget=forms.RadioSelect)
    weight = forms.CharField(label="Weight", required=False, max_length=20)
    values = area(
        "The answers, lowest first",
        rows=4,
        help_text="One to a line. For the preference: 3, 5 or 7.",
    )
    text = area("What the preference asks")
    help = area("Help for the preference")
    rationale = area("What the rationale should say")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        what = self.fields["what"]
        what.choices = self._what()  # type: ignore[attr-defined]
        what.initial = what.choices[0][0] if what.choices else ""  # type: ignore[attr-defined]

    def choosable(self) -> list[Criterion]:
        preference = self.standing.rubric.preference
        if preference is not None and preference.key in self.standing.keys:
            return [preference]
        return super().choosable()

    def _what(self) -> Choices:
        check = self.check
        found: Choices = []
        if check is not None and check.kind == "criterion":
            found.append(("weight", f"The weight of {check.key}"))
        if check is not None and check.kind in ("criterion", PREFERENCE):
            found.append(("scale", f"The answers to {named(check)}"))
        if self.standing.rubric.preference is not None:
            found.append(("procedure", "The procedure: how the preference is given"))
        return found

    def begun(self) -> dict[str, Any]:
        check, preference = self.check, self.standing.rubric.preference
        found: dict[str, Any] = {"rationale": self.standing.rubric.rationale}
        if check is not None and check.weight is not None:
            found["weight"] = f"{check.weight:g}"
        if check is not None and check.kind in ("criterion", PREFERENCE):
            points = check.kind == PREFERENCE and SCALES.get(len(check.values)) == check.values
            found["values"] = str(len(check.values)) if points else "\n".join(check.values)
        if preference is not None:
            found |= {"text": preference.text, "help": preference.help}
        return found

    @property
    def groups(self) -> list[tuple[str, list[Any]]]:
        names = {
            "weight": ["weight"],
            "scale": ["values"],
            "procedure": ["text", "help", "rationale"],
        }
        shown = dict(self.fields["what"].choices)  # type: ignore[attr-defined]
        return [(what, [self[one] for one in names[what]]) for what in names if what in shown]

    @property
    def edit_kind(self) -> str:
        return str(self.cleaned_data["what"])

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        if given["what"] == "weight":
            return {"key": given["key"], "weight": number(given["weight"])}
        if given["what"] == "scale":
            lines = [line.strip() for line in given["values"].splitlines() if line.strip()]
            return {"key": given["key"], "values": lines}
        return {name: given[name] for name in ("text", "help", "rationale")}
