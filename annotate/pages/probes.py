"""Probe pairs as a report shows them: how many planted failures raters caught, and which they are.

Never a sign of them before the round is closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from annotate.probes import Met, failing_codes
from annotate.probing import Share, Tally, in_words
from projects.models import Rater
from rubrics.words import value_words

if TYPE_CHECKING:
    from django.http import QueryDict

    from annotate.models import Batch


@dataclass(frozen=True)
class Cell:
    """“7 of 8” with the pairs behind it; `missed` where it is not all of them."""

    words: str
    href: str
    missed: bool = False


@dataclass(frozen=True)
class ProbeLine:
    key: str
    title: str
    planted: Cell
    raters: tuple[Cell, ...]
    by_all: Cell
    interval: str
    wrongly: Cell


@dataclass(frozen=True)
class ProbeTable:
    """`pairs` were planted in the rounds that are measured; a line for each check they fail."""

    sentence: str
    pairs: int
    raters: tuple[str, ...]
    lines: tuple[ProbeLine, ...]
    href: str


def probe_table(
    batch: Batch,
    found: Sequence[Met],
    tallies: Sequence[Tally],
    *,
    pooled: bool,
    titles: Mapping[str, str],
) -> ProbeTable | None:
    """None where nothing was planted."""
    if not found:
        return None
    raters = _raters(found)
    said = in_words(tallies)
    return ProbeTable(
        sentence=f"{said}." if said else "None of the probe pairs fails a check of this version.",
        pairs=len({(one.batch.pk, one.subject) for one in found}),
        raters=tuple(rater.name for rater in raters),
        lines=tuple(_line(batch, tally, raters, titles, pooled=pooled) for tally in tallies),
        href=probes_href(batch, pooled=pooled),
    )


def _line(
    batch: Batch,
    tally: Tally,
    raters: Sequence[Rater],
    titles: Mapping[str, str],
    *,
    pooled: bool,
) -> ProbeLine:
    def cell(share: Share, **filters: object) -> Cell:
        href = probes_href(batch, pooled=pooled, check=tally.key, **filters)
        words = f"{share.caught} of {share.of}" if share.of else "–"
        return Cell(words, href, missed=share.caught < share.of)

    wrongly = sum(share.caught for share in tally.wrongly.values())
    judged = sum(share.of for share in tally.wrongly.values())
    return ProbeLine(
        key=tally.key,
        title=titles.get(tally.key, ""),
        planted=Cell(str(tally.planted), probes_href(batch, pooled=pooled, check=tally.key)),
        raters=tuple(cell(tally.by_rater.get(one.pk, Share()), rater=one.pk) for one in raters),
        by_all=cell(tally.by_all),
        interval=range_words(tally.by_all.interval),
        wrongly=Cell(
            f"{wrongly} of {judged}" if judged else "–",
            probes_href(batch, pooled=pooled, check=tally.key, show="wrongly"),
            missed=wrongly > 0,
        ),
    )


def range_words(interval: tuple[float, float] | None) -> str:
    """“68%–100%”, without more places than so few pairs can give."""
    if interval is None:
        return "none"
    low, high = (f"{round(100 * end)}%" for end in interval)
    return f"{low}–{high}"


def probes_href(batch: Batch, *, pooled: bool, **filters: object) -> str:
    chosen = {**filters, **({"pooled": 1} if pooled else {})}
    route = reverse("annotate:probes", args=[batch.project.slug, batch.public_id])
    return f"{route}?{urlencode(chosen)}" if chosen else route


# ---- The pairs behind the counts


@dataclass(frozen=True)
class Answer:
    words: str
    missed: bool


@dataclass(frozen=True)
class ProbedUnit:
    met: Met
    right: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class ProbePage:
    """What was planted, or (`wrongly`) what passes and somebody failed, by check and rater."""

    units: tuple[ProbedUnit, ...]
    raters: tuple[Rater, ...]
    checks: tuple[str, ...]
    check: str
    rater: int | None
    wrongly: bool


def probe_page(found: Sequence[Met], query: QueryDict) -> ProbePage:
    raters = _raters(found)
    checks = tuple(dict.fromkeys(one.key for one in found if one.planted))
    check = query.get("check", "")
    check = check if check in checks else ""
    named = {str(rater.pk): rater.pk for rater in raters}.get(query.get("rater", ""))
    wrongly = query.get("show") == "wrongly"
    codes = {version: failing_codes(version) for version in {one.batch.version for one in found}}
    chosen = [
        one
        for one in found
        if one.key in checks
        and (not check or one.key == check)
        and (named is None or named in one.given)
        and _is_shown(one, codes[one.batch.version][one.key], wrongly=wrongly)
    ]
    return ProbePage(
        units=tuple(_unit(one, raters, codes[one.batch.version][one.key]) for one in chosen),
        raters=raters,
        checks=checks,
        check=check,
        rater=named,
        wrongly=wrongly,
    )


def _is_shown(one: Met, code: str, *, wrongly: bool) -> bool:
    return code in one.given.values() and not one.planted if wrongly else one.planted


def _unit(one: Met, raters: Iterable[Rater], code: str) -> ProbedUnit:
    def answer(rater: Rater) -> Answer:
        given = one.given.get(rater.pk)
        if given is None:
            return Answer("–", missed=False)
        return Answer(value_words(given), missed=(given == code) != one.planted)

    return ProbedUnit(one, value_words(one.right), tuple(answer(rater) for rater in raters))


def _raters(found: Sequence[Met]) -> tuple[Rater, ...]:
    """Of the rounds, by name: also those whom a probe still waits for."""
    batches = {one.batch.pk for one in found}
    return tuple(Rater.objects.filter(batches__in=batches).distinct().order_by("name", "pk"))
