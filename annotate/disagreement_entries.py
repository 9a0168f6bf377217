"""The disagreements of some votes as plain values, from the rows: what a snapshot keeps of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from django.db.models import Count, Q, Sum
from django.db.models.functions import Length

from annotate.blind_names import blind_name, numbered_on
from annotate.calibration import Asked, asked_of, figures_of, pool_of
from annotate.decisions import margins_of
from annotate.models import Batch, Label, Subject, Vote
from annotate.probes import met
from annotate.ratings import for_reliability, ratings
from annotate.reliability import Bars, Settling, applicable, applying, settling, status
from annotate.triage import Case, CheckKind, opposite, suggest
from annotate.triage_cases import (
    APPLICABILITY,
    VALUES,
    Around,
    SplitCheck,
    SplitVote,
    Standing,
    cases_of,
    labels_of,
)
from rubrics.content import NA, PREFERENCE
from rubrics.words import number_words

if TYPE_CHECKING:
    from uuid import UUID

    import pandas as pd
    from django.db.models import QuerySet

    from annotate.snapshots import Counted


@dataclass(frozen=True)
class _Told:
    """A subject with a split, and every vote on it with the batch where it was given."""

    external_id: str
    public_id: str
    cluster: str
    characters: int | None
    votes: list[SplitVote] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Check:
    """A check as triage needs it, with its title and what holds each of its figures down."""

    title: str
    split: SplitCheck
    settlings: Mapping[str, Settling]


def entries(batches: Sequence[Batch], bars: Bars, counted: Counted) -> dict[str, Any]:
    """All of them in plain JSON values: `groups` by check in rubric order, and the `handles`."""
    checks = _checks(batches, bars, counted)
    told = _told(batches)
    persons = not any(batch.anonymous_raters for batch in batches)
    handles = _handles(batches) if persons else {}
    public_ids = {batch.pk: batch.public_id for batch in batches}
    names = {
        subject: _names(one.votes, handles, public_ids[one.batches[0]], subject)
        for subject, one in told.items()
    }
    around = _around(batches[-1], [check.split for check in checks], bars, persons=persons)
    units = _units(batches)
    groups = []
    for check in checks:
        cases = cases_of(
            check.split,
            units.get(check.split.key, []),
            {subject: one.votes for subject, one in told.items()},
            names,
            around,
            {subject: one.characters for subject, one in told.items()},
        )
        found = [
            _entry(check, subject, case, told[subject], names[subject])
            for (subject, _), case in cases.items()
        ]
        groups.append(_group(check, found, told, bars))
    return {"groups": groups, "handles": list(handles.items())}


def _group(
    check: _Check, found: list[dict[str, Any]], told: Mapping[int, _Told], bars: Bars
) -> dict[str, Any]:
    found.sort(key=lambda one: (-(one["influence"] or 0.0), one["subject"], one["part"]))
    values = check.split.figures[VALUES]
    return {
        "key": check.split.key,
        "kind": check.split.kind,
        "title": check.title,
        "level": check.split.level,
        "scale": check.split.scale,
        "alpha": values.alpha,
        "status": values.status,
        "shared": values.shared,
        "settled": _settled(check.settlings[VALUES], found, told, bars),
        "found": found,
    }


def _settled(
    held: Settling, found: Sequence[Mapping[str, Any]], told: Mapping[int, _Told], bars: Bars
) -> list[Any] | None:
    """What alpha comes to once the fewest of the most influential pairs are settled, and which."""
    times = held.within(bars.clear)
    if not times:
        return None
    clusters = set(held.order[:times])
    subjects = {
        one["subject"]: one["external_id"]
        for one in found
        if told[one["subject"]].cluster in clusters and not one["applies"]
    }
    return [held.alphas[times - 1], list(subjects.items()), held.reaches(times, bars.clear)]


def _entry(
    check: _Check, subject: int, case: Case, told: _Told, names: Mapping[int, str]
) -> dict[str, Any]:
    given = labels_of(told.votes, case.key, case.part)
    figure = check.split.figure_of(given)
    held = check.settlings[figure]
    suggestion = suggest(case)
    is_preference = case.kind == "preference"
    labels_of_batch = _given_by_batch(told, (case.key, case.part))
    batch = _batch_of(labels_of_batch)
    return {
        "subject": subject,
        "external_id": told.external_id,
        "public_id": told.public_id,
        "part": case.part,
        "batch": batch,
        "in_meeting": len(labels_of_batch[batch]) > 1,
        "values": [[rater, given[rater]] for rater in names if rater in given],
        "names": list(names.items()),
        "influence": held.influence.get(told.cluster),
        "applies": figure == APPLICABILITY,
        "suggestion": [suggestion.kind, suggestion.why, int(suggestion.strength)],
        "opposite": is_preference and opposite(voter.margin for voter in case.voters),
    }


def _given_by_batch(told: _Told, place: tuple[str, str]) -> dict[int, set[str]]:
    given: dict[int, set[str]] = {}
    for vote, batch in zip(told.votes, told.batches, strict=True):
        if place in vote.labels:
            given.setdefault(batch, set()).add(vote.labels[place])
    return given


def _batch_of(given: Mapping[int, set[str]]) -> int:
    """Where the unit is sorted: in the newest batch that differs on it by itself, else in the
    newest that labelled it."""
    return max(given, key=lambda batch: (len(given[batch]) > 1, batch))


# --- from the rows


def _checks(batches: Sequence[Batch], bars: Bars, counted: Counted) -> list[_Check]:
    asked = asked_of(batches[-1])
    figures, _ = figures_of(batches, asked, counted)
    frame = ratings(batches, with_outcome=False)
    found: dict[str, _Check] = {}
    for figure in asked:
        if figure.kind == "outcome":
            continue
        rows = _of_figure(for_reliability(frame, figure.key), figure)
        held = settling(rows, level=figure.level, scale=figure.scale or None)
        computed = figures[figure.key, figure.figure]
        reliability = computed.reliability
        standing = Standing(
            reliability.alpha, status(reliability, bars), reliability.units, computed.split
        )
        check = found.get(figure.key) or _first_figure(figure)
        split = replace(check.split, figures={**check.split.figures, figure.figure: standing})
        settlings = {**check.settlings, figure.figure: held}
        found[figure.key] = replace(check, split=split, settlings=settlings)
    return list(found.values())


def _first_figure(figure: Asked) -> _Check:
    kind = cast("CheckKind", figure.kind)
    return _Check(figure.title, SplitCheck(figure.key, kind, figure.level, figure.scale, {}), {})


def _of_figure(rows: pd.DataFrame, figure: Asked) -> pd.DataFrame:
    if figure.figure == "applicability":
        return applying(rows, NA)
    return rows if figure.level == "nominal" else applicable(rows, NA)


def _around(batch: Batch, checks: Iterable[SplitCheck], bars: Bars, *, persons: bool) -> Around:
    checks = list(checks)
    preference = next((check.scale for check in checks if check.kind == PREFERENCE), ())
    return Around(
        scales={
            check.key: check.scale
            for check in checks
            if check.level == "ordinal" and check.kind != PREFERENCE
        },
        margins=margins_of(preference) if preference else {},
        gold=_gold(batch),
        bars=bars,
        persons=persons,
    )


def _labels(batches: Sequence[Batch]) -> QuerySet[Label]:
    """The labels that reliability rests on."""
    return Label.objects.of_current_votes(*batches).for_reliability()


def splits_of(batches: Sequence[Batch]) -> QuerySet[Label, Any]:
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


def splits_around(batch: Batch) -> QuerySet[Label, Any]:
    """The units of this batch's subjects on which the raters of its whole pool differ: also where
    each round by itself agrees."""
    voted = Vote.objects.of_batches(batch).current().values("subject")
    return splits_of(pool_of(batch)).filter(vote__subject__in=voted)


def is_split(batch: Batch, subject: int, key: str, part: str) -> bool:
    """Whether `splits_around` has this unit."""
    one = splits_around(batch).filter(vote__subject=subject, criterion__key=key, part_key=part)
    return one.exists()


def _units(batches: Sequence[Batch]) -> dict[str, list[tuple[int, str]]]:
    """(subject, part) of every unit on which raters differ, by check."""
    found: dict[str, list[tuple[int, str]]] = {}
    for subject, key, part, *_ in splits_of(batches).order_by("vote__subject_id", "part_key"):
        found.setdefault(key, []).append((subject, part))
    return found


def _told(batches: Sequence[Batch]) -> dict[int, _Told]:
    splits = splits_of(batches).values("vote__subject_id")
    subjects = Subject.objects.filter(pk__in=splits).annotate(length=Sum(Length("parts__text")))
    told = {
        pk: _Told(name, str(public_id), group or name, length)
        for pk, name, public_id, group, length in subjects.values_list(
            "pk", "external_id", "public_id", "group_key", "length"
        )
    }
    labels: dict[int, dict[tuple[str, str], str]] = {}
    given = _labels(batches).filter(vote__subject__in=splits)
    for pk, key, part, code, number in given.values_list(
        "vote_id", "criterion__key", "part_key", "code", "number"
    ).iterator(chunk_size=5000):
        value = code if number is None else number_words(number)
        labels.setdefault(pk, {})[key, part] = value
    votes = Vote.objects.of_batches(*batches).current().blind().counted()
    rows = votes.filter(subject__in=splits).order_by("batch_id", "pk")
    columns = ("pk", "subject_id", "batch_id", "rater_id", "cites", "unclear", "active_s")
    for pk, subject, batch, rater, cites, unclear, active_s in rows.values_list(*columns).iterator(
        chunk_size=5000
    ):
        vote = SplitVote(rater, labels.get(pk, {}), frozenset(cites), frozenset(unclear), active_s)
        told[subject].votes.append(vote)
        told[subject].batches.append(batch)
    return told


def _names(
    votes: Sequence[SplitVote], handles: Mapping[int, str], batch: UUID, subject: int
) -> dict[int, str]:
    """Rater → handle, in order; without handles a number on this subject alone."""
    voted = {vote.rater for vote in votes}
    if not handles:
        return {rater: blind_name(n) for rater, n in numbered_on(voted, batch, subject).items()}
    return {rater: handle for rater, handle in handles.items() if rater in voted}


def _handles(batches: Sequence[Batch]) -> dict[int, str]:
    """A number for each rater, in no order that anyone could know them by.

    Those of earlier rounds come first: a later round of the version changes nobody's number.
    """
    pool = pool_of(batches[-1])
    place_of = {batch.pk: n for n, batch in enumerate(pool)}
    first: dict[int, int] = {}
    votes = Vote.objects.of_batches(*pool).order_by().values_list("batch_id", "rater_id")
    for batch, rater in votes.distinct():
        first[rater] = min(first.get(rater, len(pool)), place_of[batch])

    def place(rater: int) -> tuple[int, bytes]:
        seed = f"{pool[first[rater]].public_id}:{rater}"
        return first[rater], sha256(seed.encode()).digest()

    return {rater: blind_name(n) for n, rater in enumerate(sorted(first, key=place), 1)}


def _gold(batch: Batch) -> dict[tuple[int, str], tuple[int, int]]:
    """(right, all) known answers of probe pairs by rater and check, in all pooled rounds."""
    right: Counter[tuple[int, str]] = Counter()
    of: Counter[tuple[int, str]] = Counter()
    for one in met(pool_of(batch)):
        for rater, code in one.given.items():
            of[rater, one.key] += 1
            right[rater, one.key] += code == one.right
    return {place: (right[place], of[place]) for place in of}
