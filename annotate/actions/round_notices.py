"""What people are told about a round. Raters of a simulated round are told nothing: nobody asks
anything of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from annotate.models import Assignment, Batch
from projects.models import Notice, Project, Role, User
from projects.notices import tell
from rubrics.words import counted_noun

if TYPE_CHECKING:
    from django.db.models import QuerySet


def tell_opened(batch: Batch, *, pairs: int, acting_user: User | None) -> None:
    """Its raters learn of an open round; whoever opened it knows."""
    if batch.simulated:
        return
    version = batch.version
    tell(
        users=_others(_raters(batch), acting_user),
        project=batch.project,
        verb=Notice.Verb.OPENED,
        text=f"{batch} is open to you: {counted_noun(pairs, 'pair')}, "
        f"{version.rubric.name} version {version.number}.",
        path=label_path(batch),
    )


def tell_closed(batch: Batch, *, acting_user: User | None) -> None:
    """Leads learn that the report is open, other raters where they can read how they differed."""
    if batch.simulated:
        return
    leads = leads_of(batch.project)
    tell(
        users=_others(leads, acting_user),
        project=batch.project,
        verb=Notice.Verb.REPORT,
        text=f"{batch} is closed: its report says how far raters agree.",
        path=round_path(batch),
    )
    tell(
        users=_others(_raters(batch).difference(leads), acting_user),
        project=batch.project,
        verb=Notice.Verb.CLOSED,
        text=f"{batch} is closed: see, for yourself alone, where you differed from the others.",
        path=reverse("annotate:differed", args=[batch.public_id]),
    )


def tell_when_all_in(assignment: Assignment) -> None:
    """With the last open pair of a round, its leads learn, once, that it can be closed.

    Raters are not told: how far others are is none of their business while they can amend.
    """
    batch = assignment.batch
    if batch.kind != Batch.Kind.CALIBRATION or batch.simulated:
        return
    own = Assignment.objects.filter(rater=assignment.rater_id, batch=batch)
    if own.unanswered().exists():
        return
    # Two last votes at once do not see each other: the second waits here for the first.
    Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
    tell_if_all_in(batch)


def tell_if_all_in(batch: Batch) -> None:
    """As above, for whoever holds the project already, or has taken the last open pairs away."""
    if batch.kind != Batch.Kind.CALIBRATION:
        return
    held = batch.assignments.live().count()
    path = round_path(batch)
    told = Notice.objects.filter(project=batch.project_id, verb=Notice.Verb.ALL_IN).about(path)
    if not held or batch.assignments.unanswered().exists() or told.exists():
        return
    tell(
        users=leads_of(batch.project),
        project=batch.project,
        verb=Notice.Verb.ALL_IN,
        text=f"All {counted_noun(held, 'vote')} of {str(batch).lower()} are in. "
        "Close it, and its report opens.",
        path=path,
    )


def label_path(batch: Batch) -> str:
    """Where a rater goes on with a round."""
    return reverse("annotate:label_next", args=[batch.public_id])


def round_path(batch: Batch) -> str:
    return reverse("annotate:round", args=[batch.project.slug, batch.number])


def leads_of(project: Project) -> QuerySet[User]:
    return User.objects.filter(memberships__project=project, memberships__role=Role.LEAD)


def _raters(batch: Batch) -> QuerySet[User]:
    return User.objects.filter(raters__batches=batch)


def _others(users: QuerySet[User], acting_user: User | None) -> list[User]:
    return [user for user in users if user != acting_user]
