"""A round filled by simulated raters, vote by vote as the page submits them."""

from __future__ import annotations

import random
import uuid
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from annotate.actions.votes import submit_vote
from annotate.ballot import seen_part
from annotate.known import known_under
from annotate.labelling import ballot_for
from annotate.models import Assignment, Batch, Part, Subject
from annotate.rendered import readable_sides
from annotate.simulation import (
    DEFAULT_PROFILE,
    PROFILES,
    SimulatedRater,
    Situation,
    Truth,
    filled,
    known_to_be,
    profile,
    truth_for,
)
from projects.audit import record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from annotate.ballot import Ballot
    from projects.models import User

# What the clock on the wall shows beyond the time with a hand on the page.
_PAUSE = timedelta(seconds=20)


class SimulationRefused(Exception):
    """The round is not one to simulate; the message says why and what to do."""


@transaction.atomic
def simulate_round(
    *, batch: Batch, seed: int, acting_user: User | None, name: str = DEFAULT_PROFILE
) -> int:
    """Let raters of a profile answer what is open in a round that was started as simulated.

    The truth of a pair is its known answer where it has one, else drawn from the seed and its id.
    Returns the number of votes given; run again it gives none.
    """
    if name not in PROFILES:
        raise SimulationRefused(f"There is no profile “{name}”. Profiles: {', '.join(PROFILES)}.")
    ballot = ballot_for(batch)
    found = profile(name, ballot)
    seats = batch.raters.order_by("pk").values_list("pk", flat=True)
    team = {pk: found.rater(seat) for seat, pk in enumerate(seats)}
    known = _known(batch)

    def truth_of(external_id: str) -> Truth:
        drawn = truth_for(ballot, found.recipe, external_id, seed=seed)
        answers = known.get(external_id)
        return known_to_be(ballot, drawn, answers) if answers else drawn

    votes = fill_round(batch=batch, team=team, truth_of=truth_of, seed=seed)
    if votes:
        record(
            "round.simulated",
            project=batch.project,
            actor=acting_user,
            target=batch,
            profile=name,
            seed=seed,
            votes=votes,
        )
    return votes


@transaction.atomic
def fill_round(
    *,
    batch: Batch,
    team: Mapping[int, SimulatedRater],
    truth_of: Callable[[str], Truth],
    seed: int,
) -> int:
    """Every open assignment of the raters in `team` (by key) answered; returns how many.

    `truth_of` tells the planted answers of a pair by its external id.
    """
    _hold(batch)
    _refuse(batch)
    ballot = ballot_for(batch)
    mine = batch.assignments.exclude(state=Assignment.State.SUBMITTED).filter(rater__in=team)
    waiting = list(mine.select_related("subject", "rater__user").order_by("rater", "position"))
    queue = max((one.position for one in waiting), default=0)
    words = _words(batch)
    for one in waiting:
        rater = team[one.rater_id]
        dice = random.Random(f"{seed}:{one.rater}:{one.subject.external_id}")  # noqa: S311
        at = Situation(
            one.position, queue, words.get(one.subject_id, 0), partial(_text, assignment=one)
        )
        _submit(one, ballot, truth_of(one.subject.external_id), rater, at, dice)
    return len(waiting)


def _hold(batch: Batch) -> None:
    """The round and all its assignments to the end, in the order in which closing takes them."""
    held = Batch.objects.select_for_update(of=("self",), no_key=True).get(pk=batch.pk)
    batch.closed_at = held.closed_at
    list(batch.assignments.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def _refuse(batch: Batch) -> None:
    if not batch.simulated:
        raise SimulationRefused(
            f"{batch} is for people: only a round that was started as simulated "
            "(start_round --simulated) can be filled by simulated raters."
        )
    if batch.closed_at is not None:
        raise SimulationRefused(f"{batch} is closed: its votes can no longer change.")


def _submit(
    one: Assignment,
    ballot: Ballot,
    truth: Truth,
    rater: SimulatedRater,
    at: Situation,
    dice: random.Random,
) -> None:
    user = one.rater.user
    if user is None:
        raise SimulationRefused(f"{one.rater} has no account, and so cannot vote.")
    found = filled(ballot, truth, rater, one.seen_order, dice, at)
    # Time counts from when a pair was opened: for as long as the simulated rater took.
    opened_at = timezone.now() - timedelta(seconds=found.active_s) - _PAUSE
    one.opened_at = one.opened_at or opened_at
    Assignment.objects.filter(pk=one.pk).update(opened_at=one.opened_at)
    submit_vote(
        assignment=one,
        form=found.fields,
        submit_key=uuid.UUID(int=dice.getrandbits(128), version=4),
        acting_user=user,
        known_revision=one.draft_revision,
        active_s=found.active_s,
    )


def _text(side: str, *, assignment: Assignment) -> str:
    """The readable text of a canonical side."""
    return readable_sides(assignment)[seen_part(side, assignment.seen_order)]


def _words(batch: Batch) -> dict[int, int]:
    """Words of both responses, by subject."""
    found: dict[int, int] = {}
    parts = Part.objects.filter(subject__slots__batch=batch).distinct()
    for subject, text in parts.values_list("subject", "text"):
        found[subject] = found.get(subject, 0) + len((text or "").split())
    return found


def _known(batch: Batch) -> dict[str, Mapping[tuple[str, str], str]]:
    """What is known of the round's pairs under its version, by external id, (key, side) and code;
    an answer given under an earlier version counts as far as it holds."""
    subjects = Subject.objects.filter(slots__batch=batch).distinct()
    found = known_under(batch.version, subjects)
    return {kept.subject.external_id: kept.labels for kept in found.values() if kept.labels}
