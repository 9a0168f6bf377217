"""The dialog of an act: its form over the next version as it stands, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.act_forms import FORMS
from annotate.act_forms.base import Choosable, Standing
from annotate.actions.edits import is_twin, newest_own
from annotate.meeting_version import outdated
from annotate.pages.meeting_raters import handles_of, labels_on
from annotate.pages.meeting_text import texts_of
from rubrics.actions import draft_before
from rubrics.content import PREFERENCE
from rubrics.edits import standing_keys
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from django.http import QueryDict

    from annotate.act_forms.base import ActForm
    from annotate.disagreements import Differing
    from annotate.models import Batch, Edit
    from projects.models import User


def standing_of(batch: Batch, key: str) -> Standing:
    """The next version as it would be now, and the checks that a check of the batch lives on in."""
    rows = RubricVersion.objects.filter(rubric=batch.version.rubric_id).select_related("rubric")
    versions = list(rows.newest_first())
    base = next(one for one in versions if one.status != RubricVersion.Status.DRAFT)
    drafts = [one for one in versions if one.number > base.number]
    draft = drafts[0] if drafts else None
    now = draft.content if draft else base.content
    return Standing(
        rubric=now,
        number=draft.number if draft else base.number + 1,
        is_draft=draft is not None,
        keys=standing_keys(base.content, now, key),
        refusal=outdated(batch, base.number),
    )


def act_form(
    batch: Batch, item: Differing, act: str, *, data: QueryDict | None = None, key: str = ""
) -> ActForm:
    """The form of an act; `key` chooses the check of the draft where there are several."""
    return _form(batch, item, act, standing_of(batch, item.unit.key), data, key)


def sent_before(
    batch: Batch, item: Differing, act: str, *, data: QueryDict, user: User
) -> ActForm | None:
    """The form as it was when the very same change came in first: a double click is one change.

    Held against the draft before the newest own change, which is what the page showed.
    """
    edit = newest_own(batch=batch, unit=item.unit, acting_user=user)
    if edit is None:
        return None
    form = _form(batch, item, act, _standing_before(batch, item, edit), data, "")
    if form.moved or not form.is_valid():
        return None
    return form if is_twin(edit, form.edit_kind, form.detail()) else None


def _form(
    batch: Batch,
    item: Differing,
    act: str,
    standing: Standing,
    data: QueryDict | None,
    key: str,
) -> ActForm:
    passages: list[Choosable] = []
    parts: tuple[str, ...] = ()
    if act == "anchor":
        labels = labels_on(batch, item.unit.subject)
        texts = texts_of(
            item.unit,
            labels,
            handles_of(item, labels),
            marks_all=item.unit.key == PREFERENCE,
        )
        passages = [Choosable(**vars(one)) for one in texts.offered]
        parts = tuple(one.part for one in texts.responses)
    return FORMS[act](
        data,
        standing=standing,
        key=data.get("key", key) if data is not None else key,
        why=item.row.note if item.row else "",
        passages=passages,
        parts=parts,
    )


def _standing_before(batch: Batch, item: Differing, edit: Edit) -> Standing:
    """What `standing_of` said before a change that stands."""
    base = batch.version.content
    draft = draft_before(edit.before, number=edit.number)
    return Standing(
        rubric=draft or base,
        number=edit.number,
        is_draft=draft is not None,
        keys=standing_keys(base, draft or base, item.unit.key),
    )
