"""The pairs behind a number: units of a check with every rater's label, filtered and paged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet

from annotate.decisions import Policy, outcome
from annotate.gaps import still_rated_by
from annotate.models import Label, Subject
from annotate.outcomes import decided_as
from annotate.ratings import OUTCOME, votes_by_subject
from projects.models import Rater

if TYPE_CHECKING:
    from annotate.models import Batch
    from projects.models import User

PAGE = 50
Place = tuple[int, str]


@dataclass(frozen=True)
class Filters:
    """Which units of which check: all, or those with a label `value`, without being all `off`,
    labelled by one rater, on which raters differ, or whose pair was decided in one way.
    """

    criterion: str
    value: str = ""
    off: str = ""
    rater: int | None = None
    differ: bool = False
    decision: str = ""
    policy: Policy = Policy.ONE_SIDED

    @property
    def narrow(self) -> bool:
        return bool(self.value or self.off or self.rater or self.differ or self.decision)


@dataclass(frozen=True)
class Unit:
    """One unit: the labels by rater id; several batches may hold labels of one unit."""

    subject: Subject
    part: str
    labels: dict[int, str] = field(default_factory=dict)

    @property
    def differ(self) -> bool:
        return len(set(self.labels.values())) > 1


@dataclass(frozen=True)
class Cell:
    """One rater's label; `odd` where most of the others gave another."""

    label: str
    odd: bool


@dataclass(frozen=True)
class Line:
    unit: Unit
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Units:
    page: Page[Any]
    units: tuple[Unit, ...]
    raters: tuple[Rater, ...]
    anonymous: bool

    @property
    def lines(self) -> list[Line]:
        """A cell per rater; where raters are anonymous, the labels in order of value."""
        return [Line(unit, tuple(self._cells(unit))) for unit in self.units]

    def _cells(self, unit: Unit) -> list[Cell]:
        times = Counter(unit.labels.values())
        most = max(times.values(), default=0)
        given = (
            sorted(unit.labels.values())
            if self.anonymous
            else [unit.labels.get(rater.pk, "") for rater in self.raters]
        )
        return [Cell(label, bool(label) and times[label] < most) for label in given]


def units(batches: Sequence[Batch], filters: Filters, *, reader: User, number: str | None) -> Units:
    """One page of units in order of their subjects, without those whose votes are still secret."""
    secret = still_rated_by(reader)
    found: Sequence[Place] | QuerySet[Label, Any]
    if filters.criterion == OUTCOME:
        labels = _outcomes(batches, secret)
        found = [place for place in labels if _matches(labels[place], filters)]
    else:
        labels = None
        found = _places(batches, filters, secret)
    if filters.decision and not isinstance(found, QuerySet):
        decided = set(_decided(batches, filters))
        found = [place for place in found if place[0] in decided]
    page = Paginator(found, PAGE).get_page(number)
    places = [(subject, part) for subject, part, *_ in page.object_list]
    if labels is None:
        labels = _labels(batches, filters.criterion, {subject for subject, _ in places})
    subjects = Subject.objects.in_bulk({subject for subject, _ in places})
    shown = tuple(Unit(subjects[pk], part, labels.get((pk, part), {})) for pk, part in places)
    raters = Rater.objects.filter(pk__in={pk for unit in shown for pk in unit.labels})
    anonymous = any(batch.anonymous_raters for batch in batches)
    return Units(page, shown, tuple(raters.order_by("name")), anonymous)


def _asked(batches: Sequence[Batch], criterion: str) -> QuerySet[Label]:
    """The labels that reliability rests on."""
    labels = Label.objects.of_current_votes(*batches).for_reliability()
    return labels.filter(criterion__key=criterion)


def _places(
    batches: Sequence[Batch], filters: Filters, secret: Iterable[int]
) -> QuerySet[Label, Any]:
    found = (
        _asked(batches, filters.criterion)
        .exclude(vote__subject__in=list(secret))
        .order_by("vote__subject_id", "part_key")
        .values_list("vote__subject_id", "part_key")
        .annotate(
            codes=Count("code", distinct=True, filter=~Q(code="")),
            numbers=Count("number", distinct=True),
            given=Count("id", filter=_given(filters)),
            all=Count("id"),
        )
    )
    if filters.value or filters.off or filters.rater:
        found = found.filter(given__gt=0)
    if filters.off:
        # A label that nobody else stands beside is in no minority.
        found = found.filter(all__gt=1)
    if filters.differ:
        found = found.filter(Q(codes__gt=1) | Q(numbers__gt=1) | Q(codes__gt=0, numbers__gt=0))
    if filters.decision:
        found = found.filter(vote__subject__in=_decided(batches, filters))
    return found


def _given(filters: Filters) -> Q:
    """One label that a unit must hold."""
    wanted = Q()
    if filters.value:
        wanted &= _is(filters.value)
    if filters.off:
        wanted &= ~_is(filters.off)
    if filters.rater:
        wanted &= Q(vote__rater=filters.rater)
    return wanted or Q(pk__isnull=False)


def _is(value: str) -> Q:
    try:
        return Q(code=value) | Q(code="", number=float(value))
    except ValueError:
        return Q(code=value)


def _decided(batches: Sequence[Batch], filters: Filters) -> list[int]:
    return [
        subject
        for batch in batches
        for subject in decided_as(batch, filters.policy, filters.decision)
    ]


def _labels(
    batches: Sequence[Batch], criterion: str, subjects: Iterable[int]
) -> dict[Place, dict[int, str]]:
    rows = _asked(batches, criterion).filter(vote__subject__in=list(subjects))
    found: dict[Place, dict[int, str]] = {}
    for subject, part, rater, code, number in rows.values_list(
        "vote__subject_id", "part_key", "vote__rater_id", "code", "number"
    ):
        found.setdefault((subject, part), {})[rater] = code or f"{number:g}"
    return found


def _outcomes(batches: Sequence[Batch], secret: Iterable[int]) -> dict[Place, dict[int, str]]:
    """What each vote comes to, by subject: computed, since no row holds it."""
    hidden = set(secret)
    found: dict[Place, dict[int, str]] = {}
    for batch in batches:
        for subject, votes in votes_by_subject(batch).items():
            if subject in hidden:
                continue
            for vote in votes:
                if (value := outcome(vote)) is not None:
                    found.setdefault((subject, ""), {})[int(vote.rater)] = value
    return dict(sorted(found.items()))


def _matches(labels: dict[int, str], filters: Filters) -> bool:
    if filters.differ and len(set(labels.values())) < 2:
        return False
    if not (filters.value or filters.off or filters.rater):
        return True
    return any(
        (not filters.value or value == filters.value)
        and (not filters.off or value != filters.off)
        and (not filters.rater or rater == filters.rater)
        for rater, value in labels.items()
    )
