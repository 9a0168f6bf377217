"""One check in the place of several of its kind, and which of their examples stay."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from django import forms

from annotate.act_forms.base import ActForm, area, named
from annotate.evidence import short

if TYPE_CHECKING:
    from rubrics.content import Anchor, Criterion


@dataclass(frozen=True)
class Example:
    """An example that passes one of the checks: kept where it is ticked."""

    value: str
    words: str
    ticked: bool


@dataclass(frozen=True)
class Mergeable:
    key: str
    words: str
    ticked: bool
    # Where a hand goes on: the first that is not ticked yet.
    first: bool
    passing: tuple[Example, ...]


class MergeForm(ActForm):
    kind, title, of_check = "merge", "Merge", False
    template = "annotate/meeting_act_merge.html"

    keys = forms.MultipleChoiceField(required=False)
    keep = forms.MultipleChoiceField(required=False)
    text = area("The check that takes their place", rows=3)
    title_ = forms.CharField(label="Title", required=False, max_length=60)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        asked = self.standing.asked
        # Any of them may be sent: what cannot be merged is refused in words by what merges.
        self.fields["keys"].choices = [(c.key, c.key) for c in asked]  # type: ignore[attr-defined]
        values = {tick_of(c, one): one.text for c in asked for one in _passing(c)}
        self.fields["keep"].choices = list(values.items())  # type: ignore[attr-defined]

    @property
    def checks(self) -> list[Mergeable]:
        """Those of the kind that is discussed; of the preference, which is of none, all."""
        ticked, kept = self["keys"].value() or [], self["keep"].value() or []
        kinds = {check.kind for check in self._own}
        shown = [
            check
            for check in self.standing.asked
            if not kinds or check.kind in kinds or check.key in ticked
        ]
        first = next((check for check in shown if check.key not in ticked), None)
        return [
            Mergeable(
                key=check.key,
                words=named(check),
                ticked=check.key in ticked,
                first=check is first and not self.is_bound,
                passing=tuple(
                    Example(tick_of(check, one), short(one.text), tick_of(check, one) in kept)
                    for one in _passing(check)
                ),
            )
            for check in shown
        ]

    def begun(self) -> dict[str, Any]:
        return {"keys": [check.key for check in self._own]}

    def detail(self) -> dict[str, Any]:
        given = self.cleaned_data
        kept = [
            one.text
            for check in self.standing.asked
            if check.key in given["keys"]
            for one in _passing(check)
            if tick_of(check, one) in given["keep"]
        ]
        detail = {"keys": given["keys"], "text": given["text"], "title": given["title_"]}
        return {**detail, "anchors": list(dict.fromkeys(kept))} if kept else detail

    @property
    def _own(self) -> list[Criterion]:
        by_key = {check.key: check for check in self.standing.asked}
        return [by_key[key] for key in self.standing.keys if key in by_key]


def _passing(check: Criterion) -> list[Anchor]:
    return [anchor for anchor in check.anchors if anchor.verdict == "pass"]


def tick_of(check: Criterion, anchor: Anchor) -> str:
    """By what an example says: the same tick while it stands, whatever stands before it."""
    return f"{check.key}.{sha256(anchor.text.encode()).hexdigest()[:12]}"
