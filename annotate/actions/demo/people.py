"""Who is in the demo, and how the simulated ones among them err."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from annotate.simulation import SimulatedRater
from projects.actions import add_member, create_project
from projects.demo_accounts import DEMO_DOMAIN
from projects.models import Project, Role, User

if TYPE_CHECKING:
    from collections.abc import Mapping

SLUG = "adjuster-summaries"


@dataclass(frozen=True)
class Person:
    """`simulated` says how they answer in the rounds of the demo, by the number of the round."""

    username: str
    name: tuple[str, str]
    roles: tuple[Role, ...]
    simulated: Mapping[int, SimulatedRater] | None = None


# Owners before completeness: the reverse of what the rubric's weights say.
_BY_OWNER = {"C1": 1, "C2": 1, "C3": 6, "C4": 2, "C5": 1}

# C1 and C2 are read in two ways in round 1, so that it has something to repair; round 2 has less.
PEOPLE = (
    Person("lena", ("Lena", "Okafor"), (Role.LEAD, Role.POLICY_OWNER)),
    Person(
        "amara",
        ("Amara", "Lindqvist"),
        (Role.EXPERT,),
        {
            1: SimulatedRater(slip=0.012, stop_slip=0.04, hasty=0.5, flags=0.1, evidence=0.08),
            2: SimulatedRater(slip=0.008, stop_slip=0.03, flags=0.3, evidence=0.05),
        },
    ),
    Person(
        "bruno",
        ("Bruno", "Castellan"),
        (Role.EXPERT,),
        {
            1: SimulatedRater(
                slip=0.01,
                stop_slip=0.04,
                reads_other_way=frozenset({"C2"}),
                school="second",
                flags=0.15,
            ),
            2: SimulatedRater(slip=0.008, stop_slip=0.03, school="second"),
        },
    ),
    Person(
        "chen",
        ("Chen", "Waverly"),
        (Role.EXPERT,),
        {
            1: SimulatedRater(
                slip=0.008,
                stop_slip=0.05,
                tiring=0.02,
                hurry=0.4,
                reads_other_way=frozenset({"C1"}),
                weights=_BY_OWNER,
            ),
            2: SimulatedRater(
                slip=0.008, stop_slip=0.03, reads_other_way=frozenset({"C2"}), flags=0.2
            ),
        },
    ),
)


def demo_password() -> str:
    """Made once for this installation and kept beside its database: never in the code."""
    file = Path(settings.VAR_DIR) / "demo_password"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(9))
    return file.read_text()


@transaction.atomic
def project_and_people(password: str) -> tuple[Project, dict[str, User]]:
    people = {person.username: _account(person, password) for person in PEOPLE}
    lead = people["lena"]
    project = Project.objects.filter(slug=SLUG).first() or create_project(
        slug=SLUG,
        name="Adjuster file summaries",
        time_zone="America/Chicago",
        stakes="Summaries go to desk adjusters who act on them without the whole file.",
        acting_user=lead,
    )
    for person in PEOPLE:
        for role in person.roles:
            add_member(project=project, user=people[person.username], role=role, acting_user=lead)
    return project, people


def _account(person: Person, password: str) -> User:
    """An account of the demo: its address marks it, and all share the password that is printed."""
    user, made = User.objects.get_or_create(
        username=person.username,
        defaults={
            "first_name": person.name[0],
            "last_name": person.name[1],
            "email": f"{person.username}@{DEMO_DOMAIN}",
        },
    )
    if made:
        user.set_password(password)
        user.save(update_fields=["password"])
    return user
