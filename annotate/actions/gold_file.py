"""Known answers from a file: all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from annotate.actions.gold import GoldRefused, Known, set_gold
from annotate.actions.imports import Report
from annotate.ballot import SEEN_SIDES
from annotate.gold import ballot_under
from annotate.ingest.gold_rows import GoldRow, gold_row, place_name
from annotate.ingest.problems import Notice, Problem, shown
from annotate.ingest.readers import records
from annotate.models import GoldAnswer, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from projects.models import User
    from rubrics.models import RubricVersion


def set_gold_from(*, version: RubricVersion, file: Path, acting_user: User | None) -> Report:
    """Keep every known answer of a JSONL file, or, where any is wrong, none.

    The report names each problem by line and field, and counts what was new, changed and there.
    """
    report = Report(file.name)
    with transaction.atomic():
        _read(version, file, report, acting_user)
        if report.rejected_lines or report.fatal:
            report.hold_back()
            transaction.set_rollback(True)
    return report


def _read(version: RubricVersion, file: Path, report: Report, acting_user: User | None) -> None:
    first: dict[str, int] = {}
    with file.open("rb") as stream:
        for item in records(stream, file.name):
            if isinstance(item, Problem):
                report.reject(item)
                continue
            if isinstance(item, Notice):
                report.notice(item)
                continue
            row = gold_row(item)
            if not isinstance(row, GoldRow):
                for problem in row:
                    report.reject(problem)
            elif row.id in first:
                message = f"{shown(row.id)} has its answer on line {first[row.id]} already."
                report.reject(Problem(row.line, "id", message, "twice"))
            else:
                first[row.id] = row.line
                _keep(version, row, report, acting_user)


def _keep(version: RubricVersion, row: GoldRow, report: Report, acting_user: User | None) -> None:
    pairs = Subject.objects.visible().of_project(version.rubric.project).pairs()
    subject = pairs.filter(external_id=row.id).first()
    if subject is None:
        message = f"There is no pair {shown(row.id)} in {version.rubric.project}."
        report.reject(Problem(row.line, "id", message, "unknown_pair"))
        return
    known = Known(row.labels, row.preference, row.why, row.use or GoldAnswer.Use.HIDDEN)
    try:
        done = set_gold(subject=subject, version=version, known=known, acting_user=acting_user)
    except GoldRefused as refusal:
        for problem in _placed(version, row, refusal):
            report.reject(problem)
    else:
        setattr(report, done, getattr(report, done) + 1)


def _placed(version: RubricVersion, row: GoldRow, refusal: GoldRefused) -> Iterator[Problem]:
    """The refusal in the fields of the file."""
    ballot = ballot_under(version)
    one_for_both = {
        key
        for key, part in row.labels
        if not part and (check := ballot.check(key)) and check.parts == SEEN_SIDES
    }
    for key in sorted(one_for_both):
        message = f"{key} is answered for each side: give it a value for A and one for B."
        yield Problem(row.line, place_name(key, ""), message, "needs_sides")
    for name, message in refusal.problems.items():
        place, *rest = name.split(":")
        if place != "label":
            yield Problem(row.line, place, message, "refused")
        elif rest[0] not in one_for_both:
            part = dict(zip(SEEN_SIDES, "AB", strict=True)).get(rest[1], rest[1])
            yield Problem(row.line, place_name(rest[0], part), message, "refused")
