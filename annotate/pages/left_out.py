"""Pairs that a round would not draw, as code has decided them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.assignment import count_decided
from annotate.checking import checked_versions

if TYPE_CHECKING:
    from projects.models import Project
    from rubrics.models import RubricVersion


@dataclass(frozen=True)
class LeftOut:
    version: RubricVersion
    pairs: int


def left_out(project: Project) -> tuple[LeftOut, ...]:
    """For the newest version of each rubric, where there are any."""
    found = (LeftOut(one, count_decided(project, [], one)) for one in checked_versions(project))
    return tuple(one for one in found if one.pairs)
