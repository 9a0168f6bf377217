"""What a closed round comes to in a few words, kept for pages that speak of many rounds at once.

It is written with the figures of the round (measure_jobs) and only read afterwards, so that a page
takes one query for any number of rounds. Votes close with their round, hence the round, the bars
and the code name it; a round that closes writes it anew for those that are pooled with it, and so
does a waiver.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import cast

from django.db import transaction

from annotate import clearing
from annotate.calibration import measure, pool_of
from annotate.models import Batch, Snapshot
from annotate.probes import met, tally
from annotate.road import road_of
from annotate.snapshots import CODE_VERSION, Kept
from rubrics.models import Rubric
from rubrics.words import listed


@dataclass(frozen=True)
class Verdict:
    cleared: int
    checks: int
    # What keeps volume closed, '' where nothing does.
    holding: str
    sentence: str
    goal: str
    # The checks that volume does not wait for though they have not cleared, '' where there is none.
    waived: str = ""
    # The button of the sentence, and the check it is about.
    action: str = ""
    key: str = ""
    # Whether it is about several rounds together.
    pooled: bool = False

    @property
    def step(self) -> clearing.Next | None:
        """What was to be done next; None where an earlier release kept the sentence alone."""
        goal = cast("clearing.Goal", self.goal)
        return clearing.Next(self.sentence, self.action, goal, self.key) if self.action else None

    @property
    def marks(self) -> list[bool]:
        return [n < self.cleared for n in range(self.checks)]


def keep_verdicts(batch: Batch) -> None:
    """Write the verdict on a closed round, and on those whose pool it has changed.

    Held like a waiver: who comes second has read what the first one wrote, so that the verdict that
    stands is of what stands.
    """
    with transaction.atomic():
        Rubric.objects.select_for_update(no_key=True).get(pk=batch.version.rubric_id)
        for pooled in pool_of(batch):
            data = asdict(_verdict(pooled))
            Snapshot.objects.update_or_create(key=key_of(pooled), defaults={"data": data})


def keep_if_missing(batch: Batch) -> None:
    """Bars that were moved, and a new release, name verdicts that nobody has written yet."""
    if batch.closed_at and not Snapshot.objects.filter(pk=key_of(batch)).exists():
        keep_verdicts(batch)


def kept_verdicts(batches: Iterable[Batch]) -> dict[int, Verdict]:
    """By batch; nothing for a round that is open or still being measured."""
    keys = {key_of(batch): batch.pk for batch in batches if batch.closed_at is not None}
    found = Snapshot.objects.filter(pk__in=keys) if keys else ()
    return {keys[snapshot.pk]: Verdict(**snapshot.data) for snapshot in found}


def verdict_in(kept: Kept, batch: Batch) -> Verdict | None:
    """The verdict on a round among what was fetched with other figures."""
    data = kept.get(key_of(batch))
    return Verdict(**data) if data else None


def _verdict(batch: Batch) -> Verdict:
    measured = measure(batch)
    tallies = tally(met(measured.batches), batch.version)
    # Which probe pairs are ready changes from day to day; a round's page says it.
    road = road_of(batch, measured, tallies, offer=False)
    step = clearing.next_step(measured.rows, version=batch.version.number, road=road)
    cleared, checks = measured.cleared
    holding = clearing.holding_words(measured.rows)
    waived = listed(clearing.waived(measured.rows))
    return Verdict(
        cleared=cleared,
        checks=checks,
        holding=holding,
        sentence=step.sentence,
        goal=step.goal,
        waived=waived,
        action=step.action,
        key=step.key,
        pooled=measured.pooled,
    )


def key_of(batch: Batch) -> str:
    project = batch.project
    bars = [project.bar, project.tentative_bar, project.thin_waits]
    inputs = [CODE_VERSION, "verdict", batch.pk, *bars]
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()
