"""What a meeting or a ruling changes in the next version, with the disagreements that asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db import transaction

from annotate.actions.sorting import disagreement_row
from annotate.evidence import Passage, place_of
from annotate.labelling import storable
from annotate.models import AnchorSource, Disagreement, Edit, Part
from annotate.rendered import html_of
from annotate.rendering.readable import readable
from projects.audit import record
from projects.models import Project
from rubrics.actions import edit_draft, restore_draft
from rubrics.edits import EditError
from rubrics.models import Anchor, RubricVersion

if TYPE_CHECKING:
    from annotate.disagreements import Unit
    from annotate.models import Batch, Ruling
    from projects.models import User
    from rubrics.models import Rubric

GONE = "The passage no longer stands in the response: select it again."


def make_edit(
    *,
    batch: Batch,
    unit: Unit | None,
    ruling: Ruling | None,
    kind: str,
    detail: Mapping[str, Any],
    note: str,
    passage: Passage | None,
    acting_user: User | None,
) -> Edit:
    """Make one change in the draft of the next version, and keep who asked for it.

    The same again, by the same person and with nothing between, is one change: a double click
    splits no check twice. `detail` is what `rubrics.edits.apply` takes. `passage` is where the
    text of an anchor was taken from; its side is a part of the unit's subject. Raises `EditError`
    or `RubricRefused` where the draft cannot take the change, `SortingRefused` where the raters
    agree on the unit; nothing is written then.
    """
    detail = {name: _clean(value) for name, value in detail.items()}
    note = _clean(note).strip()
    with transaction.atomic():
        # First, as everything does that takes it together with rows of disagreements.
        Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
        row = disagreement_row(batch=batch, unit=unit, acting_user=acting_user) if unit else None
        newest = newest_own(batch=batch, unit=unit, ruling=ruling, acting_user=acting_user)
        if newest is not None and is_twin(newest, kind, detail):
            return newest
        done = edit_draft(
            version=batch.version, kind=kind, detail=detail, note=note, acting_user=acting_user
        )
        edit = Edit.objects.create(
            rubric=done.draft.rubric,
            number=done.draft.number,
            kind=kind,
            key=unit.key if unit else str(detail.get("key", ""))[:32],
            keys=list(done.keys),
            detail=detail,
            note=note,
            ruling=ruling,
            before=done.before,
            after_digest=done.draft.digest,
            made_by=acting_user,
        )
        if row is not None:
            edit.disagreements.add(row)
        if passage is not None and unit is not None:
            _keep_source(edit.rubric, unit, passage, str(detail.get("text", "")))
        record(
            "edit.made",
            project=batch.project,
            actor=acting_user,
            target=done.draft,
            edit=str(edit.public_id),
            kind=kind,
            keys=edit.keys,
            note=note,
            batch=str(batch),
            subject=str(unit.public_id) if unit else None,
            ruling=str(ruling.public_id) if ruling else None,
        )
    return edit


def newest_own(
    *,
    batch: Batch,
    unit: Unit | None,
    acting_user: User | None,
    ruling: Ruling | None = None,
) -> Edit | None:
    """Somebody's newest change for a disagreement, or else of a ruling, while the draft is still
    what it left. Of the whole rubric where there is neither."""
    edits = Edit.objects.filter(rubric=batch.version.rubric_id, made_by=acting_user)
    if unit is not None:
        rows = Disagreement.objects.filter(
            batch=batch, subject=unit.subject, criterion__key=unit.key, part_key=unit.part
        )
        edits = edits.filter(disagreements__in=rows)
    elif ruling is not None:
        edits = edits.filter(ruling=ruling)
    newest = edits.order_by("-id").first()
    if newest is None:
        return None
    drafts = RubricVersion.objects.drafts().filter(rubric=newest.rubric_id, number=newest.number)
    return newest if drafts.filter(digest=newest.after_digest).exists() else None


def is_twin(edit: Edit, kind: str, detail: Mapping[str, Any]) -> bool:
    """Whether a change is this very one."""
    entered = {name: _clean(value) for name, value in detail.items()}
    return (edit.kind, edit.detail) == (kind, entered)


def take_back(*, edit: Edit, acting_user: User | None) -> None:
    """The draft as it was before; taking back what is not there any more changes nothing.

    Only while the draft is still what this edit left: raises `RubricRefused` otherwise.
    """
    with transaction.atomic():
        rubric = edit.rubric
        Project.objects.select_for_update(no_key=True).get(pk=rubric.project_id)
        held = Edit.objects.select_for_update(of=("self",), no_key=True)
        standing = held.filter(pk=edit.pk).first()
        if standing is None:
            return
        restore_draft(
            rubric=rubric,
            number=standing.number,
            before=standing.before,
            after_digest=standing.after_digest,
            acting_user=acting_user,
        )
        _forget_source(standing)
        record(
            "edit.taken_back",
            project=rubric.project,
            actor=acting_user,
            target=f"{rubric.slug}@{standing.number}",
            edit=str(standing.public_id),
            kind=standing.kind,
            keys=standing.keys,
            detail=standing.detail,
            note=standing.note,
        )
        standing.delete()


def _keep_source(rubric: Rubric, unit: Unit, passage: Passage, text: str) -> None:
    """Where an anchor comes from. What was typed instead of the passage comes from nowhere."""
    written = Part.objects.filter(subject=unit.subject, key=passage.side).values_list("text")
    response = readable(html_of([written[0][0] or ""])[written[0][0] or ""]) if written else ""
    place = place_of(passage, response)
    if place is None or passage.quote.strip() != text.strip():
        raise EditError(GONE)
    AnchorSource.objects.update_or_create(
        rubric=rubric,
        text_sha256=AnchorSource.hash_of(text),
        defaults={
            "subject_id": unit.subject,
            "part_key": passage.side,
            "start": place[0],
            "end": place[1],
        },
    )


def _forget_source(edit: Edit) -> None:
    """The source of an anchor goes with it, unless some version still has that anchor."""
    text = str(edit.detail.get("text", "")).strip()
    if edit.kind != Edit.Kind.ANCHOR or not text:
        return
    stands = Anchor.objects.filter(criterion__version__rubric=edit.rubric, text=text)
    if not stands.exists():
        AnchorSource.objects.filter(
            rubric=edit.rubric, text_sha256=AnchorSource.hash_of(text)
        ).delete()


def _clean(value: Any) -> Any:
    """Text as a database and a page can hold it; other values as they are."""
    return storable(value).replace("\r\n", "\n") if isinstance(value, str) else value
