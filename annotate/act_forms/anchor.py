"""An example for a check: a passage of a response, or words of one's own."""

from __future__ import annotations

import json
from typing import Any

from django import forms

from annotate.act_forms.base import MAX_TEXT, ActForm, area
from annotate.evidence import Passage

_OWN, _SELECTED = "own", "selected"
# No response is longer, and no column holds more.
_FURTHEST = 2**31 - 1


class AnchorForm(ActForm):
    kind, title = "anchor", "Add as anchor"
    template = "annotate/meeting_act_anchor.html"

    source = forms.ChoiceField(label="The passage", widget=forms.RadioSelect)
    selected = forms.CharField(required=False, widget=forms.HiddenInput, max_length=MAX_TEXT)
    text = area("Words of your own")
    verdict = forms.ChoiceField(
        label="It is an example that",
        choices=[("pass", "passes"), ("fail", "fails")],
        widget=forms.RadioSelect,
        error_messages={"required": "Say whether it passes or fails."},
    )
    note = forms.CharField(label="Why it passes or fails", required=False, max_length=500)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [(str(one.number), one.words) for one in self.passages]
        source = self.fields["source"]
        source.choices = [  # type: ignore[attr-defined]
            (_SELECTED, "What you have selected"),
            *offered,
            (_OWN, "Words of your own"),
        ]
        source.initial = offered[0][0] if offered else _OWN

    @property
    def only_own(self) -> bool:
        """Whether there is nothing to choose from: no passage is marked, none was selected."""
        return not self.passages and self["source"].value() == _OWN

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        source = given.get("source", "")
        if source == _SELECTED and self._selected() is None:
            self.add_error("source", "Nothing is selected: choose another, or select it first.")
        if source == _OWN and not given.get("text", "").strip():
            self.add_error("text", "Write the example, or choose a passage.")
        return given

    def passage(self) -> Passage | None:
        source = self.cleaned_data["source"]
        if source == _SELECTED:
            return self._selected()
        found = next((one for one in self.passages if str(one.number) == source), None)
        if found is None:
            return None
        return Passage(self.cleaned_data["key"], found.part, found.start, found.end, found.quote)

    def detail(self) -> dict[str, Any]:
        given, passage = self.cleaned_data, self.passage()
        return {
            "key": given["key"],
            "verdict": given["verdict"],
            "text": passage.quote.strip() if passage else given["text"].strip(),
            "origin": "real" if passage else "invented",
            "note": given["note"],
        }

    def _selected(self) -> Passage | None:
        """The script's own field; nothing counts unless all of it is there and can be kept."""
        try:
            found = json.loads(self.cleaned_data.get("selected") or "null")
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict):
            return None
        part, start, end, quote = (found.get(name) for name in ("part", "start", "end", "quote"))
        if not isinstance(part, str) or part not in self.parts:
            return None
        if not isinstance(quote, str) or not quote.strip() or not _can_be_kept(quote):
            return None
        # Not isinstance: true and false are whole numbers to Python.
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= _FURTHEST:
            return None
        return Passage(str(self.cleaned_data.get("key", "")), part, start, end, quote)


def _can_be_kept(text: str) -> bool:
    """Whether every database holds it: JSON can name U+0000 and half characters, text cannot."""
    return "\0" not in text and not any("\ud800" <= one <= "\udfff" for one in text)
