"""What is entered to change the next version: a form for each act, begun with what it says now."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms

from annotate.actions.sorting import MAX_NOTE
from annotate.evidence import Passage, short
from rubrics.check_rules import JSON, LANGUAGE, LISTS, OVERLAP, RULES
from rubrics.content import PREFERENCE, SCALES

if TYPE_CHECKING:
    from django.http import QueryDict

    from rubrics.content import Criterion, Rubric

PARTS = 4
MOVED = (
    "Somebody changed this in the draft since you opened it. What you typed stands here: "
    "look at what the draft says, then send it again."
)
RULE_WORDS = {
    "min_words": "at least so many words",
    "max_words": "at most so many words",
    "min_characters": "at least so many characters",
    "max_characters": "at most so many characters",
    "min_sentences": "at least so many sentences",
    "max_sentences": "at most so many sentences",
    "must_contain": "contains all of these words",
    "must_not_contain": "contains none of these words",
    "must_match": "something matches each of these patterns",
    "must_not_match": "nothing matches any of these patterns",
    "headings": "has these headings",
    "language": "is written in one of these languages",
    "json": "is one JSON value and nothing else",
    "json_schema": "is JSON that fits this schema",
    "max_prompt_overlap": "repeats at most this share of the prompt",
}
MAX_TEXT = 20_000
_OWN, _SELECTED = "own", "selected"
Choices = list[tuple[str, str]]


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


def _area(label: str, *, rows: int = 2, required: bool = False, help_text: str = "") -> Any:
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

    key = forms.ChoiceField(label="Check")
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
    ) -> None:
        self.standing, self.passages = standing, passages
        checks = self.choosable()
        chosen = standing.check(key) if key in {check.key for check in checks} else None
        self.check = chosen or next(iter(checks), None)
        self.moved = False
        if data is not None:
            data = data.copy()
            self.moved = data.get("begun_from", self._read()) != self._read()
            data["begun_from"] = self._read()
        begun = {**self.begun(), "why": why, "begun_from": self._read()}
        super().__init__(data, initial=begun, auto_id="act_%s")
        field = self.fields["key"]
        if self.of_check:
            field.choices = [(c.key, _named(c)) for c in checks]  # type: ignore[attr-defined]
            field.initial = self.check.key if self.check else ""
            if len(checks) == 1:
                field.widget = forms.HiddenInput()
        else:
            del self.fields["key"]
        self.order_fields([*(name for name in self.fields if name != "why"), "why"])

    def choosable(self) -> list[Criterion]:
        """What the discussed check has become, else every gate and criterion."""
        own = [c for c in self.standing.asked if c.key in self.standing.keys]
        return own or self.standing.asked

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

    def _read(self) -> str:
        """A short name for the state of the check, and of the whole where that is what changes."""
        state = repr(self.check if self.of_check else self.standing.rubric)
        return sha256(state.encode()).hexdigest()[:16]

    @property
    def now(self) -> str:
        """What the next version says at this moment, where no field shows it."""
        return self.check.text if self.check and self.of_check and self.says_now else ""

    @property
    def edit_kind(self) -> str:
        return self.kind


class AnchorForm(ActForm):
    kind, title = "anchor", "Add as anchor"
    template = "annotate/meeting_act_anchor.html"

    source = forms.ChoiceField(label="The passage", widget=forms.RadioSelect)
    selected = forms.CharField(required=False, widget=forms.HiddenInput, max_length=MAX_TEXT)
    text = _area("Words of your own")
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
        """The script's own field; nothing of it counts unless all of it is there."""
        try:
            found = json.loads(self.cleaned_data.get("selected") or "null")
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict):
            return None
        part, start, end, quote = (found.get(name) for name in ("part", "start", "end", "quote"))
        if not isinstance(part, str) or not isinstance(quote, str) or not quote.strip():
            return None
        if type(start) is not int or type(end) is not int or not 0 <= start < end:
            return None
        return Passage(str(self.cleaned_data.get("key", "")), part, start, end, quote)


class RewordForm(ActForm):
    kind, title, says_now = "reword", "Reword", False

    text = _area("The check", rows=3)
    title_ = forms.CharField(label="Title", required=False, max_length=60)
    help = _area("Help for raters", rows=3)

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
            self.fields[f"text_{n}"] = _area(f"Check {n}")

    @property
    def parts(self) -> list[tuple[Any, Any]]:
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
    text = _area("The check that takes their place", rows=3)
    title_ = forms.CharField(label="Title", required=False, max_length=60)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        keys = self.fields["keys"]
        keys.choices = [(c.key, _named(c)) for c in self.standing.asked]  # type: ignore[attr-defined]

    def begun(self) -> dict[str, Any]:
        asked = {check.key for check in self.standing.asked}
        return {"keys": [key for key in self.standing.keys if key in asked]}

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {"keys": given["keys"], "text": given["text"], "title": given["title_"]}


class AutomaticForm(ActForm):
    kind, title = "automatic", "Check by code"

    rule = forms.ChoiceField(
        label="The rule", choices=[(name, RULE_WORDS.get(name, name)) for name in RULES]
    )
    value = _area(
        "Its value",
        help_text="A number; a share such as 0.3; or words, patterns and languages, one to a line.",
    )
    decides = forms.BooleanField(
        label="It works as a gate: what fails it never reaches raters", required=False
    )

    def begun(self) -> dict[str, Any]:
        return {"decides": self.check is not None and self.check.kind == "gate"}

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        value = rule_value(given["rule"], given["value"])
        rule = {given["rule"]: value} if value not in ("", []) else {}
        return {"key": given["key"], "rule": rule, "decides": given["decides"]}


class ChangeForm(ActForm):
    """A weight, a scale or the procedure: `what` says which of its fields counts."""

    kind, title = "change", "Weight, scale or procedure"
    template = "annotate/meeting_act_change.html"

    what = forms.ChoiceField(label="What changes", widget=forms.RadioSelect)
    weight = forms.CharField(label="Weight", required=False, max_length=20)
    values = _area(
        "The answers, lowest first",
        rows=4,
        help_text="One to a line. For the preference: 3, 5 or 7.",
    )
    text = _area("What the preference asks")
    help = _area("Help for the preference")
    rationale = _area("What the rationale should say")

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
            found.append(("scale", f"The answers to {_named(check)}"))
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
            return {"key": given["key"], "weight": _number(given["weight"])}
        if given["what"] == "scale":
            lines = [line.strip() for line in given["values"].splitlines() if line.strip()]
            return {"key": given["key"], "values": lines}
        return {name: given[name] for name in ("text", "help", "rationale")}


class AddForm(ActForm):
    kind, title, of_check = "add", "Add a check", False

    kind_ = forms.ChoiceField(
        label="It is a",
        choices=[("criterion", "criterion"), ("gate", "gate")],
        initial="criterion",
        widget=forms.RadioSelect,
    )
    text = _area("The check", rows=3)
    title_ = forms.CharField(label="Title", required=False, max_length=60)
    weight = forms.CharField(label="Weight of a criterion", initial="1", max_length=20)

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "kind": given["kind_"],
            "text": given["text"],
            "title": given["title_"],
            "weight": _number(given["weight"]),
        }


class RulingForm(ActForm):
    kind, title, go, of_check = "ruling", "Open a ruling", "Send it to the policy owner", False

    question = _area("What is the policy owner to decide?", rows=4)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["why"]


FORMS: Mapping[str, type[ActForm]] = {
    "anchor": AnchorForm,
    "reword": RewordForm,
    "split": SplitForm,
    "merge": MergeForm,
    "automatic": AutomaticForm,
    "change": ChangeForm,
    "add": AddForm,
    "ruling": RulingForm,
}


def rule_value(name: str, written: str) -> object:
    """What a rule is given, as the format takes it; what does not fit is refused there."""
    if name == JSON:
        return True
    if name == OVERLAP:
        return _number(written)
    if name not in LISTS:
        return written.strip()
    lines = written.replace(",", "\n") if name == LANGUAGE else written
    return [line.strip() for line in lines.splitlines() if line.strip()]


def _number(written: str) -> object:
    """A number as people write it; what is none goes on as it is and is refused in words."""
    try:
        return float(written.replace(",", "."))
    except ValueError:
        return written


def _named(check: Criterion) -> str:
    if check.kind == PREFERENCE:
        return "the preference"
    return f"{check.key}, {short(check.heading)}"
