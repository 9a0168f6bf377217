"""What keeps a project from going on, each with the one thing to do about it: for its leads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone

from annotate.clearing import ROUND_SIZE, counted
from projects.models import Job, Project

if TYPE_CHECKING:
    from annotate.pages.next_step import Standing
    from annotate.pages.round_cards import Progress, RoundCard

# Whoever voted within a day is at work; a job that no worker took within minutes waits for one.
AT_WORK = timedelta(days=1)
TAKEN_WITHIN = timedelta(minutes=2)
# Older failures are history: the list of changes has them.
FAILED_WITHIN = timedelta(days=14)
_JOBS = {
    "import_subjects": "An import of pairs",
    "import_votes": "An import of votes",
    "measure": "Measuring a round",
    "render": "Preparing texts",
}


@dataclass(frozen=True)
class Block:
    """`href` leads on; or a button asks `raters` of round `asks` to go on."""

    words: str
    action: str = ""
    href: str = ""
    asks: int | None = None
    raters: tuple[int, ...] = ()


def blocks_of(
    project: Project,
    standing: Standing,
    rounds: Sequence[RoundCard],
    drafts: Iterable[dict[str, Any]],
    jobs: Sequence[Job],
) -> tuple[Block, ...]:
    return (
        *(_job(job) for job in jobs),
        *(block for card in rounds if (block := _waits(card))),
        *(_draft(project, draft) for draft in drafts if standing.version is not None),
        *_too_few(project, standing),
    )


def jobs_of(projects: Sequence[Project]) -> dict[int, list[Job]]:
    """Jobs that failed and were not done again since, and jobs that no worker takes."""
    now = timezone.now()
    done_since = Job.objects.filter(
        project=OuterRef("project"), kind=OuterRef("kind"), state="done", pk__gt=OuterRef("pk")
    )
    own = Job.objects.filter(project__in=projects).select_related("project").defer("result")
    failed = own.filter(state="failed", created_at__gt=now - FAILED_WITHIN)
    waiting = own.filter(state="pending", created_at__lt=now - TAKEN_WITHIN)
    found: dict[int, list[Job]] = defaultdict(list)
    # One failure of a kind tells it all.
    seen: set[tuple[int, str, str]] = set()
    for job in (failed.exclude(Exists(done_since)) | waiting).order_by("-pk"):
        if (place := (job.project_id, job.kind, job.state)) not in seen:
            seen.add(place)
            found[job.project_id].append(job)
    return found


def is_away(rater: Progress, batch_opened: datetime) -> bool:
    """Whether a rater with open pairs has not voted for a day."""
    return not rater.finished and (rater.last or batch_opened) < timezone.now() - AT_WORK


def _job(job: Job) -> Block:
    what = _JOBS.get(job.kind, job.kind.replace("_", " ").capitalize())
    said = "failed" if job.state == Job.State.FAILED else "waits for a worker"
    href = reverse("projects:job", args=[job.project.slug, job.public_id])
    return Block(f"{what} {said}.", "See what it says", href)


def _waits(card: RoundCard) -> Block | None:
    batch = card.batch
    if batch.closed_at is not None or batch.simulated:
        return None
    away = [rater for rater in card.raters if is_away(rater, batch.created_at)]
    if not away:
        return None
    names = ", ".join(f"{rater.name} ({_since(rater)})" for rater in away[:3])
    more = f" and {len(away) - 3} more" if len(away) > 3 else ""
    words = f"{batch} waits for {names}{more}."
    askable = [rater for rater in away if rater.can_ask]
    if not askable:
        return Block(words)
    whom = f"Ask {askable[0].name} again" if len(askable) == 1 else f"Ask the {len(askable)} again"
    return Block(words, whom, asks=batch.number, raters=tuple(one.rater for one in askable))


def _since(rater: Progress) -> str:
    left = counted(rater.left, "pair")
    asked = "; asked within a day" if rater.asked and not rater.can_ask else ""
    if rater.last is None:
        return f"not started{asked}"
    days = max(1, (timezone.now() - rater.last).days)
    return f"{left} left, no vote for {counted(days, 'day')}{asked}"


def _draft(project: Project, draft: dict[str, Any]) -> Block:
    name, number = draft["rubric__name"], draft["number"]
    href = reverse("rubrics:version", args=[project.slug, draft["rubric__slug"], number])
    return Block(f"{name} version {number} is a draft, not published.", "Read the draft", href)


def _too_few(project: Project, standing: Standing) -> Iterable[Block]:
    """`fresh` is the most that there can be: pairs that no round has had yet."""
    if not standing.pairs or standing.fresh >= ROUND_SIZE:
        return ()
    left = counted(standing.fresh, "fresh pair")
    verb = "is" if standing.fresh == 1 else "are"
    href = reverse("annotate:import_new", args=[project.slug])
    return (Block(f"{left} {verb} left; a round takes {ROUND_SIZE}.", "Import pairs", href),)
