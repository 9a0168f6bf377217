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
    # On the preference no criterion goes by itself: what matters more is what was talked about.
    weighed = forms.ChoiceField(label="Criterion", required=False)
    weight = forms.CharField(label="Weight", required=False, max_length=20)
    values = area("The answers, lowest first", rows=4, help_text="One to a line.")
    points = forms.ChoiceField(
        label="Points of the scale",
        required=False,
        choices=[(str(points), str(points)) for points in SCALES],
        widget=forms.RadioSelect,
    )
    text = area("What the preference asks")
    help = area("Help for the preference")
    rationale = area("What the rationale should say")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        what, weighed = self.fields["what"], self.fields["weighed"]
        what.choices = self._what()  # type: ignore[attr-defined]
        what.initial = what.choices[0][0] if what.choices else ""  # type: ignore[attr-defined]
        weighed.choices = [  # type: ignore[attr-defined]
            ("", "Choose a criterion"),
            *((c.key, f"{named(c)}, weighs {c.weight:g}") for c in self._criteria),
        ]

    def choosable(self) -> list[Criterion]:
        preference = self.standing.rubric.preference
        if preference is not None and preference.key in self.standing.keys:
            return [preference]
        return super().choosable()

    def begun(self) -> dict[str, Any]:
        check, preference = self.check, self.standing.rubric.preference
        found: dict[str, Any] = {"rationale": self.standing.rubric.rationale}
        if check is not None and check.weight is not None:
            found["weight"] = f"{check.weight:g}"
        if check is not None and check.kind == "criterion":
            found["values"] = "\n".join(check.values)
        if preference is not None:
            found |= {"text": preference.text, "help": preference.help}
            found["points"] = str(len(preference.values))
        return found

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("what") == "weight" and self._of_preference and not given.get("weighed"):
            self.add_error("weighed", "Choose the criterion whose weight changes.")
        return given

    @property
    def groups(self) -> list[tuple[str, list[Any]]]:
        names = {
            "procedure": ["text", "help", "rationale"],
            "weight": ["weighed", "weight"] if self._of_preference else ["weight"],
            "scale": ["points"] if self._of_preference else ["values"],
        }
        shown = dict(self.fields["what"].choices)  # type: ignore[attr-defined]
        return [(what, [self[one] for one in names[what]]) for what in shown]

    @property
    def edit_kind(self) -> str:
        return str(self.cleaned_data["what"])

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        if given["what"] == "weight":
            key = given["weighed"] if self._of_preference else given["key"]
            return {"key": key, "weight": number(given["weight"])}
        if given["what"] == "scale" and self._of_preference:
            return {"key": given["key"], "values": [given["points"]]}
        if given["what"] == "scale":
            lines = [line.strip() for line in given["values"].splitlines() if line.strip()]
            return {"key": given["key"], "values": lines}
        return {name: given[name] for name in ("text", "help", "rationale")}

    @property
    def _of_preference(self) -> bool:
        return self.check is not None and self.check.kind == PREFERENCE

    @property
    def _criteria(self) -> tuple[Criterion, ...]:
        return self.standing.rubric.of_kind("criterion")

    def _what(self) -> Choices:
        check = self.check
        procedure = [("procedure", "The procedure: how the preference is given")]
        if self._of_preference:
            weight = [("weight", "A weight: how much a criterion counts")] if self._criteria else []
            return [*procedure, *weight, ("scale", "The scale: how many points it has")]
        found: Choices = []
        if check is not None and check.kind == "criterion":
            found.append(("weight", f"The weight of {check.key}"))
            found.append(("scale", f"The answers to {named(check)}"))
        return found + (procedure if self.standing.rubric.preference is not None else [])

    def _state(self) -> object:
        """All that this form can write over."""
        rubric = self.standing.rubric
        weights = tuple((check.key, check.weight) for check in self._criteria)
        return self.check, rubric.preference, rubric.rationale, weights
