"""Which units of which check a list shows: the filters, and their rule in SQL and in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

from django.db.models import Count, Q
from django.urls import reverse

from annotate.decisions import Policy
from annotate.outcomes import REASONS, VERDICTS
from annotate.rater_agreement import compared
from rubrics.content import NA
from rubrics.words import label_words

if TYPE_CHECKING:
    from django.http import QueryDict

    from annotate.calibration import Asked
    from annotate.models import Batch

# Keys hold no hyphen and no colon, so these names are free.
ALL_CHECKS = "all-checks"
ALL_VOTES = "all-votes"
APPLICABLE = "applicable"


class Reading(StrEnum):
    """What of its labels a list looks at; it shows them as they were given."""

    GIVEN = "given"
    # The values of an ordinal or interval check: N/A is none.
    VALUES = "values"
    APPLICABILITY = "applicability"


@dataclass(frozen=True)
class Check:
    """What a list is about: the labels of `keys`; `code` is its name in addresses."""

    code: str
    title: str
    keys: tuple[str, ...] = ()
    reading: Reading = Reading.GIVEN
    scale: tuple[str, ...] = ()

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The labels of which one can be chosen, with their words."""
        return [(value, label_words(value)) for value in self.scale]


@dataclass(frozen=True)
class Filters:
    """Which units of which check.

    `raters` have all labelled the unit; `value` and `off` (another label than this one) speak of
    one label, theirs where raters are named. `differ`: two named raters do, or any two. `alone`:
    the one named rater stands against two or more others who all agree. `labels`: the unit has
    one, or several. `decision` is what the votes on the pair come to under `policy`.
    """

    check: Check
    value: str = ""
    off: str = ""
    raters: tuple[int, ...] = ()
    differ: bool = False
    alone: bool = False
    labels: Literal["", "one", "several"] = ""
    decision: str = ""
    policy: Policy = Policy.ONE_SIDED

    @property
    def value_words(self) -> str:
        return label_words(self.value)

    @property
    def off_words(self) -> str:
        return label_words(self.off)

    @property
    def decision_words(self) -> str:
        return REASONS.get(self.decision, self.decision.replace("_", " "))

    @property
    def narrow(self) -> bool:
        chosen = (self.value, self.off, self.raters, self.differ, self.alone, self.labels)
        return any(chosen) or bool(self.decision)


def checks_of(asked: Sequence[Asked]) -> dict[str, Check]:
    """Everything that a list can be about, by code, in the order of the report."""
    checks = [check for figure in asked for check in _checks_of(figure)]
    checks.append(Check(ALL_CHECKS, "All checks", tuple(one.key for one in compared(asked))))
    checks.append(Check(ALL_VOTES, "Votes"))
    return {check.code: check for check in checks}


def _checks_of(figure: Asked) -> list[Check]:
    named = figure.kind in ("gate", "criterion")
    title = f"{figure.key} · {figure.title}" if named else figure.title
    if figure.figure == "applicability":
        return [
            _check(figure, f"{title} (applies or not)", Reading.APPLICABILITY),
            Check(given_code(figure.key), f"{title} (with N/A)", (figure.key,)),
        ]
    nominal = figure.level == "nominal"
    return [_check(figure, title, Reading.GIVEN if nominal else Reading.VALUES)]


def _check(figure: Asked, title: str, reading: Reading) -> Check:
    return Check(figure.code, title, (figure.key,), reading, figure.scale)


def given_code(key: str) -> str:
    """All labels of a check that has two figures, N/A beside its values."""
    return f"{key}:{Reading.GIVEN}"


def filters_of(query: QueryDict, checks: Mapping[str, Check], *, anonymous: bool) -> Filters | None:
    """The filters that an address names, odd ones left out; None where it names no check."""
    check = checks.get(query.get("criterion") or next(iter(checks), ""))
    if check is None:
        return None
    # No id has more digits; a longer number is nobody's. Whoever is anonymous cannot be asked for.
    named = [found[:18] for found in query.getlist("rater") if found.isdecimal() and not anonymous]
    raters = tuple(dict.fromkeys(int(pk) for pk in named))[:2]
    labels, decision = query.get("labels"), query.get("decision", "")
    policy = query.get("policy", Policy.ONE_SIDED)
    return Filters(
        check=check,
        value=query.get("value", ""),
        off=query.get("off", ""),
        raters=raters,
        differ=bool(query.get("differ")),
        alone=bool(query.get("alone")) and len(raters) == 1,
        labels="one" if labels == "one" else "several" if labels == "several" else "",
        decision=decision if decision in VERDICTS else "",
        policy=Policy(policy) if policy in set(Policy) else Policy.ONE_SIDED,
    )


def units_href(batch: Batch, *, pooled: bool, **filters: object) -> str:
    chosen = {name: value for name, value in filters.items() if value is not None}
    if pooled:
        chosen["pooled"] = 1
    route = reverse("annotate:units", args=[batch.project.slug, batch.public_id])
    return f"{route}?{urlencode(chosen, doseq=True)}"


# What to count in each unit, and what the counts must come to.
Rules = tuple[dict[str, Count], Q]


def vote_rules(filters: Filters, rater: str = "rater") -> Rules:
    """Who voted, and how many did; `rater` is the lookup that leads from a row to its rater."""
    counts, wanted = {"all": Count("id")}, Q()
    for n, pk in enumerate(filters.raters):
        counts[f"by_{n}"] = Count("id", filter=Q(**{rater: pk}))
        wanted &= Q(**{f"by_{n}__gt": 0})
    if filters.labels:
        wanted &= Q(all=1) if filters.labels == "one" else Q(all__gt=1)
    return counts, wanted


def label_rules(filters: Filters) -> Rules:
    """`matches` in SQL, over the labels of a unit."""
    everyone, theirs = Q(pk__isnull=False), Q(vote__rater__in=filters.raters)
    counts, wanted = vote_rules(filters, "vote__rater")
    if filters.value or filters.off:
        given = _given(filters) & (theirs if filters.raters else everyone)
        counts["given"] = Count("id", filter=given)
        wanted &= Q(given__gt=0)
    if filters.off:
        # A label that nobody else stands beside is in no minority.
        wanted &= Q(all__gt=1)
    if filters.differ:
        kinds, differ = _differ(filters, theirs if len(filters.raters) > 1 else everyone)
        counts |= kinds
        wanted &= differ
    if filters.alone:
        others, alone = _alone(theirs)
        counts |= others
        wanted &= alone
    return counts, wanted


def _differ(filters: Filters, among: Q) -> Rules:
    if filters.check.reading == Reading.APPLICABILITY:
        kinds = {
            "nas": Count("id", filter=among & Q(code=NA)),
            "applying": Count("id", filter=among & ~Q(code=NA)),
        }
        return kinds, Q(nas__gt=0, applying__gt=0)
    kinds = _distinct("", among)
    return kinds, Q(codes__gt=1) | Q(numbers__gt=1) | Q(codes__gt=0, numbers__gt=0)


def _alone(theirs: Q) -> Rules:
    """The others are two or more and of one mind, and with the one named there are two minds."""
    counts = {
        "others": Count("id", filter=~theirs),
        **_distinct("other_", ~theirs),
        **_distinct("all_", Q(pk__isnull=False)),
    }
    one_mind = Q(other_codes=1, other_numbers=0) | Q(other_codes=0, other_numbers=1)
    two_minds = (
        Q(all_codes=2, all_numbers=0)
        | Q(all_codes=0, all_numbers=2)
        | Q(all_codes=1, all_numbers=1)
    )
    return counts, Q(others__gt=1) & one_mind & two_minds


def _distinct(prefix: str, among: Q) -> dict[str, Count]:
    return {
        f"{prefix}codes": Count("code", distinct=True, filter=among & ~Q(code="")),
        f"{prefix}numbers": Count("number", distinct=True, filter=among),
    }


def _given(filters: Filters) -> Q:
    wanted = Q()
    if filters.value:
        wanted &= _is(filters.value, filters.check.reading)
    if filters.off:
        wanted &= ~_is(filters.off, filters.check.reading)
    return wanted


def _is(value: str, reading: Reading) -> Q:
    if reading == Reading.APPLICABILITY:
        return ~Q(code=NA) if value == APPLICABLE else Q(code=value)
    try:
        return Q(code=value) | Q(code="", number=float(value))
    except ValueError:
        return Q(code=value)


def matches(labels: Mapping[int, str], filters: Filters) -> bool:
    """Whether a unit with these labels, by rater, is one that the filters ask for."""
    theirs = {rater: labels[rater] for rater in filters.raters if rater in labels}
    chosen = theirs if filters.raters else labels
    rules = (
        len(theirs) == len(filters.raters),
        filters.labels != "one" or len(labels) == 1,
        filters.labels != "several" or len(labels) > 1,
        not filters.off or len(labels) > 1,
        not (filters.value or filters.off)
        or any(
            (not filters.value or value == filters.value)
            and (not filters.off or value != filters.off)
            for value in chosen.values()
        ),
        not filters.differ or len(set((theirs if len(theirs) > 1 else labels).values())) > 1,
        not filters.alone or _stands_alone(labels, theirs),
    )
    return all(rules)


def _stands_alone(labels: Mapping[int, str], theirs: Mapping[int, str]) -> bool:
    others = [value for rater, value in labels.items() if rater not in theirs]
    return len(others) > 1 and len(set(others)) == 1 and not set(others) & set(theirs.values())
