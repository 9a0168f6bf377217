"""What the annotate commands share: which batch, and how the report of a file is shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from annotate.models import Batch, Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.management.base import BaseCommand, CommandParser

    from annotate.actions.imports import Report
    from projects.models import Project


def add_batch_arguments(parser: CommandParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--round", type=int, metavar="N", help="a calibration round by its number")
    which.add_argument("--imported", metavar="NAME", help="imported votes by their name")


def batch_named(project: Project, options: dict[str, Any]) -> Batch:
    batches = Batch.objects.visible().of_project(project)
    if options["round"] is not None:
        found = batches.rounds().filter(number=options["round"]).first()
        known = ", ".join(str(number) for number in _numbers(project)) or "none yet"
        missing = f"There is no round {options['round']} in {project}. Rounds: {known}."
    else:
        found = batches.imported().filter(name=options["imported"]).first()
        names = batches.imported().order_by("name").values_list("name", flat=True)
        missing = (
            f"There are no imported votes “{options['imported']}” in {project}. "
            f"Imported: {', '.join(names) or 'none yet'}."
        )
    if found is None:
        raise CommandError(missing)
    return found


def pairs_named(project: Project, ids: Sequence[str]) -> list[Subject]:
    """The pairs of these ids, in their order."""
    pairs = Subject.objects.visible().of_project(project).pairs().filter(external_id__in=ids)
    found = {pair.external_id: pair for pair in pairs}
    if missing := [name for name in ids if name not in found]:
        raise CommandError(f"There is no pair {', '.join(missing)} in {project}.")
    return [found[name] for name in ids]


def _numbers(project: Project) -> list[int | None]:
    rounds = Batch.objects.of_project(project).rounds().order_by("number")
    return list(rounds.values_list("number", flat=True))


def show_report(command: BaseCommand, report: Report | None, *, as_json: bool) -> None:
    """What became of a file: as JSON, or in lines with the places of problems and warnings."""
    if report is None:
        return
    if as_json:
        shape = json.dumps(report.as_json(), ensure_ascii=False, allow_nan=False)
        command.stdout.write(shape)
        return
    for kind, items in (("error", report.problems), ("warning", report.notices)):
        for item in items:
            field = f", {item.field}" if item.field else ""
            command.stderr.write(
                f"  {report.file}, line {item.line}{field}: {kind}: {item.for_commands}"
            )
    if report.notice_count > len(report.notices):
        command.stderr.write(f"  … and {report.notice_count - len(report.notices)} more warnings")
    command.stdout.write(f"{report.file}: {report.rows} rows: {_counts(report)}.")
    for name, count in report.extra.items():
        command.stdout.write(f"  {name.replace('_', ' ')}: {count}")


def _counts(report: Report) -> str:
    counts = {
        "created": report.created,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "held back": report.held_back,
        "refused": report.rejected,
    }
    if report.held_back or not report.rows - report.rejected:
        counts = {name: counts[name] for name in ("refused", "held back")}
    else:
        del counts["held back"]
    return ", ".join(f"{count} {name}" for name, count in counts.items())
