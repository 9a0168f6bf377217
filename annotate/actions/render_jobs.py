"""Rendering ahead of labelling: no rater waits for it, and its time tells nobody anything."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from annotate.actions.jobs import start_job
from annotate.models import Batch, Subject
from annotate.rendered import render_ahead
from projects.models import Job

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from annotate.actions.imports import Progress
    from annotate.actions.jobs import Report
    from projects.models import User

KIND = "render"
AT_ONCE = 20


def start_rendering(*, batch: Batch, acting_user: User | None) -> Job:
    return start_job(
        project=batch.project, kind=KIND, params={"batch": batch.pk}, acting_user=acting_user
    )


def rendering_of(batch: Batch) -> Job | None:
    """The job that is still at the texts of the batch, or waits for a worker."""
    jobs = Job.objects.filter(project=batch.project_id, kind=KIND, params__batch=batch.pk)
    return jobs.filter(state__in=(Job.State.PENDING, Job.State.RUNNING)).first()


def run_rendering(job: Job, progress: Progress) -> Report:
    """Render every text of the batch's pairs that is not kept yet.

    Each is kept as soon as it is made: a job that is cut short or done twice repeats nothing.
    """
    batch = Batch.objects.get(pk=job.params["batch"])
    pairs = Subject.objects.filter(slots__batch=batch).distinct().order_by("pk")
    ids = list(pairs.values_list("pk", flat=True))
    made = 0
    for start in range(0, len(ids), AT_ONCE):
        chunk = ids[start : start + AT_ONCE]
        made += render_ahead(_texts_of(chunk), partial(progress, start, len(ids)))
        progress(start + len(chunk), len(ids))
    return {"pairs": len(ids), "rendered": made}


def _texts_of(ids: Sequence[int]) -> Iterator[str]:
    """What a label page shows of these pairs."""
    chosen = Subject.objects.filter(pk__in=ids).select_related("pair").prefetch_related("parts")
    for subject in chosen:
        yield subject.pair.context
        yield from (message["content"] for message in subject.pair.messages)
        yield from (part.text or "" for part in subject.parts.all())
