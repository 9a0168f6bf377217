"""What the policy owner was asked and decided about splits, for whoever reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.db.models import Count, Exists, OuterRef, Prefetch

from annotate.models import Batch, Disagreement, Edit, Ruling, Slot, Vote
from rubrics.content import NA, PREFERENCE
from rubrics.models import Criterion, RubricVersion
from rubrics.words import joined

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from django.db.models import QuerySet

    from projects.models import Project


def rulings_of(project: Project) -> QuerySet[Ruling]:
    """Every ruling of a project with the units it is about, in two queries."""
    units = Disagreement.objects.select_related("criterion", "batch__version__rubric")
    rulings = Ruling.objects.filter(project=project)
    return rulings.select_related("subject", "opened_by", "decided_by").prefetch_related(
        Prefetch("disagreements", units.defer("batch__version__document"))
    )


def waiting_in(projects: Iterable[Project], *, without: Collection[int]) -> dict[int, int]:
    """Project → how many rulings wait there, without those on the subjects that are named."""
    waiting = Ruling.objects.filter(project__in=projects, decided_at__isnull=True)
    rows = waiting.exclude(subject__in=without).order_by().values_list("project")
    return dict(rows.annotate(Count("id")))


def counting_in(batch: Batch) -> dict[int, list[Ruling]]:
    """Subject → the rulings that bear on its pair in this batch, oldest first.

    A ruling is about the pair, so it counts in every batch that holds it. Two exceptions: what
    simulated raters split on says nothing about people's votes, nor the other way round; and a
    missing rule that a version has since been given no longer stands against votes that were given
    under that version or a later one (docs/design/decisions.md).
    """
    given = Slot.objects.filter(batch=batch, subject=OuterRef("subject"))
    voted = Vote.objects.filter(batch=batch, subject=OuterRef("subject"))
    alike = Disagreement.objects.filter(ruling=OuterRef("pk"), batch__simulated=batch.simulated)
    rulings = Ruling.objects.filter(
        Exists(given) | Exists(voted), Exists(alike), project=batch.project_id
    )
    found: dict[int, list[Ruling]] = {}
    edits = Edit.objects.standing().with_document()
    standing = Prefetch("edits", edits, to_attr="standing")
    for ruling in rulings.order_by("pk").prefetch_related(standing):
        if not _has_the_rule(batch, ruling):
            found.setdefault(ruling.subject_id, []).append(ruling)
    return found


def _has_the_rule(batch: Batch, ruling: Ruling) -> bool:
    """Whether the batch was labelled under a version that holds every edit of a missing rule."""
    if ruling.decision != Ruling.Decision.MISSING:
        return False
    edits: list[Edit] = [edit for edit in cast("Any", ruling).standing if edit.is_there]
    return bool(edits) and all(
        edit.rubric_id == batch.version.rubric_id and edit.number <= batch.version.number
        for edit in edits
    )


def units_of(ruling: Ruling) -> list[Disagreement]:
    """The units that a ruling is about, from the top of the rubric to its end, each once."""
    rows = sorted(
        ruling.disagreements.all(), key=lambda row: (row.criterion.order, row.part_key, row.pk)
    )
    return list({(row.criterion.key, row.part_key): row for row in rows}.values())


def codes_for(criteria: Iterable[Criterion]) -> list[str]:
    """The labels that can be right on every one of these checks, in the order of the first.

    Empty where they have none in common, or where one is measured in numbers.
    """
    scales: list[list[Any]] = [
        [] if one.bounds else [*one.values, *([NA] if one.allows_na else [])] for one in criteria
    ]
    first, *others = scales or [[]]
    return [str(code) for code in first if all(code in scale for scale in others)]


def checks_to_reword(rubric_id: int) -> list[Criterion]:
    """What raters answer in the next version: its draft, or the newest one."""
    newest = RubricVersion.objects.filter(rubric=rubric_id).newest_first().values("pk")[:1]
    asked = Criterion.objects.filter(version__in=newest).asked().exclude(kind=PREFERENCE)
    return list(asked)


def place_words(key: str, part: str) -> str:
    """What a unit is about: "C1 on A", "the preference"."""
    if key == PREFERENCE:
        return "the preference"
    return f"{key} on {part}" if part else key


def places_words(rows: Sequence[Disagreement]) -> str:
    """All units of a ruling in words: "C1 on A, C1 on B and the preference"."""
    return joined(place_words(row.criterion.key, row.part_key) for row in rows)
