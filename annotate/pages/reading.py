"""The two responses of an assignment in another view than as they render: seen terms only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.ballot import SEEN_SIDES
from annotate.models import Part
from annotate.rendered import difference_of, source_of

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from annotate.models import Assignment

SOURCE, DIFFERENCE = "source", "difference"
_ALIKE = {
    True: "The two responses are the same, word for word.",
    False: "No number, name or content word stands on one side alone.",
}


@dataclass(frozen=True)
class Pane:
    side: str
    html: SafeString | None  # none for an empty response


@dataclass(frozen=True)
class Reading:
    """What stands in the panes; without any, why nothing does."""

    view: str
    panes: tuple[Pane, ...]
    refusal: str = ""
    changes: int = 0
    percent_same: int = 0
    # Word by word; else each pane marks what only its side says.
    in_order: bool = True
    only_left: int = 0
    only_right: int = 0


def reading(assignment: Assignment, view: str) -> Reading | None:
    """The view of a name; none for any other name, and for the rendered one."""
    if view == SOURCE:
        return source_view(assignment)
    return difference_view(assignment) if view == DIFFERENCE else None


def source_view(assignment: Assignment) -> Reading:
    panes = zip(SEEN_SIDES, _texts(assignment), strict=True)
    return Reading(
        SOURCE, tuple(Pane(side, source_of(text) if text else None) for side, text in panes)
    )


def difference_view(assignment: Assignment) -> Reading:
    left, right = _texts(assignment)
    made = difference_of(left, right)
    found = made.found
    if not found.changes:
        return Reading(
            DIFFERENCE, (), refusal=_ALIKE[found.in_order], percent_same=found.percent_same
        )
    return Reading(
        DIFFERENCE,
        (
            Pane(SEEN_SIDES[0], made.left if left else None),
            Pane(SEEN_SIDES[1], made.right if right else None),
        ),
        changes=found.changes,
        percent_same=found.percent_same,
        in_order=found.in_order,
        only_left=found.only_left,
        only_right=found.only_right,
    )


def _texts(assignment: Assignment) -> tuple[str, str]:
    """The text on the left as this rater sees them, then the one on the right."""
    parts = Part.objects.filter(subject=assignment.subject_id)
    texts = dict(parts.values_list("key", "text"))
    left, right = (texts.get(side) or "" for side in assignment.seen_order)
    return left, right
