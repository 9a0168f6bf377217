from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from annotate.access import STILL_OPEN, figures_are_open
from annotate.models import Batch, Meeting
from projects.audit import record

if TYPE_CHECKING:
    from projects.models import User

SHORTEST, LONGEST, USUAL = 5, 240, 60


class MeetingRefused(Exception):
    """The meeting cannot start; the message says why."""


def start_meeting(*, batch: Batch, minutes: int, acting_user: User | None) -> Meeting:
    """The hour begins. A batch has one open meeting: starting again joins the one that runs.

    One that nobody ended is ended first, at the time when it was over by itself.
    """
    if not SHORTEST <= minutes <= LONGEST:
        raise MeetingRefused(f"A meeting lasts from {SHORTEST} to {LONGEST} minutes.")
    if not figures_are_open(batch):
        raise MeetingRefused(STILL_OPEN)
    with transaction.atomic():
        Batch.objects.select_for_update(of=("self",), no_key=True).get(pk=batch.pk)
        standing = Meeting.objects.filter(batch=batch, ended_at__isnull=True).first()
        if standing is not None and not standing.was_forgotten:
            return standing
        if standing is not None:
            end_meeting(meeting=standing, acting_user=None)
        meeting = Meeting.objects.create(batch=batch, minutes=minutes, started_by=acting_user)
        record(
            "meeting.started",
            project=batch.project,
            actor=acting_user,
            target=batch,
            meeting=str(meeting.public_id),
            minutes=minutes,
        )
    return meeting


def end_meeting(*, meeting: Meeting, acting_user: User | None) -> Meeting:
    """The meeting is over; ending it twice changes nothing."""
    with transaction.atomic():
        held = Meeting.objects.select_for_update(of=("self",), no_key=True)
        meeting = held.select_related("batch__project").get(pk=meeting.pk)
        if meeting.ended_at is None:
            meeting.ended_at = min(timezone.now(), meeting.over_at)
            meeting.save(update_fields=["ended_at"])
            record(
                "meeting.ended",
                project=meeting.batch.project,
                actor=acting_user,
                target=meeting.batch,
                meeting=str(meeting.public_id),
            )
    return meeting
