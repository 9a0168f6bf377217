from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from annotate import ballot as ballots
from annotate.actions.raters import give_pseudonyms
from annotate.labelling import (
    MAX_SKIP_REASON,
    answer_from,
    ballot_for,
    detail_from,
    fields_from,
    storable,
)
from annotate.models import Assignment, Batch, Label, Vote
from projects.audit import record
from rubrics.content import NA

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from annotate.ballot import CanonicalAnswer
    from projects.models import User
    from rubrics.models import Criterion


class BatchClosed(Exception):
    """Votes close with their batch."""


class SavedElsewhere(Exception):
    """Another tab has saved a draft of the pair since this one read it: that one stands."""


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


def save_draft(
    *,
    assignment: Assignment,
    form: Mapping[str, Any],
    acting_user: User,
    known_revision: int | None = None,
) -> Assignment:
    """Keep what the rater has entered so far; the revision returned is the acknowledgement.

    `known_revision` is the one that the page knows of: where another stands with other content,
    `SavedElsewhere` is raised and nothing written. Without it the last draft wins.
    Drafts are no votes and are saved at every change, so they carry a revision and no event.
    """
    with transaction.atomic():
        assignment = _held(assignment, acting_user)
        fields = fields_from(form, ballot_for(assignment.batch))
        if known_revision not in (None, assignment.draft_revision) and fields != assignment.draft:
            raise SavedElsewhere("Another tab has saved this pair since this page was opened.")
        _store_draft(assignment, fields)
    return assignment


def submit_vote(
    *, assignment: Assignment, form: Mapping[str, Any], submit_key: UUID, acting_user: User
) -> Vote:
    """Turn the answer into a vote, or into its next revision. Sending it again changes nothing.

    A refused answer is kept as the draft before `VoteRefused` is raised.
    """
    with transaction.atomic():
        assignment = _held(assignment, acting_user)
        ballot = ballot_for(assignment.batch)
        fields = fields_from(form, ballot)
        answer = answer_from(fields, ballot)
        found = ballots.problems(ballot, answer)
        if not found:
            canonical = ballots.canonical(ballot, answer, assignment.seen_order)
            said = _Said(canonical, submit_key, detail_from(fields))
            if late := _late_retry(assignment, said):
                return late
            vote = _vote(assignment, said, acting_user)
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
        assignment = _held(assignment, acting_user)
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


def _held(assignment: Assignment, acting_user: User) -> Assignment:
    """The row, held until the transaction ends, in a batch that is open for as long.

    Only its own rater may write to it. No other row is held, so raters never wait for each other;
    whoever closes a batch takes these same locks, hence the batch is read once this one is had.
    """
    own = Assignment.objects.of_user(acting_user).live()
    held = own.select_for_update(of=("self",), no_key=True).get(pk=assignment.pk)
    held.batch = Batch.objects.select_related("version", "project").get(pk=held.batch_id)
    if held.batch.closed_at is not None:
        raise BatchClosed(f"{held.batch} is closed: its votes can no longer change.")
    return held


def _store_draft(assignment: Assignment, fields: dict[str, Any]) -> None:
    assignment.draft = fields
    assignment.draft_revision += 1
    assignment.save(update_fields=["draft", "draft_revision"])


@dataclass(frozen=True)
class _Said:
    """What a page sent, in canonical terms, and the way it was given."""

    canonical: CanonicalAnswer
    submit_key: UUID
    detail: dict[str, Any]


def _late_retry(assignment: Assignment, said: _Said) -> Vote | None:
    """The vote that stands, where this answer was taken before and amended since."""
    taken = assignment.votes.filter(submit_key=said.submit_key, current=False).first()
    if taken is None or not _says_the_same(taken, assignment, said.canonical):
        return None
    return assignment.votes.filter(current=True).first()


def _vote(assignment: Assignment, said: _Said, acting_user: User) -> Vote:
    """The vote that says so: the one that stands where it does, else its next revision."""
    previous = assignment.votes.filter(current=True).first()
    if previous is not None:
        if _says_the_same(previous, assignment, said.canonical):
            return previous
        previous.current = False
        previous.save(update_fields=["current"])
    vote = _revision(assignment, previous, said)
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


def _revision(assignment: Assignment, previous: Vote | None, said: _Said) -> Vote:
    give_pseudonyms([assignment.rater])
    key_is_taken = assignment.votes.filter(submit_key=said.submit_key).exists()
    vote = Vote.objects.create(
        batch=assignment.batch,
        subject_id=assignment.subject_id,
        rater=assignment.rater,
        assignment=assignment,
        revision=previous.revision + 1 if previous else 1,
        at=timezone.now(),
        blind=True,
        rationale=said.canonical.rationale,
        order=assignment.order,
        cites=list(said.canonical.cites),
        nothing_says_it=said.canonical.nothing_says_it,
        unclear=list(said.canonical.unclear),
        detail=said.detail,
        # An old page sent again with other content is an amendment, under no key of its own.
        submit_key=None if key_is_taken else said.submit_key,
    )
    criteria = {criterion.key: criterion for criterion in assignment.batch.version.criteria.all()}
    Label.objects.bulk_create(
        _label(vote, criteria[label.key], label) for label in said.canonical.labels
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
    return ("", float(code)) if level == "interval" and code != NA else (code, None)


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
