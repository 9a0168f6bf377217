"""Splits that stay: the same pair contested on the same check under two versions or more.

A check is followed through the versions by its lineage, so a split does not start anew because
its check was renamed, and both halves of a check that was split are looked at.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Q

from annotate.labelling import content_of
from annotate.lineage import lines
from annotate.models import Batch, Label, Vote
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from uuid import UUID

    from annotate.lineage import Line
    from projects.models import Project


# Batch, subject, key and part.
Place = tuple[int, int, str, str]
# Subject, its public id, its external id, and the part.
_Unit = tuple[int, "UUID", str, str]


@dataclass(frozen=True)
class Splits:
    """One unit that raters differed on in one batch, under the key of that batch's version."""

    batch: Batch
    key: str

    @property
    def version(self) -> int:
        return self.batch.version.number


@dataclass(frozen=True)
class Persistent:
    """A unit with its splits, those of the oldest version first."""

    subject: int
    public_id: UUID
    external_id: str
    part: str
    heading: str
    splits: tuple[Splits, ...]

    @property
    def newest(self) -> Splits:
        return self.splits[-1]

    @property
    def key(self) -> str:
        return self.newest.key

    @property
    def batch(self) -> Batch:
        return self.newest.batch

    @property
    def places(self) -> list[Place]:
        """Where each of its splits lies, the newest last."""
        return [(one.batch.pk, self.subject, one.key, self.part) for one in self.splits]

    def is_ruled_on(self, ruled: Mapping[Place, bool]) -> bool:
        """Whether the last split has a ruling, or a ruling on an earlier one still waits."""
        return self.places[-1] in ruled or any(ruled.get(place) for place in self.places)

    @property
    def versions(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(one.version for one in self.splits))


def persistent_splits(
    project: Project, *, ruled: Mapping[Place, bool], without: Collection[int]
) -> tuple[Persistent, ...]:
    """Those of closed batches that nobody has sent to the policy owner since the last split.

    `ruled` are the units that have a ruling, and whether it waits; `without` subjects whose votes
    the reader may not see. The most versions come first. What
    simulated raters split on stays apart from what people split on.
    """
    batches = _batches(project)
    by_rubric: dict[tuple[int, bool], list[Batch]] = defaultdict(list)
    for batch in batches:
        by_rubric[batch.version.rubric_id, batch.simulated].append(batch)
    several = {
        place: found
        for place, found in by_rubric.items()
        if len({batch.version.number for batch in found}) > 1
    }
    if not several:
        return ()
    versions = _versions({rubric for rubric, _ in several})
    splits = _splits([batch for found in several.values() for batch in found], without)
    found = [
        persistent
        for (rubric, _), held in several.items()
        for persistent in _followed(held, versions[rubric], splits)
    ]
    return tuple(
        sorted(
            (one for one in found if not one.is_ruled_on(ruled)),
            key=lambda one: (-len(one.versions), one.external_id, one.key, one.part),
        )
    )


def _batches(project: Project) -> Iterable[Batch]:
    return Batch.objects.visible().closed().of_project(project).with_versions().order_by("pk")


def _versions(rubrics: Collection[int]) -> Mapping[int, Mapping[int, RubricVersion]]:
    """Rubric → number → its version, the numbers rising."""
    rows = RubricVersion.objects.filter(rubric__in=rubrics).released().latest_revisions()
    found: dict[int, dict[int, RubricVersion]] = defaultdict(dict)
    for version in rows.order_by("number"):
        found[version.rubric_id][version.number] = version
    return found


def _splits(
    batches: Sequence[Batch], without: Collection[int]
) -> Mapping[int, Sequence[tuple[_Unit, str]]]:
    """Batch → the units that its raters differ on, each with the key of its check."""
    votes = Vote.objects.of_batches(*batches).current().order_by()
    often = (
        votes.values("subject")
        .annotate(versions=Count("batch__version__number", distinct=True))
        .filter(versions__gt=1)
        .values("subject")
    )
    rows = (
        Label.objects.of_current_votes(*batches)
        .for_reliability()
        .filter(vote__subject__in=often)
        .exclude(vote__subject__in=list(without))
        .order_by()
        .values_list(
            "vote__batch_id",
            "vote__subject_id",
            "vote__subject__public_id",
            "vote__subject__external_id",
            "part_key",
            "criterion__key",
        )
        .annotate(codes=Count("code", distinct=True), numbers=Count("number", distinct=True))
        .filter(Q(codes__gt=1) | Q(numbers__gt=1))
    )
    found: dict[int, list[tuple[_Unit, str]]] = defaultdict(list)
    for batch, subject, public_id, external_id, part, key, *_ in rows:
        found[batch].append(((subject, public_id, external_id, part), key))
    return found


def _followed(
    batches: Sequence[Batch],
    versions: Mapping[int, RubricVersion],
    splits: Mapping[int, Sequence[tuple[_Unit, str]]],
) -> Iterable[Persistent]:
    """The units of one rubric that were split under two versions of the same check."""
    numbers = list(versions)
    held = lines([content_of(version.document) for version in versions.values()])
    in_order = sorted(batches, key=lambda batch: (batch.version.number, batch.pk))
    told: set[tuple[_Unit, tuple[tuple[int, str], ...]]] = set()
    for line in held:
        found: dict[_Unit, list[Splits]] = defaultdict(list)
        for batch in in_order:
            keys = _keys(line, numbers, batch.version.number)
            for unit, key in splits.get(batch.pk, ()):
                if key in keys:
                    found[unit].append(Splits(batch, key))
        for unit, ones in found.items():
            # Halves of a check that were merged again lie on one line and on none of their own.
            same = (unit, tuple((one.batch.pk, one.key) for one in ones))
            if len({one.version for one in ones}) > 1 and same not in told:
                told.add(same)
                yield Persistent(
                    *unit, heading=line.check.title or line.check.text, splits=tuple(ones)
                )


def _keys(line: Line, numbers: Sequence[int], number: int) -> Sequence[str]:
    return line.cells[numbers.index(number)] if number in numbers else ()
