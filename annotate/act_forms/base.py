"""What every form of an act has: the check that it changes, as the next version says it now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms

from annotate.actions.sorting import MAX_NOTE
from annotate.evidence import Passage, short
from rubrics.content import PREFERENCE

if TYPE_CHECKING:
    from django.http import QueryDict

    from rubrics.content import Criterion, Rubric

CHOOSE = "Choose the check that this is about."
MOVED = (
    "Somebody changed this in the draft since you opened it. What you typed stands here: "
    "look at what the draft says, then send it again."
)
MAX_TEXT = 20_000


@dataclass(frozen=True)
class Standing:
    """The next version as it would be: its draft, else the newest published one.

    `keys` are the checks in it that the discussed one lives on in. `refusal` says why nothing can
    be changed from here, '' where it can.
    """

    rubric: Rubric
    number: int
    is_draft: bool
    keys: tuple[str, ...]
    refusal: str = ""

    def check(self, key: str) -> Criterion | None:
        return next((check for check in self.rubric.criteria if check.key == key), None)

    @property
    def asked(self) -> list[Criterion]:
        """The gates and criteria."""
        return [*self.rubric.gates, *self.rubric.of_kind("criterion")]


@dataclass(frozen=True)
class Choosable:
    """A passage that may become an anchor."""

    number: int
    part: str
    start: int
    end: int
    quote: str
    by: str

    @property
    def words(self) -> str:
        where = f"response {self.part}" if self.part in ("A", "B") else self.part
        return f"{self.number}. “{short(self.quote)}” {', '.join(filter(None, (where, self.by)))}"


def area(label: str, *, rows: int = 2, required: bool = False, help_text: str = "") -> Any:
    return forms.CharField(
        label=label,
        required=required,
        max_length=MAX_TEXT,
        help_text=help_text,
        widget=forms.Textarea(attrs={"rows": rows}),
    )


class ActForm(forms.Form):
    """`kind` is what `rubrics.edits.apply` calls the change, `go` the words of its button."""

    kind: ClassVar[str]
    title: ClassVar[str]
    go: ClassVar[str] = "Put it into the draft"
    template: ClassVar[str] = "annotate/meeting_act_fields.html"
    # Whether the change is of one check, which may be chosen; whether its wording is shown.
    of_check: ClassVar[bool] = True
    says_now: ClassVar[bool] = True
    use_required_attribute = False

    key = forms.ChoiceField(label="Check", error_messages={"required": CHOOSE})
    # How the check read when the form was begun: nobody writes over words that they have not seen.
    begun_from = forms.CharField(required=False, widget=forms.HiddenInput)
    why = forms.CharField(
        label="Why, for the change note",
        required=False,
        max_length=MAX_NOTE,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        standing: Standing,
        key: str = "",
        why: str = "",
        passages: Sequence[Choosable] = (),
        parts: Sequence[str] = (),
    ) -> None:
        self.standing, self.passages, self.parts = standing, passages, parts
        checks = self.choosable()
        chosen = standing.check(key) if key in {check.key for check in checks} else None
        # Of the checks that the discussed one became, the first will do; of others, none by itself.
        own = [check for check in checks if check.key in standing.keys]
        self.check = chosen or next(iter(own or (checks if len(checks) == 1 else ())), None)
        self.moved = False
        if data is not None:
            data = data.copy()
            self.moved = data.get("begun_from", self._read()) != self._read()
            data["begun_from"] = self._read()
        begun = {**self.begun(), "why": why, "begun_from": self._read()}
        super().__init__(data, initial=begun, auto_id="act_%s")
        field = self.fields["key"]
        if self.of_check:
            blank = [] if self.check else [("", "Choose a check")]
            choices = [*blank, *((c.key, named(c)) for c in checks)]
            field.choices = choices  # type: ignore[attr-defined]
            field.initial = self.check.key if self.check else ""
            if self.check is None and data is None:
                field.widget.attrs["autofocus"] = True
            if len(checks) == 1:
                field.widget = forms.HiddenInput()
        else:
            del self.fields["key"]
        self.order_fields([*(name for name in self.fields if name != "why"), "why"])

    def choosable(self) -> list[Criterion]:
        """What the discussed check has become, else every gate and criterion."""
        own = [c for c in self.standing.asked if c.key in self.standing.keys]
        return own or self.standing.asked

    @property
    def awaits_check(self) -> bool:
        """Whether nothing can be entered before a check is chosen: nobody spoke of one yet."""
        return self.of_check and self.check is None and not self.is_bound

    def begun(self) -> dict[str, Any]:
        """What the fields hold before anybody types: the check as the next version says it."""
        return {}

    def detail(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in ("why", "begun_from")
        }

    def passage(self) -> Passage | None:
        return None

    def clean(self) -> dict[str, Any]:
        if self.moved:
            self.add_error(None, MOVED)
        return super().clean() or {}

    def _state(self) -> object:
        """What the form may write over: the check, or the whole where that is what changes."""
        return self.check if self.of_check else self.standing.rubric

    def _read(self) -> str:
        """A short name for that state."""
        return sha256(repr(self._state()).encode()).hexdigest()[:16]

    @property
    def now(self) -> str:
        """What the next version says at this moment, where no field shows it."""
        return self.check.text if self.check and self.of_check and self.says_now else ""

    @property
    def edit_kind(self) -> str:
        return self.kind


def number(written: str) -> object:
    """A number as people write it; what is none goes on as it is and is refused in words."""
    try:
        return float(written.replace(",", "."))
    except ValueError:
        return written


def named(check: Criterion) -> str:
    if check.kind == PREFERENCE:
        return "the preference"
    return f"{check.key}, {short(check.heading)}"
