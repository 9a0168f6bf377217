"""What people are told about rulings: never which pair, since somebody may still rate it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from annotate.actions.round_notices import leads_of
from projects.models import Notice, Role, User
from projects.notices import tell

if TYPE_CHECKING:
    from annotate.models import Batch, Ruling


def tell_opened(ruling: Ruling, *, batch: Batch, places: str, acting_user: User | None) -> None:
    """The policy owners learn that a split waits for them; whoever sent it knows."""
    owners = User.objects.filter(
        memberships__project=ruling.project_id, memberships__role=Role.POLICY_OWNER
    )
    tell(
        users=[user for user in owners if user != acting_user],
        project=ruling.project,
        verb=Notice.Verb.RULING_OPENED,
        text=f"A split of {str(batch).lower()} on {places} waits for your ruling.",
        path=ruling_path(ruling),
    )


def tell_decided(ruling: Ruling, *, places: str, acting_user: User | None) -> None:
    """The leads learn what was decided; whoever decided it knows."""
    tell(
        users=[user for user in leads_of(ruling.project) if user != acting_user],
        project=ruling.project,
        verb=Notice.Verb.RULING_DECIDED,
        text=f"A split on {places} was ruled on: {ruling.get_decision_display()}.",
        path=ruling_path(ruling),
    )


def ruling_path(ruling: Ruling) -> str:
    return reverse("annotate:ruling", args=[ruling.project.slug, ruling.public_id])
