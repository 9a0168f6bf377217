"""A lead asks the raters who still have open pairs to go on, each at most once a day."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from annotate.actions.round_notices import label_path
from annotate.labelling import storable
from annotate.models import Batch
from projects.audit import record
from projects.models import Notice, Rater, User
from projects.notices import tell
from rubrics.words import counted_noun

if TYPE_CHECKING:
    from collections.abc import Collection

ASK_EVERY = timedelta(days=1)
MAX_NOTE = 160


class AskRefused(Exception):
    """Nobody was asked; the message says why."""


def ask_again(
    *, batch: Batch, acting_user: User, note: str = "", raters: Collection[int] | None = None
) -> list[Rater]:
    """Tell the raters of an open round that their pairs wait; `raters` by id, or all who wait.

    Whoever was asked within a day is left in peace, and so is the one who asks.
    """
    note = " ".join(storable(note).split())[:MAX_NOTE]
    with transaction.atomic():
        held = Batch.objects.select_for_update(of=("self",), no_key=True)
        batch = held.select_related("project").get(pk=batch.pk)
        if batch.closed_at is not None:
            raise AskRefused(f"{batch} is closed: nobody can label it any more.")
        waiting = _waiting(batch, acting_user)
        chosen = [rater for rater in waiting if raters is None or rater.pk in raters]
        if not chosen:
            raise AskRefused("Nobody was asked: no rater whom you could ask has open pairs.")
        asked = [rater for rater in chosen if _ask(batch, rater, waiting[rater], note, acting_user)]
        if not asked:
            raise AskRefused("Nobody was asked: a rater is asked once a day at most.")
    return asked


def _waiting(batch: Batch, acting_user: User) -> dict[Rater, int]:
    """The open pairs of each person who has any, still has an account and is not who asks."""
    rows = batch.assignments.unanswered().order_by().values_list("rater").annotate(Count("id"))
    left = dict(rows)
    raters = Rater.objects.filter(pk__in=left, user__is_active=True).exclude(user=acting_user)
    return {rater: left[rater.pk] for rater in raters.select_related("user")}


def _ask(batch: Batch, rater: Rater, left: int, note: str, acting_user: User) -> bool:
    path = label_path(batch)
    assert rater.user is not None
    before = Notice.objects.asked_again([path]).filter(user=rater.user)
    if before.filter(created_at__gt=timezone.now() - ASK_EVERY).exists():
        return False
    verb = "wait" if left != 1 else "waits"
    said = f" “{note}”" if note else ""
    told = tell(
        users=[rater.user],
        project=batch.project,
        verb=Notice.Verb.ASKED_AGAIN,
        text=f"{acting_user} asks you to go on with {str(batch).lower()}: "
        f"{counted_noun(left, 'pair')} {verb} for your vote.{said}",
        path=path,
    )
    if told:
        record(
            "rater.asked_again",
            project=batch.project,
            actor=acting_user,
            target=batch,
            rater=rater.pk,
            note=note,
        )
    return bool(told)
