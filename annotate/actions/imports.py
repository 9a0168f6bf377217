"""What every import shares: rows are staged under one `Import`, which appears by flipping its row.

One import of a project runs at a time. One whose worker was lost is swept away when its lease has
run out, by the next import or by the sweeper; until then nobody has seen any of it. All writing is
done in short transactions, so that voters never wait long for the database.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from annotate.ingest.problems import Notice, Problem
from annotate.models import Batch, Import, Label, StagedUpdate, Subject, Vote
from projects.audit import record
from projects.models import Rater

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from django.db.models import QuerySet

    from projects.models import Project, User

# A chunk ends at so many rows or so many characters, whichever comes first.
CHUNK = 300
CHUNK_CHARACTERS = 4_000_000
# A report names this many problems and warnings one by one; beyond it they are counted.
LISTED = 1000

T = TypeVar("T")
# Rows done, and how many there are where that is known.
Progress = Callable[[int, int | None], None]
Refused = Callable[[Problem], None]


def no_progress(done: int, total: int | None) -> None:
    """For callers that show none."""


def nobody_is_told(problem: Problem) -> None:
    """For callers to whom the list of the report is enough."""


@dataclass
class Report:
    """What became of the rows of a file.

    created + updated + unchanged + held back + rejected = rows, where good rows are held back only
    because the import as a whole was refused.
    """

    file: str
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    rejected_lines: set[int] = field(default_factory=set)
    notice_count: int = 0
    fatal: bool = False
    held_back: int = 0
    extra: dict[str, int] = field(default_factory=dict)
    # The flags under which the file was read, where they decide what a row means.
    flags: Mapping[str, Any] = field(default_factory=dict)
    # Told of every problem, also of those beyond the ones that are listed here.
    refused: Refused = nobody_is_told

    @property
    def rejected(self) -> int:
        return len(self.rejected_lines)

    @property
    def rows(self) -> int:
        return self.created + self.updated + self.unchanged + self.held_back + self.rejected

    def hold_back(self) -> None:
        """The import is refused as a whole: what would have been done was not."""
        self.held_back += self.created + self.updated + self.unchanged
        self.created = self.updated = self.unchanged = 0

    def reject(self, problem: Problem) -> None:
        self.fatal = self.fatal or problem.fatal
        self.rejected_lines.add(problem.line)
        self.refused(problem)
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
            "held_back": self.held_back,
            "rejected": self.rejected,
            **self.extra,
            **({"flags": dict(self.flags)} if self.flags else {}),
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
        if report is not None:
            report.hold_back()


class ImportBusy(ImportRefused):
    """Another import of the project is under way: worth trying again later."""


def lease_end() -> datetime:
    """Until when a worker that has just been heard of is believed to live."""
    return timezone.now() + timedelta(seconds=settings.CALIBRANT_LEASE_S)


def digest_of(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def chunks(
    items: Iterable[T], weigh: Callable[[T], int] = lambda _: 0, *, size: int = CHUNK
) -> Iterator[list[T]]:
    """Lists of up to `size` items, fewer where they weigh much, one at a time in memory."""
    chunk: list[T] = []
    weight = 0
    for item in items:
        chunk.append(item)
        weight += weigh(item)
        if len(chunk) == size or weight > CHUNK_CHARACTERS:
            yield chunk
            chunk, weight = [], 0
    if chunk:
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
                lease_until=lease_end(),
                created_by=acting_user,
            )
    except IntegrityError:
        raise ImportBusy(
            "Another import of this project is under way: try again when it has ended."
        ) from None


def renew(origin: Import) -> None:
    """Say that the worker lives. Raises ImportRefused when the sweeper has taken the import."""
    held = Import.objects.filter(pk=origin.pk, state=Import.State.STAGED)
    if not held.update(lease_until=lease_end()):
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
    _take_back(origin, Import.objects.filter(pk=origin.pk, state=Import.State.STAGED))


def sweep_lost(project: Project | None = None) -> int:
    """Abandon staged imports whose lease has run out; of one project, or of all."""
    imports = Import.objects.all() if project is None else Import.objects.filter(project=project)
    lost = imports.filter(state=Import.State.STAGED, lease_until__lt=timezone.now())
    swept = sum(_take_back(origin, lost.filter(pk=origin.pk)) for origin in list(lost))
    for origin in imports.filter(state=Import.State.ABANDONED).filter(_left_something()):
        _clear(origin)
    return swept


def _take_back(origin: Import, held: QuerySet[Import]) -> bool:
    # Flipped first: from then on its own worker, should it still live, writes nothing more.
    with transaction.atomic():
        if not held.update(state=Import.State.ABANDONED):
            return False
        record("import.abandoned", project=origin.project, actor=None, target=origin)
    _clear(origin)
    return True


def _left_something() -> Q:
    """An abandoned import whose clearing was cut short."""
    mine = {"origin": OuterRef("pk")}
    return (
        Q(Exists(Subject.objects.filter(**mine)))
        | Q(Exists(Batch.objects.filter(**mine)))
        | Q(Exists(StagedUpdate.objects.filter(**mine)))
    )


def _clear(origin: Import) -> None:
    votes = Vote.objects.filter(batch__origin=origin)
    _delete(Label.objects.filter(vote__batch__origin=origin))
    _delete(votes)
    Batch.objects.filter(origin=origin).delete()
    _delete(StagedUpdate.objects.filter(origin=origin))
    _delete(Subject.objects.filter(origin=origin))
    Rater.objects.filter(
        project=origin.project, kind=Rater.Kind.IMPORTED, votes=None, batches=None
    ).delete()


def _delete(rows: QuerySet[Any]) -> None:
    """All of them, in transactions short enough for others to write between them."""
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        rows.model._default_manager.filter(pk__in=keys).delete()
