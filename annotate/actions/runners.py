"""The kinds of job that a worker does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.actions import check_jobs, measure_jobs, render_jobs
from annotate.actions.import_jobs import (
    run_subject_check,
    run_subject_import,
    run_vote_check,
    run_vote_import,
)

if TYPE_CHECKING:
    from annotate.actions.jobs import Runner

RUNNERS: dict[str, Runner] = {
    "import_subjects": run_subject_import,
    "import_votes": run_vote_import,
    "check_pairs": run_subject_check,
    "check_votes": run_vote_check,
    check_jobs.KIND: check_jobs.run_checking,
    measure_jobs.KIND: measure_jobs.run_measuring,
    render_jobs.KIND: render_jobs.run_rendering,
}
