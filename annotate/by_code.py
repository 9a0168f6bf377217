"""What code decided about pairs: the automatic checks of a version that work as gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Count, Exists, Max, OuterRef, Q

from annotate.decisions import SIDES
from annotate.models import CheckResult, Part, Subject

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from annotate.decisions import Side
    from annotate.models import Batch
    from annotate.querysets import SubjectQuerySet
    from rubrics.models import RubricVersion

FAIL, UNDECIDED = "fail", "undecided"


def deciding_keys(version: RubricVersion) -> dict[int, str]:
    """The checks of a version that work as gates, by the id of their row."""
    # Most rubrics have none: their documents say so without a query.
    if not any(check.decides for check in version.content.criteria):
        return {}
    checks = version.criteria.filter(kind="automatic", decides=True)
    return dict(checks.values_list("pk", "key"))


def undecided(pairs: SubjectQuerySet, version: RubricVersion) -> SubjectQuerySet:
    """Pairs that code looked at and left to people: no side fails a check that works as a gate."""
    checks = deciding_keys(version)
    texts = Part.objects.filter(subject__project=version.rubric.project_id)
    for check in checks:
        said = CheckResult.objects.filter(part=OuterRef("pk"), criterion=check)
        pairs = pairs.exclude(pk__in=texts.exclude(Exists(said)).values("subject"))
    return pairs.exclude(pk__in=_failing(checks)) if checks else pairs


def left_to_people(pairs: SubjectQuerySet, version: RubricVersion) -> SubjectQuerySet:
    """Pairs without those that code decided; what it has not looked at stays."""
    checks = deciding_keys(version)
    return pairs.exclude(pk__in=_failing(checks)) if checks else pairs


def decided(pairs: SubjectQuerySet, version: RubricVersion) -> SubjectQuerySet:
    """Pairs of which a side, or both, fails a check that works as a gate."""
    checks = deciding_keys(version)
    return pairs.filter(pk__in=_failing(checks)) if checks else pairs.none()


def never_given(version: RubricVersion) -> SubjectQuerySet:
    """Pairs that code decided and that no rater has or had, in any batch."""
    project = version.rubric.project
    pairs = Subject.objects.of_project(project).visible().pairs().settled().with_texts()
    beside = decided(pairs, version)
    given = Subject.objects.given_out().filter(pk=OuterRef("pk"))
    return beside.exclude(Exists(given))


def _failing(checks: dict[int, str]) -> QuerySet[CheckResult, int]:
    """Ids of subjects: asked for once, where a look at each pair would go through all results."""
    failed = CheckResult.objects.filter(criterion__in=checks, code=FAIL)
    return failed.values_list("part__subject", flat=True)


def gates_by_code(
    version: RubricVersion, pairs: SubjectQuerySet
) -> dict[int, dict[tuple[str, Side], bool]]:
    """Whether each side of these pairs passes the checks that work as gates, as far as code has
    looked and come to a verdict."""
    checks = deciding_keys(version)
    found: dict[int, dict[tuple[str, Side], bool]] = {}
    if not checks:
        return found
    rows = CheckResult.objects.filter(criterion__in=checks, part__subject__in=pairs)
    rows = rows.exclude(code=UNDECIDED)
    values = rows.values_list("part__subject_id", "criterion_id", "part__key", "code")
    for subject, check, part, code in values.iterator(chunk_size=5000):
        if part in SIDES:
            found.setdefault(subject, {})[checks[check], part] = code != FAIL
    return found


def looked_at(batch: Batch) -> str:
    """A short name for what code has decided under a version: it changes when results do; '' where
    no check works as a gate."""
    checks = deciding_keys(batch.version)
    if not checks:
        return ""
    told = CheckResult.objects.filter(criterion__in=checks).aggregate(
        all=Count("pk"), failing=Count("pk", filter=Q(code=FAIL)), last=Max("pk")
    )
    return f"{told['all']}.{told['failing']}.{told['last']}"
