"""Ids in, action out."""

from __future__ import annotations

from celery import shared_task

from annotate.actions import broker, jobs, uploads
from annotate.actions.runners import RUNNERS
from projects import mail, notices


@shared_task
def run_job(job_id: int) -> None:
    jobs.run(job_id, RUNNERS)


@shared_task
def sweep() -> None:
    jobs.ring_again()
    uploads.prune()
    broker.prune_processed()
    mail.ring_again()
    notices.prune()
