"""What is entered about a split: the question, the decision, what is open again, the new rule."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django import forms

from annotate.models import Ruling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rubrics.models import Criterion

_LINES = {"rows": 3}


class AskRulingForm(forms.Form):
    """A split that stayed, as it is sent to the policy owner."""

    batch = forms.UUIDField(widget=forms.HiddenInput)
    subject = forms.UUIDField(widget=forms.HiddenInput)
    key = forms.CharField(widget=forms.HiddenInput, max_length=32)
    part = forms.CharField(widget=forms.HiddenInput, max_length=16, required=False)
    question = forms.CharField(
        widget=forms.Textarea(attrs=_LINES), label="The question", required=False
    )


class DecisionForm(forms.Form):
    decision = forms.ChoiceField(
        choices=(
            (Ruling.Decision.BOTH, "Both are acceptable"),
            (Ruling.Decision.MISSING, "A rule was missing: the rubric is changed"),
            (Ruling.Decision.ONE_SIDE, "One side is right: the label below"),
            (Ruling.Decision.EXCLUDE, "Leave the pair out of the data"),
        ),
        widget=forms.RadioSelect,
        label="What holds",
        required=False,
    )
    right_code = forms.ChoiceField(
        label="The label that is right",
        required=False,
        help_text="Only where one side is right. It is recorded; no vote is changed.",
    )
    answer = forms.CharField(
        widget=forms.Textarea(attrs=_LINES),
        label="Why",
        required=False,
        help_text="The leads read it, and so do raters who differed on the pair.",
    )

    def __init__(self, *args: Any, codes: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        right = self.fields["right_code"]
        assert isinstance(right, forms.ChoiceField)
        right.choices = [("", "–"), *codes]


class ReopenForm(forms.Form):
    reason = forms.CharField(
        widget=forms.Textarea(attrs=_LINES),
        label="Why it is open again",
        required=False,
        help_text="The decision before stays in the record.",
    )


class RuleForm(forms.Form):
    """The rule that was missing: a check reworded, or one more."""

    kind = forms.ChoiceField(label="The change")
    text = forms.CharField(widget=forms.Textarea(attrs=_LINES), label="Its wording", required=False)
    title = forms.CharField(
        label="Its title (optional)", required=False, max_length=60, help_text="For a narrow row."
    )
    note = forms.CharField(
        label="Change note (optional)",
        required=False,
        max_length=500,
        help_text="Goes into the note of the next version.",
    )

    def __init__(
        self, *args: Any, checks: Sequence[Criterion], about: str = "", **kwargs: Any
    ) -> None:
        """`about` is the key of the check to begin with, as it is worded now."""
        texts = {f"reword:{check.key}": check.text for check in checks}
        chosen = f"reword:{about}"
        kwargs["initial"] = {"kind": chosen, "text": texts.get(chosen, "")}
        super().__init__(*args, **kwargs)
        kind = self.fields["kind"]
        assert isinstance(kind, forms.ChoiceField)
        kind.choices = [
            *((f"reword:{check.key}", f"Reword {check.key}: {check.heading}") for check in checks),
            ("add:gate", "Add a gate"),
            ("add:criterion", "Add a criterion"),
        ]
        # For js/ruling.js: the wording follows the check that is chosen.
        kind.widget.attrs["data-texts"] = json.dumps(texts)
