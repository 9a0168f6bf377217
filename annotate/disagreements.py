"""Where raters differ: every check and preference on which the votes that count are not alike.

The one place that finds them. Nothing is kept of a disagreement before somebody sorts it: units
come from the labels, and are remembered for exactly these votes (annotate/snapshots.py), each with
its influence on alpha and the kind that triage suggests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from annotate.access import still_rated_by
from annotate.calibration import bars_of, pool_of
from annotate.disagreement_entries import entries
from annotate.models import Batch, Disagreement
from annotate.reliability import Level, Status
from annotate.snapshots import counted_votes, remembered
from annotate.triage import CheckKind, Strength, Suggestion

if TYPE_CHECKING:
    from annotate.snapshots import Counted
    from projects.models import User

# Subject, key of the check, part.
Place = tuple[int, str, str]


@dataclass(frozen=True)
class Unit:
    subject: int
    external_id: str
    public_id: UUID
    key: str
    part: str

    @property
    def place(self) -> Place:
        return self.subject, self.key, self.part


@dataclass(frozen=True)
class Differing:
    """One disagreement. `values` are (rater pk, code), in the order of the raters' handles.

    `influence` is what alpha gains without the subject, None where nothing can be said. `row` is
    there once somebody has sorted it, acted on it or sent it on. `batch` is where it is sorted: of
    several the newest whose raters differ on it, else the newest that labelled it. `names` are the
    neutral handles, by rater, that the suggestion speaks of. `opposite`: of a preference, that it
    differs in sign, not in degree alone. `in_meeting`: raters of `batch` differ by themselves, so
    that its meeting has it.
    """

    unit: Unit
    values: tuple[tuple[int, str], ...]
    influence: float | None
    suggestion: Suggestion
    row: Disagreement | None
    batch: int
    names: Mapping[int, str] = field(default_factory=dict)
    opposite: bool = False
    in_meeting: bool = True
    # Raters differ on whether the check applies, a figure of its own: `influence` is on that one.
    applies: bool = False

    @property
    def kind(self) -> str:
        """What somebody chose; '' while it is open."""
        return self.row.kind if self.row else ""


@dataclass(frozen=True)
class Settled:
    """Once these pairs are settled alpha comes to this; `reaches` says whether that is the bar."""

    alpha: float
    subjects: tuple[str, ...]
    reaches: bool


@dataclass(frozen=True)
class Group:
    """A check and all its disagreements, the most influential first."""

    key: str
    kind: CheckKind
    title: str
    level: Level
    scale: tuple[str, ...]
    alpha: float | None
    status: Status
    shared: int
    settled: Settled | None
    found: tuple[Differing, ...] = ()

    @property
    def named(self) -> bool:
        return self.kind != "preference"

    @property
    def open(self) -> int:
        return sum(not one.kind for one in self.found)


@dataclass(frozen=True)
class Found:
    """All disagreements of some batches. `handles` are the neutral names of their raters, by pk.

    Where raters are anonymous, none is known by one name on two subjects: there is
    `Differing.names` alone.
    """

    batches: tuple[Batch, ...]
    groups: tuple[Group, ...]
    handles: Mapping[int, str] = field(default_factory=dict)

    @property
    def all(self) -> list[Differing]:
        return [one for group in self.groups for one in group.found]

    @property
    def anonymous(self) -> bool:
        return any(batch.anonymous_raters for batch in self.batches)

    def of(self, place: Place) -> Differing | None:
        return next((one for one in self.all if one.unit.place == place), None)

    def with_row(self, unit: Unit, row: Disagreement) -> Found:
        """The same after somebody has sorted one of them."""
        return replace(self, groups=tuple(_with_row(group, unit, row) for group in self.groups))


def _with_row(group: Group, unit: Unit, row: Disagreement) -> Group:
    if group.key != unit.key:
        return group
    found = (replace(one, row=row) if one.unit == unit else one for one in group.found)
    return replace(group, found=tuple(found))


def unit_code(unit: Unit) -> str:
    """How a unit is named in addresses: keys hold no full stop."""
    return f"{unit.public_id}.{unit.key}.{unit.part or '-'}"


def unit_of(code: str) -> tuple[UUID, str, str] | None:
    """(public id of the subject, key, part) of an address; None where it names no unit."""
    subject, _, rest = code.partition(".")
    key, _, part = rest.partition(".")
    try:
        public_id = UUID(subject)
    except ValueError:
        return None
    return (public_id, key, "" if part == "-" else part) if key and part else None


def differing(batches: Sequence[Batch], *, reader: User, counted: Counted | None = None) -> Found:
    """All disagreements by check in rubric order; none on what `reader` could still rate.

    `batches` are of one rubric version: one batch, or a pool (annotate.calibration.pool_of).
    `counted` are their votes, where somebody has counted them already.
    """
    data = _remembered(batches, counted)
    secret = set(still_rated_by(reader))
    # A batch has rows of its own; what stands in the newest is what is told of several.
    kept = Disagreement.objects.filter(batch__in=batches).order_by("batch_id")
    rows = {
        (row.subject_id, row.criterion.key, row.part_key): row
        for row in kept.select_related("criterion", "ruling", "sorted_by")
    }
    groups = [_group(entry, secret, rows) for entry in data["groups"]]
    return Found(tuple(batches), tuple(groups), dict(data["handles"]))


def keep_disagreements(batch: Batch) -> None:
    """Compute what the lists of this batch, and of those pooled with it, will read."""
    _remembered([batch])
    if (pool := pool_of(batch)) != [batch]:
        _remembered(pool)


def _remembered(batches: Sequence[Batch], counted: Counted | None = None) -> dict[str, Any]:
    bars, counted = bars_of(batches[-1].project), counted or counted_votes(batches)
    kind = f"disagreements under {bars.clear} and {bars.tentative}"
    return remembered(kind, batches, lambda: entries(batches, bars, counted), counted)


def _group(entry: Mapping[str, Any], secret: set[int], rows: Mapping[Place, Disagreement]) -> Group:
    shown = [one for one in entry["found"] if one["subject"] not in secret]
    return Group(
        key=entry["key"],
        kind=entry["kind"],
        title=entry["title"],
        level=entry["level"],
        scale=tuple(entry["scale"]),
        alpha=entry["alpha"],
        status=Status(entry["status"]),
        shared=entry["shared"],
        settled=_settled_of(entry["settled"], secret),
        found=tuple(_differing(one, entry["key"], rows) for one in shown),
    )


def _settled_of(told: Sequence[Any] | None, secret: set[int]) -> Settled | None:
    """None as well where a pair is secret: that raters differ on it is a word about their votes."""
    if told is None:
        return None
    alpha, subjects, reaches = told
    if secret & {pk for pk, _ in subjects}:
        return None
    return Settled(alpha, tuple(name for _, name in subjects), reaches)


def _differing(one: Mapping[str, Any], key: str, rows: Mapping[Place, Disagreement]) -> Differing:
    unit = Unit(one["subject"], one["external_id"], UUID(one["public_id"]), key, one["part"])
    kind, why, strength = one["suggestion"]
    return Differing(
        unit=unit,
        values=tuple((rater, code) for rater, code in one["values"]),
        influence=one["influence"],
        suggestion=Suggestion(kind, why, Strength(strength)),
        row=rows.get(unit.place),
        batch=one["batch"],
        names=dict(one["names"]),
        opposite=one["opposite"],
        in_meeting=one["in_meeting"],
        applies=one["applies"],
    )
