"""What a meeting has before it and behind it: one sentence, and the disagreements by check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rubrics.words import counted_noun, joined

if TYPE_CHECKING:
    from annotate.disagreements import Differing, Group
    from annotate.models import Batch
    from annotate.pages.meeting_agenda import Agenda


@dataclass(frozen=True)
class Line:
    """A check of the agenda: how many are open, how many this meeting has settled."""

    group: Group
    open: int
    settled: int
    href: str
    alpha: str
    goal: str

    @property
    def name(self) -> str:
        return self.group.key if self.group.named else "Preference"


@dataclass(frozen=True)
class StartPage:
    lines: tuple[Line, ...]
    open: int
    settled: int
    sentence: str
    first: str
    # Who labelled, in the order of their names; '' where nobody is named.
    raters: str
    check: str
    # Why nothing goes from here into a draft; '' where it can.
    outdated: str = ""


def start_page(agenda: Agenda, *, outdated: str) -> StartPage:
    items = agenda.items
    lines = tuple(
        _line(group, [one for one in items if one.unit.key == group.key], agenda)
        for group in agenda.groups
        if any(one.unit.key == group.key for one in items)
    )
    first = next(iter(agenda.open), None) or next(iter(items), None)
    return StartPage(
        lines=lines,
        open=len(agenda.open),
        settled=agenda.settled,
        sentence=_sentence(agenda),
        first=agenda.address(first) if first else "",
        raters=_raters(agenda.batch),
        check=agenda.check,
        outdated=outdated,
    )


def _raters(batch: Batch) -> str:
    if batch.anonymous_raters:
        return ""
    return joined(batch.raters.order_by("name").values_list("name", flat=True))


def _line(group: Group, items: list[Differing], agenda: Agenda) -> Line:
    is_open = [one for one in items if not one.kind]
    first = (is_open or items)[0]
    goal = ""
    if group.settled is not None:
        goal = (
            f"{group.settled.alpha:.2f} once {counted_noun(len(group.settled.subjects), 'pair')} "
            + ("are settled" if len(group.settled.subjects) != 1 else "is settled")
        )
    return Line(
        group=group,
        open=len(is_open),
        settled=len(items) - len(is_open),
        href=f"{agenda.address(first).partition('?')[0]}?check={group.key}",
        alpha="undefined" if group.alpha is None else f"{group.alpha:.2f}",
        goal=goal,
    )


def _sentence(agenda: Agenda) -> str:
    """What is worth the hour, in one sentence."""
    left = len(agenda.open)
    if not agenda.items:
        return "The raters gave the same label everywhere they met: there is nothing to settle."
    if not left:
        return f"All {len(agenda.items)} are sorted. End the meeting, and read its minutes."
    keys = {one.unit.key for one in agenda.open}
    waiting = [group for group in agenda.groups if group.key in keys]
    best = next((group for group in waiting if group.settled), None)
    told = f"{counted_noun(left, 'disagreement')} to settle."
    if best is None or best.settled is None or best.alpha is None:
        return told
    pairs = len(best.settled.subjects)
    name = best.key if best.named else "the preference"
    verb = "goes" if best.settled.reaches else "only goes"
    return (
        f"{told} Settle {counted_noun(pairs, 'pair')} and {name} {verb} "
        f"from {best.alpha:.2f} to {best.settled.alpha:.2f}."
    )
