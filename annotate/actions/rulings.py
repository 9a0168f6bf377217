"""A split goes to the policy owner, who decides once. Votes are never touched by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from django.db import transaction
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import capfirst

from annotate.access import STILL_RATING, figures_are_open, still_rated_by
from annotate.actions.edits import make_edit
from annotate.actions.ruling_notices import tell_decided, tell_opened
from annotate.disagreement_entries import is_split
from annotate.labelling import storable
from annotate.models import Batch, Disagreement, Ruling, Subject
from annotate.rulings import codes_for, place_words, places_words, units_of
from projects.audit import record
from projects.models import Project
from rubrics.words import label_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotate.models import Edit
    from projects.models import User

MAX_TEXT = 4_000


class Place(Protocol):
    """A unit of a batch: the subject's row, the check's key, and the part ('' for the subject)."""

    @property
    def subject(self) -> int: ...
    @property
    def key(self) -> str: ...
    @property
    def part(self) -> str: ...


class RulingRefused(Exception):
    """Nothing was written; the message says why and what to do, `field` what it is about.

    `ruling` is the one that stands in the way, where one does.
    """

    def __init__(self, message: str, *, field: str = "", ruling: Ruling | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.ruling = ruling


def open_ruling(
    *, batch: Batch, units: Sequence[Place], question: str, acting_user: User | None
) -> Ruling:
    """Ask the policy owner about a split of one pair. The same question twice is one ruling."""
    asked = _text(question, field="question", without="Say what the policy owner is to decide.")
    with transaction.atomic():
        # Two who send the same split at once wait for each other here.
        Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
        batch = Batch.objects.select_related("project", "version").get(pk=batch.pk)
        if not figures_are_open(batch):
            raise RulingRefused(f"{batch} is open: close it before its splits are ruled on.")
        rows = _rows(batch, units, acting_user)
        if standing := _standing(rows, asked):
            return standing
        ruling = Ruling.objects.create(
            project=batch.project,
            subject_id=rows[0].subject_id,
            question=asked,
            opened_by=acting_user,
        )
        for row in rows:
            row.ruling = ruling
            row.save(update_fields=["ruling"])
        record(
            "ruling.opened",
            project=batch.project,
            actor=acting_user,
            target=ruling.public_id,
            batch=str(batch),
            subject=rows[0].subject_id,
            units=[[row.criterion.key, row.part_key] for row in rows],
            question=asked,
        )
        tell_opened(ruling, batch=batch, places=places_words(rows), acting_user=acting_user)
    return ruling


def decide_ruling(
    *, ruling: Ruling, decision: str, answer: str, right_code: str = "", acting_user: User | None
) -> Ruling:
    """Write down what holds, and why. Sent twice it is one decision; another one is refused."""
    if decision not in Ruling.Decision.values:
        raise RulingRefused("Choose one of the four decisions.", field="decision")
    why = _text(answer, field="answer", without="Say why: the decision is read without you.")
    with transaction.atomic():
        ruling = _locked(ruling)
        right = _right(ruling, right_code) if decision == Ruling.Decision.ONE_SIDE else ""
        if ruling.decided_at is not None:
            told = (ruling.decision, ruling.answer, ruling.right_code, ruling.decided_by)
            if told == (decision, why, right, acting_user):
                return ruling
            raise RulingRefused(
                f"{ruling.decided_by or 'Somebody'} decided this on {_day(ruling)}: "
                f"{ruling.get_decision_display()}. Open it again first, with a reason.",
                ruling=ruling,
            )
        ruling.answer, ruling.right_code = why, right
        ruling.decision = decision
        ruling.decided_by, ruling.decided_at = acting_user, timezone.now()
        ruling.save()
        record(
            "ruling.decided",
            project=ruling.project,
            actor=acting_user,
            target=ruling.public_id,
            decision=decision,
            right_code=ruling.right_code,
            answer=ruling.answer,
        )
        tell_decided(ruling, places=places_words(units_of(ruling)), acting_user=acting_user)
    return ruling


def reopen_ruling(*, ruling: Ruling, reason: str, acting_user: User | None) -> Ruling:
    """Take a decision back, so that another can be made; the audit keeps the one before."""
    why = _text(reason, field="reason", without="Say why it is open again.")
    with transaction.atomic():
        ruling = _locked(ruling)
        if ruling.decided_at is None:
            raise RulingRefused("This waits for a decision already.", ruling=ruling)
        record(
            "ruling.reopened",
            project=ruling.project,
            actor=acting_user,
            target=ruling.public_id,
            reason=why,
            decision=ruling.decision,
            decided=ruling.get_decision_display(),
            right_code=ruling.right_code,
            answer=ruling.answer,
            decided_by=str(ruling.decided_by or ""),
        )
        ruling.decision = ruling.right_code = ruling.answer = ""
        ruling.decided_by = ruling.decided_at = None
        ruling.save()
    return ruling


def write_rule(
    *, ruling: Ruling, kind: str, text: str, title: str, note: str, acting_user: User | None
) -> Edit:
    """Put the rule that was missing into the draft of the next version.

    `kind` is `reword:KEY`, `add:gate` or `add:criterion`. Raises EditError and RubricRefused as
    `rubrics.actions.edit_draft` does.
    """
    what, _, which = kind.partition(":")
    detail = {"text": text, "title": title, "key" if what == "reword" else "kind": which}
    if what == "add" and which == "criterion":
        detail["weight"] = "1"
    with transaction.atomic():
        ruling = _locked(ruling)
        if ruling.decision != Ruling.Decision.MISSING:
            raise RulingRefused("A rule is written where the decision is that one was missing.")
        batch = max(
            (row.batch for row in ruling.disagreements.select_related("batch__version__rubric")),
            key=lambda found: (found.version.number, found.pk),
        )
        # The split may have been seen under an older version; the rule goes into the next one.
        newest = batch.version.rubric.versions.published().newest_first().first()
        batch.version = newest or batch.version
        edit = make_edit(
            batch=batch,
            unit=None,
            ruling=ruling,
            kind=what,
            detail=detail,
            note=note,
            passage=None,
            acting_user=acting_user,
        )
        edit.disagreements.add(*ruling.disagreements.all())
    return edit


def _text(text: str, *, field: str, without: str) -> str:
    found = storable(text).replace("\r\n", "\n").strip()
    if not found:
        raise RulingRefused(without, field=field)
    if len(found) > MAX_TEXT:
        raise RulingRefused(
            f"These are {len(found):,} characters; {MAX_TEXT:,} is the most.", field=field
        )
    return found


def _rows(batch: Batch, units: Sequence[Place], acting_user: User | None) -> list[Disagreement]:
    """The rows of these units, made where nobody has sorted them yet."""
    if not units:
        raise RulingRefused("Choose a split first.", field="units")
    if len({unit.subject for unit in units}) > 1:
        raise RulingRefused("A ruling is about one pair: open one for each.", field="units")
    if acting_user is not None and units[0].subject in still_rated_by(acting_user):
        raise RulingRefused(STILL_RATING)
    criteria = {check.key: check for check in batch.version.criteria.asked()}
    subject = Subject.objects.filter(pk=units[0].subject, project=batch.project_id).first()
    rows = []
    for key, part in dict.fromkeys((unit.key, unit.part) for unit in units):
        if subject is None or key not in criteria or not is_split(batch, subject.pk, key, part):
            raise RulingRefused(
                f"The raters of {batch} do not differ on {place_words(key, part)} of this pair, "
                "so there is nothing to rule on.",
                field="units",
            )
        row, _ = Disagreement.objects.select_related("criterion", "ruling").get_or_create(
            batch=batch, subject=subject, criterion=criteria[key], part_key=part
        )
        rows.append(row)
    return rows


def _standing(rows: Sequence[Disagreement], question: str) -> Ruling | None:
    """The ruling that these very units have with this very question; any other one refuses."""
    ruled = [row for row in rows if row.ruling is not None]
    if not ruled:
        return None
    ruling = ruled[0].ruling
    assert ruling is not None
    all_of_it = {row.ruling_id for row in rows} == {ruling.pk}
    if all_of_it and ruling.question == question and ruling.decided_at is None:
        return ruling
    place = capfirst(place_words(ruled[0].criterion.key, ruled[0].part_key))
    if ruling.decided_at is None:
        raise RulingRefused(
            f"{place} of this pair waits for a ruling already: “{ruling.question}”", ruling=ruling
        )
    raise RulingRefused(
        f"{place} of this pair was ruled on: {ruling.get_decision_display()}. "
        "The policy owner can open that ruling again.",
        ruling=ruling,
    )


def _locked(ruling: Ruling) -> Ruling:
    # Without joins: after a wait PostgreSQL reads this row anew, and what it joined not.
    return Ruling.objects.select_for_update(no_key=True).get(pk=ruling.pk)


def _right(ruling: Ruling, right_code: str) -> str:
    """The right label, if it is one that every unit of the ruling can have."""
    codes = codes_for(row.criterion for row in units_of(ruling))
    code = storable(right_code).strip()
    if code in codes:
        return code
    if not codes:
        raise RulingRefused(
            "No one label can be right on all of this: say in your reason which holds, and choose "
            "another decision.",
            field="decision",
        )
    named = ", ".join(map(label_words, codes))
    raise RulingRefused(f"Say which label is right: {named}.", field="right_code")


def _day(ruling: Ruling) -> str:
    assert ruling.decided_at is not None
    return date_format(ruling.decided_at, "j F Y")
