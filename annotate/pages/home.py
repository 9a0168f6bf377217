"""What the home page shows, read in a fixed number of queries."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from annotate.access import still_rated_by
from annotate.models import Batch
from annotate.pages.blocked import Block, blocks_of, jobs_of
from annotate.pages.next_step import Need, Standing, Step, in_words, next_step
from annotate.pages.own_rounds import OwnRound, last_closed_of, own_rounds_of
from annotate.pages.own_time import Lately, lately
from annotate.pages.round_cards import RoundCard, by_project, round_cards
from annotate.pages.standings import DRAFT, standings_of, versions_of
from annotate.rulings import waiting_in
from annotate.verdicts import Verdict, kept_verdicts
from projects.models import Membership, Project, Role, User


@dataclass(frozen=True)
class LeadView:
    """What a lead sees of a project: where it stands, what blocks it, and who is how far."""

    step: Step
    standing: Standing
    rounds: tuple[RoundCard, ...]
    blocks: tuple[Block, ...]
    # On the round that the step speaks of, once it is closed and measured.
    verdict: Verdict | None

    @property
    def waits_for(self) -> str:
        last = self.standing.last
        waiting = [rater.name for rater in last.left if rater.pairs] if last and last.open else []
        if len(waiting) == 1:
            return waiting[0]
        return f"{len(waiting)} raters" if waiting else ""


@dataclass(frozen=True)
class ProjectCard:
    project: Project
    roles: frozenset[str]
    own: tuple[OwnRound, ...]
    lately: Lately | None
    lead: LeadView | None
    # The last closed round of their own: where they differed is open to them.
    closed: Batch | None = None
    # Splits that wait for this person's ruling.
    rulings: int = 0

    @property
    def idle(self) -> bool:
        """Nothing here for this person to do or to look after."""
        return self.lead is None and not self.own and not self.rulings

    @property
    def rulings_words(self) -> str:
        verb = "split waits" if self.rulings == 1 else "splits wait"
        return f"{self.rulings} {verb} for your ruling"

    @property
    def to_rule(self) -> bool:
        """Whether the card's sentence is about rulings: labelling and leading come first."""
        leads_on = self.lead is not None and self.lead.step.need == Need.YOU
        return self.rulings > 0 and not self.to_label and not leads_on

    @property
    def speaks_of(self) -> OwnRound | None:
        """The own round that the card's sentence is about: labelling comes before leading."""
        unfinished = next((own for own in self.own if not own.finished), None)
        if unfinished or self.lead:
            return unfinished
        return next(iter(self.own), None)

    @property
    def to_label(self) -> bool:
        own = self.speaks_of
        return own is not None and not own.finished

    @property
    def needs_you(self) -> bool:
        return (
            self.to_label
            or self.to_rule
            or (self.lead is not None and self.lead.step.need == Need.YOU)
        )

    @property
    def order(self) -> tuple[bool, bool, float, str]:
        """What needs this person first, the round that waits longest before others; then names."""
        own = self.speaks_of
        since = own.batch.created_at.timestamp() if own and self.to_label else math.inf
        return (not self.needs_you, self.idle, since, self.project.name)


@dataclass(frozen=True)
class Home:
    cards: tuple[ProjectCard, ...]

    @property
    def sentence(self) -> str:
        """How many projects need this person, and how many wait for others."""
        needs = sum(card.needs_you for card in self.cards)
        waits = sum(not card.needs_you and card.lead is not None for card in self.cards)
        said = [f"{in_words(needs)} need{'s' * (needs == 1)} you now"] if needs else []
        said += [f"{in_words(waits)} wait{'s' * (waits == 1)} for raters"] if waits else []
        if not said:
            return "Nothing to label now. A round appears here as soon as it is opened to you."
        first = " What needs you comes first." if needs and len(self.cards) > 1 else ""
        return f"{', '.join(said).capitalize()}.{first}"


def home_of(user: User) -> Home:
    """A card for each project of this person, what needs them first."""
    roles = roles_by_project(user)
    led = [project for project, held in roles.items() if Role.LEAD in held]
    own = own_rounds_of(user)
    done = lately(user, [project for project in roles if project.pk in own]) if own else {}
    views = lead_views(led, rounds_of(led, user)) if led else {}
    owned = [project for project, held in roles.items() if Role.POLICY_OWNER in held]
    rulings = waiting_in(owned, without=still_rated_by(user)) if owned else {}
    closed = last_closed_of(user) if roles else {}
    cards = (
        ProjectCard(
            project,
            held,
            own.get(project.pk, ()),
            done.get(project.pk),
            views.get(project.pk),
            closed.get(project.pk),
            rulings.get(project.pk, 0),
        )
        for project, held in roles.items()
    )
    return Home(tuple(sorted(cards, key=lambda card: card.order)))


def lead_views(
    projects: Sequence[Project], rounds: dict[int, tuple[RoundCard, ...]]
) -> dict[int, LeadView]:
    """What a lead sees of each project, in as many queries for one as for thirty."""
    verdicts = kept_verdicts(card.batch for cards in rounds.values() for card in cards)
    versions = versions_of(projects)
    standings = standings_of(projects, rounds, versions, verdicts)
    jobs = jobs_of(projects)
    views = {}
    for project in projects:
        standing, cards = standings[project.pk], rounds.get(project.pk, ())
        drafts = [row for row in versions.get(project.pk, ()) if row["status"] == DRAFT]
        spoken_of = [card.batch.pk for card in cards if _is_last(card, standing)]
        step = next_step(standing)
        views[project.pk] = LeadView(
            step=step,
            standing=standing,
            rounds=cards,
            blocks=blocks_of(project, standing, cards, drafts, jobs.get(project.pk, ()), step),
            verdict=verdicts.get(spoken_of[0]) if spoken_of else None,
        )
    return views


def _is_last(card: RoundCard, standing: Standing) -> bool:
    return standing.last is not None and card.batch.number == standing.last.number


def roles_by_project(user: User) -> dict[Project, frozenset[str]]:
    held: dict[Project, set[str]] = defaultdict(set)
    memberships = Membership.objects.filter(user=user).select_related("project")
    for membership in memberships.order_by("project__name"):
        held[membership.project].add(membership.role)
    return {project: frozenset(roles) for project, roles in held.items()}


def rounds_of(projects: Sequence[Project], reader: User) -> dict[int, tuple[RoundCard, ...]]:
    """The open rounds of each project and its last one, newest first."""
    batches = Batch.objects.rounds().open_or_last().filter(project__in=projects)
    return by_project(round_cards(batches.with_versions().order_by("-number"), reader))
