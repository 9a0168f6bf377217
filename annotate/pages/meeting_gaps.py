"""The rubric's gaps as a meeting reads them: without names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.blind_names import blind_name, numbered
from annotate.models import Vote
from annotate.pages.gaps import gaps

if TYPE_CHECKING:
    from annotate.models import Batch
    from annotate.pages.gaps import Gaps
    from projects.models import User


@dataclass(frozen=True)
class Gap:
    """`name` is neutral, and '' where raters are anonymous."""

    name: str
    vote: Vote


@dataclass(frozen=True)
class MeetingGaps:
    found: Gaps
    shown: tuple[Gap, ...]


def meeting_gaps(batch: Batch, reader: User) -> MeetingGaps:
    found = gaps([batch], reader)
    votes = Vote.objects.of_batches(batch).order_by().values_list("rater_id", flat=True)
    numbers = {} if batch.anonymous_raters else numbered(votes.distinct(), str(batch.public_id))
    return MeetingGaps(
        found=found,
        shown=tuple(
            Gap(blind_name(numbers[vote.rater_id]) if numbers else "", vote) for vote in found.votes
        ),
    )
