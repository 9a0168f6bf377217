"""The versions of a rubric with the rounds that tried them, in a fixed number of queries.

Real and simulated raters are never mixed: a history is of the one or of the other.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db.models import Count, IntegerField, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotate.access import still_rated
from annotate.calibration import FIGURES, Measured, measure_pools, pools_of
from annotate.known import known_under_each
from annotate.models import (
    AnchorSource,
    Batch,
    Disagreement,
    Edit,
    Release,
    Slot,
    Subject,
    Vote,
)
from annotate.probes import failing_codes
from annotate.snapshots import kept_of, remembered
from annotate.snapshots import key_of as kept_as
from annotate.verdicts import key_of, verdict_in
from rubrics.document import from_canonical
from rubrics.edits import is_there
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from annotate.querysets import BatchQuerySet
    from annotate.snapshots import Counted
    from annotate.verdicts import Verdict
    from projects.models import Project, User
    from rubrics.content import Rubric

KINDS = tuple(Disagreement.Kind)
# What the planted failures of a pool are kept as.
PLANTED = "planted"


@dataclass(frozen=True)
class Tried:
    """A version, its document, and the closed rounds that tried it; `measured` pools them."""

    version: RubricVersion
    document: Rubric
    rounds: tuple[Batch, ...] = ()
    measured: Measured | None = None


@dataclass(frozen=True)
class OneRound:
    """A closed round: the units on which its raters differ, and those sorted, by kind."""

    batch: Batch
    differing: int
    sorted: dict[str, int]

    @property
    def open(self) -> int:
        return max(0, self.differing - sum(self.sorted.values()))


@dataclass(frozen=True)
class Asked:
    """The checks that a change went into, in version `number`, and what asked for it."""

    number: int
    keys: frozenset[str]
    disagreement: int


@dataclass(frozen=True)
class History:
    """`versions` are those published at some time, oldest first; `running` are open rounds."""

    versions: tuple[Tried, ...]
    rounds: tuple[OneRound, ...]
    running: tuple[Batch, ...]
    simulated: bool
    # Whether there are closed rounds of real raters and of simulated ones.
    both: bool
    asked: tuple[Asked, ...]
    # The pair that an anchor was taken from, by the anchor's text.
    places: dict[str, str]
    votes: int
    # By version number and check, the failures that were planted.
    probes: dict[tuple[int, str], int]
    # On the last round of the newest version that was tried.
    verdict: Verdict | None

    @property
    def newest(self) -> Tried:
        return self.versions[-1]


def history_of(
    project: Project, versions: Sequence[RubricVersion], reader: User, *, simulated: bool | None
) -> History:
    """`versions` are of one rubric, one for each number, oldest first. `simulated` chooses whose
    rounds; None, or those there are none of, takes real raters where they have closed a round."""
    rubric = versions[0].rubric
    found = list(counted_batches(project, rubric.pk).rounds())
    closed = [batch for batch in found if batch.closed_at is not None]
    kinds = {batch.simulated for batch in closed}
    if simulated not in kinds:
        simulated = bool(kinds) and False not in kinds
    chosen = [batch for batch in closed if batch.simulated == simulated]
    counted = votes_counted(found)
    pools = pools_of(chosen)
    alone = [[batch] for pool in pools if len(pool) > 1 for batch in pool]
    documents = {version.number: document_of(version) for version in versions}
    checks = {batch.version_id: documents[batch.version.number].criteria for batch in chosen}
    newest = max(pools, key=lambda pool: pool[0].version.number, default=None)
    last = newest[-1] if newest else None
    all_pools = [*pools, *alone]
    planted = _planted_in(chosen)
    also = [kept_as(PLANTED, pool, counted) for pool in pools] if planted else []
    kept = kept_of(FIGURES, all_pools, counted, also=[*also, key_of(last)] if last else [])
    measured = measure_pools(all_pools, counted=counted, checks=checks, kept=kept)
    of_version = {one.batches[0].version.number: one for one in measured[: len(pools)]}
    of_round = {one.batches[0].pk: one for one in measured if len(one.batches) == 1}
    texts = {
        anchor.text for one in documents.values() for c in one.criteria for anchor in c.anchors
    }
    return History(
        versions=tuple(
            Tried(
                version,
                documents[version.number],
                measured_here.batches if measured_here else (),
                measured_here,
            )
            for version in versions
            for measured_here in [of_version.get(version.number)]
        ),
        rounds=tuple(_one_round(row, of_round[row.pk]) for row in _rows(chosen)),
        running=tuple(b for b in found if b.closed_at is None and not b.simulated),
        simulated=simulated,
        both=len(kinds) > 1,
        asked=tuple(_asked(rubric.pk, documents)),
        places=_places(rubric.pk, texts, reader),
        votes=sum(row.votes_measured for row in _rows(chosen)),
        probes=_probes(pools, planted, counted, kept),
        verdict=verdict_in(kept, last) if last else None,
    )


def votes_counted(batches: Iterable[Batch]) -> Counted:
    """What `snapshots.counted_votes` asks for, from batches that carry it."""
    return {row.pk: (row.votes_now, row.votes_last) for row in _rows(batches) if row.votes_last}


def document_of(version: RubricVersion) -> Rubric:
    return replace(from_canonical(version.document), number=version.number)


def counted_batches(project: Project, rubric: int) -> BatchQuerySet:
    """The rounds and imports under a rubric, oldest first, each with what is counted in it."""
    batches = Batch.objects.visible().of_project(project).with_versions()
    of_round = Disagreement.objects.filter(batch=OuterRef("pk"))
    votes = Vote.objects.filter(batch=OuterRef("pk")).order_by().values("batch")
    now = votes.annotate(n=Count("id", filter=Q(current=True))).values("n")
    # What was planted is in no figure, and so in no number of votes that stands beside one.
    measured = Vote.objects.filter(batch=OuterRef("pk")).current().counted()
    return (
        batches.filter(version__rubric=rubric)
        .annotate(
            votes_now=Coalesce(Subquery(now, output_field=IntegerField()), 0),
            votes_measured=_count(measured, "id"),
            votes_last=Subquery(votes.annotate(n=Max("id")).values("n")),
            released=_count(Release.objects.filter(batch=OuterRef("pk")), "id"),
            **{f"of_{kind}": _count(of_round.filter(kind=kind), "id") for kind in KINDS},
        )
        .order_by("number", "id")
    )


def _count(rows: QuerySet[Any], field: str) -> Coalesce:
    counted = rows.order_by().values("batch").annotate(n=Count(field, distinct=True)).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _rows(batches: Iterable[Batch]) -> list[Any]:
    """The same rows, with the annotations that their type does not know."""
    return list(batches)


def differing_units(measured: Measured) -> int:
    """The units on which raters differ, the outcome aside: that is what their labels come to."""
    return sum(found.split for found in measured.rows if found.kind != "outcome")


def _one_round(row: Any, measured: Measured) -> OneRound:
    return OneRound(
        batch=row,
        differing=differing_units(measured),
        sorted=sorted_kinds(row),
    )


def _planted_in(rounds: Sequence[Batch]) -> dict[int, set[int]]:
    """By round, the pairs that were planted in it."""
    slots = Slot.objects.filter(batch__in=list(rounds), role=Slot.Role.PROBE).order_by()
    found: dict[int, set[int]] = defaultdict(set)
    for batch, subject in slots.values_list("batch_id", "subject_id"):
        found[batch].add(subject)
    return found


def _probes(
    pools: Iterable[Sequence[Batch]],
    planted: Mapping[int, set[int]],
    counted: Counted,
    kept: Mapping[str, dict[str, Any]],
) -> dict[tuple[int, str], int]:
    """By version and check, the failures planted in its rounds, as the reports count them.

    Kept like a figure: what a planted pair was known to fail can change no more.
    """
    found: dict[tuple[int, str], int] = {}
    for pool in pools:
        if not planted.keys().isdisjoint(batch.pk for batch in pool):
            data = remembered(PLANTED, pool, partial(_failures, pool, planted), counted, dict(kept))
            found |= {(pool[0].version.number, key): times for key, times in data.items()}
    return found


def _failures(pool: Sequence[Batch], planted: Mapping[int, set[int]]) -> dict[str, int]:
    # Whole rows: the batches do not carry the documents of their revisions.
    versions = RubricVersion.objects.filter(pk__in={batch.version_id for batch in pool})
    subjects = Subject.objects.filter(pk__in=set().union(*planted.values()))
    known = known_under_each(versions, subjects)
    codes = {version.pk: failing_codes(version) for version in versions}
    return dict(
        Counter(
            key
            for batch in pool
            for subject in planted.get(batch.pk, ())
            if (kept := known[batch.version_id].get(subject)) is not None
            for (key, _), code in kept.labels.items()
            if code and code == codes[batch.version_id].get(key)
        )
    )


def sorted_kinds(batch: Any) -> dict[str, int]:
    """By kind, the disagreements of a counted batch that somebody sorted."""
    return {kind: getattr(batch, f"of_{kind}") for kind in KINDS}


def _asked(rubric: int, documents: Mapping[int, Rubric]) -> Iterable[Asked]:
    """Not by what was written over since: the version does not have it."""
    edits = Edit.objects.standing().filter(rubric=rubric, number__in=documents)
    rows = edits.filter(disagreements__isnull=False).order_by("pk")
    columns = ("number", "key", "kind", "keys", "detail", "disagreements")
    for number, key, kind, keys, detail, pk in rows.values_list(*columns):
        if is_there(documents[number], kind, keys, detail):
            yield Asked(number, frozenset([key, *keys]), pk)


def _places(rubric: int, texts: Iterable[str], reader: User) -> dict[str, str]:
    """Not the pairs that the reader still rates: that one is an example is a word about it."""
    by_hash = {hashlib.sha256(text.encode()).hexdigest(): text for text in texts}
    rows = AnchorSource.objects.filter(rubric=rubric).exclude(subject__in=still_rated(reader))
    return {
        by_hash[digest]: external_id
        for digest, external_id in rows.values_list("text_sha256", "subject__external_id")
        if digest in by_hash
    }
