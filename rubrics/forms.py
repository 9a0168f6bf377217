from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms

from rubrics.yaml_reader import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    change_note = forms.CharField(
        label="Change note",
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="What changed and why, a line for each check; experts read it too.",
        error_messages={"required": "Say in the change note what changed and why."},
    )
    # The draft that was read: another one must not be published in its place.
    digest = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, begun: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.begun = frozenset(begun)

    def clean_change_note(self) -> str:
        """A line that was begun for the lead and left as it was says nothing yet."""
        note: str = self.cleaned_data["change_note"]
        left = [line.strip() for line in note.splitlines() if line.strip() in self.begun]
        if left:
            raise forms.ValidationError(
                "Say why, or take the line out: " + " · ".join(line.rstrip(":") for line in left)
            )
        return note
