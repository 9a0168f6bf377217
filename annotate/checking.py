"""Which texts code has still to look at, under which versions, and what it says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q

from annotate.models import CheckResult, Part, StagedUpdate, Subject
from rubrics import checks
from rubrics.check_rules import OVERLAP, rule_of
from rubrics.models import Criterion, RubricVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from django.db.models import QuerySet

    from projects.models import Project


def checked_versions(project: Project | None = None) -> list[RubricVersion]:
    """The newest published version of each rubric that has automatic checks."""
    published = RubricVersion.objects.published()
    later = Q(number__gt=OuterRef("number")) | Q(
        number=OuterRef("number"), revision__gt=OuterRef("revision")
    )
    follower = published.filter(later, rubric=OuterRef("rubric"))
    automatic = Criterion.objects.filter(version=OuterRef("pk"), kind="automatic")
    found = published.filter(Exists(automatic)).exclude(Exists(follower))
    if project is not None:
        found = found.of_project(project)
    return list(found.select_related("rubric__project").order_by("rubric__name"))


def automatic_of(version: RubricVersion) -> list[Criterion]:
    return list(version.criteria.filter(kind="automatic").order_by("order"))


def texts_of(version: RubricVersion) -> QuerySet[Part]:
    """The texts that a version's automatic checks are about: those of every subject of its kind."""
    subjects = Subject.objects.of_project(version.rubric.project).visible()
    settled = subjects.filter(kind=version.subject_kind).settled()
    return Part.objects.filter(subject__in=settled, text__isnull=False)


def unchecked(version: RubricVersion, criteria: Iterable[Criterion]) -> QuerySet[Part]:
    """The texts that one of these checks, or several, have said nothing of yet, in order."""
    missing = Q(pk__in=[])
    for criterion in criteria:
        said = CheckResult.objects.filter(part=OuterRef("pk"), criterion=criterion)
        missing = missing | Q(~Exists(said))
    return texts_of(version).filter(missing).order_by("pk")


def replacing(project: Project) -> bool:
    """Whether an import is still at replacing texts, which are looked at when it has ended."""
    left = StagedUpdate.objects.filter(origin__project=project, origin__state="visible")
    return left.exists()


def results_for(part: Part, criteria: Sequence[Criterion]) -> Iterator[CheckResult]:
    """What each check says of a text, one after the other and not yet saved."""
    prompt = prompt_of(part.subject) if any(OVERLAP in (c.rule or {}) for c in criteria) else ""
    for criterion in criteria:
        verdict = checks.decide(rule_of(criterion.rule or {}), part.text or "", prompt=prompt)
        yield CheckResult(criterion=criterion, part=part, code=verdict.code, detail=verdict.detail)


def prompt_of(subject: Subject) -> str:
    """The turns that a subject answers, between blank lines; without the context."""
    detail = getattr(subject, subject.kind, None)
    return "\n\n".join(turn["content"] for turn in detail.messages) if detail else ""
