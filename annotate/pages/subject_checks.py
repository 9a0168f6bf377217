"""What code decided about one subject, for its lead: beside the votes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.models import CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from annotate.models import Batch, Subject
    from rubrics.models import Criterion, RubricVersion


@dataclass(frozen=True)
class SaidByCode:
    """What the automatic checks of a version said: the results of each, part by part."""

    version: RubricVersion
    checks: tuple[tuple[Criterion, tuple[CheckResult, ...]], ...]


def said_by_code(subject: Subject, batches: Iterable[Batch]) -> tuple[SaidByCode, ...]:
    """Under the newest version of each rubric that was looked at, and under those of `batches`."""
    results = (
        CheckResult.objects.filter(part__subject=subject)
        .select_related("criterion__version__rubric", "part")
        .defer("criterion__version__document", "part__text")
        .order_by("criterion__version__rubric__name", "criterion__order", "part__key")
    )
    found: dict[RubricVersion, dict[Criterion, list[CheckResult]]] = defaultdict(dict)
    for result in results:
        found[result.criterion.version].setdefault(result.criterion, []).append(result)
    newest: dict[int, RubricVersion] = {}
    for version in sorted(found, key=lambda one: (one.number, one.revision)):
        newest[version.rubric_id] = version
    shown = {batch.version_id for batch in batches} | {one.pk for one in newest.values()}
    return tuple(
        SaidByCode(version, tuple((check, tuple(said)) for check, said in checks.items()))
        for version, checks in found.items()
        if version.pk in shown
    )
