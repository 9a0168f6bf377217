"""Imports as background jobs: the flags of the command, kept in the job's row."""

from __future__ import annotations

import zoneinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotate import ingest
from annotate.actions import kept_files
from annotate.actions.refusals import refusals_of
from annotate.actions.subject_imports import check_subjects, import_subjects
from annotate.actions.vote_imports import VoteFile, check_votes, import_votes, scheme_of
from annotate.ingest.vote_rows import VotePlan
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Callable

    from annotate.actions.imports import Progress
    from annotate.actions.jobs import Report
    from projects.models import Job


# The flags that decide what the rows of a ratings file mean.
READING = ("map", "column", "value", "anonymous_raters", "create_subjects", "repair")


def run_subject_import(job: Job, progress: Progress) -> Report:
    params = job.params
    file = file_of(params)
    with refusals_of(job, file, params["name"], _beat(job, progress)) as refused:
        report = import_subjects(
            project=job.project,
            file=file,
            name=params["name"],
            kind=params["kind"],
            fields=ingest.field_map(params["kind"], params["map"], params["as_text"]),
            partial=params["partial"],
            repair=params["repair"],
            acting_user=job.created_by,
            progress=_heard(job, progress),
            refused=refused,
        )
    return report.as_json()


def run_subject_check(job: Job, progress: Progress) -> Report:
    """The whole file is read and compared with what stands; nothing is written."""
    params = job.params
    file = file_of(params)
    with refusals_of(job, file, params["name"], _beat(job, progress)) as refused:
        report = check_subjects(
            project=job.project,
            file=file,
            name=params["name"],
            kind=params["kind"],
            fields=ingest.field_map(params["kind"], params["map"], params["as_text"]),
            repair=params["repair"],
            progress=_heard(job, progress),
            refused=refused,
        )
    return report.as_json()


def run_vote_import(job: Job, progress: Progress) -> Report:
    source = _votes_of(job)
    with refusals_of(job, source.file, source.file_name, _beat(job, progress)) as refused:
        _, report = import_votes(
            source=source,
            partial=job.params["partial"],
            acting_user=job.created_by,
            progress=_heard(job, progress),
            refused=refused,
        )
    return report.as_json()


def run_vote_check(job: Job, progress: Progress) -> Report:
    source = _votes_of(job)
    with refusals_of(job, source.file, source.file_name, _beat(job, progress)) as refused:
        report = check_votes(source=source, progress=_heard(job, progress), refused=refused)
    return report.as_json()


def file_of(params: dict[str, Any]) -> Path:
    """The file of a job: its own copy, or an upload that outlives it so that it can be mended."""
    if upload := params.get("upload_file"):
        return kept_files.folder() / str(upload)
    return Path(params["file"])


def _heard(job: Job, progress: Progress) -> Progress:
    """Progress that is remembered in the job, for whoever only says that the work goes on."""

    def heard(done: int, total: int | None) -> None:
        job.done, job.total = done, total
        progress(done, total)

    return heard


def _beat(job: Job, progress: Progress) -> Callable[[], None]:
    return lambda: progress(job.done, job.total)


def _votes_of(job: Job) -> VoteFile:
    version = RubricVersion.objects.select_related("rubric__project").get(pk=job.params["version"])
    return vote_file(version, file_of(job.params), job.params)


def vote_file(version: RubricVersion, file: Path, params: dict[str, Any]) -> VoteFile:
    """A ratings file under the flags of `import_votes`. Raises FlagError."""
    zone = zoneinfo.ZoneInfo(version.rubric.project.time_zone)
    return VoteFile(
        file=file,
        file_name=params["file_name"],
        name=params["name"],
        version=version,
        plan=VotePlan.parse(
            scheme_of(version),
            maps=params["map"],
            columns=params["column"],
            values=params["value"],
            anonymous=params["anonymous_raters"],
            zone=zone,
        ),
        create_subjects=params["create_subjects"],
        repair=params["repair"],
        flags={name: params[name] for name in READING},
    )
