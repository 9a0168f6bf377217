from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms

from rubrics.content import PREFERENCE
from rubrics.yaml_reader import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rubrics.models import Rubric


class DraftForm(forms.Form):
    """Which rubric a document belongs to, and the file it may come in. The text is the editor's."""

    rubric = forms.ChoiceField(
        label="Rubric", required=False, help_text="A new rubric takes its address from its task."
    )
    file = forms.FileField(
        label="A YAML file",
        required=False,
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": ".yaml,.yml,.txt"}),
    )

    def __init__(self, *args: Any, rubrics: Iterable[Rubric], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known = {each.slug: each.name for each in rubrics}
        field = cast("forms.ChoiceField", self.fields["rubric"])
        field.choices = [("", "The one its task names, or a new one"), *self.known.items()]

    @property
    def chosen(self) -> str:
        """The address of the rubric that was chosen; '' for none, and for one that is not here."""
        asked: str = self["rubric"].value() or ""
        return asked if asked in self.known else ""

    def clean_file(self) -> bytes | None:
        file = self.cleaned_data["file"]
        if not file:
            return None
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                f"{file.name} is over 1 MB ({file.size:,} bytes): a rubric is far smaller."
            )
        content: bytes = file.read()
        return content


class PublishForm(forms.Form):
    """A note for each changed check, and one on the whole."""

    change_note = forms.CharField(
        label="Change note",
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What this version is about and why; experts read it too.",
        error_messages={"required": "Say in the change note what changed and why."},
    )
    # The draft that was read: another one must not be published in its place.
    digest = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self, *args: Any, begun: Mapping[str, str], initial_notes: Mapping[str, str], **kwargs: Any
    ) -> None:
        """`begun`: what changed in each check, by key. `initial_notes`: what was written on it."""
        super().__init__(*args, **kwargs)
        self.begun = {key: f"{words[:1].upper()}{words[1:]}:" for key, words in begun.items()}
        last = {name: self.fields.pop(name) for name in ("change_note", "digest")}
        for key, words in self.begun.items():
            note = initial_notes.get(key, "")
            self.fields[f"note:{key}"] = forms.CharField(
                label="Preference" if key == PREFERENCE else key,
                max_length=10_000,
                initial=note or f"{words} ",
                widget=forms.Textarea(attrs={"rows": max(2, note.count("\n") + 1)}),
                help_text="" if not note else words.removesuffix(":"),
                error_messages={"required": "Say what changed here and why."},
            )
        self.fields |= last
        if begun:
            self.fields["change_note"].required = False
            self.fields["change_note"].label = "On the whole (may be left out)"

    @property
    def notes(self) -> dict[str, str]:
        """What was written on each changed check."""
        return {key: self.cleaned_data[f"note:{key}"] for key in self.begun}

    def clean(self) -> dict[str, Any] | None:
        """A note that was begun for the lead and left as it was says nothing yet."""
        cleaned = super().clean()
        for key, words in self.begun.items():
            if self.cleaned_data.get(f"note:{key}", "").strip() == words:
                self.add_error(f"note:{key}", "Say why.")
        return cleaned
