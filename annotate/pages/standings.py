"""Where projects stand, for their leads, in as many queries for one as for thirty."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotate.models import Batch, Subject
from annotate.pages.goals import goal_href_from_elsewhere
from annotate.pages.next_step import LastRound, Left, Standing
from annotate.pages.round_cards import RoundCard
from annotate.verdicts import Verdict
from projects.models import Project
from rubrics.models import RubricVersion

DRAFT, PUBLISHED = RubricVersion.Status.DRAFT, RubricVersion.Status.PUBLISHED


def versions_of(projects: Sequence[Project]) -> dict[int, list[dict[str, Any]]]:
    """The versions of each project's rubrics, those published last at the end."""
    versions = RubricVersion.objects.filter(rubric__project__in=projects).values(
        *("number", "status", "rubric_id"),
        *("rubric__name", "rubric__slug", "rubric__project_id"),
    )
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in versions.order_by("published_at", "id"):
        found[row["rubric__project_id"]].append(dict(row))
    return found


def standings_of(
    projects: Sequence[Project],
    rounds: dict[int, tuple[RoundCard, ...]],
    versions: dict[int, list[dict[str, Any]]],
    verdicts: dict[int, Verdict],
) -> dict[int, Standing]:
    counts = pair_counts(projects)
    standings = {}
    for project in projects:
        rows = versions.get(project.pk, [])
        newest = next((row for row in reversed(rows) if row["status"] == PUBLISHED), None)
        pairs, given = counts[project.pk]
        standings[project.pk] = Standing(
            pairs=pairs,
            drafts=sum(row["status"] == DRAFT for row in rows),
            version=(newest["rubric_id"], newest["number"]) if newest else None,
            version_name=f"{newest['rubric__name']}, version {newest['number']}" if newest else "",
            last=last_round(rounds.get(project.pk, ()), verdicts),
            fresh=max(0, pairs - given),
        )
    return standings


def pair_counts(projects: Sequence[Project]) -> dict[int, tuple[int, int]]:
    """(pairs, those of them that a round has had or whose answer is known) of each project."""
    pairs = Subject.objects.visible().pairs().filter(project=OuterRef("pk"))
    had = Q(slots__batch__in=Batch.objects.rounds()) | Q(gold_answers__isnull=False)
    given = Subject.objects.filter(had, project=OuterRef("pk"))
    counted = Project.objects.filter(pk__in=[project.pk for project in projects]).annotate(
        pairs=_count(pairs, "id"), given=_count(given, "content_hash")
    )
    rows = counted.order_by().values_list("pk", "pairs", "given")
    return {pk: (pairs, given) for pk, pairs, given in rows}


def _count(rows: QuerySet[Subject], field: str) -> Coalesce:
    counted = rows.order_by().values("project").annotate(n=Count(field, distinct=field != "id"))
    return Coalesce(Subquery(counted.values("n"), output_field=IntegerField()), 0)


def last_round(
    rounds: Sequence[RoundCard], verdicts: Mapping[int, Verdict] | None = None
) -> LastRound | None:
    """The round to speak of: an open one before a closed one, else the newest."""
    if not rounds:
        return None
    card = min(rounds, key=lambda card: (card.batch.closed_at is not None, -card.batch.id))
    verdict = (verdicts or {}).get(card.batch.pk)
    step = verdict.step if verdict else None
    return LastRound(
        number=card.batch.number or 0,
        open=card.batch.closed_at is None,
        version=(card.batch.version.rubric_id, card.batch.version.number),
        left=tuple(Left(rater.name, rater.left, rater.done > 0) for rater in card.raters),
        says=verdict.sentence if verdict else "",
        action=step.action if step else "",
        href=goal_href_from_elsewhere(card.batch, step, pooled=verdict.pooled)
        if verdict and step
        else "",
        wants_round=verdict is not None and verdict.goal == "new_round",
    )
