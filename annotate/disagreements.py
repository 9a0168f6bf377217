"""Where raters differ: every check and preference on which the votes that count are not alike.

The one place that finds them. Nothing is kept of a disagreement before somebody sorts it: units
come from the labels, and are remembered for exactly these votes (annotate/snapshots.py), each with
its influence on alpha and the kind that triage suggests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Length

from annotate.access import still_rated_by
from annotate.calibration import Asked, asked_of, bars_of, figures_of, pool_of
from annotate.clearing import number_words
from annotate.decisions import margins_of
from annotate.models import Batch, Disagreement, Label, Subject, Vote
from annotate.querysets import PLANTED
from annotate.ratings import for_reliability, ratings
from annotate.reliability import (
    Bars,
    Level,
    Settling,
    Status,
    applicable,
    applying,
    settling,
    status,
)
from annotate.snapshots import counted_votes, remembered
from annotate.triage import (
    Case,
    CheckKind,
    Patterns,
    Strength,
    Suggestion,
    Voter,
    opposite,
    suggest,
)
from rubrics.content import NA, PREFERENCE

if TYPE_CHECKING:
    import pandas as pd
    from django.db.models import QuerySet

    from annotate.calibration import Computed
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
    there once somebody has sorted it, acted on it or sent it on. `batch` is where its votes were
    given, and `names` are the neutral handles, by rater, that the suggestion speaks of. `opposite`:
    of a preference, that it differs in sign, not in degree alone.
    """

    unit: Unit
    values: tuple[tuple[int, str], ...]
    influence: float | None
    suggestion: Suggestion
    row: Disagreement | None
    batch: int
    names: Mapping[int, str] = field(default_factory=dict)
    opposite: bool = False

    @property
    def kind(self) -> str:
        """What somebody chose; '' while it is open."""
        return self.row.kind if self.row else ""


@dataclass(frozen=True)
class Settled:
    """Without these pairs alpha comes to this; `reaches` says whether that is the bar."""

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


def differing(batches: Sequence[Batch], *, reader: User) -> Found:
    """All disagreements by check in rubric order; none on what `reader` could still rate.

    `batches` are of one rubric version: one batch, or a pool (annotate.calibration.pool_of).
    """
    data = _remembered(batches)
    secret = set(still_rated_by(reader))
    rows = {
        (row.subject_id, row.criterion.key, row.part_key): row
        for row in Disagreement.objects.filter(batch__in=batches).select_related(
            "criterion", "ruling", "sorted_by"
        )
    }
    groups = [_group(entry, secret, rows) for entry in data["groups"]]
    return Found(tuple(batches), tuple(groups), dict(data["handles"]))


def keep_disagreements(batch: Batch) -> None:
    """Compute what the lists of this batch, and of those pooled with it, will read."""
    _remembered([batch])
    if (pool := pool_of(batch)) != [batch]:
        _remembered(pool)


def _remembered(batches: Sequence[Batch]) -> dict[str, Any]:
    bars, counted = bars_of(batches[-1].project), counted_votes(batches)
    kind = f"disagreements under {bars.clear} and {bars.tentative}"
    return remembered(kind, batches, lambda: _computed(batches, bars, counted), counted)


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
    )


# --- computing them


@dataclass(frozen=True)
class _Voted:
    """A vote on a subject with a split; `labels` are by (key, part), the preference among them."""

    pk: int
    batch: int
    rater: int
    name: str
    cites: frozenset[str]
    unclear: frozenset[str]
    active_s: int | None
    labels: dict[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Told:
    """A subject with a split."""

    external_id: str
    public_id: UUID
    cluster: str
    characters: int | None
    votes: list[_Voted] = field(default_factory=list)


@dataclass(frozen=True)
class _Check:
    """A check with its two figures, where it has two, under the bars."""

    key: str
    kind: CheckKind
    title: str
    level: Level
    scale: tuple[str, ...]
    figures: Mapping[str, Computed]
    settlings: Mapping[str, Settling]

    def figure_of(self, given: Mapping[int, str]) -> str:
        """The figure that a split lies in: whether the check applies, or its values."""
        apart = NA in given.values() and "applicability" in self.figures
        return "applicability" if apart else "values"


def _computed(batches: Sequence[Batch], bars: Bars, counted: Counted) -> dict[str, Any]:
    asked = [figure for figure in asked_of(batches[-1]) if figure.kind != "outcome"]
    checks = _checks(batches, asked, counted)
    told = _told(batches)
    units = _units(batches, told, checks)
    gold = _gold(batches[-1])
    scales = {
        check.key: check.scale
        for check in checks
        if check.level == "ordinal" and check.kind != "preference"
    }
    preference = next((check.scale for check in checks if check.kind == "preference"), ())
    anonymous = any(batch.anonymous_raters for batch in batches)
    context = _Context(
        told=told,
        handles={} if anonymous else _handles(batches),
        gold=gold,
        scales=scales,
        margins=margins_of(preference) if preference else {},
        bars=bars,
        anonymous=anonymous,
    )
    groups = [_group_entry(check, units.get(check.key, {}), context) for check in checks]
    return {"groups": groups, "handles": list(context.handles.items())}


def _checks(batches: Sequence[Batch], asked: Sequence[Asked], counted: Counted) -> list[_Check]:
    figures, _ = figures_of(batches, asked_of(batches[-1]), counted)
    frame = ratings(batches, with_outcome=False)
    found: dict[str, _Check] = {}
    for figure in asked:
        rows = _of_figure(for_reliability(frame, figure.key), figure)
        held = settling(rows, level=figure.level, scale=figure.scale or None)
        computed = figures[figure.key, figure.figure]
        check = found.get(figure.key) or _Check(
            key=figure.key,
            kind=cast("CheckKind", figure.kind),
            title=figure.title,
            level=figure.level,
            scale=figure.scale,
            figures={},
            settlings={},
        )
        found[figure.key] = replace(
            check,
            figures={**check.figures, figure.figure: computed},
            settlings={**check.settlings, figure.figure: held},
        )
    return list(found.values())


def _of_figure(rows: pd.DataFrame, figure: Asked) -> pd.DataFrame:
    if figure.figure == "applicability":
        return applying(rows, NA)
    return rows if figure.level == "nominal" else applicable(rows, NA)


def _labels(batches: Sequence[Batch]) -> QuerySet[Label]:
    """The labels that reliability rests on."""
    return Label.objects.of_current_votes(*batches).for_reliability()


def _splits(batches: Sequence[Batch]) -> QuerySet[Label, Any]:
    """(subject, key, part) of every unit with two labels that are not alike."""
    return (
        _labels(batches)
        .order_by()
        .values_list("vote__subject_id", "criterion__key", "part_key")
        .annotate(
            codes=Count("code", distinct=True, filter=~Q(code="")),
            numbers=Count("number", distinct=True),
        )
        .filter(Q(codes__gt=1) | Q(numbers__gt=1) | Q(codes__gt=0, numbers__gt=0))
    )


def _told(batches: Sequence[Batch]) -> dict[int, _Told]:
    """The subjects with a split, each with every vote on it."""
    splits = _splits(batches).values("vote__subject_id")
    subjects = Subject.objects.filter(pk__in=splits).annotate(length=Sum(Length("parts__text")))
    told = {
        pk: _Told(name, public_id, group or name, length)
        for pk, name, public_id, group, length in subjects.values_list(
            "pk", "external_id", "public_id", "group_key", "length"
        )
    }
    votes = Vote.objects.of_batches(*batches).current().blind().counted()
    voted: dict[int, _Voted] = {}
    rows = votes.filter(subject__in=splits).order_by("batch_id", "rater__name", "pk")
    columns = ("pk", "batch_id", "rater_id", "rater__name", "cites", "unclear", "active_s")
    for subject, *row in rows.values_list("subject_id", *columns).iterator(chunk_size=5000):
        pk, batch, rater, name, cites, unclear, active_s = row
        vote = _Voted(pk, batch, rater, name, frozenset(cites), frozenset(unclear), active_s)
        told[subject].votes.append(vote)
        voted[pk] = vote
    given = _labels(batches).filter(vote__subject__in=splits)
    for pk, key, part, code, number in given.values_list(
        "vote_id", "criterion__key", "part_key", "code", "number"
    ).iterator(chunk_size=5000):
        voted[pk].labels[key, part] = code if number is None else number_words(number)
    return told


def _units(
    batches: Sequence[Batch], told: Mapping[int, _Told], checks: Iterable[_Check]
) -> dict[str, dict[tuple[int, str], dict[int, str]]]:
    """By check: (subject, part) → the labels by rater, of every unit on which they differ."""
    asked = {check.key for check in checks}
    found: dict[str, dict[tuple[int, str], dict[int, str]]] = {}
    for subject, key, part, *_ in _splits(batches).order_by("vote__subject_id", "part_key"):
        if key in asked:
            votes = told[subject].votes
            given = {v.rater: v.labels[key, part] for v in votes if (key, part) in v.labels}
            found.setdefault(key, {})[subject, part] = given
    return found


def _handles(batches: Sequence[Batch]) -> dict[int, str]:
    """A number for each rater, in no order that anyone could know them by.

    Those of earlier rounds come first: a later round of the version changes nobody's number.
    """
    first: dict[int, Batch] = {}
    pool = pool_of(batches[-1])
    by_pk = {batch.pk: batch for batch in pool}
    votes = Vote.objects.of_batches(*pool).order_by().values_list("batch_id", "rater_id")
    for batch, rater in votes.distinct():
        first[rater] = min(first.get(rater, by_pk[batch]), by_pk[batch], key=pool.index)

    def place(rater: int) -> tuple[int, bytes]:
        batch = first[rater]
        return pool.index(batch), sha256(f"{batch.public_id}:{rater}".encode()).digest()

    return {rater: f"Rater {n}" for n, rater in enumerate(sorted(first, key=place), 1)}


def _gold(batch: Batch) -> dict[tuple[int, str], tuple[int, int]]:
    """(right, all) known answers of planted pairs by rater and check, under this version."""
    rows = (
        Label.objects.filter(
            vote__current=True,
            vote__batch__version=batch.version_id,
            vote__assignment__slot__role__in=PLANTED,
            vote__subject__gold_answers__labels__criterion=F("criterion"),
            vote__subject__gold_answers__labels__part_key=F("part_key"),
        )
        .order_by()
        .values_list("vote__rater_id", "criterion__key")
        .annotate(
            of=Count("pk"),
            right=Count("pk", filter=Q(code=F("vote__subject__gold_answers__labels__code"))),
        )
    )
    return {(rater, key): (right, of) for rater, key, of, right in rows}


@dataclass(frozen=True)
class _Context:
    told: Mapping[int, _Told]
    handles: Mapping[int, str]
    gold: Mapping[tuple[int, str], tuple[int, int]]
    scales: Mapping[str, tuple[str, ...]]
    margins: Mapping[str, int]
    bars: Bars
    anonymous: bool

    def names(self, votes: Sequence[_Voted]) -> dict[int, str]:
        """By rater, in order. Anonymous raters are told apart on one subject alone."""
        voted = dict.fromkeys(vote.rater for vote in votes)
        if self.anonymous:
            return {rater: f"Rater {n}" for n, rater in enumerate(voted, 1)}
        return {rater: handle for rater, handle in self.handles.items() if rater in voted}


def _group_entry(
    check: _Check, units: Mapping[tuple[int, str], dict[int, str]], context: _Context
) -> dict[str, Any]:
    by_figure: dict[str, list[dict[int, str]]] = {}
    for given in units.values():
        by_figure.setdefault(check.figure_of(given), []).append(given)
    patterns = {
        figure: Patterns(given, check.level, check.scale) for figure, given in by_figure.items()
    }
    found = [
        _entry(check, subject, part, given, patterns[check.figure_of(given)], context)
        for (subject, part), given in units.items()
    ]
    found.sort(key=lambda one: (-(one["influence"] or 0.0), one["subject"], one["part"]))
    values = check.figures["values"].reliability
    return {
        "key": check.key,
        "kind": check.kind,
        "title": check.title,
        "level": check.level,
        "scale": check.scale,
        "alpha": values.alpha,
        "status": status(values, context.bars),
        "shared": values.units,
        "settled": _settled(check.settlings["values"], found, context),
        "found": found,
    }


def _settled(
    held: Settling, found: Sequence[Mapping[str, Any]], context: _Context
) -> list[Any] | None:
    """What alpha comes to once the fewest of the most influential pairs are settled."""
    times = held.within(context.bars.clear)
    if not times:
        return None
    alpha = held.alphas[times - 1]
    clusters = set(held.order[:times])
    subjects = {
        one["subject"]: one["external_id"]
        for one in found
        if context.told[one["subject"]].cluster in clusters
    }
    return [alpha, list(subjects.items()), held.reaches(times, context.bars.clear)]


def _entry(
    check: _Check,
    subject: int,
    part: str,
    given: dict[int, str],
    patterns: Patterns,
    context: _Context,
) -> dict[str, Any]:
    told, figure = context.told[subject], check.figure_of(given)
    computed = check.figures[figure]
    names = context.names(told.votes)
    voters = tuple(_voter(vote, names[vote.rater], check, part, context) for vote in told.votes)
    case = Case(
        key=check.key,
        name="the preference" if check.kind == "preference" else check.key,
        kind=check.kind,
        part=part,
        level=check.level,
        voters=voters,
        scale=check.scale,
        scales=context.scales,
        alpha=computed.reliability.alpha,
        status=status(computed.reliability, context.bars),
        bar=context.bars.clear,
        shared=computed.reliability.units,
        split=computed.split,
        repeats=None if context.anonymous else patterns.repeats(given),
        characters=told.characters,
    )
    suggestion = suggest(case)
    return {
        "subject": subject,
        "external_id": told.external_id,
        "public_id": str(told.public_id),
        "part": part,
        "batch": told.votes[0].batch,
        "values": [[rater, given[rater]] for rater in names if rater in given],
        "names": list(names.items()),
        "influence": check.settlings[figure].influence.get(told.cluster),
        "suggestion": [suggestion.kind, suggestion.why, int(suggestion.strength)],
        "opposite": check.kind == "preference" and opposite(voter.margin for voter in voters),
    }


def _voter(vote: _Voted, handle: str, check: _Check, part: str, context: _Context) -> Voter:
    labels = {place: code for place, code in vote.labels.items() if place[0] != PREFERENCE}
    value = vote.labels.get((check.key, part), "")
    preferred = vote.labels.get((PREFERENCE, ""), "")
    return Voter(
        handle=handle,
        value=value,
        labels=labels,
        margin=context.margins.get(preferred),
        cites=vote.cites,
        unclear=vote.unclear,
        active_s=vote.active_s,
        gold=context.gold.get((vote.rater, check.key)),
    )
