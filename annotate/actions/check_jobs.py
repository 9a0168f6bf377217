"""Automatic checks ahead of labelling: code looks at every text once, in the background.

A job is started when pairs appear and, by the sweeper, when a version was published or a job left
something. The results are the truth: what has one is never looked at again, and what an import
replaces loses its own (replacements), so that a job done twice repeats nothing.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from django.db import transaction

from annotate.actions.imports import chunks
from annotate.actions.jobs import start_job
from annotate.checking import automatic_of, checked_versions, replacing, results_for, unchecked
from annotate.models import CheckResult, Import, Part
from projects.models import Job
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from annotate.actions.imports import Progress
    from annotate.actions.jobs import Report
    from projects.models import Project, User
    from projects.querysets import JobQuerySet
    from rubrics.models import Criterion

KIND = "check"
AT_ONCE = 50
# So many texts are looked at on the spot where somebody waits for them.
ON_THE_SPOT = 400
RENEW_AFTER_S = 5.0


def start_checking(*, version: RubricVersion, acting_user: User | None) -> Job:
    return start_job(
        project=version.rubric.project,
        kind=KIND,
        params={"version": version.pk},
        acting_user=acting_user,
    )


def checking_of(version: RubricVersion) -> Job | None:
    """The job that is at the texts of a version, or waits for a worker."""
    return jobs_of(version).filter(state__in=(Job.State.PENDING, Job.State.RUNNING)).first()


def jobs_of(version: RubricVersion) -> JobQuerySet:
    """Newest first."""
    project = version.rubric.project_id
    return Job.objects.filter(project=project, kind=KIND, params__version=version.pk)


def check_new_texts(project: Project, *, acting_user: User | None) -> None:
    """Start a job for each version that has a word to say about what has just appeared."""
    for version in checked_versions(project):
        # One that runs already may have gone past them; one that waits will see them.
        waits = jobs_of(version).filter(state=Job.State.PENDING).exists()
        if not waits and unchecked(version, automatic_of(version)).exists():
            start_checking(version=version, acting_user=acting_user)


def sweep() -> int:
    """Start what nobody started: nothing tells this room that a version was published, a worker
    may die between an import and its checks, and a job leaves texts that are being replaced."""
    waiting = [version for version in checked_versions() if _is_due(version)]
    for version in waiting:
        start_checking(version=version, acting_user=None)
    return len(waiting)


def _is_due(version: RubricVersion) -> bool:
    last = jobs_of(version).first()
    if last is None:
        return True
    # One that failed would fail again: its lead starts it anew when the cause is mended.
    if last.state != Job.State.DONE or last.result is None:
        return False
    project = version.rubric.project
    if last.result.get("imports") != _imports(project):
        return True
    return bool(last.result.get("left")) and not replacing(project)


def _imports(project: Project) -> int:
    """Grows whenever texts appear."""
    return Import.objects.filter(project=project, state=Import.State.VISIBLE).count()


def run_checking(job: Job, progress: Progress) -> Report:
    """Look at every text that a version's checks have said nothing of, batch by batch."""
    version = RubricVersion.objects.select_related("rubric__project").get(pk=job.params["version"])
    project, criteria = version.rubric.project, automatic_of(version)
    imports = _imports(project)
    total = unchecked(version, criteria).count()
    done = last = 0
    beat = _beat(progress, lambda: done, total)
    progress(0, total)
    while keys := _keys_after(version, criteria, last):
        _check(keys, criteria, beat)
        done, last = done + len(keys), keys[-1]
        progress(done, max(total, done))
    left = {"left": True} if replacing(project) else {}
    return {"version": str(version), "texts": done, "imports": imports, **left}


def ensure_checked(version: RubricVersion, *, acting_user: User | None) -> int:
    """How many texts the gates by code have still to look at: few are done on the spot, for many
    a job is started where none is at them."""
    criteria = [criterion for criterion in automatic_of(version) if criterion.decides]
    if not criteria:
        return 0
    keys = list(unchecked(version, criteria).values_list("pk", flat=True)[: ON_THE_SPOT + 1])
    if len(keys) <= ON_THE_SPOT:
        for chunk in chunks(keys, size=AT_ONCE):
            _check(chunk, criteria, lambda: None)
        return 0
    if checking_of(version) is None:
        start_checking(version=version, acting_user=acting_user)
    return unchecked(version, criteria).count()


def _keys_after(version: RubricVersion, criteria: Sequence[Criterion], last: int) -> list[int]:
    following = unchecked(version, criteria).filter(pk__gt=last)
    return list(following.values_list("pk", flat=True)[:AT_ONCE])


def _beat(progress: Progress, done: Callable[[], int], total: int) -> Callable[[], None]:
    """Tell that the worker lives, but not at every text: each time is a write."""
    told = monotonic()

    def beat() -> None:
        nonlocal told
        if monotonic() - told > RENEW_AFTER_S:
            progress(done(), total)
            told = monotonic()

    return beat


def _check(keys: Sequence[int], criteria: Sequence[Criterion], beat: Callable[[], None]) -> None:
    """Look at some texts without holding anything, then write what was found in one go."""
    parts = Part.objects.filter(pk__in=keys).select_related(
        "subject__pair", "subject__trace", "subject__chain", "subject__answer"
    )
    found: dict[int, tuple[str | None, list[CheckResult]]] = {}
    for part in parts:
        found[part.pk] = part.text, results_for(part, criteria)
        beat()
    with transaction.atomic():
        # An import that replaces a text waits here, or has done so and the text is another.
        held = Part.objects.select_for_update(no_key=True).filter(pk__in=found).order_by("pk")
        same = [part.pk for part in held if part.text == found[part.pk][0]]
        CheckResult.objects.bulk_create(
            (result for key in same for result in found[key][1]), ignore_conflicts=True
        )
