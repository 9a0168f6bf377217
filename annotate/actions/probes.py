"""Which pairs may be planted in a round: known, fresh to its raters, chosen by none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.by_code import decided
from annotate.known import known_under
from annotate.models import GoldAnswer, Subject
from annotate.probes import usable
from projects.models import Event, Membership, Role
from rubrics.words import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotate.known import Kept
    from annotate.querysets import SubjectQuerySet
    from projects.models import Rater, User
    from rubrics.models import RubricVersion


class ProbesRefused(Exception):
    """These pairs cannot be planted; the message says why and what to do, `field` what it is about:
    the pairs, or the raters.
    """

    def __init__(self, message: str, *, field: str = "probes") -> None:
        super().__init__(message)
        self.field = field


def planted_in(
    version: RubricVersion,
    probes: Sequence[Subject],
    raters: Sequence[Rater],
    acting_user: User | None,
) -> list[Subject]:
    """The pairs to plant, held to the end; ProbesRefused names those that cannot be."""
    if not probes:
        return []
    if acting_user is not None and any(rater.user_id == acting_user.pk for rater in raters):
        raise ProbesRefused(
            "Whoever rates must not know the probe pairs, and you choose them: leave yourself out, "
            "or let another lead start the round."
        )
    _refuse_leads(version, raters)
    # An answer that is set, changed or withdrawn at this moment comes before or after.
    held = Subject.objects.select_for_update(no_key=True).order_by("pk")
    found = list(held.filter(pk__in={probe.pk for probe in probes}))
    _refuse_twice(probes)
    known = known_under(version, Subject.objects.filter(pk__in=[one.pk for one in found]))
    _refuse_foreign(version, found)
    _refuse_decided(version, found)
    _refuse_unknown(version, found, known)
    _refuse_remembered(version, found, raters)
    _refuse_answered_by(version, found, raters)
    return found


def _names(subjects: Sequence[Subject]) -> str:
    return listed([subject.external_id for subject in subjects])


def _refuse_leads(version: RubricVersion, raters: Sequence[Rater]) -> None:
    """Known answers are open to every lead, read or not: nobody could tell afterwards."""
    leads = Membership.objects.filter(project=version.rubric.project, role=Role.LEAD)
    held = set(leads.values_list("user_id", flat=True))
    if names := [rater.name for rater in raters if rater.user_id in held]:
        who = f"{listed(names)} {'is a lead' if len(names) == 1 else 'are leads'}"
        raise ProbesRefused(
            f"{who} of {version.rubric.project}, and leads can read the known answers of probe "
            "pairs: choose other raters, or plant no probe pairs.",
            field="raters",
        )


def _refuse_twice(probes: Sequence[Subject]) -> None:
    contents: dict[str, Subject] = {}
    for probe in probes:
        content = probe.content_hash or str(probe.pk)
        if (first := contents.get(content)) is None:
            contents[content] = probe
        elif first.pk == probe.pk:
            raise ProbesRefused(f"{probe} is named twice as a probe pair: once is enough.")
        else:
            raise ProbesRefused(f"{first} and {probe} are the same pair: leave one out.")


def _refuse_foreign(version: RubricVersion, found: Sequence[Subject]) -> None:
    project = version.rubric.project
    here = Subject.objects.of_project(project).visible().pairs()
    if foreign := _outside(here, found):
        raise ProbesRefused(f"{_names(foreign)}: no such pair in {project}.")
    if shown := _outside(usable(project), found):
        raise ProbesRefused(
            f"{_names(shown)} cannot be planted: a text is not here, or an anchor was taken from "
            "it, so that raters have seen it. Choose others."
        )


def _refuse_decided(version: RubricVersion, found: Sequence[Subject]) -> None:
    beside = decided(Subject.objects.filter(pk__in=[one.pk for one in found]), version)
    if by_code := list(beside.order_by("external_id")):
        fails = "fails a check" if len(by_code) == 1 else "fail checks"
        raise ProbesRefused(
            f"{_names(by_code)} {fails} of {version} that code decides, so no expert is asked: "
            "choose others."
        )


def _outside(allowed: SubjectQuerySet, found: Sequence[Subject]) -> list[Subject]:
    inside = set(allowed.filter(pk__in=[one.pk for one in found]).values_list("pk", flat=True))
    return [one for one in found if one.pk not in inside]


def _refuse_unknown(
    version: RubricVersion, found: Sequence[Subject], known: dict[int, Kept]
) -> None:
    if silent := [one for one in found if one.pk not in known]:
        has = "has no known answer" if len(silent) == 1 else "have no known answers"
        raise ProbesRefused(
            f"{_names(silent)} {has} under {version}, so nobody could tell what raters caught: "
            "answer under Known answers, or leave out."
        )
    if outdated := [one for one in found if not known[one.pk].labels]:
        answered = known[outdated[0].pk].answered
        raise ProbesRefused(
            f"What is known of {_names(outdated)} was said under {answered}, and no check of "
            f"{version} asks the same: answer again under Known answers, or leave out."
        )
    if others := [one for one in found if known[one.pk].use != GoldAnswer.Use.PROBE]:
        raise ProbesRefused(
            f"The answer on {_names(others)} is kept for something else "
            f"({known[others[0].pk].use}): make it a probe under Known answers, or leave it out."
        )


def _refuse_remembered(
    version: RubricVersion, found: Sequence[Subject], raters: Sequence[Rater]
) -> None:
    for rater in raters:
        if seen := _outside(usable(version.rubric.project, [rater]), found):
            raise ProbesRefused(
                f"{rater.name} has had {_names(seen)} before and might remember: "
                "choose other probe pairs, or other raters."
            )


def _refuse_answered_by(
    version: RubricVersion, found: Sequence[Subject], raters: Sequence[Rater]
) -> None:
    """Whoever set the answer knows it, whether it still stands or another took its place."""
    users = {rater.user_id: rater.name for rater in raters if rater.user_id is not None}
    places = {str(one.public_id): one for one in found}
    set_by = GoldAnswer.objects.filter(subject__in=found, created_by__in=users)
    knows = {(by, subject) for by, subject in set_by.values_list("created_by", "subject")}
    events = Event.objects.filter(
        project=version.rubric.project,
        verb__in=("gold.set", "gold.changed"),
        actor__in=users,
        data__subject__in=list(places),
    )
    told = events.values_list("actor", "data__subject")
    knows |= {(actor, places[subject].pk) for actor, subject in told}
    by_pk = {one.pk: one for one in found}
    for user, subject in sorted(knows, key=str):
        raise ProbesRefused(
            f"{users[user]} rates in this round and has answered {by_pk[subject].external_id}: "
            "choose other probe pairs, or other raters."
        )
