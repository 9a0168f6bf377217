"""What people call a job and what it tells of itself; any other name stands as it is, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from projects.models import Job
from projects.templatetags.words import words

if TYPE_CHECKING:
    from collections.abc import Mapping

TITLES = {
    "check": "Automatic checks",
    "check_pairs": "Check of a file of pairs",
    "check_votes": "Check of a file of votes",
    "import_subjects": "Import of pairs",
    "import_votes": "Import of votes",
    "measure": "Measuring a round",
    "render": "Preparing texts",
}
COUNTED = {
    "check": "texts",
    "check_pairs": "rows",
    "check_votes": "rows",
    "import_subjects": "rows",
    "import_votes": "rows",
    "measure": "parts",
    "render": "pairs",
}
NAMES = {
    "rows": "rows read",
    "unchanged": "unchanged, here already",
    "held_back": "good rows held back",
    "rejected": "refused",
    "problems": "what was refused",
    "warning_count": "warnings",
    "relabelled": "votes given again",
    "revisions": "votes as they were given",
    "subjects_made": "pairs made without their texts",
    "preferring_against_a_gate": "votes that prefer against a gate",
    "preferring_where_both_fail": "votes that prefer although both fail",
    "rendered": "texts prepared",
    "texts": "texts looked at",
    "message": "what it says",
}
# A check writes nothing: what it counts would be.
OF_A_CHECK = {
    "created": "would be created",
    "updated": "would be updated",
    "unchanged": "would stay as they are",
    "rejected": "would be refused",
    "problems": "what would be refused",
}
# What programs need of a result and people do not; a check holds nothing back.
UNSAID = frozenset({"batch", "flags", "code", "imports", "left", "version"})
NOT_OF_A_CHECK = frozenset({"held_back"})


def title_of(job: Job) -> str:
    return TITLES.get(job.kind) or words(job.kind).capitalize()


def names_of(job: Job) -> Mapping[str, str]:
    """The names of a result's figures and lists."""
    return {**NAMES, **OF_A_CHECK} if job.params.get("checks_only") else NAMES


def unsaid_of(job: Job) -> frozenset[str]:
    return UNSAID | NOT_OF_A_CHECK if job.params.get("checks_only") else UNSAID


def progress_of(job: Job) -> str:
    """How far it is, in words; '' where that says nothing."""
    counted = COUNTED.get(job.kind, "")
    if job.total:
        return f"{job.done:,} of {job.total:,} {counted}".rstrip()
    if job.state == Job.State.RUNNING:
        return f"{job.done:,} {counted} so far".replace("  ", " ")
    return ""
