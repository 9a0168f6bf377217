"""How far a project is from its first thousand pairs, line by line, each with where it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef
from django.urls import reverse

from annotate import clearing
from annotate.calibration import Measured, measure_pools, pools_of
from annotate.gold import question
from annotate.history import (
    counted_batches,
    differing_units,
    document_of,
    sorted_kinds,
    votes_counted,
)
from annotate.models import AnchorSource, Assignment, Batch, GoldAnswer, GoldLabel, Subject, Vote
from annotate.readiness import FIRST_PAIRS, Facts, Line, Readiness, State, readiness
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from projects.models import Project
    from rubrics.content import Rubric as Document
    from rubrics.models import Rubric

SHAPES = {State.DONE: "checked", State.PARTLY: "half", State.NOT_YET: "ring"}
WORDS = {State.DONE: "done", State.PARTLY: "partly", State.NOT_YET: "not yet"}


@dataclass(frozen=True)
class LinkedLine:
    line: Line
    href: str
    is_next: bool

    @property
    def shape(self) -> str:
        return SHAPES[self.line.state]

    @property
    def state(self) -> str:
        return WORDS[self.line.state]


@dataclass(frozen=True)
class ReadinessPage:
    rubric: Rubric | None
    others: tuple[Rubric, ...]
    readiness: Readiness
    lines: tuple[LinkedLine, ...]
    href: str
    action: str

    @property
    def labelled(self) -> int:
        """Of the first thousand pairs."""
        return min(self.readiness.pairs, FIRST_PAIRS)

    @property
    def of(self) -> int:
        return FIRST_PAIRS


def readiness_page(project: Project, slug: str = "") -> ReadinessPage:
    """`slug` chooses among the rubrics of the project; else it is the one published last."""
    versions = list(
        RubricVersion.objects.of_project(project).latest_revisions().select_related("rubric")
    )
    published = [one for one in versions if one.published_at is not None]
    rubrics = tuple(dict.fromkeys(version.rubric for version in published))
    latest = max(published, key=lambda one: (one.published_at, one.pk), default=None)
    rubric = next((one for one in rubrics if one.slug == slug), latest.rubric if latest else None)
    if rubric is None:
        facts = Facts(rubric=None, drafts=len(versions))
        return _page(project, None, (), readiness(facts), ())
    own = sorted((one for one in published if one.rubric == rubric), key=lambda one: one.number)
    found = [
        batch for batch in counted_batches(project, rubric.pk) if batch.kind != Batch.Kind.VOLUME
    ]
    batches = [batch for batch in found if not batch.simulated]
    facts, contested = _facts(project, own, batches)
    simulated = sum(batch.simulated and batch.closed_at is not None for batch in found)
    facts = replace(facts, simulated=simulated)
    others = tuple(one for one in rubrics if one.pk != rubric.pk)
    return _page(project, rubric, others, readiness(facts), batches, own[-1], contested)


def _facts(
    project: Project, own: Sequence[RubricVersion], batches: Sequence[Batch]
) -> tuple[Facts, Batch | None]:
    """Where the project stands, and the newest batch with disagreements that nobody has sorted."""
    documents = {version.number: document_of(version) for version in own}
    newest = own[-1]
    document = documents[newest.number]
    compared = _compared(batches)
    alone, pooled = _measured(compared, documents, newest)
    required = clearing.required(pooled.rows) if pooled else []
    asked = {row.key for row in required}
    needed = {one.key for one in document.criteria if one.kind in ("gate", "criterion")}
    cleared, checks = pooled.cleared if pooled else (0, 0)
    gold = _gold(project, own, documents)
    waiting = [
        batch
        for batch, one in zip(compared, alone, strict=True)
        if differing_units(one) > sum(sorted_kinds(batch).values())
    ]
    facts = Facts(
        rubric=document,
        compared=len(compared),
        differing=sum(differing_units(one) for one in alone),
        sorted=sum(sum(sorted_kinds(batch).values()) for batch in compared),
        traced=AnchorSource.objects.filter(rubric=newest.rubric_id).count(),
        rounds=len(pooled.batches) if pooled else 0,
        running=any(_is_running(batch, newest) for batch in batches),
        cleared=cleared,
        waived=len(clearing.waived(pooled.rows)) if pooled else 0,
        # A check that no round asked about has not cleared.
        checks=max(checks, len(needed | asked)),
        holding=clearing.holding_words(pooled.rows) if pooled else "",
        gold=len(gold),
        planted=sum(gold),
        votes=sum(votes for votes, _ in votes_counted(batches).values()),
        pairs=_labelled(project),
        releases=sum(_released(batch) for batch in batches),
    )
    return facts, next(iter(sorted(waiting or compared, key=lambda one: -one.pk)), None)


def _compared(batches: Sequence[Any]) -> list[Batch]:
    """Closed rounds and imports, without those that nobody has voted in."""
    return [
        batch
        for batch in batches
        if (batch.closed_at is not None or batch.kind == Batch.Kind.IMPORTED)
        and batch.votes_measured
    ]


def _measured(
    compared: Sequence[Batch], documents: dict[int, Document], newest: RubricVersion
) -> tuple[list[Measured], Measured | None]:
    """Each batch by itself, and the rounds of the newest version together."""
    rounds = [batch for batch in compared if batch.kind == Batch.Kind.CALIBRATION]
    pool = [one for one in pools_of(rounds) if one[0].version.number == newest.number]
    checks = {batch.version_id: documents[batch.version.number].criteria for batch in compared}
    found = measure_pools(
        [*([batch] for batch in compared), *pool], counted=votes_counted(compared), checks=checks
    )
    return found[: len(compared)], found[-1] if pool else None


def _is_running(batch: Batch, version: RubricVersion) -> bool:
    is_round = batch.kind == Batch.Kind.CALIBRATION
    return is_round and batch.closed_at is None and batch.version.number == version.number


def _released(batch: Any) -> int:
    return int(batch.released)


def _gold(
    project: Project, own: Sequence[RubricVersion], documents: dict[int, Document]
) -> list[bool]:
    """The answers that can still be hidden under the newest version, and whether a gate fails.

    Those of an earlier version that asks the very same count; a pair that a rater has had does not.
    """
    newest = _questions(documents[own[-1].number])
    same = [number for number, one in documents.items() if _questions(one) == newest]
    given = Assignment.objects.filter(subject=OuterRef("subject"))
    failing = GoldLabel.objects.filter(gold=OuterRef("pk"), criterion__kind="gate", code="fail")
    rows = GoldAnswer.objects.filter(
        ~Exists(given),
        use=GoldAnswer.Use.HIDDEN,
        version__rubric=own[-1].rubric_id,
        version__number__in=same,
        subject__project=project,
    ).annotate(plants=Exists(failing))
    return list(dict(rows.values_list("subject", "plants")).values())


def _questions(document: Document) -> list[tuple[object, ...]]:
    return [question(check) for check in document.for_raters.criteria]


def _labelled(project: Project) -> int:
    """Pairs with a vote that was made here by a person."""
    votes = (
        Vote.objects.current()
        .counted()
        .filter(
            batch__project=project,
            batch__simulated=False,
            batch__kind__in=("calibration", "volume"),
        )
    )
    return Subject.objects.pairs().filter(pk__in=votes.values("subject")).count()


def _page(
    project: Project,
    rubric: Rubric | None,
    others: tuple[Rubric, ...],
    found: Readiness,
    batches: Sequence[Batch],
    newest: RubricVersion | None = None,
    contested: Batch | None = None,
) -> ReadinessPage:
    hrefs = _hrefs(project, newest, batches, contested)
    lines = tuple(
        LinkedLine(line, hrefs.get(line.code, hrefs["procedure"]), line == found.next)
        for line in found.lines
    )
    following = next((one for one in lines if one.is_next), None)
    href = following.href if following else hrefs.get("kept", hrefs["procedure"])
    action = following.line.action if following else "See the decisions"
    return ReadinessPage(rubric, others, found, lines, href, action)


def _hrefs(
    project: Project,
    newest: RubricVersion | None,
    batches: Sequence[Batch],
    contested: Batch | None,
) -> dict[str, str]:
    """Where each line is done, by its code; without a version all of them in the rubrics."""
    if newest is None:
        return {"procedure": reverse("rubrics:rubrics", args=[project.slug])}
    rubric = newest.rubric.slug
    version = reverse("rubrics:version", args=[project.slug, rubric, newest.number])
    rounds = [batch for batch in batches if batch.kind == Batch.Kind.CALIBRATION]
    compared = _compared(batches)
    closed = [batch for batch in compared if batch.kind == Batch.Kind.CALIBRATION]
    running = next((batch for batch in rounds if _is_running(batch, newest)), None)
    tried = any(batch.version.number == newest.number for batch in closed)
    start = reverse("annotate:round_new", args=[project.slug])
    found = {
        "procedure": version,
        "examples": version,
        "code": reverse("annotate:checks", args=[project.slug]),
        "rounds": reverse("annotate:rounds_table", args=[project.slug, rubric]) if tried else start,
        "gold": reverse("annotate:gold", args=[project.slug]),
        "sorted": reverse("annotate:import_new", args=[project.slug]),
        "kept": start,
    }
    if running is not None:
        there = reverse("annotate:round", args=[project.slug, running.number])
        found |= {"sorted": there, "kept": there} | ({} if tried else {"rounds": there})
    if compared:
        found["kept"] = f"{_report(project, (closed or compared)[-1])}#decisions"
    if contested is not None:
        found["sorted"] = reverse(
            "annotate:disagreements", args=[project.slug, contested.public_id]
        )
    return found


def _report(project: Project, batch: Batch) -> str:
    if batch.kind == Batch.Kind.IMPORTED:
        return reverse("annotate:imported", args=[project.slug, batch.name])
    return reverse("annotate:round", args=[project.slug, batch.number])
