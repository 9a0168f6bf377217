"""What asked for each change of a rubric version: the edits, and the disagreements behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Prefetch
from django.urls import reverse

from annotate.access import still_rated_by
from annotate.models import AnchorSource, Disagreement, Edit
from annotate.pages.meeting_changes import Line, told

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from projects.models import User
    from rubrics.models import RubricVersion


@dataclass(frozen=True)
class AskedBy:
    """A disagreement that asked for a change: its pair, its round, and what was decided."""

    external_id: str
    href: str
    where: str
    kind: str
    note: str


@dataclass(frozen=True)
class AskedEdit:
    line: Line
    note: str
    by: str
    at: datetime
    asked_by: tuple[AskedBy, ...]
    ruling: str
    ruling_href: str
    # The pair that an example was taken from; '' where it was written by hand.
    source: str
    source_href: str


@dataclass(frozen=True)
class VersionEdits:
    version: RubricVersion
    edits: tuple[AskedEdit, ...]
    # Pairs that the reader rates themselves and therefore does not see here.
    unseen: int

    @property
    def sentence(self) -> str:
        disagreements = sum(len(edit.asked_by) for edit in self.edits)
        if not self.edits:
            return f"No meeting asked for what version {self.version.number} changes."
        changes = "1 change" if len(self.edits) == 1 else f"{len(self.edits)} changes"
        behind = "1 disagreement" if disagreements == 1 else f"{disagreements} disagreements"
        verb = "stands" if disagreements == 1 else "stand"
        return f"{changes} of version {self.version.number}; {behind} {verb} behind them."


def version_edits(version: RubricVersion, reader: User) -> VersionEdits:
    """Every edit that went into a version, in the order they were made."""
    rows = Disagreement.objects.select_related("subject", "criterion", "batch")
    edits = list(
        Edit.objects.filter(rubric=version.rubric_id, number=version.number)
        .select_related("made_by", "ruling")
        .prefetch_related(Prefetch("disagreements", queryset=rows))
    )
    hidden = set(still_rated_by(reader))
    slug = version.rubric.project.slug
    sources = _sources(version)
    shown = [_edit(edit, slug, hidden, sources) for edit in edits]
    unseen = {row.subject_id for edit in edits for row in edit.disagreements.all()} & hidden
    return VersionEdits(version, tuple(shown), len(unseen))


def _edit(edit: Edit, slug: str, hidden: set[int], sources: dict[str, AnchorSource]) -> AskedEdit:
    source = sources.get(AnchorSource.hash_of(str(edit.detail.get("text", ""))))
    is_shown = (
        edit.kind == Edit.Kind.ANCHOR and source is not None and source.subject_id not in hidden
    )
    return AskedEdit(
        line=told(edit),
        note=edit.note,
        by=str(edit.made_by) if edit.made_by else "",
        at=edit.made_at,
        asked_by=tuple(_asked_by(edit.disagreements.all(), slug, hidden)),
        ruling=edit.ruling.question if edit.ruling else "",
        ruling_href=(
            reverse("annotate:ruling", args=[slug, edit.ruling.public_id]) if edit.ruling else ""
        ),
        source=source.subject.external_id if is_shown and source else "",
        source_href=(
            reverse("annotate:subject", args=[slug, source.subject.public_id])
            if is_shown and source
            else ""
        ),
    )


def _asked_by(rows: Iterable[Disagreement], slug: str, hidden: set[int]) -> Iterable[AskedBy]:
    for row in rows:
        if row.subject_id in hidden:
            continue
        part = f", response {row.part_key}" if row.part_key else ""
        key = (
            row.criterion.key.capitalize()
            if row.criterion.kind == "preference"
            else (row.criterion.key)
        )
        yield AskedBy(
            external_id=row.subject.external_id,
            href=reverse("annotate:subject", args=[slug, row.subject.public_id]),
            where=f"{row.batch}, {key}{part}",
            kind=row.get_kind_display() if row.kind else "",
            note=row.note,
        )


def _sources(version: RubricVersion) -> dict[str, AnchorSource]:
    found = AnchorSource.objects.filter(rubric=version.rubric_id).select_related("subject")
    return {source.text_sha256: source for source in found}
