"""The figures of closed votes, computed once in the background: no page waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.actions.jobs import start_job
from annotate.calibration import measure
from annotate.disagreements import keep_disagreements
from annotate.models import Batch
from annotate.outcomes import summary
from annotate.rater_agreement import rater_agreement
from annotate.verdicts import keep_verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from annotate.actions.imports import Progress
    from annotate.actions.jobs import Report
    from projects.models import Job, User

KIND = "measure"
# What a report rests on; each is kept by its own snapshot.
PARTS: tuple[Callable[[Batch], object], ...] = (
    measure,
    rater_agreement,
    summary,
    keep_verdicts,
    keep_disagreements,
)


def start_measuring(*, batch: Batch, acting_user: User | None) -> Job:
    return start_job(
        project=batch.project, kind=KIND, params={"batch": batch.pk}, acting_user=acting_user
    )


def run_measuring(job: Job, progress: Progress) -> Report:
    """What is kept already is only read: a job that is cut short or done twice repeats nothing."""
    batches = Batch.objects.select_related("project", "version__rubric")
    batch = batches.get(pk=job.params["batch"])
    for done, part in enumerate(PARTS, start=1):
        part(batch)
        progress(done, len(PARTS))
    return {"batch": str(batch)}
