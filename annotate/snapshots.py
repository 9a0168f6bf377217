"""A figure is computed once for exactly this input, then read.

Votes are only ever added: an amended vote is a new row. So the batches, their rubric documents, the
number of current votes and the highest vote id tell whether anything can have changed.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Max, Q

from annotate.models import Snapshot, Vote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from django.db.models import QuerySet

    from annotate.models import Batch

# Raise it whenever the same votes would come to other figures, or figures are kept differently.
CODE_VERSION = 7

Counted = dict[int, tuple[int, int]]
Kept = dict[str, dict[str, Any]]


def remembered(
    kind: str,
    batches: Sequence[Batch],
    compute: Callable[[], dict[str, Any]],
    counted: Counted | None = None,
    kept: Kept | None = None,
) -> dict[str, Any]:
    """What `compute` gives (plain JSON values) for the votes of these batches as they stand.

    A page that reads several gives what it has fetched with `kept_of`.
    """
    key = key_of(kind, batches, counted or counted_votes(batches))
    if kept and key in kept:
        return kept[key]
    found = Snapshot.objects.filter(pk=key).first()
    if found is None:
        found, _ = Snapshot.objects.get_or_create(key=key, defaults={"data": compute()})
    data: dict[str, Any] = found.data
    return data


def kept_of(
    kind: str, pools: Iterable[Sequence[Batch]], counted: Counted, *, also: Iterable[str] = ()
) -> Kept:
    """What is kept of each of these pools and under other keys, by key, in one query."""
    keys = [*(key_of(kind, pool, counted) for pool in pools), *also]
    found = Snapshot.objects.filter(pk__in=keys) if keys else ()
    return {snapshot.pk: snapshot.data for snapshot in found}


def counted_votes(batches: Iterable[Batch]) -> Counted:
    """Current votes and highest vote id of each batch that has any."""
    return {row["batch_id"]: (row["votes"], row["highest"]) for row in vote_counts(batches)}


def vote_counts(batches: Iterable[Batch]) -> QuerySet[Any, Any]:
    """Rows of `batch_id`, `votes` and `highest`, for a page that asks more in the same query."""
    votes = Vote.objects.filter(batch__in=list(batches)).order_by().values("batch_id")
    return votes.annotate(votes=Count("id", filter=Q(current=True)), highest=Max("id"))


def key_of(kind: str, batches: Sequence[Batch], counted: Mapping[int, tuple[int, int]]) -> str:
    inputs = sorted(
        [batch.pk, batch.version.digest, batch.criteria_scope, *counted.get(batch.pk, (0, 0))]
        for batch in batches
    )
    return hashlib.sha256(json.dumps([CODE_VERSION, kind, inputs]).encode()).hexdigest()
