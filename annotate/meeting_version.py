"""Whether the votes that are talked about speak of the version that the next one changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from annotate.models import Batch


def newest_number(batch: Batch) -> int:
    """The number of the newest published version of a batch's rubric."""
    rows = RubricVersion.objects.released().filter(rubric=batch.version.rubric_id)
    number = rows.newest_first().values_list("number", flat=True).first()
    return batch.version.number if number is None else number


def outdated(batch: Batch, newest: int) -> str:
    """Why nothing goes from here into a draft, in a sentence; '' where it can."""
    if newest == batch.version.number:
        return ""
    return (
        f"Version {newest} of {batch.version.rubric.name} has come since: these votes speak of "
        f"version {batch.version.number}, so what they ask for is changed in the editor, by hand."
    )
