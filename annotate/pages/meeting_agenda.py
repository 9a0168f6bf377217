"""What a meeting goes through and in which order, and where somebody stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from annotate.disagreements import Found, unit_code

if TYPE_CHECKING:
    from annotate.disagreements import Differing, Group
    from annotate.models import Batch, Meeting


@dataclass(frozen=True)
class Agenda:
    """The disagreements of a meeting in order. Those that it has settled keep their place."""

    batch: Batch
    groups: tuple[Group, ...]
    items: tuple[Differing, ...]
    check: str = ""

    @property
    def open(self) -> tuple[Differing, ...]:
        return tuple(one for one in self.items if not one.kind)

    @property
    def settled(self) -> int:
        return len(self.items) - len(self.open)

    def place(self, one: Differing) -> int:
        """From 1."""
        return next(n for n, other in enumerate(self.items, 1) if other.unit == one.unit)

    def beside(self, one: Differing, by: int) -> Differing | None:
        at = self.place(one) - 1 + by
        return self.items[at] if 0 <= at < len(self.items) else None

    def next_open(self, one: Differing) -> Differing | None:
        """The next that is not settled, from the beginning again once the end is reached."""
        at = self.place(one)
        turned = [*self.items[at:], *self.items[: at - 1]]
        return next((other for other in turned if not other.kind), None)

    def address(self, one: Differing | None, **query: str) -> str:
        """The page of a disagreement, or of the whole agenda; the chosen check goes along."""
        words = {"check": self.check, **query} if self.check else query
        return f"{meeting_address(self.batch, one)}{'?' if words else ''}{urlencode(words)}"


def meeting_address(batch: Batch, one: Differing | None = None, name: str = "") -> str:
    places = [batch.project.slug, batch.public_id]
    if one is None:
        return reverse(f"annotate:{name or 'meeting'}", args=places)
    return reverse(f"annotate:{name or 'meeting_unit'}", args=[*places, unit_code(one.unit)])


def agenda(
    found: Found,
    batch: Batch,
    meeting: Meeting | None,
    *,
    check: str = "",
    at: Differing | None = None,
) -> Agenda:
    """What was open when the meeting began, check by check, and in each the pair first that holds
    its figure down most. First come the checks that do not clear. `at` is in it, whatever became of
    it.
    """
    groups = tuple(sorted((group for group in found.groups if group.found), key=_gain))
    items = tuple(
        one
        for group in groups
        if not check or group.key == check
        for one in group.found
        if _is_on(one, meeting) or one is at
    )
    return Agenda(batch, groups, items, check)


def _gain(group: Group) -> tuple[bool, float]:
    """By how far one pair holds it down at most; where the figure clears already, nothing waits."""
    return group.settled is None, -max(one.influence or 0.0 for one in group.found)


def _is_on(one: Differing, meeting: Meeting | None) -> bool:
    if not one.kind or one.row is None:
        return True
    at = one.row.sorted_at
    return meeting is not None and at is not None and at >= meeting.started_at


def group_of(groups: Sequence[Group], key: str) -> Group:
    return next(group for group in groups if group.key == key)
