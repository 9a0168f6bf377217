"""Imports as background jobs: the flags of the command, kept in the job's row."""

from __future__ import annotations

import zoneinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotate import ingest
from annotate.actions.subject_imports import import_subjects
from annotate.actions.vote_imports import VoteFile, import_votes, scheme_of
from annotate.ingest.vote_rows import VotePlan
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from annotate.actions.imports import Progress
    from annotate.actions.jobs import Report
    from projects.models import Job


# The flags that decide what the rows of a ratings file mean.
READING = ("map", "column", "value", "anonymous_raters", "create_subjects", "repair")


def run_subject_import(job: Job, progress: Progress) -> Report:
    params = job.params
    report = import_subjects(
        project=job.project,
        file=Path(params["file"]),
        name=params["name"],
        kind=params["kind"],
        fields=ingest.field_map(params["kind"], params["map"], params["as_text"]),
        partial=params["partial"],
        repair=params["repair"],
        acting_user=job.created_by,
        progress=progress,
    )
    return report.as_json()


def run_vote_import(job: Job, progress: Progress) -> Report:
    params = job.params
    version = RubricVersion.objects.select_related("rubric__project").get(pk=params["version"])
    _, report = import_votes(
        source=vote_file(version, Path(params["file"]), params),
        partial=params["partial"],
        acting_user=job.created_by,
        progress=progress,
    )
    return report.as_json()


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
