"""Which checks volume does not wait for, though they have not cleared, and why."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from annotate.models import Waiver

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rubrics.models import RubricVersion


def standing(version: RubricVersion) -> dict[str, Waiver]:
    """The waivers of a version that nobody has withdrawn, by key of the check."""
    return standing_of([version]).get((version.rubric_id, version.number), {})


def standing_of(versions: Iterable[RubricVersion]) -> dict[tuple[int, int], dict[str, Waiver]]:
    """The same of several versions, by rubric and number: revisions share them."""
    rubrics = {version.rubric_id for version in versions}
    rows = Waiver.objects.filter(rubric__in=rubrics, withdrawn_at__isnull=True)
    found: dict[tuple[int, int], dict[str, Waiver]] = defaultdict(dict)
    for waiver in rows.select_related("given_by"):
        found[waiver.rubric_id, waiver.number][waiver.key] = waiver
    return dict(found)
