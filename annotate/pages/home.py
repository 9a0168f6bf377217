"""What the home page and a project's overview show, read in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from annotate.models import Assignment, Batch, Subject, Vote
from annotate.pages.next_step import LastRound, Left, Need, Standing, Step, next_step
from projects.models import Membership, Project, Role, User
from rubrics.models import RubricVersion


@dataclass(frozen=True)
class Progress:
    """How far one rater of a round is."""

    name: str
    done: int
    total: int
    last: datetime | None

    @property
    def finished(self) -> bool:
        return self.done == self.total


@dataclass(frozen=True)
class RoundCard:
    batch: Batch
    raters: tuple[Progress, ...]

    @property
    def size(self) -> int:
        return max((rater.total for rater in self.raters), default=0)

    @property
    def done(self) -> int:
        return sum(rater.done for rater in self.raters)

    @property
    def total(self) -> int:
        return sum(rater.total for rater in self.raters)


@dataclass(frozen=True)
class OwnRound:
    """An open round as its rater sees it: their own pairs, and nothing about anybody else."""

    batch: Batch
    done: int
    total: int

    @property
    def finished(self) -> bool:
        return self.done == self.total


@dataclass(frozen=True)
class ProjectCard:
    project: Project
    roles: frozenset[str]
    own: tuple[OwnRound, ...]
    # For leads only.
    step: Step | None = None
    standing: Standing | None = None
    waits_for: str = ""
    rounds: tuple[RoundCard, ...] = ()

    @property
    def idle(self) -> bool:
        """Nothing here for this person to do or to look after."""
        return self.step is None and not self.own

    @property
    def speaks_of(self) -> OwnRound | None:
        """The own round that the card's sentence is about: labelling comes before leading."""
        unfinished = next((own for own in self.own if not own.finished), None)
        if unfinished or self.step:
            return unfinished
        return next(iter(self.own), None)

    @property
    def order(self) -> tuple[bool, bool, str]:
        """What needs this person first, then what is open, then by name."""
        own = self.speaks_of
        to_label = own is not None and not own.finished
        needs = to_label or (self.step is not None and self.step.need == Need.YOU)
        return (not needs, self.idle, self.project.name)


def cards_for(user: User) -> list[ProjectCard]:
    """A card for each project of this person, what needs them first."""
    roles = roles_by_project(user)
    led = [project for project, held in roles.items() if Role.LEAD in held]
    rounds = rounds_of(led)
    standings = standings_of(led, rounds)
    own = own_rounds_of(user)
    cards = []
    for project, held in roles.items():
        standing = standings.get(project.pk)
        cards.append(
            ProjectCard(
                project,
                held,
                own=own.get(project.pk, ()),
                step=next_step(standing) if standing else None,
                standing=standing,
                waits_for=waits_for(standing) if standing else "",
                rounds=rounds.get(project.pk, ()),
            )
        )
    return sorted(cards, key=lambda card: card.order)


def roles_by_project(user: User) -> dict[Project, frozenset[str]]:
    held: dict[Project, set[str]] = defaultdict(set)
    memberships = Membership.objects.filter(user=user).select_related("project")
    for membership in memberships.order_by("project__name"):
        held[membership.project].add(membership.role)
    return {project: frozenset(roles) for project, roles in held.items()}


def rounds_of(projects: Sequence[Project]) -> dict[int, tuple[RoundCard, ...]]:
    """The open rounds of each project and its last one, newest first."""
    batches = Batch.objects.rounds().open_or_last().filter(project__in=projects)
    return by_project(round_cards(batches.with_versions().order_by("-number")))


def round_cards(batches: Iterable[Batch]) -> list[RoundCard]:
    batches = list(batches)
    last = {
        (row["batch_id"], row["rater_id"]): row["last"]
        for row in Vote.objects.current().filter(batch__in=batches).last_by_rater()
    }
    raters: dict[int, list[Progress]] = defaultdict(list)
    for row in Assignment.objects.filter(batch__in=batches).progress():
        raters[row["batch_id"]].append(
            Progress(
                row["rater__name"],
                row["done"],
                row["total"],
                last.get((row["batch_id"], row["rater_id"])),
            )
        )
    return [RoundCard(batch, tuple(raters[batch.pk])) for batch in batches]


def by_project(cards: Iterable[RoundCard]) -> dict[int, tuple[RoundCard, ...]]:
    grouped: dict[int, tuple[RoundCard, ...]] = defaultdict(tuple)
    for card in cards:
        grouped[card.batch.project_id] += (card,)
    return dict(grouped)


def own_rounds_of(user: User) -> dict[int, tuple[OwnRound, ...]]:
    """The rounds that are open to this rater, by project."""
    batches = Batch.objects.visible().open().of_user(user).with_versions().order_by("-id")
    rows = Assignment.objects.of_user(user).in_open_batches().progress()
    far = {row["batch_id"]: (row["done"], row["total"]) for row in rows}
    own: dict[int, tuple[OwnRound, ...]] = defaultdict(tuple)
    for batch in batches:
        if batch.pk in far:
            own[batch.project_id] += (OwnRound(batch, *far[batch.pk]),)
    return dict(own)


def standings_of(
    projects: Sequence[Project], rounds: dict[int, tuple[RoundCard, ...]]
) -> dict[int, Standing]:
    pairs = pair_counts(projects)
    versions = RubricVersion.objects.filter(rubric__project__in=projects).values(
        "number", "status", "rubric_id", "rubric__name", "rubric__project_id"
    )
    drafts: dict[int, int] = defaultdict(int)
    newest: dict[int, tuple[tuple[int, int], str]] = {}
    for row in versions.order_by("published_at", "id"):
        if row["status"] == RubricVersion.Status.DRAFT:
            drafts[row["rubric__project_id"]] += 1
        elif row["status"] == RubricVersion.Status.PUBLISHED:
            name = f"{row['rubric__name']}, version {row['number']}"
            newest[row["rubric__project_id"]] = ((row["rubric_id"], row["number"]), name)
    standings = {}
    for project in projects:
        version, version_name = newest.get(project.pk, (None, ""))
        standings[project.pk] = Standing(
            pairs=pairs.get(project.pk, 0),
            drafts=drafts[project.pk],
            version=version,
            version_name=version_name,
            last=last_round(rounds.get(project.pk, ())),
        )
    return standings


def pair_counts(projects: Sequence[Project]) -> dict[int, int]:
    rows = Subject.objects.visible().pairs().filter(project__in=projects).order_by()
    counted = rows.values("project_id").annotate(pairs=Count("id"))
    return {row["project_id"]: row["pairs"] for row in counted}


def last_round(rounds: Sequence[RoundCard]) -> LastRound | None:
    """The round to speak of: an open one before a closed one, else the newest."""
    if not rounds:
        return None
    card = min(rounds, key=lambda card: (card.batch.closed_at is not None, -card.batch.id))
    return LastRound(
        number=card.batch.number or 0,
        open=card.batch.closed_at is None,
        version=(card.batch.version.rubric_id, card.batch.version.number),
        left=tuple(Left(rater.name, rater.total - rater.done) for rater in card.raters),
    )


def waits_for(standing: Standing) -> str:
    if standing.last is None or not standing.last.open:
        return ""
    waiting = [rater.name for rater in standing.last.left if rater.pairs]
    return waiting[0] if len(waiting) == 1 else f"{len(waiting)} raters" if waiting else ""
