"""Automatic checks ahead of labelling: code looks at every text once, in the background.

A job is started when pairs appear and, by the sweeper, when a version was published or a job left
something. The results are the truth: what has one is never looked at again, and what an import
replaces loses its own (replacements), so that a job done twice repeats nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from django.db import transaction

from annotate.actions.imports import chunks
from annotate.actions.jobs import start_job
from annotate.checking import (
    automatic_of,
    checked_versions,
    prompt_of,
    replacing,
    results_for,
    unchecked,
)
from annotate.models import CheckResult, Import, Part
from projects.models import Job
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.db.models import QuerySet

    from annotate.actions.imports import Progress
    from annotate.actions.jobs import Report
    from projects.models import Project, User
    from projects.querysets import JobQuerySet
    from rubrics.models import Criterion

    _Looked = tuple[Part, list[CheckResult]]

KIND = "check"
AT_ONCE = 50
# So many texts are looked at on the spot where somebody waits for them, for so long.
ON_THE_SPOT = 400
ON_THE_SPOT_S = 2.0
# What was found is written, and the worker says that it lives, at the next check after so long.
# One check of one text takes seconds at most (rubrics.check_work), the lease a minute.
WRITE_AFTER_S = RENEW_AFTER_S = 5.0


@dataclass(frozen=True)
class Waiting:
    """Texts that code has still to look at. A job is at them, or waits for a worker; `again`: the
    one before it failed."""

    texts: int
    again: bool


def start_checking(*, version: RubricVersion, acting_user: User | None) -> Job:
    return start_job(
        project=version.rubric.project,
        kind=KIND,
        params={"version": version.pk},
        acting_user=acting_user,
    )


def checking_of(version: RubricVersion) -> Job | None:
    """The job that is at the texts of a version, or waits for a worker."""
    at_it = jobs_of(version).filter(state__in=(Job.State.PENDING, Job.State.RUNNING))
    # One that lost its worker too often is dead, also before the sweeper says so.
    return at_it.exclude(pk__in=Job.objects.given_up().values("pk")).first()


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


def ensure_checked(version: RubricVersion, *, acting_user: User | None) -> Waiting | None:
    """Have the gates by code look at all texts: a few on the spot, as far as the time allows. What
    is left goes to a job, which is started where none is at it; None where nothing is."""
    criteria = [criterion for criterion in automatic_of(version) if criterion.decides]
    if not criteria:
        return None
    keys = list(unchecked(version, criteria).values_list("pk", flat=True)[: ON_THE_SPOT + 1])
    if len(keys) <= ON_THE_SPOT:
        until = monotonic() + ON_THE_SPOT_S
        if all(_check(chunk, criteria, until=until) for chunk in chunks(keys, size=AT_ONCE)):
            return None
    left = unchecked(version, criteria).count()
    if not left:
        return None
    last = jobs_of(version).first()
    if checking_of(version) is not None:
        return Waiting(left, again=False)
    start_checking(version=version, acting_user=acting_user)
    return Waiting(left, again=last is not None and last.state != Job.State.DONE)


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


def _check(
    keys: Sequence[int],
    criteria: Sequence[Criterion],
    beat: Callable[[], None] = lambda: None,
    *,
    until: float = inf,
) -> bool:
    """Look at some texts without holding anything, and write what was found now and then. False
    where the clock came to `until` first."""
    found: list[_Looked] = []
    written = monotonic()
    for part in _with_prompts(keys):
        found.append((part, []))
        for result in results_for(part, criteria):
            found[-1][1].append(result)
            beat()
            if monotonic() > until:
                _write(found)
                return False
        if monotonic() - written > WRITE_AFTER_S:
            _write(found)
            found, written = [], monotonic()
    _write(found)
    return True


def _write(found: Sequence[_Looked]) -> None:
    keys = [part.pk for part, _ in found]
    with transaction.atomic():
        # An import that replaces a text or its prompt waits here, or has done so. What it wrote is
        # read once the rows are held: a row that was waited for comes with what was beside it.
        held = Part.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk")
        list(held.values_list("pk"))
        now = {part.pk: _content(part) for part in _with_prompts(keys)}
        CheckResult.objects.bulk_create(
            (
                result
                for part, results in found
                if now.get(part.pk) == _content(part)
                for result in results
            ),
            ignore_conflicts=True,
        )


def _with_prompts(keys: Sequence[int]) -> QuerySet[Part]:
    details = (f"subject__{kind}" for kind in ("pair", "trace", "chain", "answer"))
    return Part.objects.filter(pk__in=keys).select_related(*details).order_by("pk")


def _content(part: Part) -> tuple[str | None, str]:
    """What a check decides by."""
    return part.text, prompt_of(part.subject)
