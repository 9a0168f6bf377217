"""All refused rows of an import, however many: a report for people, and the rows to be mended.

The report of the job's row lists the first thousand problems; these files hold every one. They are
written while the job runs, and anew when another worker takes it up.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

from annotate.actions import kept_files
from annotate.actions.imports import ImportRefused
from annotate.ingest.rows_again import rows_at
from annotate.ingest.spreadsheet import csv_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from annotate.ingest.problems import Problem
    from projects.models import Job

HEADER = ("line", "field", "code", "message", "row")
# A worker that reads the file again is heard of after so many rows.
BEAT = 2000


class Refusals:
    """Where a job writes what it refuses. Nothing stands on the disk before the first problem."""

    def __init__(self, job: Job) -> None:
        self.report = kept_files.report_of_refused(job.public_id)
        self.rows = kept_files.refused_rows_of(job.public_id)
        self._spool = self.report.with_suffix(".part")
        self._stream: BinaryIO | None = None
        self._lines: set[int] = set()
        for left in (self.report, self.rows, self._spool):
            left.unlink(missing_ok=True)

    def add(self, problem: Problem) -> None:
        if self._stream is None:
            self._stream = self._spool.open("wb")
            self._spool.chmod(0o600)
        self._lines.add(problem.line)
        shape = [problem.line, problem.field, problem.code, problem.message]
        self._stream.write(json.dumps(shape).encode() + b"\n")

    def finish(self, file: Path, name: str, beat: Callable[[], None]) -> None:
        """Write both files from what was spooled; `beat` says now and then that this goes on."""
        if self._stream is None:
            return
        self._stream.close()
        places = self._write_rows(file, name, beat)
        with (
            self._spool.open("rb") as spool,
            self.report.open("wb") as out,
            self.rows.open("rb") as rows,
        ):
            self.report.chmod(0o600)
            out.write(csv_row(HEADER))
            for line in spool:
                out.write(csv_row((*json.loads(line), _row(rows, places, line))))
        self._spool.unlink()

    def _write_rows(
        self, file: Path, name: str, beat: Callable[[], None]
    ) -> dict[int, tuple[int, int]]:
        """Line → where its row stands in the file of rows."""
        places: dict[int, tuple[int, int]] = {}

        def seen(line: int) -> None:
            if line % BEAT == 0:
                beat()

        with file.open("rb") as stream, self.rows.open("wb") as out:
            self.rows.chmod(0o600)
            for line, row in rows_at(stream, name, self._lines, seen=seen):
                places[line] = out.tell(), len(row)
                out.write(row + b"\n")
        return places


def _row(rows: BinaryIO, places: dict[int, tuple[int, int]], problem: bytes) -> str:
    """The row beside its first problem; beside the others it would only be in the way."""
    start, length = places.pop(json.loads(problem)[0], (0, 0))
    rows.seek(start)
    return rows.read(length).decode(errors="replace")


@contextmanager
def refusals_of(
    job: Job, file: Path, name: str, beat: Callable[[], None]
) -> Iterator[Callable[[Problem], None]]:
    """What an import calls with each problem; the files stand when it has ended or was refused."""
    refusals = Refusals(job)
    try:
        yield refusals.add
    except ImportRefused:
        refusals.finish(file, name, beat)
        raise
    refusals.finish(file, name, beat)


__all__ = ["Refusals", "refusals_of"]
