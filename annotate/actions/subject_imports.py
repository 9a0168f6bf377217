from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction

from annotate import ingest
from annotate.actions import imports, replacements
from annotate.actions.check_jobs import check_new_texts
from annotate.actions.imports import (
    ImportRefused,
    Progress,
    Refused,
    Report,
    no_progress,
    nobody_is_told,
)
from annotate.actions.replacements import DETAILS, detail_of
from annotate.ingest.problems import Notice, Problem
from annotate.models import Import, Part, StagedUpdate, Subject
from projects.models import Project

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from annotate.ingest import SubjectRow
    from annotate.ingest.mapping import FieldMap
    from projects.models import User


def import_subjects(
    *,
    project: Project,
    file: Path,
    fields: FieldMap,
    acting_user: User | None,
    kind: str = "pair",
    name: str = "",
    partial: bool = False,
    repair: bool = False,
    progress: Progress = no_progress,
    refused: Refused = nobody_is_told,
) -> Report:
    """Bring pairs (or subjects of another kind) in from a file: all of it, or nothing.

    With `partial`, every good row, and a report of the others. Rows that stand already are
    unchanged; with other content they are updated while nobody has been given them, else refused.
    Raises ImportRefused, with the report, when nothing was imported.
    """
    replacements.finish(project)
    reading = _Reading(
        project, file, name or file.name, kind, fields, repair=repair, refused=refused
    )
    rows = None
    if not partial:
        checked = reading.validate(progress)
        _refuse_any_problem(checked)
        if not checked.created and not checked.updated:
            return checked
        rows = checked.rows
    origin = imports.begin(
        project=project, kind=kind, file=file, name=reading.name, acting_user=acting_user
    )
    try:
        report = _stage(reading, origin, rows, progress)
        _refuse_unreadable(report)
        with transaction.atomic():
            # No round can draw a subject between this look and the flip.
            Project.objects.select_for_update(no_key=True).get(pk=project.pk)
            replacements.refuse_given_out(origin, report)
            if not partial:
                _refuse_any_problem(report)
            imports.appear(origin, report, acting_user=acting_user)
    except BaseException:
        imports.abandon(origin)
        raise
    replacements.apply(origin, lambda: progress(report.rows, rows))
    check_new_texts(project, acting_user=acting_user)
    return report


def check_subjects(
    *,
    project: Project,
    file: Path,
    fields: FieldMap,
    kind: str = "pair",
    name: str = "",
    repair: bool = False,
    progress: Progress = no_progress,
    refused: Refused = nobody_is_told,
) -> Report:
    """What `import_subjects` would do with each row of the file now; nothing is written."""
    reading = _Reading(
        project, file, name or file.name, kind, fields, repair=repair, refused=refused
    )
    return reading.validate(progress)


def _refuse_any_problem(report: Report) -> None:
    if report.problems:
        count = report.rejected
        rows = "1 row is" if count == 1 else f"{count} rows are"
        raise ImportRefused(f"Nothing was imported: {rows} refused.", report)


def _refuse_unreadable(report: Report) -> None:
    if report.fatal:
        raise ImportRefused("Nothing was imported: the file cannot be read to its end.", report)


class _Reading:
    """One file under one map, readable as often as needed: once to check, once to stage."""

    def __init__(
        self,
        project: Project,
        file: Path,
        name: str,
        kind: str,
        fields: FieldMap,
        *,
        repair: bool,
        refused: Refused,
    ) -> None:
        self.project, self.file, self.name = project, file, name
        self.kind, self.fields, self.repair = kind, fields, repair
        self.refused = refused

    def new_report(self) -> Report:
        return Report(self.name, refused=self.refused)

    def validate(self, progress: Progress) -> Report:
        """Read the whole file and compare it with what stands, writing nothing."""
        report = self.new_report()
        for _ in self.fates(report):
            progress(report.rows, None)
        return report

    def fates(self, report: Report) -> Iterator[_Fates]:
        for chunk in imports.chunks(self._good_rows(report), _weight):
            yield _sort(self.project, self.kind, chunk, report)

    def _good_rows(self, report: Report) -> Iterator[SubjectRow]:
        with self.file.open("rb") as stream:
            read = ingest.records(stream, self.name, repair=self.repair)
            for item in ingest.subjects(read, self.fields, kind=self.kind):
                if isinstance(item, Problem):
                    report.reject(item)
                elif isinstance(item, Notice):
                    report.notice(item)
                else:
                    yield item


def _weight(row: SubjectRow) -> int:
    return sum(len(text) for _, text in (*row.parts, *row.messages)) + len(row.context)


class _Fates:
    """What is to become of a chunk's rows."""

    def __init__(self) -> None:
        self.new: list[SubjectRow] = []
        self.changed: list[tuple[Subject, SubjectRow]] = []


def _sort(project: Project, kind: str, rows: Sequence[SubjectRow], report: Report) -> _Fates:
    """Compare rows with the subjects that stand under the same ids, and count them."""
    standing = _standing(project, kind, [row.external_id for row in rows])
    keys = [subject.pk for subject in standing.values()]
    given = set(Subject.objects.filter(pk__in=keys).given_out().values_list("pk", flat=True))
    fates = _Fates()
    for row in rows:
        subject = standing.get(row.external_id)
        if subject is None:
            fates.new.append(row)
            report.created += 1
        elif _content_of(subject) == _content(row):
            report.unchanged += 1
        elif subject.pk in given:
            report.reject(replacements.taken(row.line))
        else:
            fates.changed.append((subject, row))
            report.updated += 1
    return fates


def _standing(project: Project, kind: str, ids: Sequence[str]) -> dict[str, Subject]:
    subjects = (
        Subject.objects.of_project(project)
        .visible()
        .filter(kind=kind, external_id__in=ids)
        .select_related("pair", "trace", "chain", "answer")
        .prefetch_related("parts")
    )
    return {subject.external_id: subject for subject in subjects}


def _content(row: SubjectRow) -> dict[str, Any]:
    """Everything a row says about its subject, in the form in which it is stored."""
    return {
        "messages": [{"role": role, "content": content} for role, content in row.messages],
        "context": row.context,
        "parts": dict(row.parts),
        "models": _models(row),
        "metadata": dict(row.metadata),
        "group_key": row.group_key,
        "content_hash": row.content_hash,
    }


def _models(row: SubjectRow) -> dict[str, str]:
    if row.kind == "pair":
        return {"model_a": row.model_a, "model_b": row.model_b}
    return {"model": row.model}


def _content_of(subject: Subject) -> dict[str, Any]:
    detail = getattr(subject, subject.kind, None)
    names = ("model_a", "model_b") if subject.kind == "pair" else ("model",)
    return {
        "messages": detail.messages if detail else [],
        "context": detail.context if detail else "",
        "parts": {part.key: part.text for part in subject.parts.all()},
        "models": {name: getattr(detail, name, "") for name in names},
        "metadata": subject.metadata,
        "group_key": subject.group_key,
        "content_hash": subject.content_hash,
    }


def _stage(reading: _Reading, origin: Import, rows: int | None, progress: Progress) -> Report:
    report = reading.new_report()
    for fates in reading.fates(report):
        with transaction.atomic():
            imports.renew(origin)
            _create(origin, reading.kind, fates.new)
            StagedUpdate.objects.bulk_create(
                StagedUpdate(
                    origin=origin, subject=subject, row={"line": row.line, **_content(row)}
                )
                for subject, row in fates.changed
            )
        progress(report.rows, rows)
    return report


def _create(origin: Import, kind: str, rows: Sequence[SubjectRow]) -> None:
    subjects = Subject.objects.bulk_create(
        Subject(
            project=origin.project,
            kind=kind,
            external_id=row.external_id,
            group_key=row.group_key,
            content_hash=row.content_hash,
            metadata=dict(row.metadata),
            origin=origin,
        )
        for row in rows
    )
    Part.objects.bulk_create(
        Part(subject=subject, key=key, text=text)
        for subject, row in zip(subjects, rows, strict=True)
        for key, text in row.parts
    )
    DETAILS[kind]._default_manager.bulk_create(
        detail_of(subject, _content(row)) for subject, row in zip(subjects, rows, strict=True)
    )
