"""What the annotate commands share: which version, which batch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError

from annotate.models import Batch
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from django.core.management.base import CommandParser, OutputWrapper

    from annotate.actions.imports import Report
    from projects.models import Project


def version_named(project: Project, name: str) -> RubricVersion:
    """SLUG@N: the latest published revision of version N. SLUG alone: the latest version."""
    match = re.fullmatch(r"([-\w]+)(?:@(\d+))?", name)
    if match is None:
        raise CommandError(f"Name the rubric as SLUG@N, for example summary@2, not “{name}”.")
    slug, number = match.groups()
    versions = RubricVersion.objects.of_project(project).published().filter(rubric__slug=slug)
    if number:
        versions = versions.filter(number=int(number))
    version = versions.select_related("rubric__project").newest_first().first()
    if version is None:
        known = RubricVersion.objects.of_project(project).published().select_related("rubric")
        names = (
            ", ".join(sorted({f"{row.rubric.slug}@{row.number}" for row in known})) or "none yet"
        )
        raise CommandError(f"There is no published rubric {name} in {project}. Published: {names}.")
    return version


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


def _numbers(project: Project) -> list[int | None]:
    rounds = Batch.objects.of_project(project).rounds().order_by("number")
    return list(rounds.values_list("number", flat=True))


def show_report(report: Report, out: OutputWrapper, err: OutputWrapper) -> None:
    """What became of a file, problems and warnings with their places."""
    for kind, items in (("error", report.problems), ("warning", report.notices)):
        for item in items:
            field = f", {item.field}" if item.field else ""
            err.write(f"  {report.file}, line {item.line}{field}: {kind}: {item.message}")
    if report.notice_count > len(report.notices):
        err.write(f"  … and {report.notice_count - len(report.notices)} more warnings")
    out.write(
        f"{report.file}: {report.rows} rows: {report.created} created, {report.updated} updated, "
        f"{report.unchanged} unchanged, {report.rejected} refused."
    )
    for name, count in report.extra.items():
        out.write(f"  {name.replace('_', ' ')}: {count}")
