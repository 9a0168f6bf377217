"""Two checks or more in the place of one, and where each example of it goes."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django import forms

from annotate.act_forms.base import ActForm, area
from annotate.evidence import short

if TYPE_CHECKING:
    from django.forms import BoundField

PARTS = 4
AT_ONCE = 2


@dataclass(frozen=True)
class Part:
    """The fields of one check that a split makes."""

    text: BoundField
    title: BoundField
    help: BoundField
    # Whether it stands there before somebody asks for it, and whether it holds anything.
    at_once: bool
    is_open: bool


class SplitForm(ActForm):
    kind, title = "split", "Split"
    template = "annotate/meeting_act_split.html"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for n in range(1, PARTS + 1):
            self.fields[f"text_{n}"] = area(f"Check {n}")
            self.fields[f"title_{n}"] = forms.CharField(
                label=f"Title {n}", required=False, max_length=60
            )
            self.fields[f"help_{n}"] = area(f"Help for raters {n}")
        for text in self._failing:
            self.fields[fails_field(text)] = forms.ChoiceField(
                label=f"“{short(text)}”",
                required=False,
                choices=[("", "none of them"), *((str(n), f"Check {n}") for n in self._numbers)],
            )

    @property
    def parts_(self) -> list[Part]:
        return [
            Part(
                text=self[f"text_{n}"],
                title=self[f"title_{n}"],
                help=self[f"help_{n}"],
                at_once=n <= AT_ONCE,
                is_open=any(self[f"{name}_{n}"].value() for name in ("text", "title", "help")),
            )
            for n in self._numbers
        ]

    @property
    def failing(self) -> list[BoundField]:
        """For each example that fails the whole: which part it fails."""
        return [self[fails_field(text)] for text in self._failing]

    def begun(self) -> dict[str, Any]:
        return {"help_1": self.check.help if self.check else ""}

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for text in self._failing:
            n = given.get(fails_field(text))
            if n and not given.get(f"text_{n}", "").strip():
                self.add_error(
                    fails_field(text), f"Check {n} has no words yet: word it, or choose another."
                )
        return given

    def detail(self) -> dict[str, Any]:
        return {
            "key": self.cleaned_data["key"],
            "parts": [self._part(n) for n in self._numbers if self._value("text", n).strip()],
        }

    @property
    def _numbers(self) -> range:
        return range(1, PARTS + 1)

    @property
    def _failing(self) -> list[str]:
        anchors = self.check.anchors if self.check else ()
        return list(dict.fromkeys(anchor.text for anchor in anchors if anchor.verdict == "fail"))

    def _value(self, name: str, n: int) -> str:
        return str(self.cleaned_data.get(f"{name}_{n}", ""))

    def _part(self, n: int) -> dict[str, Any]:
        part: dict[str, Any] = {"text": self._value("text", n), "title": self._value("title", n)}
        # A field that was not sent says nothing; one that was sent empty says: no help.
        if f"help_{n}" in self.data:
            part["help"] = self._value("help", n)
        failing = [
            text for text in self._failing if self.cleaned_data.get(fails_field(text)) == str(n)
        ]
        return {**part, "anchors": failing} if failing else part


def fails_field(text: str) -> str:
    """By what an example says: the same field while it stands, whatever stands before it."""
    return f"fails_{sha256(text.encode()).hexdigest()[:12]}"
