"""What kind a disagreement is, as a person decides it: the list and the meeting write it here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from annotate.access import STILL_OPEN, STILL_RATING, figures_are_open, still_rated_by
from annotate.disagreement_entries import is_split, splits_around
from annotate.labelling import storable
from annotate.models import Batch, Disagreement
from projects.audit import record
from projects.models import Project
from rubrics.actions import note_draft
from rubrics.models import Criterion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from annotate.disagreements import Unit
    from annotate.triage import Suggestion
    from projects.models import User

MAX_NOTE = 2_000
# A database takes so many values in one statement.
_AT_ONCE = 100


class SortingRefused(Exception):
    """The disagreement cannot be sorted; the message says why."""


def sort_disagreement(
    *,
    batch: Batch,
    unit: Unit,
    kind: str,
    note: str,
    suggestion: Suggestion | None,
    acting_user: User | None,
) -> Disagreement:
    """Keep the kind ('' for none yet) and the decision; the same again changes nothing.

    Whoever sorts last is right: two leads at one screen talk to each other. The decision is the
    change note, too, of what was changed before anybody wrote it.
    """
    note = storable(note).replace("\r\n", "\n").strip()
    if kind and kind not in Disagreement.Kind.values:
        raise SortingRefused(f"“{kind}” is no kind: {', '.join(Disagreement.Kind.values)}.")
    if len(note) > MAX_NOTE:
        raise SortingRefused(f"Keep the decision under {MAX_NOTE:,} characters.")
    with transaction.atomic():
        # First, as everything does that takes it together with rows of disagreements.
        Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
        row = disagreement_row(batch=batch, unit=unit, acting_user=acting_user)
        if (row.kind, row.note) == (kind, note):
            return row
        before = {"kind": row.kind, "note": row.note}
        if row.kind != kind and suggestion is not None:
            row.suggested, row.suggested_why = suggestion.kind, suggestion.why
        row.kind, row.note = kind, note
        row.sorted_by, row.sorted_at = acting_user, timezone.now()
        row.save()
        if note and note != before["note"]:
            _note_changes(row, instead_of=before["note"])
        record(
            "disagreement.sorted",
            project=batch.project,
            actor=acting_user,
            # Not the pair's name: a lead who rates reads what was done lately.
            target=batch,
            subject=str(unit.public_id),
            key=unit.key,
            part=unit.part,
            kind=kind,
            note=note,
            suggested=row.suggested,
            before=before,
        )
    return row


def accept_suggestions(
    *, batch: Batch, suggestions: Mapping[Unit, Suggestion], acting_user: User | None
) -> int:
    """What is suggested becomes the kind of each of these that has none yet; how many there were.

    All or none, in a few queries for every hundred. Notes stay. What could not be sorted by itself
    is left out.
    """
    if not figures_are_open(batch):
        raise SortingRefused(STILL_OPEN)
    secret = set(still_rated_by(acting_user)) if acting_user else set()
    differing = {(subject, key, part) for subject, key, part, *_ in splits_around(batch)}
    by_place = {
        unit.place: (unit, suggestion)
        for unit, suggestion in suggestions.items()
        if unit.place in differing and unit.subject not in secret
    }
    keys = {key for _, key, _ in by_place}
    criteria = {found.key: found for found in batch.version.criteria.filter(key__in=keys)}
    with transaction.atomic():
        Disagreement.objects.bulk_create(
            (
                Disagreement(
                    batch=batch, subject_id=subject, criterion=criteria[key], part_key=part
                )
                for subject, key, part in by_place
            ),
            batch_size=_AT_ONCE,
            ignore_conflicts=True,
        )
        held = Disagreement.objects.select_for_update(of=("self",), no_key=True)
        rows = held.filter(batch=batch, criterion__in=criteria.values(), kind="")
        accepted = [
            (row, *by_place[place])
            for row in rows.select_related("criterion")
            if (place := (row.subject_id, row.criterion.key, row.part_key)) in by_place
        ]
        now = timezone.now()
        for row, _, suggestion in accepted:
            row.kind = row.suggested = suggestion.kind
            row.suggested_why = suggestion.why
            row.sorted_by, row.sorted_at = acting_user, now
        Disagreement.objects.bulk_update(
            [row for row, *_ in accepted],
            ["kind", "suggested", "suggested_why", "sorted_by", "sorted_at"],
            batch_size=_AT_ONCE,
        )
        if accepted:
            record(
                "disagreements.accepted",
                project=batch.project,
                actor=acting_user,
                target=batch,
                units=[
                    [str(unit.public_id), unit.key, unit.part, suggestion.kind]
                    for _, unit, suggestion in accepted
                ],
            )
    return len(accepted)


def disagreement_row(*, batch: Batch, unit: Unit, acting_user: User | None) -> Disagreement:
    """The row of a unit, held to the end of the transaction; made where it has none yet."""
    criterion = _refuse_agreed(batch, unit)
    if not figures_are_open(batch):
        raise SortingRefused(STILL_OPEN)
    if acting_user is not None and unit.subject in still_rated_by(acting_user):
        raise SortingRefused(STILL_RATING)
    rows = Disagreement.objects.filter(
        batch=batch, subject=unit.subject, criterion=criterion, part_key=unit.part
    )
    if not rows.exists():
        # Whoever comes second at this moment finds the row of the first.
        Disagreement.objects.get_or_create(
            batch=batch, subject_id=unit.subject, criterion=criterion, part_key=unit.part
        )
    return rows.select_for_update(of=("self",), no_key=True).get()


def _note_changes(row: Disagreement, *, instead_of: str) -> None:
    for edit in row.edits.standing().select_related("rubric"):
        note_draft(
            rubric=edit.rubric,
            number=edit.number,
            keys=edit.keys,
            note=row.note,
            instead_of=instead_of,
        )


def _refuse_agreed(batch: Batch, unit: Unit) -> Criterion:
    """The check that the raters differ on; nothing is sorted where they agree, in this batch and
    with those that are pooled with it. What was planted is no disagreement."""
    if not is_split(batch, unit.subject, unit.key, unit.part):
        raise SortingRefused(f"The raters of {batch} do not differ on {unit.key} here.")
    return batch.version.criteria.get(key=unit.key)


__all__ = [
    "MAX_NOTE",
    "SortingRefused",
    "accept_suggestions",
    "disagreement_row",
    "sort_disagreement",
]
