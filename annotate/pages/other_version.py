"""What another tab has saved of a pair beside what this page sent, in seen terms and in words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotate import ballot as ballots
from annotate import evidence
from annotate.labelling import ballot_for
from rubrics.words import label_words, seen_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from annotate.ballot import Ballot
    from annotate.models import Assignment

_NAMES = {
    "preference": "Preference",
    "rationale": "Rationale",
    "rewrite": "Rewrite",
    "evidence": "Evidence",
    "nothing_says_it": "Nothing in the rubric says it",
}
_NOTHING = "nothing"


@dataclass(frozen=True)
class Line:
    """A field that differs. Long texts of this page stand in its own form: `here` is '' then."""

    name: str
    here: str
    there: str


@dataclass(frozen=True)
class OtherVersion:
    lines: tuple[Line, ...]
    # The same for a script, as the draft endpoint says it.
    json: str


def other_version(
    assignment: Assignment, here: Mapping[str, Any], there: Mapping[str, Any], revision: int
) -> OtherVersion:
    ballot = ballot_for(assignment.batch)
    names = [name for name in {**here, **there} if name != "all_pass"]
    return OtherVersion(
        lines=tuple(
            Line(
                _name(name),
                "" if name in ("rationale", "rewrite") else _words(name, here, ballot, assignment),
                _words(name, there, ballot, assignment),
            )
            for name in names
            if here.get(name) != there.get(name)
        ),
        json=json.dumps({"revision": revision, "draft": dict(there)}),
    )


def _name(name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind == "label":
        return rest.replace(":", " ").strip()
    return f"{rest} unclear" if kind == "unclear" else _NAMES.get(name, name)


def _words(name: str, fields: Mapping[str, Any], ballot: Ballot, assignment: Assignment) -> str:
    value = fields.get(name)
    if not value:
        return _NOTHING
    if value is True:
        return "ticked"
    if name == "evidence":
        return f"{len(evidence.given(value))} passages"
    if name == "preference" and value.isdigit() and 1 <= int(value) <= len(ballot.preference):
        order = assignment.seen_order
        return seen_words(ballots.preference_code(ballot, int(value), order), order)
    return label_words(str(value)) if name.startswith("label:") else str(value)
