from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from annotate import ballot as ballots
from annotate.labelling import (
    MAX_SKIP_REASON,
    answer_from,
    ballot_for,
    detail_from,
    fields_from,
    storable,
)
from annotate.models import Assignment, Label, Vote
from projects.audit import record
from projects.models import Rater

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from annotate.ballot import CanonicalAnswer
    from annotate.models import Batch
    from projects.models import User
    from rubrics.models import Criterion


class BatchClosed(Exception):
    """Votes close with their batch."""


@dataclass
class VoteRefused(Exception):
    """The answer is not whole: field name → what to do. What was typed is kept as the draft."""

    problems: dict[str, str]


def opened(*, assignment: Assignment) -> None:
    """Note when the rater first saw the pair; later visits leave it as it is."""
    if assignment.opened_at is None:
        Assignment.objects.filter(pk=assignment.pk, opened_at__isnull=True).update(
            opened_at=timezone.now()
        )


def save_draft(*, assignment: Assignment, form: Mapping[str, Any], acting_user: User) -> Assignment:
    """Keep what the rater has entered so far; the revision returned is the acknowledgement.

    Drafts are no votes and are saved at every change, so they carry a revision and no event.
    """
    with transaction.atomic():
        assignment = _locked(assignment, acting_user)
        _require_open(assignment.batch)
        _store_draft(assignment, fields_from(form, ballot_for(assignment.batch)))
    return assignment


def submit_vote(
    *, assignment: Assignment, form: Mapping[str, Any], submit_key: UUID, acting_user: User
) -> Vote:
    """Turn the answer into a vote, or into its next revision. Sending it again changes nothing.

    A refused answer is kept as the draft before `VoteRefused` is raised.
    """
    with transaction.atomic():
        assignment = _locked(assignment, acting_user)
        _require_open(assignment.batch)
        ballot = ballot_for(assignment.batch)
        fields = fields_from(form, ballot)
        answer = answer_from(fields, ballot)
        found = ballots.problems(ballot, answer)
        if not found:
            canonical = ballots.canonical(ballot, answer, _order(assignment))
            if late := _late_retry(assignment, canonical, submit_key):
                return late
            vote = _vote(assignment, canonical, submit_key, detail_from(fields), acting_user)
        # A preference that a gate has made void is cleared, as the message says.
        if ballots.gate_state(ballot, answer).decides:
            fields.pop("preference", None)
        if fields != assignment.draft:
            _store_draft(assignment, fields)
    if found:
        raise VoteRefused(found)
    return vote


def skip(*, assignment: Assignment, reason: str, acting_user: User) -> Assignment:
    """Put a pair off to the end of the rater's queue; a voted pair stays voted."""
    with transaction.atomic():
        assignment = _locked(assignment, acting_user)
        _require_open(assignment.batch)
        if assignment.state == Assignment.State.SUBMITTED:
            return assignment
        assignment.state = Assignment.State.SKIPPED
        assignment.skipped_at = timezone.now()
        assignment.skip_reason = storable(reason).strip()[:MAX_SKIP_REASON]
        assignment.save(update_fields=["state", "skipped_at", "skip_reason"])
        record(
            "assignment.skipped",
            project=assignment.batch.project,
            actor=acting_user,
            target=assignment,
            reason=assignment.skip_reason,
        )
    return assignment


def _locked(assignment: Assignment, acting_user: User) -> Assignment:
    """The row, held until the transaction ends; only its own rater may write to it."""
    return (
        Assignment.objects.of_user(acting_user)
        .live()
        .select_related("batch__version", "batch__project", "rater")
        .select_for_update(of=("self", "batch"))
        .get(pk=assignment.pk)
    )


def _require_open(batch: Batch) -> None:
    if batch.closed_at is not None:
        raise BatchClosed(f"{batch} is closed: its votes can no longer change.")


def _store_draft(assignment: Assignment, fields: dict[str, Any]) -> None:
    assignment.draft = fields
    assignment.draft_revision += 1
    assignment.save(update_fields=["draft", "draft_revision"])


def _order(assignment: Assignment) -> ballots.Order:
    return "AB" if assignment.order == Assignment.Order.AB else "BA"


def _late_retry(
    assignment: Assignment, canonical: CanonicalAnswer, submit_key: UUID
) -> Vote | None:
    """The vote that stands, where this answer was taken before and amended since."""
    taken = assignment.votes.filter(submit_key=submit_key, current=False).first()
    if taken is None or not _says_the_same(taken, assignment, canonical):
        return None
    return assignment.votes.filter(current=True).first()


def _vote(
    assignment: Assignment,
    canonical: CanonicalAnswer,
    submit_key: UUID,
    detail: dict[str, Any],
    acting_user: User,
) -> Vote:
    previous = assignment.votes.filter(current=True).first()
    if previous is not None:
        if _says_the_same(previous, assignment, canonical):
            return previous
        previous.current = False
        previous.save(update_fields=["current"])
    vote = Vote.objects.create(
        batch=assignment.batch,
        subject_id=assignment.subject_id,
        rater=_with_pseudonym(assignment.rater),
        assignment=assignment,
        revision=previous.revision + 1 if previous else 1,
        at=timezone.now(),
        blind=True,
        rationale=canonical.rationale,
        order=assignment.order,
        cites=list(canonical.cites),
        nothing_says_it=canonical.nothing_says_it,
        unclear=list(canonical.unclear),
        detail=detail,
        # An old page sent again with other content is an amendment, under no key of its own.
        submit_key=None if assignment.votes.filter(submit_key=submit_key).exists() else submit_key,
    )
    criteria = {criterion.key: criterion for criterion in assignment.batch.version.criteria.all()}
    Label.objects.bulk_create(
        _label(vote, criteria[label.key], label) for label in canonical.labels
    )
    assignment.state = Assignment.State.SUBMITTED
    assignment.save(update_fields=["state"])
    record(
        "vote.amended" if previous else "vote.submitted",
        project=assignment.batch.project,
        actor=acting_user,
        target=vote.public_id,
        assignment=str(assignment.public_id),
        revision=vote.revision,
    )
    return vote


def _label(vote: Vote, criterion: Criterion, label: ballots.CanonicalLabel) -> Label:
    code, number = _stored(criterion.level, label.code)
    return Label(
        vote=vote,
        criterion=criterion,
        part_key=label.part,
        code=code,
        number=number,
        how=label.how,
    )


def _stored(level: str, code: str) -> tuple[str, float | None]:
    """(code, number) as a row holds them: measured values are numbers, all others codes."""
    return ("", float(code)) if level == "interval" and code != ballots.NA else (code, None)


def _says_the_same(vote: Vote, assignment: Assignment, canonical: CanonicalAnswer) -> bool:
    """Whether an answer is that vote over again: a double click, a reload, a late retry."""
    levels = dict(assignment.batch.version.criteria.values_list("key", "level"))
    said = {
        (label.key, label.part, *_stored(levels[label.key], label.code))
        for label in canonical.labels
    }
    stands = vote.labels.values_list("criterion__key", "part_key", "code", "number")
    return (
        vote.order == assignment.order
        and set(stands) == said
        and vote.rationale == canonical.rationale
        and vote.nothing_says_it == canonical.nothing_says_it
        and vote.unclear == list(canonical.unclear)
    )


def _with_pseudonym(rater: Rater) -> Rater:
    """Releases carry the pseudonym; it is given at the first vote and never changes."""
    if not rater.pseudonym:
        rater.pseudonym = f"R{secrets.token_hex(4)}"
        rater.save(update_fields=["pseudonym"])
    return rater
