"""The list of disagreements: by check, the most influential first, filtered, paged and sorted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.urls import reverse

from annotate.disagreements import Differing, Found, Group, Place, unit_code
from annotate.models import Batch, Disagreement
from annotate.pages.figures import figure, signed
from annotate.triage import Strength
from projects.models import Rater
from rubrics.words import counted_noun, value_words

if TYPE_CHECKING:
    from django.http import QueryDict

PAGE = 50
KINDS = tuple((str(value), str(words)) for value, words in Disagreement.Kind.choices)
STATES = (("open", "open"), ("sorted", "sorted"), ("ruling", "with a ruling"))
_SURE = {
    Strength.WEAK: "a guess",
    Strength.FAIR: "on one sign",
    Strength.STRONG: "on several signs",
}


@dataclass(frozen=True)
class Filters:
    """Which disagreements are listed; '' for any. `kind` is what was chosen, else suggested."""

    check: str = ""
    kind: str = ""
    state: str = ""
    pooled: bool = False
    names: bool = False

    def query(self, **changes: object) -> str:
        """The address's query for these filters, with some of them changed."""
        chosen = {**vars(self), **changes}
        return urlencode({name: str(value) for name, value in _told(chosen) if value})

    @property
    def narrow(self) -> bool:
        return bool(self.check or self.kind or self.state)

    def takes(self, one: Differing) -> bool:
        kind = one.kind or one.suggestion.kind
        return (
            (not self.check or one.unit.key == self.check)
            and (not self.kind or kind == self.kind)
            and (not self.state or self.state in states_of(one))
        )


def _told(chosen: dict[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in chosen.items():
        yield name, "1" if value is True else value


@dataclass(frozen=True)
class Said:
    """One rater's value; `odd` where most of the others gave another, `name` where it is shown."""

    handle: str
    name: str
    words: str
    odd: bool


@dataclass(frozen=True)
class KindButton:
    value: str
    words: str
    key: str
    chosen: bool
    suggested: bool


@dataclass(frozen=True)
class Line:
    """A disagreement as a row of the list."""

    one: Differing
    said: tuple[Said, ...]
    href: str
    # Its place in the meeting that is open, or where one starts; '' where no meeting has it.
    meeting: str
    is_met: bool
    kinds: tuple[KindButton, ...]

    @property
    def code(self) -> str:
        return unit_code(self.one.unit)

    @property
    def where(self) -> str:
        part = self.one.unit.part
        return f"Response {part}" if part in ("A", "B") else part and f"Part {part}"

    @property
    def influence(self) -> str:
        """What alpha gains without the pair; nothing where that is less than a hundredth."""
        gain = self.one.influence
        return "" if gain is None or round(gain, 2) <= 0 else f"+{gain:.2f}"

    @property
    def sure(self) -> str:
        return _SURE[self.one.suggestion.strength]

    @property
    def suggested(self) -> str:
        """What triage says now, or said when somebody chose."""
        row = self.one.row
        return (row.suggested if row and row.kind else "") or self.one.suggestion.kind

    @property
    def why(self) -> str:
        row = self.one.row
        return (row.suggested_why if row and row.kind else "") or self.one.suggestion.why

    @property
    def differs(self) -> str:
        """How far a preference is apart; '' for a check."""
        if self.one.unit.key != "preference":
            return ""
        return "opposite sides" if self.one.opposite else "in degree"


@dataclass(frozen=True)
class Section:
    """One check with the lines that are on this page; `listed` counts those on all pages."""

    group: Group
    lines: tuple[Line, ...]
    listed: int
    acceptable: int

    @property
    def name(self) -> str:
        return name_of(self.group)

    @property
    def alpha(self) -> str | None:
        return figure(self.group.alpha)

    @property
    def settle(self) -> str:
        """“Settle these 4 pairs and C2 goes 0.58 → 0.81.”"""
        held = self.group.settled
        if held is None or self.group.alpha is None:
            return ""
        pairs = counted_noun(len(held.subjects), "pair")
        these = f"this {pairs[2:]}" if len(held.subjects) == 1 else f"these {pairs}"
        short = "" if held.reaches else ", still below the bar"
        return f"Settle {these} and {self.name} goes {arrow(self.group)}{short}"

    @property
    def first(self) -> tuple[str, ...]:
        return self.group.settled.subjects if self.group.settled else ()


@dataclass(frozen=True)
class Step:
    sentence: str
    action: str
    href: str


@dataclass(frozen=True)
class DisagreementsPage:
    found: Found
    filters: Filters
    page: Page[Any]
    sections: tuple[Section, ...]
    step: Step
    checks: tuple[tuple[str, str], ...]
    total: int
    open: int

    @property
    def anonymous(self) -> bool:
        return self.found.anonymous

    @property
    def listed(self) -> int:
        return self.page.paginator.count


def filters_of(query: QueryDict, *, anonymous: bool) -> Filters:
    """The filters that an address names; odd ones are left out."""
    kind, state = query.get("kind", ""), query.get("state", "")
    return Filters(
        check=query.get("check", ""),
        kind=kind if kind in Disagreement.Kind.values else "",
        state=state if state in dict(STATES) else "",
        pooled=bool(query.get("pooled")),
        names=bool(query.get("names")) and not anonymous,
    )


def states_of(one: Differing) -> set[str]:
    found = {"sorted" if one.kind else "open"}
    return found | {"ruling"} if one.row and one.row.ruling_id else found


def disagreements_page(
    batch: Batch, found: Found, filters: Filters, number: str | None, met: frozenset[int]
) -> DisagreementsPage:
    """One page of the list; `batch` is the one whose address it is, `met` have an open meeting."""
    if filters.check not in {group.key for group in found.groups}:
        filters = replace(filters, check="")
    chosen = [one for one in found.all if filters.takes(one)]
    page = Paginator(chosen, PAGE).get_page(number)
    shown = list(page.object_list)
    names = names_of(shown) if filters.names else {}
    times = Counter(one.unit.key for one in chosen)
    sections = tuple(
        _section(found, group, shown, times[group.key], names, filters, met)
        for group in found.groups
        if any(one.unit.key == group.key for one in shown)
    )
    differing = [group for group in found.groups if group.found]
    return DisagreementsPage(
        found=found,
        filters=filters,
        page=page,
        sections=sections,
        step=_step(batch, found),
        checks=tuple((group.key, heading_of(group)) for group in differing),
        total=len(found.all),
        open=sum(group.open for group in found.groups),
    )


@dataclass(frozen=True)
class Row:
    """One line by itself, as it is sent after somebody has sorted it, with the counts that move."""

    line: Line
    section: Section
    step: Step
    filters: Filters
    open: int


def row_page(
    batch: Batch, found: Found, place: Place, filters: Filters, met: frozenset[int]
) -> Row:
    one = found.of(place)
    group = next(group for group in found.groups if one in group.found)
    assert one is not None
    names = names_of([one]) if filters.names else {}
    listed = sum(filters.takes(other) for other in group.found)
    section = _section(found, group, [one], listed, names, filters, met)
    left = sum(group.open for group in found.groups)
    return Row(section.lines[0], section, _step(batch, found), filters, left)


def line_of(one: Differing, found: Found, names: dict[int, str], met: frozenset[int]) -> Line:
    anonymous = found.anonymous
    times = Counter(code for _, code in one.values)
    most = max(times.values(), default=0)
    values = sorted(one.values, key=lambda given: given[1]) if anonymous else one.values
    said = tuple(
        Said(
            handle="" if anonymous else one.names.get(rater, ""),
            name=names.get(rater, ""),
            words=value_words(code),
            odd=times[code] < most,
        )
        for rater, code in values
    )
    kinds = tuple(
        KindButton(value, words, str(n), one.kind == value, one.suggestion.kind == value)
        for n, (value, words) in enumerate(KINDS, 1)
    )
    batch = next(batch for batch in found.batches if batch.pk == one.batch)
    href = reverse("annotate:subject", args=[batch.project.slug, one.unit.public_id])
    is_met = batch.pk in met
    return Line(one, said, href, _meeting_of(one, batch, is_met=is_met), is_met, kinds)


def _meeting_of(one: Differing, batch: Batch, *, is_met: bool) -> str:
    """A meeting is about the votes of one batch: it has nothing that differs between two alone."""
    if not one.in_meeting:
        return ""
    place = [batch.project.slug, batch.public_id]
    if is_met:
        return reverse("annotate:meeting_unit", args=[*place, unit_code(one.unit)])
    return f"{reverse('annotate:meeting', args=place)}?{urlencode({'check': one.unit.key})}"


def _section(
    found: Found,
    group: Group,
    shown: Sequence[Differing],
    listed: int,
    names: dict[int, str],
    filters: Filters,
    met: frozenset[int],
) -> Section:
    lines = tuple(line_of(one, found, names, met) for one in shown if one.unit.key == group.key)
    return Section(group, lines, listed, len(acceptable(group, filters)))


def acceptable(group: Group, filters: Filters) -> list[Differing]:
    """Those of a check that are listed and open: whose suggestions can be accepted at once."""
    return [one for one in group.found if not one.kind and filters.takes(one)]


def name_of(group: Group) -> str:
    """How a check is called in a sentence."""
    return group.key if group.named else "the preference"


def heading_of(group: Group) -> str:
    return f"{group.key} · {group.title}" if group.named else "Preference"


def arrow(group: Group) -> str:
    held = group.settled
    return "" if held is None else f"{signed(group.alpha or 0.0)} → {signed(held.alpha)}"


def list_href(batch: Batch, filters: Filters = Filters()) -> str:
    route = reverse("annotate:disagreements", args=[batch.project.slug, batch.public_id])
    query = filters.query()
    return f"{route}?{query}" if query else route


def _step(batch: Batch, found: Found) -> Step:
    """What to do about them: the one sentence and the one button of the page."""
    everything, left = found.all, sum(group.open for group in found.groups)
    checks = [group for group in found.groups if group.found]
    if not everything:
        return Step("Raters gave the same label wherever they met.", *_to_report(batch))
    where = counted_noun(len(checks), "check")
    if not left:
        all_of = "The one disagreement is" if len(everything) == 1 else "All of them are"
        return Step(f"{all_of} sorted, on {where}.", *_to_report(batch))
    said = f"{counted_noun(len(everything), 'disagreement')} on {where}"
    said += f", {left} still open." if left < len(everything) else ", none sorted yet."
    worst = min(
        (group for group in checks if group.settled and group.open and group.named),
        key=lambda group: group.alpha or 0.0,
        default=None,
    )
    if worst and worst.settled:
        pairs = counted_noun(len(worst.settled.subjects), "pair")
        first = f"the first {pairs}" if len(worst.settled.subjects) > 1 else "its first pair"
        said += f" Settle {first} of {worst.key} and it goes {arrow(worst)}."
    return Step(said, *_to_meeting(batch))


def _to_report(batch: Batch) -> tuple[str, str]:
    slug = batch.project.slug
    if batch.kind == Batch.Kind.IMPORTED:
        return "To the report", reverse("annotate:imported", args=[slug, batch.name])
    if batch.number is None:
        return "To the project", reverse("annotate:project", args=[slug])
    return "To the report", reverse("annotate:round", args=[slug, batch.number])


def _to_meeting(batch: Batch) -> tuple[str, str]:
    slug = batch.project.slug
    return "Open the meeting", reverse("annotate:meeting", args=[slug, batch.public_id])


def names_of(shown: Sequence[Differing]) -> dict[int, str]:
    raters = {rater for one in shown for rater, _ in one.values}
    return dict(Rater.objects.filter(pk__in=raters).values_list("pk", "name"))
