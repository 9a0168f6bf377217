"""Where the rubric was silent: votes that no check explains, and checks marked as unclear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Count, Q

from annotate.access import still_rated_by
from annotate.models import Vote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from annotate.models import Batch
    from projects.models import User

SHOWN = 20


@dataclass(frozen=True)
class Gaps:
    """The newest of the votes that show a gap, and how many there are in all.

    Those on probe pairs are among them: a check that is unclear on a planted pair is unclear.
    """

    votes: tuple[Vote, ...]
    nothing_says_it: int
    unclear: int

    @property
    def total(self) -> int:
        return max(self.nothing_says_it, self.unclear, len(self.votes))


def gaps(batches: Iterable[Batch], reader: User) -> Gaps:
    votes = (
        Vote.objects.filter(batch__in=list(batches))
        .current()
        .exclude(subject__in=still_rated_by(reader))
    )
    marked = votes.filter(Q(nothing_says_it=True) | ~Q(unclear=[]))
    counts = marked.aggregate(
        silent=Count("id", filter=Q(nothing_says_it=True)),
        unclear=Count("id", filter=~Q(unclear=[])),
    )
    shown = marked.select_related("subject", "rater", "batch", "assignment__slot").order_by("-id")[
        :SHOWN
    ]
    return Gaps(tuple(shown), counts["silent"], counts["unclear"])
