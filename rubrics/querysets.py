from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from django.db.models import Case, Max, Model, OuterRef, QuerySet, Subquery, When

if TYPE_CHECKING:
    from projects.models import Project
    from rubrics.models import Anchor, Criterion, RubricVersion

M = TypeVar("M", bound=Model)


class Immutable(Exception):
    """A published rubric version was about to be changed: write a new version instead."""


class GuardedQuerySet(QuerySet[M]):
    """No bulk road around `save()` and `delete()` once a version is published."""

    # The lookup from a row to the status of the version it belongs to.
    status_lookup = "version__status"
    owner = "version"

    def guard(self) -> None:
        if self.exclude(**{self.status_lookup: "draft"}).exists():
            raise Immutable("A published rubric version never changes; draft the next one.")

    def update(self, **values: Any) -> int:
        self.guard()
        if not {self.owner, f"{self.owner}_id"}.isdisjoint(values):
            raise Immutable("Rubric rows do not move from one version to another.")
        return super().update(**values)

    def delete(self) -> tuple[int, dict[str, int]]:
        self.guard()
        return super().delete()

    def bulk_create(self, *args: Any, **options: Any) -> NoReturn:
        raise Immutable("Rubric rows are written one by one, so that the guard sees each.")

    def bulk_update(self, *args: Any, **options: Any) -> NoReturn:
        raise Immutable("Rubric rows are written one by one, so that the guard sees each.")


class VersionQuerySet(GuardedQuerySet["RubricVersion"]):
    status_lookup = "status"
    owner = "rubric"

    def published(self) -> VersionQuerySet:
        return self.filter(status="published")

    def released(self) -> VersionQuerySet:
        """Published at some time: immutable, and open to every member."""
        return self.exclude(status="draft")

    def drafts(self) -> VersionQuerySet:
        return self.filter(status="draft")

    def of_project(self, project: Project) -> VersionQuerySet:
        return self.filter(rubric__project=project)

    def judging_pairs(self) -> VersionQuerySet:
        return self.filter(subject_kind="pair")

    def newest_first(self) -> VersionQuerySet:
        return self.order_by("-number", "-revision")

    def latest_revisions(self) -> VersionQuerySet:
        """One of each number: its latest revision, a published one before a draft."""
        same = self.filter(rubric=OuterRef("rubric"), number=OuterRef("number"))
        latest = same.order_by(Case(When(status="draft", then=1), default=0), "-revision")
        return self.filter(pk=Subquery(latest.values("pk")[:1]))

    def next_number(self) -> int:
        """The number of the version to draft next."""
        highest: int | None = self.aggregate(Max("number"))["number__max"]
        return (highest or 0) + 1


class CriterionQuerySet(GuardedQuerySet["Criterion"]):
    def gates(self) -> CriterionQuerySet:
        return self.filter(kind="gate")

    def asked(self) -> CriterionQuerySet:
        """What raters answer: everything but what code decides."""
        return self.exclude(kind="automatic")


class AnchorQuerySet(GuardedQuerySet["Anchor"]):
    status_lookup = "criterion__version__status"
    owner = "criterion"
