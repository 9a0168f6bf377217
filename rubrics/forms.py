from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from django import forms

from rubrics.yaml_reader import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rubrics.models import Rubric


class DraftForm(forms.Form):
    """A rubric as YAML, typed or in a file. The text is kept as it is, so that lines count true."""

    rubric = forms.ChoiceField(
        label="Rubric", required=False, help_text="A new rubric takes its address from its task."
    )
    file = forms.FileField(
        label="A YAML file",
        required=False,
        allow_empty_file=True,
        help_text="Read in place of the text below.",
        widget=forms.ClearableFileInput(attrs={"accept": ".yaml,.yml,.txt"}),
    )
    source = forms.CharField(
        label="Or the YAML itself",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "mono"}),
    )

    def __init__(self, *args: Any, rubrics: Iterable[Rubric], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rubrics = list(rubrics)
        field = cast("forms.ChoiceField", self.fields["rubric"])
        field.choices = [
            ("", "The one its task names, or a new one"),
            *((each.slug, each.name) for each in self.rubrics),
        ]

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

    def document(self) -> str | bytes:
        file: bytes | None = self.cleaned_data["file"]
        text: str = self.cleaned_data["source"]
        return text if file is None else file

    def kept(self) -> DraftForm:
        """The same form with what was sent; a file comes back as text, to be mended in place."""
        file: bytes | None = self.cleaned_data["file"]
        text: str = self.cleaned_data["source"]
        if file is not None:
            with suppress(UnicodeDecodeError):
                text = file.decode("utf-8-sig")
        initial = {"rubric": self.cleaned_data["rubric"], "source": text}
        return DraftForm(rubrics=self.rubrics, initial=initial)


class PublishForm(forms.Form):
    change_note = forms.CharField(
        label="Change note",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="What changed and why; experts read it too.",
        error_messages={"required": "Say in the change note what changed and why."},
    )
    # The draft that was read: another one must not be published in its place.
    digest = forms.CharField(widget=forms.HiddenInput, required=False)
