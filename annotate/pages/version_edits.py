"""What asked for each change of a rubric version: the edits, and the disagreements behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.db.models import Prefetch
from django.urls import reverse

from annotate.access import still_rated_by
from annotate.models import AnchorSource, Disagreement, Edit
from annotate.pages.meeting_changes import CHANGED_SINCE, Line, told
from rubrics.words import counted_noun

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from projects.models import User
    from rubrics.content import Rubric
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
    """`secret`: every pair that asked, or the one that its example is from, is one that the reader
    still rates. The words of the change and its note speak of it, so neither is here."""

    line: Line
    secret: bool
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
        made = counted_noun(len(self.edits), "change")
        behind = counted_noun(disagreements, "disagreement")
        verb = "stands" if disagreements == 1 else "stand"
        over = sum(bool(edit.line.since) for edit in self.edits)
        since = f" {over} {'was' if over == 1 else 'were'} changed since." if over else ""
        return f"{made} of version {self.version.number}; {behind} {verb} behind them.{since}"


def version_edits(version: RubricVersion, reader: User) -> VersionEdits:
    """Every edit that went into a version, in the order they were made; what was written over
    since says so."""
    rows = Disagreement.objects.select_related("subject", "criterion", "batch")
    edits = list(
        Edit.objects.standing()
        .filter(rubric=version.rubric_id, number=version.number)
        .select_related("made_by", "ruling")
        .prefetch_related(Prefetch("disagreements", queryset=rows))
    )
    hidden = set(still_rated_by(reader))
    slug = version.rubric.project.slug
    sources = _sources(version)
    content = version.content
    shown = [_edit(edit, content, slug, hidden, sources) for edit in edits]
    about = [_subjects(edit, sources) for edit in edits]
    unseen = set().union(*about) & hidden
    return VersionEdits(version, tuple(shown), len(unseen))


def _subjects(edit: Edit, sources: Mapping[str, AnchorSource]) -> set[int]:
    """The pairs that a change speaks of: those that asked for it, and where its example is from."""
    found = {row.subject_id for row in edit.disagreements.all()}
    source = _source(edit, sources)
    if edit.ruling is not None:
        found.add(edit.ruling.subject_id)
    return found | ({source.subject_id} if source else set())


def _source(edit: Edit, sources: Mapping[str, AnchorSource]) -> AnchorSource | None:
    if edit.kind != Edit.Kind.ANCHOR:
        return None
    return sources.get(AnchorSource.hash_of(str(edit.detail.get("text", ""))))


def _edit(
    edit: Edit,
    content: Rubric,
    slug: str,
    hidden: set[int],
    sources: Mapping[str, AnchorSource],
) -> AskedEdit:
    about = _subjects(edit, sources)
    source = _source(edit, sources)
    is_shown = source is not None and source.subject_id not in hidden
    # A passage of a pair stays with the pair, whoever else asked for it.
    secret = (bool(about) and about <= hidden) or (source is not None and not is_shown)
    line = replace(told(edit), since="" if edit.is_in(content) else CHANGED_SINCE)
    ruling = edit.ruling if edit.ruling and edit.ruling.subject_id not in hidden else None
    return AskedEdit(
        line=replace(line, text="") if secret else line,
        secret=secret,
        note="" if secret else edit.note,
        by=str(edit.made_by) if edit.made_by else "",
        at=edit.made_at,
        asked_by=tuple(_asked_by(edit.disagreements.all(), slug, hidden)),
        ruling=ruling.question if ruling else "",
        ruling_href=reverse("annotate:ruling", args=[slug, ruling.public_id]) if ruling else "",
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
