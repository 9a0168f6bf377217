"""What every import shares: rows are staged under one `Import`, which appears by flipping its row.

One import of a project runs at a time. One whose worker was lost is swept away when its lease has
run out, by the next import or by the sweeper; until then nobody has seen any of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.models import Batch, Import, Label, StagedUpdate, Subject, Vote
from annotate.problems import Notice, Problem
from projects.audit import record

if TYPE_CHECKING:
    from pathlib import Path

    from projects.models import Project, User

CHUNK = 300
LEASE = timedelta(seconds=60)
# A report names this many problems and warnings one by one; beyond it they are counted.
LISTED = 1000

T = TypeVar("T")
Progress = Callable[[int], None]


def no_progress(done: int) -> None:
    """For callers that show none."""


@dataclass
class Report:
    """What became of the rows of a file. created + updated + unchanged + rejected = rows."""

    file: str
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    rejected_lines: set[int] = field(default_factory=set)
    notice_count: int = 0
    fatal: bool = False
    extra: dict[str, int] = field(default_factory=dict)

    @property
    def rejected(self) -> int:
        return len(self.rejected_lines)

    @property
    def rows(self) -> int:
        return self.created + self.updated + self.unchanged + self.rejected

    def reject(self, problem: Problem) -> None:
        self.fatal = self.fatal or problem.fatal
        self.rejected_lines.add(problem.line)
        if len(self.problems) < LISTED:
            self.problems.append(problem)

    def notice(self, notice: Notice) -> None:
        self.notice_count += 1
        if len(self.notices) < LISTED:
            self.notices.append(notice)

    def as_json(self) -> dict[str, Any]:
        """The public shape that `--json`, the job page and the audit trail carry."""
        return {
            "file": self.file,
            "rows": self.rows,
            "created": self.created,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "rejected": self.rejected,
            **self.extra,
            "problems": [_place(problem) for problem in self.problems],
            "warnings": [_place(notice) for notice in self.notices],
            "warning_count": self.notice_count,
        }


def _place(item: Problem | Notice) -> dict[str, str | int]:
    return {
        "line": item.line,
        "field": item.field,
        "code": item.code,
        "message": item.message,
    }


class ImportRefused(Exception):
    """Nothing was imported; the message says why, the report where."""

    def __init__(self, message: str, report: Report | None = None) -> None:
        super().__init__(message)
        self.report = report


def digest_of(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Lists of up to `size` items, one at a time in memory."""
    stream = iter(items)
    while chunk := list(islice(stream, size)):
        yield chunk


def begin(
    *, project: Project, kind: str, file: Path, name: str, acting_user: User | None
) -> Import:
    """Open a staged import, or say that another one of this project is under way."""
    sweep_lost(project)
    try:
        with transaction.atomic():
            return Import.objects.create(
                project=project,
                kind=kind,
                file_name=name[:255],
                file_sha256=digest_of(file),
                lease_until=timezone.now() + LEASE,
                created_by=acting_user,
            )
    except IntegrityError:
        raise ImportRefused(
            "Another import of this project is under way: try again when it has ended."
        ) from None


def renew(origin: Import) -> None:
    """Say that the worker lives. Raises ImportRefused when the sweeper has taken the import."""
    held = Import.objects.filter(pk=origin.pk, state=Import.State.STAGED)
    if not held.update(lease_until=timezone.now() + LEASE):
        raise ImportRefused("This import was given up as lost: start it again.")


def appear(origin: Import, report: Report, *, acting_user: User | None) -> None:
    """Flip the one row that makes everything visible. Call it inside a transaction."""
    held = Import.objects.filter(pk=origin.pk, state=Import.State.STAGED)
    if not held.update(state=Import.State.VISIBLE, report=report.as_json()):
        raise ImportRefused("This import was given up as lost: start it again.")
    record(
        "import.appeared",
        project=origin.project,
        actor=acting_user,
        target=origin,
        sha256=origin.file_sha256,
        created=report.created,
        updated=report.updated,
        unchanged=report.unchanged,
        rejected=report.rejected,
    )


def abandon(origin: Import) -> None:
    """Take back everything that a staged import wrote; a visible one is left alone."""
    with transaction.atomic():
        held = Import.objects.select_for_update().filter(pk=origin.pk, state=Import.State.STAGED)
        if not held.exists():
            return
        votes = Vote.objects.filter(batch__origin=origin)
        Label.objects.filter(vote__in=votes).delete()
        votes.delete()
        Batch.objects.filter(origin=origin).delete()
        StagedUpdate.objects.filter(origin=origin).delete()
        Subject.objects.filter(origin=origin).delete()
        held.update(state=Import.State.ABANDONED)
        record("import.abandoned", project=origin.project, actor=None, target=origin)


def sweep_lost(project: Project | None = None) -> int:
    """Abandon staged imports whose lease has run out; of one project, or of all."""
    lost = Import.objects.filter(state=Import.State.STAGED, lease_until__lt=timezone.now())
    if project is not None:
        lost = lost.filter(project=project)
    found = list(lost)
    for origin in found:
        abandon(origin)
    return len(found)
