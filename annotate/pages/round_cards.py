"""Rounds and who is how far in them, for leads; never shown to raters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max
from django.utils import timezone

from annotate.actions.asking import ASK_EVERY
from annotate.actions.round_notices import label_path
from annotate.models import Assignment, Batch
from projects.models import Notice, User


@dataclass(frozen=True)
class Progress:
    """How far one rater of a round is."""

    rater: int
    name: str
    done: int
    total: int
    last: datetime | None
    # When a lead asked them last to go on, and whether one may ask now.
    asked: datetime | None = None
    can_ask: bool = False

    @property
    def left(self) -> int:
        return self.total - self.done

    @property
    def finished(self) -> bool:
        return self.done == self.total


@dataclass(frozen=True)
class RoundCard:
    batch: Batch
    raters: tuple[Progress, ...]

    @property
    def size(self) -> int:
        return max((rater.total for rater in self.raters), default=0)

    @property
    def askable(self) -> list[Progress]:
        return [rater for rater in self.raters if rater.can_ask]

    @property
    def waiting(self) -> list[Progress]:
        return [rater for rater in self.raters if not rater.finished]

    @property
    def done(self) -> int:
        return sum(rater.done for rater in self.raters)

    @property
    def total(self) -> int:
        return sum(rater.total for rater in self.raters)


def round_cards(batches: Iterable[Batch], reader: User) -> list[RoundCard]:
    """Rounds with their raters, as one of the leads reads them."""
    batches = list(batches)
    asked = asked_at(batches)
    asked_of_late = timezone.now() - ASK_EVERY
    raters: dict[int, list[Progress]] = defaultdict(list)
    open_ones = {batch.pk for batch in batches if batch.closed_at is None and not batch.simulated}
    for row in Assignment.objects.filter(batch__in=batches).progress():
        at = asked.get((row["batch_id"], row["rater__user_id"]))
        waits = row["batch_id"] in open_ones and row["done"] < row["total"]
        is_other = row["rater__user__is_active"] and row["rater__user_id"] != reader.pk
        raters[row["batch_id"]].append(
            Progress(
                row["rater_id"],
                row["rater__name"],
                row["done"],
                row["total"],
                row["last"],
                asked=at,
                can_ask=bool(waits and is_other and (at is None or at < asked_of_late)),
            )
        )
    return [RoundCard(batch, tuple(raters[batch.pk])) for batch in batches]


def asked_at(batches: Sequence[Batch]) -> dict[tuple[int, int], datetime]:
    """(open batch, user) → when a lead last asked that rater to go on."""
    paths = {label_path(batch): batch.pk for batch in batches if batch.closed_at is None}
    if not paths:
        return {}
    rows = Notice.objects.asked_again(paths).order_by().values_list("path", "user_id")
    return {(paths[path], user): at for path, user, at in rows.annotate(Max("created_at"))}


def by_project(cards: Iterable[RoundCard]) -> dict[int, tuple[RoundCard, ...]]:
    grouped: dict[int, tuple[RoundCard, ...]] = defaultdict(tuple)
    for card in cards:
        grouped[card.batch.project_id] += (card,)
    return dict(grouped)
