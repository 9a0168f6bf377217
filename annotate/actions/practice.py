"""A rater begins the practice of a rubric, or goes straight to the round."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Max

from annotate.actions.render_jobs import start_rendering
from annotate.assignment import deal
from annotate.gold import practice_for
from annotate.models import Batch, Slot
from annotate.practice import DECLINED, Practice, Stage, practice_of
from projects.audit import record
from projects.models import Project

if TYPE_CHECKING:
    from projects.models import User


class PracticeRefused(Exception):
    """There is nothing to practise on; the message says why."""


def begin_practice(*, batch: Batch, acting_user: User) -> Practice:
    """Give the rater of a round the practice pairs of its rubric, in an order of their own.

    Once begun it goes on, and once done it is done: a second call changes nothing.
    """
    with transaction.atomic():
        # Two raters who begin at once wait for each other here: slots are counted below.
        Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
        rater = batch.raters.get(user=acting_user)
        found = practice_of(rater, batch.version)
        if found is not None and found.stage != Stage.OFFERED:
            return found
        if Batch.objects.closed().filter(pk=batch.pk).exists():
            raise PracticeRefused(f"{batch} is closed: there is nothing to practise for.")
        subjects = practice_for(rater, batch.version)
        if not subjects:
            raise PracticeRefused("There are no practice pairs for this rubric any more.")
        practice = _batch_of(batch, acting_user)
        highest = practice.slots.aggregate(Max("n"))["n__max"]
        place = 0 if highest is None else highest + 1
        deal(practice, subjects, rater, n=place, role=Slot.Role.PRACTICE)
        record(
            "practice.begun",
            project=batch.project,
            actor=acting_user,
            target=batch,
            version=str(batch.version),
            pairs=len(subjects),
        )
        start_rendering(batch=practice, acting_user=acting_user)
        begun = practice_of(rater, batch.version)
    assert begun is not None
    return begun


def decline_practice(*, batch: Batch, acting_user: User) -> None:
    """Not now: the round opens without it from here on, the pages go on offering it."""
    with transaction.atomic():
        record(
            DECLINED,
            project=batch.project,
            actor=acting_user,
            target=batch,
            rubric=batch.version.rubric_id,
        )


def _batch_of(batch: Batch, acting_user: User) -> Batch:
    """The practice batch of the round's version, made at the first need. It never closes."""
    found = Batch.objects.filter(version=batch.version, kind=Batch.Kind.PRACTICE).first()
    return found or Batch.objects.create(
        project=batch.project,
        version=batch.version,
        kind=Batch.Kind.PRACTICE,
        seed=secrets.randbits(32),
        ask_after_gate=batch.ask_after_gate,
        created_by=acting_user,
    )
