from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from annotate import ballot as ballots
from annotate import evidence, practice
from annotate.actions.raters import give_pseudonyms
from annotate.actions.round_notices import tell_when_all_in
from annotate.labelling import (
    MAX_SKIP_REASON,
    answer_from,
    ballot_for,
    detail_from,
    fields_from,
    storable,
)
from annotate.models import Assignment, Batch, Evidence, Label, Vote
from annotate.own_vote import ROWS, Saying, saying, saying_of, stored
from annotate.rendered import readable_sides
from annotate.working_time import counted
from projects.audit import record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from annotate.ballot import CanonicalAnswer
    from annotate.evidence import Passage
    from projects.models import User


class BatchClosed(Exception):
    """Votes close with their batch."""


class AnswerShown(BatchClosed):
    """A practice answer closes as soon as it is sent: what comes after is the known one."""


@dataclass
class SavedElsewhere(Exception):
    """Another tab has saved a draft of the pair since this one read it: that one stands."""

    revision: int
    draft: dict[str, Any]


@dataclass
class VoteRefused(Exception):
    """The answer is not whole: field name → what to do. What was typed is kept as the draft."""

    problems: dict[str, str]
    revision: int
    draft: dict[str, Any]


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
    active_s: int | None = None,
) -> Assignment:
    """Keep what the rater has entered so far; the revision returned is the acknowledgement.

    `known_revision` is the one that the page knows of: where another stands with other content,
    `SavedElsewhere` is raised and nothing written; with the same content it is the same draft sent
    again, and nothing is written either. Without it the last draft wins.
    Drafts are no votes and are saved at every change, so they carry a revision and no event.
    """
    with transaction.atomic():
        assignment = _held(assignment, acting_user)
        _refuse_shown(assignment)
        fields = fields_from(form, ballot_for(assignment.batch))
        _refuse_older(assignment, fields, known_revision)
        if known_revision in (None, assignment.draft_revision):
            _add_time(assignment, active_s, known_revision)
            _store_draft(assignment, fields)
    return assignment


def submit_vote(
    *,
    assignment: Assignment,
    form: Mapping[str, Any],
    submit_key: UUID,
    acting_user: User,
    known_revision: int | None = None,
    active_s: int | None = None,
) -> Vote:
    """Turn the answer into a vote, or into its next revision. Sending it again changes nothing.

    A refused answer is kept as the draft before `VoteRefused` is raised; `known_revision` and
    `active_s` are what they are for a draft.
    """
    # Before the transaction: a text that nobody has looked at yet is rendered for it.
    texts = readable_sides(assignment) if form.get("evidence") else {}
    with transaction.atomic():
        assignment = _held(assignment, acting_user)
        ballot = ballot_for(assignment.batch)
        fields = fields_from(form, ballot)
        answer = answer_from(fields, ballot)
        found = ballots.problems(ballot, answer)
        chosen = evidence.read(fields.get("evidence", ""), ballot, texts)
        if chosen.problem:
            found["evidence"] = chosen.problem
        if not found:
            canonical = ballots.canonical(ballot, answer, assignment.seen_order)
            passages = evidence.canonical(chosen.passages, assignment.seen_order)
            passages = evidence.counted(passages, canonical)
            says = saying(canonical, passages, ballot)
            said = _Said(canonical, passages, says, submit_key, detail_from(fields))
            sent = assignment.state == Assignment.State.SUBMITTED
            votes = assignment.votes.prefetch_related(*ROWS)
            given = list(votes) if sent else []
            if standing := _retry(assignment, given, said):
                return standing
        _refuse_shown(assignment)
        _refuse_older(assignment, fields, known_revision)
        took_time = _add_time(assignment, active_s, known_revision)
        if not found:
            vote = _vote(assignment, given, said, acting_user)
        # A preference that a gate has made void is cleared, as the message says.
        if ballots.gate_state(ballot, answer).decides:
            fields.pop("preference", None)
        if fields != assignment.draft or took_time:
            assignment.draft = fields
            assignment.draft_revision += 1
        assignment.save(update_fields=["draft", "draft_revision", "active_s", "state"])
        if not found and vote.revision == 1:
            tell_when_all_in(assignment)
    if found:
        raise VoteRefused(found, assignment.draft_revision, assignment.draft)
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
    # What cannot change meanwhile comes from the assignment as it was fetched.
    held.batch, held.rater = assignment.batch, assignment.rater
    held.batch.closed_at = Batch.objects.values_list("closed_at", flat=True).get(pk=held.batch_id)
    if held.batch.closed_at is not None:
        raise BatchClosed(f"{held.batch} is closed: its votes can no longer change.")
    return held


def _refuse_shown(assignment: Assignment) -> None:
    if practice.is_told(assignment):
        raise AnswerShown("You have seen the known answer: your practice answer stays as it was.")


def _store_draft(assignment: Assignment, fields: dict[str, Any]) -> None:
    assignment.draft = fields
    assignment.draft_revision += 1
    assignment.save(update_fields=["draft", "draft_revision", "active_s"])


def _refuse_older(
    assignment: Assignment, fields: dict[str, Any], known_revision: int | None
) -> None:
    if known_revision not in (None, assignment.draft_revision) and fields != assignment.draft:
        raise SavedElsewhere(assignment.draft_revision, assignment.draft)


def _add_time(assignment: Assignment, said_s: int | None, known_revision: int | None) -> bool:
    """Count the seconds since the last acknowledged save, once, and say whether there were any.

    Once, because whatever counts also makes a new revision: sent again, it knows of an older one.
    """
    if not said_s or assignment.opened_at is None or known_revision != assignment.draft_revision:
        return False
    wall_s = (timezone.now() - assignment.opened_at).total_seconds()
    added = counted(said_s, so_far_s=assignment.active_s, wall_s=wall_s)
    assignment.active_s += added
    return added > 0


@dataclass(frozen=True)
class _Said:
    """What a page sent, in canonical terms, and the way it was given."""

    canonical: CanonicalAnswer
    passages: tuple[Passage, ...]
    says: Saying
    submit_key: UUID
    detail: dict[str, Any]


def _retry(assignment: Assignment, given: Sequence[Vote], said: _Said) -> Vote | None:
    """The vote that stands, where this very answer was taken before, amended since or not."""
    taken = next((vote for vote in given if vote.submit_key == said.submit_key), None)
    if taken is None or not _says_the_same(taken, assignment, said):
        return None
    return _current(given)


def _current(given: Sequence[Vote]) -> Vote | None:
    return next((vote for vote in given if vote.current), None)


def _vote(assignment: Assignment, given: Sequence[Vote], said: _Said, acting_user: User) -> Vote:
    """The vote that says so: the one that stands where it does, else its next revision."""
    previous = _current(given)
    if previous is not None:
        if _says_the_same(previous, assignment, said):
            return previous
        previous.current = False
        previous.save(update_fields=["current"])
    key_is_taken = any(vote.submit_key == said.submit_key for vote in given)
    vote = _revision(assignment, previous, said, key_is_taken=key_is_taken)
    assignment.state = Assignment.State.SUBMITTED
    verb = "practice.answered" if assignment.batch.is_practice else "vote.submitted"
    record(
        "vote.amended" if previous else verb,
        project=assignment.batch.project,
        actor=acting_user,
        target=vote.public_id,
        assignment=str(assignment.public_id),
        revision=vote.revision,
    )
    return vote


def _revision(
    assignment: Assignment, previous: Vote | None, said: _Said, *, key_is_taken: bool
) -> Vote:
    detail = said.detail
    if assignment.batch.is_practice:
        detail = {**detail, **practice.detail_of(assignment)}
    else:
        # A practice never leaves this house, so nobody needs another name for it.
        give_pseudonyms([assignment.rater])
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
        active_s=assignment.active_s or None,
        cites=list(said.canonical.cites),
        nothing_says_it=said.canonical.nothing_says_it,
        unclear=list(said.canonical.unclear),
        rewrite=said.canonical.rewrite,
        detail=detail,
        # An old page sent again with other content is an amendment, under no key of its own.
        submit_key=None if key_is_taken else said.submit_key,
    )
    criteria = {
        key: (pk, level)
        for key, pk, level in assignment.batch.version.criteria.values_list("key", "pk", "level")
    }
    Label.objects.bulk_create(
        _label(vote, *criteria[label.key], label) for label in said.canonical.labels
    )
    if said.passages:
        Evidence.objects.bulk_create(
            Evidence(
                vote=vote,
                criterion_id=criteria[passage.check][0],
                part_key=passage.side,
                start=passage.start,
                end=passage.end,
                quote=passage.quote,
            )
            for passage in said.passages
        )
    return vote


def _label(vote: Vote, criterion_id: int, level: str, label: ballots.CanonicalLabel) -> Label:
    code, number = stored(label.code, measured=level == "interval")
    return Label(
        vote=vote,
        criterion_id=criterion_id,
        part_key=label.part,
        code=code,
        number=number,
        how=label.how,
    )


def _says_the_same(vote: Vote, assignment: Assignment, answer: _Said) -> bool:
    """Whether an answer is that vote over again: a double click, a reload, a late retry."""
    return vote.order == assignment.order and saying_of(vote) == answer.says
