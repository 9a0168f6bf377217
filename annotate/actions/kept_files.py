"""Files on their way in, and reports on their way out: private, named by nobody, and pruned."""

from __future__ import annotations

import shutil
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from django.conf import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from uuid import UUID

DAY_S = 24 * 3600
# Whoever mends refused rows has a week to fetch them.
REPORT_S = 7 * DAY_S
REPORT = "refused-"


def folder() -> Path:
    found = Path(settings.VAR_DIR) / "uploads"
    found.mkdir(parents=True, exist_ok=True, mode=0o700)
    return found


def new_name(original: str) -> str:
    """A name that says nothing of the file but its kind."""
    return f"{uuid4().hex}{Path(original).suffix[:16]}"


def keep_file(file: Path) -> Path:
    """A copy of a file that stays until its job has ended, whatever becomes of the original."""
    kept = folder() / new_name(file.name)
    shutil.copyfile(file, kept)
    return kept


def report_of_refused(job_id: UUID) -> Path:
    """Where a job's refused rows are named, one problem a line, for a spreadsheet."""
    return folder() / f"{REPORT}{job_id}.csv"


def refused_rows_of(job_id: UUID) -> Path:
    """Where a job's refused rows stand as they were, one JSON object a line."""
    return folder() / f"{REPORT}{job_id}.jsonl"


def prune(wanted: Collection[str]) -> int:
    """Delete files older than a day that no row names, and reports older than a week."""
    return unlink_old(file for file in folder().iterdir() if file.name not in wanted)


def unlink_old(files: Iterable[Path], keep_s: Callable[[Path], float] | None = None) -> int:
    """Delete those that nobody has written to for so long; how many.

    Others take files away at the same time: one that has gone meanwhile is gone.
    """
    now = time.time()
    keeps = keep_s or _keep_s
    stale = [file for file in files if now - _written_at(file, now) > keeps(file)]
    for file in stale:
        file.unlink(missing_ok=True)
    return len(stale)


def _written_at(file: Path, now: float) -> float:
    try:
        found = file.stat()
    except FileNotFoundError:
        return now
    return found.st_mtime if stat.S_ISREG(found.st_mode) else now


def _keep_s(file: Path) -> float:
    return REPORT_S if file.name.startswith(REPORT) else DAY_S
