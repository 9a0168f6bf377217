"""The meeting about round 1, the version that came of it, and what waits for a ruling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from annotate.actions.demo.claims import claims, story
from annotate.actions.demo.truths import truth_in_round
from annotate.actions.edits import make_edit
from annotate.actions.meetings import end_meeting, start_meeting
from annotate.actions.rulings import open_ruling
from annotate.actions.sorting import sort_disagreement
from annotate.disagreements import differing
from annotate.evidence import Passage
from annotate.models import Disagreement, Ruling
from rubrics.actions import publish

if TYPE_CHECKING:
    from annotate.disagreements import Differing, Found
    from annotate.models import Batch
    from projects.models import User
    from rubrics.models import RubricVersion

MINUTES = 60
PREFERENCE = "preference"


@transaction.atomic
def hold_meeting(batch: Batch, lead: User) -> RubricVersion:
    """Sort what the raters of round 1 differed on, write down what follows, publish version 2."""
    second = batch.version.rubric.versions.published().filter(number=2).newest_first().first()
    if second is not None:
        return second
    meeting = start_meeting(batch=batch, minutes=MINUTES, acting_user=lead)
    found = differing([batch], reader=lead)
    _sort(batch, found, lead)
    for told in story()["meeting"]["edits"]:
        _edit(batch, found, told, lead)
    end_meeting(meeting=meeting, acting_user=lead)
    draft = batch.version.rubric.versions.drafts().get(number=2)
    return publish(version=draft, change_note=story()["meeting"]["change_note"], acting_user=lead)


def ask_for_rulings(batch: Batch, lead: User) -> None:
    """Two splits of round 2 go to the policy owner; nobody has decided them yet."""
    if Ruling.objects.filter(project_id=batch.project_id).exists():
        return
    found = differing([batch], reader=lead)
    for told in story()["rulings"]:
        external_id, _, part = told["place"].partition(" ")
        unit = _at(found, told["about"], external_id, part).unit
        open_ruling(batch=batch, units=[unit], question=told["question"], acting_user=lead)


def _sort(batch: Batch, found: Found, lead: User) -> None:
    notes = story()["meeting"]["notes"]
    by_id = {claim["id"]: claim for claim in claims()}
    # Of each note, the first that it stands on says it; the others are of the same kind.
    said: set[str] = set()
    for one in _all(found):
        kind = _kind(one, by_id[one.unit.external_id])
        about = one.unit.key if kind == Disagreement.Kind.AMBIGUITY else kind
        note = "" if about in said else notes.get(about, "")
        said.add(about)
        sort_disagreement(
            batch=batch,
            unit=one.unit,
            kind=kind,
            note=note,
            suggestion=one.suggestion,
            acting_user=lead,
        )


def _kind(one: Differing, claim: dict[str, Any]) -> str:
    """What the meeting found, which knows what was planted; no other place does."""
    truth = truth_in_round(claim, 1, {})
    if (one.unit.key, one.unit.part) in truth.doubtful:
        return Disagreement.Kind.AMBIGUITY
    if one.unit.key != PREFERENCE:
        return Disagreement.Kind.SLIP
    if truth.disputed:
        return Disagreement.Kind.LEGITIMATE
    return Disagreement.Kind.WEIGHTING if one.opposite else Disagreement.Kind.SLIP


def _edit(batch: Batch, found: Found, told: dict[str, Any], lead: User) -> None:
    key, passage = told["about"], None
    # The most influential one that is no slip asked for it, unless the story names another.
    by_id = {claim["id"]: claim for claim in claims()}
    one = next(
        one
        for one in _all(found)
        if one.unit.key == key and _kind(one, by_id[one.unit.external_id]) != Disagreement.Kind.SLIP
    )
    if "place" in told:
        external_id, part = told["place"].split()
        one = _at(found, key, external_id, part)
        text = told["detail"]["text"]
        passage = Passage(key, part, 0, len(text), text)
    make_edit(
        batch=batch,
        unit=one.unit,
        ruling=None,
        kind=told["kind"],
        detail=told["detail"],
        note=told["note"],
        passage=passage,
        acting_user=lead,
    )


def _all(found: Found) -> list[Differing]:
    return [one for group in found.groups for one in group.found]


def _at(found: Found, key: str, external_id: str, part: str) -> Differing:
    place = (external_id, key, part)
    return next(
        one for one in _all(found) if (one.unit.external_id, one.unit.key, one.unit.part) == place
    )
