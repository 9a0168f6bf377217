"""The dialog of an act: its form over the next version as it stands, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.text import capfirst

from annotate.act_forms import FORMS, Choosable, Standing
from annotate.pages.meeting_raters import handles_of, labels_on
from annotate.pages.meeting_text import texts_of
from rubrics.content import PREFERENCE
from rubrics.edits import standing_keys
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from django.http import QueryDict

    from annotate.act_forms import ActForm
    from annotate.disagreements import Differing
    from annotate.models import Batch


def standing_of(batch: Batch, key: str) -> Standing:
    """The next version as it would be now, and the checks that a check of the batch lives on in."""
    rows = RubricVersion.objects.filter(rubric=batch.version.rubric_id).select_related("rubric")
    versions = list(rows.newest_first())
    base = next(one for one in versions if one.status != RubricVersion.Status.DRAFT)
    drafts = [one for one in versions if one.number > base.number]
    draft = drafts[0] if drafts else None
    refusal = ""
    if base.number != batch.version.number:
        refusal = (
            f"{capfirst(base.in_words)} has come since: these votes speak of version "
            f"{batch.version.number}, so what they ask for is changed in the editor, by hand."
        )
    now = draft.content if draft else base.content
    return Standing(
        rubric=now,
        number=draft.number if draft else base.number + 1,
        is_draft=draft is not None,
        keys=standing_keys(base.content, now, key),
        refusal=refusal,
    )


def act_form(
    batch: Batch, item: Differing, act: str, *, data: QueryDict | None = None, key: str = ""
) -> ActForm:
    """The form of an act; `key` chooses the check of the draft where there are several."""
    passages: list[Choosable] = []
    if act == "anchor":
        labels = labels_on(batch, item.unit.subject)
        texts = texts_of(
            item.unit,
            labels,
            handles_of(item, labels),
            marks_all=item.unit.key == PREFERENCE,
        )
        passages = [Choosable(**vars(one)) for one in texts.offered]
    return FORMS[act](
        data,
        standing=standing_of(batch, item.unit.key),
        key=data.get("key", key) if data is not None else key,
        why=item.row.note if item.row else "",
        passages=passages,
    )
