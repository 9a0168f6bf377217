"""The demo project: read from fixtures/demo, loaded through the same actions as real work."""

from __future__ import annotations

import json
import random
import secrets
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from django.conf import settings
from django.db import transaction

from annotate import ingest
from annotate.actions.gold import Known, set_gold
from annotate.actions.rounds import close_round, start_round
from annotate.actions.subject_imports import import_subjects
from annotate.actions.votes import submit_vote
from annotate.labelling import ballot_for
from annotate.models import Batch, Subject
from annotate.simulation import SimulatedRater, Truth, fill
from projects.actions import add_member, create_project
from projects.demo_accounts import DEMO_DOMAIN
from projects.models import Event, Project, Role, User
from rubrics.actions import import_rubric, publish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rubrics.models import RubricVersion

SLUG = "adjuster-summaries"
FIXTURES = Path(settings.BASE_DIR) / "fixtures" / "demo"
SEED = 20261
MODELS = ("deskwriter-2", "file-digest-small")
PROMPT = (
    "Summarise this claim file for the desk adjuster who takes it over today. Say what happened, "
    "what it costs, what is still open and who has it. Half a page at most."
)


@dataclass(frozen=True)
class Person:
    username: str
    name: tuple[str, str]
    roles: tuple[Role, ...]
    simulated: SimulatedRater | None = None


# C2 is read loosely by all three, so that the finished round has something to repair.
PEOPLE = (
    Person("lena", ("Lena", "Okafor"), (Role.LEAD, Role.POLICY_OWNER)),
    Person(
        "amara", ("Amara", "Lindqvist"), (Role.EXPERT,), SimulatedRater(0.015, {"C2": 0.13}, 0.15)
    ),
    Person(
        "bruno", ("Bruno", "Castellan"), (Role.EXPERT,), SimulatedRater(0.025, {"C2": 0.15}, 0.15)
    ),
    Person(
        "chen",
        ("Chen", "Waverly"),
        (Role.EXPERT,),
        SimulatedRater(0.025, {"C2": 0.14, "C4": 0.08}, 0.25),
    ),
)


def load_demo() -> tuple[Project, str]:
    """The demo project and the password of its people; a second call changes nothing."""
    password = demo_password()
    project = Project.objects.filter(slug=SLUG).first()
    if project is not None and Batch.objects.of_project(project).rounds().count() >= 2:
        _known_answers(project)
        return project, password
    project, people = _people(password)
    lead = people["lena"]
    version = import_rubric(
        project=project, source=(FIXTURES / "rubric.yaml").read_bytes(), acting_user=lead
    )
    if version.status == version.Status.DRAFT:
        version = publish(version=version, change_note="First version.", acting_user=lead)
    truths = _pairs(project, lead)
    _finished_round(project, version, people, truths)
    experts = [people[person.username] for person in PEOPLE if person.simulated]
    if not Batch.objects.of_project(project).rounds().filter(number=2).exists():
        start_round(
            project=project, version=version, raters=experts, acting_user=lead, seed=SEED + 1
        )
    _known_answers(project)
    return project, password


def demo_password() -> str:
    """Made once for this installation and kept beside its database: never in the code."""
    file = Path(settings.VAR_DIR) / "demo_password"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(9))
    return file.read_text()


def claims() -> Iterator[dict[str, Any]]:
    """The claim files as written, in a settled order."""
    for file in sorted((FIXTURES / "claims").glob("*.yaml")):
        yield from yaml.safe_load(file.read_text(encoding="utf-8"))


def truth_of(claim: dict[str, Any]) -> Truth:
    planted = dict(claim["truth"])
    preference = planted.pop("preference")
    planted.pop("why")
    labels = {(key, side): code for key, sides in planted.items() for side, code in sides.items()}
    return Truth(labels=labels, preference=preference)


@transaction.atomic
def _people(password: str) -> tuple[Project, dict[str, User]]:
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


def _pairs(project: Project, lead: User) -> dict[str, Truth]:
    """Import the claims as pairs; which model wrote which side is drawn, not planted."""
    dice = random.Random(SEED)  # noqa: S311
    truths: dict[str, Truth] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "claims.jsonl"
        with file.open("w", encoding="utf-8") as stream:
            for claim in claims():
                truths[claim["id"]] = truth_of(claim)
                stream.write(json.dumps(_row(claim, dice), ensure_ascii=False) + "\n")
        import_subjects(
            project=project, file=file, fields=ingest.field_map("pair"), acting_user=lead
        )
    return truths


def _row(claim: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    model_a, model_b = dice.sample(MODELS, 2)
    return {
        "id": claim["id"],
        "prompt": PROMPT,
        "context": claim["file"],
        "response_a": claim["a"],
        "response_b": claim["b"],
        "model_a": model_a,
        "model_b": model_b,
        "metadata": {"peril": claim["peril"]},
    }


@transaction.atomic
def _known_answers(project: Project) -> None:
    """The lead's known answers on pairs that the rounds leave over, set once: a demo that was
    loaded before there were any gets them too, and what the lead has done since stands."""
    lead = User.objects.filter(username="lena").first()
    version = Batch.objects.of_project(project).rounds().get(number=1).version
    if (
        Event.objects.filter(project=project, verb__startswith="gold.").exists()
        or version.status != version.Status.PUBLISHED
    ):
        return
    planted = {claim["id"]: truth_of(claim) for claim in claims()}
    chosen = yaml.safe_load((FIXTURES / "gold.yaml").read_text(encoding="utf-8"))
    for use, answers in chosen.items():
        for answer in answers:
            pairs = Subject.objects.of_project(project).filter(slots__isnull=True)
            subject = pairs.filter(external_id=answer["id"]).first()
            if subject is not None:
                truth = planted[answer["id"]]
                known = Known(truth.labels, _preference(truth), answer["why"], use)
                set_gold(subject=subject, version=version, known=known, acting_user=lead)


def _preference(truth: Truth) -> str:
    """What was planted, where no gate decides."""
    by_gate = any(key.startswith("G") and code == "fail" for (key, _), code in truth.labels.items())
    return "" if by_gate else truth.preference or ""


def _finished_round(
    project: Project, version: RubricVersion, people: dict[str, User], truths: dict[str, Truth]
) -> None:
    batch = Batch.objects.of_project(project).rounds().filter(number=1).first()
    if batch is None:
        batch = start_round(
            project=project,
            version=version,
            raters=[people[person.username] for person in PEOPLE if person.simulated],
            acting_user=people["lena"],
            seed=SEED,
            simulated=True,
        )
    if batch.closed_at is not None:
        return
    ballot = ballot_for(batch)
    for person in PEOPLE:
        if person.simulated is None:
            continue
        user, dice = people[person.username], random.Random(f"{SEED}:{person.username}")  # noqa: S311
        for assignment in batch.assignments.filter(rater__user=user).select_related("subject"):
            truth = truths[assignment.subject.external_id]
            submit_vote(
                assignment=assignment,
                form=fill(ballot, truth, person.simulated, assignment.seen_order, dice),
                submit_key=uuid.UUID(int=dice.getrandbits(128)),
                acting_user=user,
            )
    close_round(batch=batch, acting_user=people["lena"])
