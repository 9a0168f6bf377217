"""The pairs behind a number: units of a check with every rater's label, filtered and paged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet, Value

from annotate.access import still_rated_by
from annotate.models import Label, Ruling, Subject, Vote
from annotate.outcomes import decided_as, vote_outcomes
from annotate.pages.unit_filters import (
    ALL_VOTES,
    Check,
    Filters,
    Reading,
    label_rules,
    matches,
    vote_rules,
)
from annotate.ratings import OUTCOME
from projects.models import Rater
from rubrics.content import NA
from rubrics.words import label_words, number_words

if TYPE_CHECKING:
    from annotate.models import Batch
    from projects.models import User

PAGE = 50
# Subject, part and key of the check.
Place = tuple[int, str, str]
Labels = dict[Place, dict[int, str]]


@dataclass(frozen=True)
class Unit:
    """One unit: the labels by rater id; several batches may hold labels of one unit."""

    subject: Subject
    part: str
    key: str
    labels: dict[int, str] = field(default_factory=dict)
    # Whether the policy owner was asked about the pair: its labels stand as they are.
    ruled: bool = False

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
        return [Cell(label_words(label), bool(label) and times[label] < most) for label in given]


def units(batches: Sequence[Batch], filters: Filters, *, reader: User, number: str | None) -> Units:
    """One page of units in order of their subjects, without those whose votes are still secret."""
    secret = still_rated_by(reader)
    found: Sequence[Place] | QuerySet[Any, Any]
    labels: Labels = {}
    if filters.check.code == OUTCOME:
        labels = _outcomes(batches, filters, secret)
        found = list(labels)
    elif filters.check.code == ALL_VOTES:
        found = _voted(batches, filters, secret)
    else:
        found = _places(batches, filters, secret)
    page = Paginator(found, PAGE).get_page(number)
    places = [(subject, part, key) for subject, part, key, *_ in page.object_list]
    pks = {subject for subject, *_ in places}
    if filters.check.code == ALL_VOTES:
        labels = _votes(batches, pks)
    elif filters.check.code != OUTCOME:
        labels = _labels(batches, filters.check, pks)
    subjects = Subject.objects.in_bulk(pks)
    ruled = set(Ruling.objects.filter(subject__in=pks).values_list("subject", flat=True))
    shown = tuple(
        Unit(subjects[subject], part, key, labels.get((subject, part, key), {}), subject in ruled)
        for subject, part, key in places
    )
    raters = Rater.objects.filter(pk__in={pk for unit in shown for pk in unit.labels})
    anonymous = any(batch.anonymous_raters for batch in batches)
    return Units(page, shown, tuple(raters.order_by("name")), anonymous)


def _asked(batches: Sequence[Batch], check: Check) -> QuerySet[Label]:
    """The labels that reliability rests on."""
    labels = Label.objects.of_current_votes(*batches).for_reliability()
    return labels.filter(criterion__key__in=check.keys)


def _places(
    batches: Sequence[Batch], filters: Filters, secret: Iterable[int]
) -> QuerySet[Label, Any]:
    rows = _asked(batches, filters.check)
    if filters.check.reading == Reading.VALUES:
        rows = rows.exclude(code=NA)
    if filters.decision:
        rows = rows.filter(vote__subject__in=_decided(batches, filters))
    counts, wanted = label_rules(filters)
    return (
        rows.exclude(vote__subject__in=list(secret))
        .order_by("vote__subject_id", "criterion__key", "part_key")
        .values_list("vote__subject_id", "part_key", "criterion__key")
        .annotate(**counts)
        .filter(wanted)
    )


def _decided(batches: Sequence[Batch], filters: Filters) -> list[int]:
    return [
        subject
        for batch in batches
        for subject in decided_as(batch, filters.policy, filters.decision)
    ]


def _labels(batches: Sequence[Batch], check: Check, subjects: Iterable[int]) -> Labels:
    rows = _asked(batches, check).filter(vote__subject__in=list(subjects))
    found: Labels = {}
    for subject, part, key, rater, code, number in rows.values_list(
        "vote__subject_id", "part_key", "criterion__key", "vote__rater_id", "code", "number"
    ):
        found.setdefault((subject, part, key), {})[rater] = (
            code if number is None else number_words(number)
        )
    return found


def _outcomes(batches: Sequence[Batch], filters: Filters, secret: Iterable[int]) -> Labels:
    """What each vote comes to, by subject: computed, since no row holds it."""
    hidden = set(secret)
    found: dict[int, dict[int, str]] = {}
    for batch in batches:
        for subject, given in vote_outcomes(batch).items():
            found.setdefault(subject, {}).update(given)
    # A pair may be undecided because no vote on it comes to anything: that is no unit otherwise.
    units = (subject for subject, given in found.items() if given)
    asked_for = set(_decided(batches, filters) if filters.decision else units)
    return {
        (subject, "", OUTCOME): found[subject]
        for subject in sorted((asked_for & found.keys()) - hidden)
        if matches(found[subject], filters)
    }


def _voted(batches: Sequence[Batch], filters: Filters, secret: Iterable[int]) -> QuerySet[Any, Any]:
    """Subjects with votes; of the filters, those on the number of votes and on raters apply."""
    rows = Vote.objects.of_batches(*batches).current().counted().exclude(subject__in=list(secret))
    counts, wanted = vote_rules(filters)
    return (
        rows.order_by("subject_id")
        .values_list("subject_id", Value(""), Value(ALL_VOTES))
        .annotate(**counts)
        .filter(wanted)
    )


def _votes(batches: Sequence[Batch], subjects: Iterable[int]) -> Labels:
    rows = Vote.objects.of_batches(*batches).current().counted().filter(subject__in=list(subjects))
    found: Labels = {}
    for subject, rater in rows.values_list("subject_id", "rater_id"):
        found.setdefault((subject, "", ALL_VOTES), {})[rater] = "voted"
    return found
