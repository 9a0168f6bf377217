"""What keeps a project from going on, each with the one thing to do about it: for its leads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef, Q, Subquery, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from annotate.clearing import ROUND_SIZE
from annotate.models import Upload
from projects.models import Job, Project
from rubrics.words import counted_noun

if TYPE_CHECKING:
    from annotate.pages.next_step import Standing, Step
    from annotate.pages.round_cards import Progress, RoundCard

# Whoever voted within a day is at work; a job that no worker took within minutes waits for one.
AT_WORK = timedelta(days=1)
TAKEN_WITHIN = timedelta(minutes=2)
# Older failures are history: the list of changes has them.
FAILED_WITHIN = timedelta(days=14)
_JOBS = {
    "check": "Looking at texts by code",
    "check_pairs": "Checking a file of pairs",
    "check_votes": "Checking a file of votes",
    "import_subjects": "An import of pairs",
    "import_votes": "An import of votes",
    "measure": "Measuring a round",
    "render": "Preparing texts",
}
# The batch or the rubric version that a job is about; '' where it is about neither.
_ABOUT = Coalesce(KT("params__batch"), KT("params__version"), Value(""), output_field=TextField())


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
    step: Step,
) -> tuple[Block, ...]:
    return (
        *(_job(job) for job in jobs),
        *(block for card in rounds if (block := _waits(card))),
        *(_draft(project, draft) for draft in drafts if standing.version is not None),
        *_too_few(project, standing, step),
    )


def jobs_of(projects: Sequence[Project]) -> dict[int, list[Job]]:
    """Jobs that failed and were not done again since, and jobs that no worker takes.

    The last job of a file that somebody brought speaks for it, as long as the file is here;
    jobs without one are the same where they are of the same kind and about the same batch.
    """
    now = timezone.now()
    own = Job.objects.filter(project__in=projects).select_related("project").defer("result")
    kept = Upload.objects.filter(job=OuterRef("pk")).exclude(path="")
    own = own.annotate(about=_ABOUT, file_name=Subquery(kept.values("file_name")[:1]))
    failed = own.filter(state="failed", created_at__gt=now - FAILED_WITHIN)
    waiting = own.filter(state="pending", created_at__lt=now - TAKEN_WITHIN)
    brought = Q(params__has_key="upload")
    done_since = Job.objects.annotate(about=_ABOUT).filter(
        *(~brought, Q(state="done", pk__gt=OuterRef("pk"))),
        **{name: OuterRef(name) for name in ("project", "kind", "about")},
    )
    unmended = failed.filter(Q(brought, file_name__isnull=False) | Q(~brought, ~Exists(done_since)))
    found: dict[int, list[Job]] = defaultdict(list)
    # One failure of a kind tells it all.
    seen: set[tuple[object, ...]] = set()
    for job in (unmended | waiting).order_by("-pk"):
        if (place := (job.project_id, job.kind, job.state, _file_of(job))) not in seen:
            seen.add(place)
            found[job.project_id].append(job)
    return found


def is_away(rater: Progress, batch_opened: datetime) -> bool:
    """Whether a rater with open pairs has not voted for a day."""
    return not rater.finished and (rater.last or batch_opened) < timezone.now() - AT_WORK


def _job(job: Job) -> Block:
    what = _JOBS.get(job.kind, job.kind.replace("_", " ").capitalize())
    if file_name := _file_of(job):
        what = f"{what} ({file_name})"
    said = "failed" if job.state == Job.State.FAILED else "waits for a worker"
    href = reverse("projects:job", args=[job.project.slug, job.public_id])
    return Block(f"{what} {said}.", "See what it says", href)


def _file_of(job: Job) -> str:
    """The name of the file that was brought for it, as `jobs_of` reads it."""
    return getattr(job, "file_name", None) or ""


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
    left = counted_noun(rater.left, "pair")
    asked = "; asked within a day" if rater.asked and not rater.can_ask else ""
    if rater.last is None:
        return f"not started{asked}"
    days = max(1, (timezone.now() - rater.last).days)
    return f"{left} left, no vote for {counted_noun(days, 'day')}{asked}"


def _draft(project: Project, draft: dict[str, Any]) -> Block:
    name, number = draft["rubric__name"], draft["number"]
    href = reverse("rubrics:version", args=[project.slug, draft["rubric__slug"], number])
    return Block(f"{name} version {number} is a draft, not published.", "Read the draft", href)


def _too_few(project: Project, standing: Standing, step: Step) -> Iterable[Block]:
    """`fresh` is the most that there can be: pairs that no round has had yet.

    An open round has its pairs already; where the next step is to import, its button is enough.
    """
    is_open = standing.last is not None and standing.last.open
    if is_open or not standing.pairs or standing.fresh >= ROUND_SIZE:
        return ()
    left = counted_noun(standing.fresh, "fresh pair")
    verb = "is" if standing.fresh == 1 else "are"
    words = f"{left} {verb} left; a round takes {ROUND_SIZE}."
    if step.route == "annotate:import_new":
        return (Block(words),)
    return (Block(words, "Import pairs", reverse("annotate:import_new", args=[project.slug])),)
