from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotate import assignment
from annotate.actions.check_jobs import ensure_checked
from annotate.actions.measure_jobs import start_measuring
from annotate.actions.probes import ProbesRefused, planted_in
from annotate.actions.render_jobs import start_rendering
from annotate.actions.round_notices import tell_closed, tell_opened
from annotate.clearing import ROUND_SIZE
from annotate.models import Batch
from projects.audit import record
from projects.models import Membership, Project, Rater
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotate.models import Subject
    from projects.models import User


class RoundRefused(Exception):
    """The round cannot start; the message says why and what to do, `field` what it is about."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def start_round(
    *,
    project: Project,
    version: RubricVersion,
    raters: Sequence[User],
    acting_user: User | None,
    size: int = ROUND_SIZE,
    seed: int | None = None,
    ask_after_gate: bool = True,
    simulated: bool = False,
    probes: Sequence[Subject] = (),
) -> Batch:
    """Open a calibration round: every rater labels every pair, in an order of their own.

    `probes` are pairs with known answers that lie among the others, on top of `size`.
    """
    _check(project, version, raters, size)
    if seed is not None and not 0 <= seed <= assignment.MAX_SEED:
        raise RoundRefused(
            f"A seed is a whole number from 0 to {assignment.MAX_SEED}.", field="seed"
        )
    _wait_for_code(version, acting_user)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        seated = [rater_for(project, user) for user in raters]
        seed = secrets.randbits(32) if seed is None else seed
        left_out = assignment.count_decided(project, seated, version)
        try:
            subjects = assignment.draw(project, seated, size=size, seed=seed, version=version)
        except assignment.TooFewPairs as refusal:
            raise RoundRefused(str(refusal), field="size") from None
        try:
            planted = planted_in(version, probes, seated, acting_user)
        except ProbesRefused as refusal:
            raise RoundRefused(str(refusal), field=refusal.field) from None
        batch = Batch.objects.create(
            project=project,
            version=version,
            kind=Batch.Kind.CALIBRATION,
            number=_next_number(project),
            seed=seed,
            ask_after_gate=ask_after_gate,
            simulated=simulated,
            created_by=acting_user,
        )
        batch.raters.set(seated)
        assignment.lay_out(batch, subjects, seated, probes=[probe.pk for probe in planted])
        record(
            "round.started",
            project=project,
            actor=acting_user,
            target=batch,
            version=str(version),
            seed=seed,
            size=size,
            raters=[rater.pk for rater in seated],
            probes=[str(probe.public_id) for probe in planted],
            decided_by_code=left_out,
        )
        start_rendering(batch=batch, acting_user=acting_user)
        # Another number than their queue has would tell that something was planted.
        tell_opened(batch, pairs=size + len(planted), acting_user=acting_user)
    return batch


def _wait_for_code(version: RubricVersion, acting_user: User | None) -> None:
    """No expert is asked about a pair that code has still to look at."""
    waiting = ensure_checked(version, acting_user=acting_user)
    if waiting is None:
        return
    texts = f"{waiting.texts:,} text{'' if waiting.texts == 1 else 's'}"
    at_it = "It is at them in the background"
    if waiting.again:
        at_it = "The last time it ended with an error, and now it has begun again"
    raise RoundRefused(
        f"Code has still to look at {texts} under {version}, and decides which pairs need no "
        f"expert. {at_it}: try again when the page of automatic checks says that it is done.",
        field="version",
    )


def close_round(*, batch: Batch, acting_user: User | None) -> Batch:
    """Votes close with their batch; closing twice changes nothing."""
    with transaction.atomic():
        held = Batch.objects.select_for_update(of=("self",), no_key=True)
        batch = held.select_related("project").get(pk=batch.pk)
        if batch.closed_at is None:
            _wait_for_votes(batch)
            batch.closed_at = timezone.now()
            batch.save(update_fields=["closed_at"])
            unanswered = batch.assignments.exclude(state="submitted").count()
            record(
                "round.closed",
                project=batch.project,
                actor=acting_user,
                target=batch,
                unanswered=unanswered,
            )
            start_measuring(batch=batch, acting_user=acting_user)
            tell_closed(batch, acting_user=acting_user)
    return batch


def _wait_for_votes(batch: Batch) -> None:
    """Take the lock of each vote on its way; those that come later find the batch closed."""
    list(batch.assignments.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def rater_for(project: Project, user: User) -> Rater:
    """The rater that this person is in the project, made at the first need."""
    rater = Rater.objects.filter(project=project, user=user).first()
    if rater is not None:
        return rater
    name = str(user)
    namesakes = Rater.objects.filter(project=project, kind=Rater.Kind.PERSON, name=name)
    if namesakes.exists():
        name = f"{name} ({user.username})"
    return Rater.objects.create(project=project, user=user, kind=Rater.Kind.PERSON, name=name)


def _check(project: Project, version: RubricVersion, raters: Sequence[User], size: int) -> None:
    if version.rubric.project_id != project.pk:
        raise RoundRefused(f"{version} is not a rubric of {project}.", field="version")
    if version.status != RubricVersion.Status.PUBLISHED:
        raise RoundRefused(
            f"{version} is not published; a round pins what cannot change.", field="version"
        )
    if version.subject_kind != "pair":
        raise RoundRefused(
            f"{version} does not judge pairs; calibration rounds are made of pairs.",
            field="version",
        )
    if size < 1:
        raise RoundRefused("A round needs at least one pair.", field="size")
    if len({user.pk for user in raters}) != len(raters):
        raise RoundRefused("Each rater sits in a round once.", field="raters")
    if len(raters) < 2:
        raise RoundRefused(
            "A round needs at least two raters: agreement takes two.", field="raters"
        )
    members = set(Membership.objects.filter(project=project).values_list("user_id", flat=True))
    strangers = [str(user) for user in raters if user.pk not in members or not user.is_active]
    if strangers:
        verb = "is not a member" if len(strangers) == 1 else "are not members"
        raise RoundRefused(
            f"{', '.join(strangers)} {verb} of {project}: add them to the project first.",
            field="raters",
        )


def _next_number(project: Project) -> int:
    highest = Batch.objects.rounds().filter(project=project).aggregate(Max("number"))
    return (highest["number__max"] or 0) + 1
