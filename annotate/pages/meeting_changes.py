"""What a disagreement has put into the draft of the next version, and which of it can go back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import OuterRef, Subquery
from django.urls import reverse

from annotate.models import Edit
from rubrics.models import RubricVersion
from rubrics.words import joined

if TYPE_CHECKING:
    from annotate.models import Batch, Disagreement

_WHAT = {
    Edit.Kind.ANCHOR: "has an example that {verdict}",
    Edit.Kind.REWORD: "reads now",
    Edit.Kind.SPLIT: "split from {key}",
    Edit.Kind.MERGE: "merged from {keys}",
    Edit.Kind.AUTOMATIC: "is checked by code, no longer by raters; it was {key}",
    Edit.Kind.WEIGHT: "weighs {weight}",
    Edit.Kind.SCALE: "is answered by {values}",
    Edit.Kind.PROCEDURE: "has another procedure",
    Edit.Kind.ADD: "is new",
}
CHANGED_SINCE = "changed since"
_VERDICTS = {"pass": "passes", "fail": "fails"}


@dataclass(frozen=True)
class Line:
    """A change: the checks of the draft, what became of them, the words. `href` takes it back,
    '' where the draft has gone on since; `open` leads to what it became instead. `since`: that
    somebody wrote over it, where that is known."""

    keys: str
    what: str
    text: str
    href: str = ""
    open: str = ""
    since: str = ""


@dataclass(frozen=True)
class Changes:
    """`href`: what asked for each change of that draft, '' where it has none from here."""

    number: int
    lines: tuple[Line, ...] = ()
    href: str = ""


def changes_of(batch: Batch, row: Disagreement | None) -> Changes:
    """The changes that one disagreement asked for, the newest first, and its ruling."""
    if row is None:
        return Changes(batch.version.number + 1)
    own = Edit.objects.standing().with_document().filter(disagreements=row)
    edits = list(with_digest(own).order_by("-id"))
    lines = [_line(batch, edit) for edit in edits]
    if row.ruling_id is not None:
        lines.append(_ruling(batch, row))
    number = edits[0].number if edits else batch.version.number + 1
    return Changes(number, tuple(lines), draft_href(batch, number) if edits else "")


def draft_href(batch: Batch, number: int) -> str:
    """What asked for each change of a version of the batch's rubric."""
    rubric = batch.version.rubric.slug
    return reverse("annotate:version_edits", args=[batch.project.slug, rubric, number])


def with_digest(edits: Any) -> Any:
    """Edits with the digest of the draft that they went into, as it stands now."""
    drafts = RubricVersion.objects.drafts().filter(
        rubric=OuterRef("rubric"), number=OuterRef("number")
    )
    return edits.annotate(now=Subquery(drafts.values("digest")[:1]))


def told(edit: Edit) -> Line:
    """A change in words, wherever it is told."""
    detail = edit.detail
    words = {
        "key": str(detail.get("key", edit.key)),
        "keys": joined(detail.get("keys", ())),
        "verdict": _VERDICTS.get(str(detail.get("verdict")), ""),
        "weight": str(detail.get("weight", "")),
        "values": joined(detail.get("values", ())),
    }
    keys = joined(key.capitalize() if key == "preference" else key for key in edit.keys)
    # One replacement at a time: what somebody typed is never read as a format.
    what = _WHAT[Edit.Kind(edit.kind)]
    for name, value in words.items():
        what = what.replace(f"{{{name}}}", value)
    return Line(keys or edit.key, what, _text(detail))


def _line(batch: Batch, edit: Any) -> Line:
    line = told(edit)
    is_last = edit.now == edit.after_digest
    href = reverse("annotate:take_back", args=[batch.project.slug, batch.public_id, edit.public_id])
    since = "" if edit.is_there else CHANGED_SINCE
    return Line(line.keys, line.what, line.text, href if is_last else "", since=since)


def _ruling(batch: Batch, row: Disagreement) -> Line:
    ruling = row.ruling
    assert ruling is not None
    said = f"ruled: {ruling.get_decision_display()}" if ruling.decision else "sent to the owner"
    href = reverse("annotate:ruling", args=[batch.project.slug, ruling.public_id])
    return Line("Ruling", said, ruling.question, open=href)


def _text(detail: dict[str, Any]) -> str:
    parts: Sequence[dict[str, Any]] = detail.get("parts") or ()
    if parts:
        return " / ".join(str(part.get("text", "")) for part in parts)
    return str(detail.get("text", ""))
