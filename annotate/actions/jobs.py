"""Long work as rows: a job is claimed, renewed and finished in the database; the broker only rings.

Any message may be lost, doubled or late, and any worker killed: `ring_again` finds what nobody
holds. Running a job twice does nothing twice, since what jobs do is idempotent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import OperationalError, transaction
from django.db.models import F
from django.utils import timezone

from annotate.actions.imports import ImportBusy, ImportRefused, Progress, lease_end
from annotate.ingest.mapping import FlagError
from projects import bell
from projects.audit import operated_by, operator, record
from projects.models import Job
from projects.querysets import MAX_DELIVERIES

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from projects.models import Project, User

log = logging.getLogger(__name__)

# By its name: tasks import actions, never the other way round.
TASK = "annotate.tasks.run_job"

FAILED = "This ended with an error that nobody foresaw; the server's log has it."
GIVEN_UP = (
    f"This was tried {MAX_DELIVERIES} times and its worker was lost each time (worker_lost). "
    "The worker's log says why."
)

Report = dict[str, Any]
Runner = Callable[[Job, Progress], Report]


class JobLost(Exception):
    """The lease ran out and another worker has the job: this one must write nothing more."""


def start_job(
    *, project: Project, kind: str, params: dict[str, Any], acting_user: User | None
) -> Job:
    """Write the job down and ring for a worker once that is committed."""
    if account := operator():
        params = {**params, "operator": account}
    with transaction.atomic():
        job = Job.objects.create(project=project, kind=kind, params=params, created_by=acting_user)
        record("job.started", project=project, actor=acting_user, target=job, kind=kind)
        transaction.on_commit(lambda: ring(job.pk))
    return job


def ring(job_id: int) -> None:
    """Tell the workers; when the broker is away, the sweeper rings again later."""
    bell.ring(TASK, job_id)


def ring_again() -> int:
    """Ring for jobs that nobody holds, and give up those that lost their worker too often."""
    for job in Job.objects.given_up().select_related("project", "created_by"):
        _finish(job, Job.State.FAILED, message=GIVEN_UP)
    waiting = list(Job.objects.to_ring_again().values_list("pk", flat=True))
    for pk in waiting:
        ring(pk)
    return len(waiting)


def run(job_id: int, runners: dict[str, Runner]) -> None:
    """Do the job if nobody else holds it. A second delivery finds it held or done and returns."""
    job = _claim(job_id)
    if job is not None:
        with operated_by(job.params.get("operator", "")):
            _do(job, runners)


def _do(job: Job, runners: dict[str, Runner]) -> None:
    try:
        result = runners[job.kind](job, lambda done, total: _renew(job, done, total))
    except ImportBusy:
        _put_back(job)
    except (ImportRefused, FlagError) as refusal:
        report = refusal.report if isinstance(refusal, ImportRefused) else None
        found = report.as_json() if report else None
        _finish(job, Job.State.FAILED, message=str(refusal), result=found)
    except JobLost:
        log.warning("Job %s went on elsewhere; what this worker wrote is taken back.", job.pk)
    except OperationalError:
        # The database was away for a moment: the lease runs out and the bell rings again.
        raise
    except Exception as failure:
        # Whatever else a runner dies of fails its job by name; it must not look like a lost worker.
        log.exception("Job %s failed.", job.pk)
        _finish(job, Job.State.FAILED, message=f"{FAILED} ({type(failure).__name__})")
    else:
        _finish(job, Job.State.DONE, result=result)


def _claim(job_id: int) -> Job | None:
    """Take the job for one lease, by one conditional update."""
    held = Job.objects.filter(pk=job_id).to_ring_again()
    claimed = held.update(
        state=Job.State.RUNNING,
        message="",
        lease_until=lease_end(),
        deliveries=F("deliveries") + 1,
    )
    return Job.objects.select_related("project", "created_by").get(pk=job_id) if claimed else None


def _held(job: Job) -> QuerySet[Job]:
    """The job, as long as this delivery of it is the one that counts."""
    return Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, deliveries=job.deliveries)


def _renew(job: Job, done: int, total: int | None) -> None:
    if not _held(job).update(done=done, total=total, lease_until=lease_end()):
        raise JobLost


def _put_back(job: Job) -> None:
    """Let the job wait for its turn; the sweeper rings for it again."""
    _held(job).update(
        state=Job.State.PENDING,
        message="Waiting for another import of this project to end.",
        lease_until=None,
        deliveries=F("deliveries") - 1,
    )


def _finish(job: Job, state: Job.State, *, message: str = "", result: Report | None = None) -> None:
    with transaction.atomic():
        ended = _held(job).update(
            state=state,
            message=message,
            result=result,
            lease_until=None,
            finished_at=timezone.now(),
        )
        if not ended:
            return
        record(
            f"job.{state}", project=job.project, actor=job.created_by, target=job, message=message
        )
    if kept := job.params.get("file"):
        Path(kept).unlink(missing_ok=True)


__all__ = ["MAX_DELIVERIES", "ring", "ring_again", "run", "start_job"]
