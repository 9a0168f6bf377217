"""A lead lets volume begin without a check: in one version, with a reason, until withdrawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from annotate.calibration import measured_under
from annotate.clearing import required
from annotate.labelling import storable
from annotate.models import Waiver
from annotate.verdicts import keep_verdicts
from annotate.waivers import standing
from projects.audit import record
from rubrics.models import Rubric, RubricVersion
from rubrics.words import listed

if TYPE_CHECKING:
    from annotate.calibration import Measured
    from projects.models import User

MAX_REASON = 2000


class WaiverRefused(Exception):
    """The check is not waived; the message says why and what to do, `field` what it is about."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def waive(*, version: RubricVersion, key: str, reason: str, acting_user: User | None) -> Waiver:
    """Let volume begin without a check of this version that has not cleared.

    What was measured stays as it is and is shown beside the reason. The same waiver again changes
    nothing; another reason asks for the first to be withdrawn.
    """
    reason = storable(reason).replace("\r\n", "\n").strip()
    if not reason:
        raise WaiverRefused(
            "Say why volume may begin without it: the reason stands on every report of this "
            "version.",
            field="reason",
        )
    if len(reason) > MAX_REASON:
        raise WaiverRefused(f"Keep the reason under {MAX_REASON:,} characters.", field="reason")
    with transaction.atomic():
        # Two leads who waive a check at once do so one after the other.
        Rubric.objects.select_for_update(no_key=True).get(pk=version.rubric_id)
        given = standing(version).get(key)
        if given is not None and given.reason == reason:
            return given
        if given is not None:
            raise WaiverRefused(
                f"{key} is waived in version {version.number} already. Withdraw that waiver first "
                "to give another reason."
            )
        measured = _measured(version)
        evidence = _evidence(version, key, measured)
        waiver = Waiver.objects.create(
            rubric_id=version.rubric_id,
            number=version.number,
            key=key,
            reason=reason,
            given_by=acting_user,
        )
        record(
            "check.waived",
            project=version.rubric.project,
            actor=acting_user,
            target=version,
            key=key,
            reason=reason,
            waiver=waiver.pk,
            evidence=evidence,
        )
        _tell_again(version)
    return waiver


def withdraw_waiver(*, waiver: Waiver, acting_user: User | None) -> Waiver:
    """Volume waits for the check again; withdrawing twice changes nothing."""
    with transaction.atomic():
        Rubric.objects.select_for_update(no_key=True).get(pk=waiver.rubric_id)
        held = Waiver.objects.select_for_update(of=("self",), no_key=True)
        waiver = held.select_related("rubric__project").get(pk=waiver.pk)
        if waiver.withdrawn_at is not None:
            return waiver
        waiver.withdrawn_at, waiver.withdrawn_by = timezone.now(), acting_user
        waiver.save(update_fields=["withdrawn_at", "withdrawn_by"])
        newest = RubricVersion.objects.filter(rubric=waiver.rubric_id, number=waiver.number)
        version = newest.released().select_related("rubric__project").newest_first()[0]
        record(
            "check.waiver_withdrawn",
            project=waiver.rubric.project,
            actor=acting_user,
            target=version,
            key=waiver.key,
            waiver=waiver.pk,
        )
        _tell_again(version)
    return waiver


def _measured(version: RubricVersion) -> Measured:
    if version.status == RubricVersion.Status.DRAFT:
        raise WaiverRefused(f"{version} is a draft: only what a round has tried can be waived.")
    measured = measured_under(version) or measured_under(version, simulated=True)
    if measured is None:
        raise WaiverRefused(
            f"No round has tried version {version.number} yet: label one first, then waive what "
            "it leaves open."
        )
    return measured


def _evidence(version: RubricVersion, key: str, measured: Measured) -> dict[str, object]:
    """What is known of the check now, for the audit row. Refuses what needs no waiver."""
    rows = [row for row in required(measured.rows) if row.key == key]
    if not rows:
        names = listed(list(dict.fromkeys(row.key for row in required(measured.rows))))
        raise WaiverRefused(
            f"Volume does not wait for {key} in version {version.number}: it waits for {names}.",
            field="key",
        )
    if all(row.cleared for row in rows):
        raise WaiverRefused(
            f"{key} has cleared in version {version.number}: there is nothing to waive.",
            field="key",
        )
    figures = {
        row.figure: {
            "status": str(row.status),
            "alpha": row.reliability.alpha,
            "minority_units": row.reliability.minority_units,
            "units": row.reliability.units,
        }
        for row in rows
    }
    return {"simulated": measured.batches[-1].simulated, "figures": figures}


def _tell_again(version: RubricVersion) -> None:
    """What is said of the version on other pages is kept: it is written anew."""
    for simulated in (False, True):
        if measured := measured_under(version, simulated=simulated):
            keep_verdicts(measured.batches[-1])
