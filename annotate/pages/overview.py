"""What a project holds, on one page; leads see all of it, others what is theirs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotate.models import Batch
from annotate.pages.changes import Change, recent_changes
from annotate.pages.home import LeadView, lead_views
from annotate.pages.own_rounds import OwnRound, own_rounds_of
from annotate.pages.own_time import Lately, lately
from annotate.pages.round_cards import RoundCard, round_cards
from projects.models import Membership, Project, Role, User
from rubrics.models import Rubric, RubricVersion


@dataclass(frozen=True)
class Member:
    user: User
    roles: tuple[str, ...]


@dataclass(frozen=True)
class Overview:
    own: tuple[OwnRound, ...]
    lately: Lately | None
    versions: tuple[RubricVersion, ...]
    leads: tuple[Member, ...]
    # For leads only.
    lead: LeadView | None = None
    # Of people: a simulation makes none.
    votes: int = 0
    rounds: tuple[RoundCard, ...] = ()
    imported: tuple[Batch, ...] = ()
    members: tuple[Member, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def tried(self) -> list[Rubric]:
        """The rubrics whose versions can be compared, the one of the newest round first."""
        closed = (card.batch for card in self.rounds if card.batch.closed_at is not None)
        return list(dict.fromkeys(batch.version.rubric for batch in closed))


def overview_of(project: Project, user: User, roles: frozenset[str]) -> Overview:
    own = own_rounds_of(user).get(project.pk, ())
    done = lately(user, [project]).get(project.pk) if own else None
    versions = versions_of(project, drafts=Role.LEAD in roles)
    members = members_of(project)
    leads = tuple(member for member in members if Role.LEAD.label in member.roles)
    if Role.LEAD not in roles:
        return Overview(own, done, versions, leads)
    rounds = tuple(round_cards(all_rounds(project), user))
    view = lead_views([project], {project.pk: rounds})[project.pk]
    return Overview(
        own,
        done,
        versions,
        leads,
        lead=view,
        votes=sum(card.done for card in rounds if not card.batch.simulated),
        rounds=rounds,
        imported=tuple(imported_sets(project)),
        members=members,
        changes=recent_changes(project, versions, rounds, [member.user for member in members]),
    )


def all_rounds(project: Project) -> QuerySet[Batch]:
    return Batch.objects.rounds().of_project(project).with_versions().order_by("-number")


def versions_of(project: Project, *, drafts: bool) -> tuple[RubricVersion, ...]:
    """Each version once, by rubric, newest first."""
    versions = RubricVersion.objects.of_project(project)
    shown = versions if drafts else versions.released()
    latest = shown.latest_revisions().select_related("rubric").defer("document")
    return tuple(latest.order_by("rubric__name", "rubric_id", "-number"))


def members_of(project: Project) -> tuple[Member, ...]:
    held: dict[User, list[str]] = defaultdict(list)
    memberships = Membership.objects.filter(project=project).select_related("user")
    for membership in memberships.order_by("user__last_name", "user__username", "role"):
        held[membership.user].append(membership.get_role_display())
    return tuple(Member(user, tuple(roles)) for user, roles in held.items())


def imported_sets(project: Project) -> QuerySet[Batch]:
    """Imported vote sets, each with `subject_count`, `rater_count` and `vote_count`."""
    return (
        Batch.objects.imported()
        .visible()
        .of_project(project)
        .with_versions()
        .annotate(
            vote_count=Count("votes", filter=Q(votes__current=True)),
            subject_count=Count("votes__subject", filter=Q(votes__current=True), distinct=True),
            rater_count=Count("votes__rater", filter=Q(votes__current=True), distinct=True),
        )
        .order_by("name")
    )
