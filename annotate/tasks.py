"""Ids in, action out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from celery import shared_task

from annotate.actions import broker, check_jobs, imports, jobs, replacements, uploads
from annotate.actions.runners import RUNNERS
from projects import mail, notices

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

STEPS: tuple[Callable[[], object], ...] = (
    jobs.ring_again,
    imports.sweep_lost,
    replacements.finish,
    check_jobs.sweep,
    mail.ring_again,
    notices.prune,
    uploads.prune,
    broker.prune_processed,
)


@shared_task
def run_job(job_id: int) -> None:
    jobs.run(job_id, RUNNERS)


@shared_task
def sweep() -> None:
    """Each step by itself: one that fails is logged, tried again by the next sweep, and alone."""
    for step in STEPS:
        try:
            step()
        except Exception:
            log.exception("The sweep: %s.%s failed.", step.__module__, step.__name__)
