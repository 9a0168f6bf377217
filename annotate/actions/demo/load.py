"""The demo from nothing to an open round, step by step: what stands already stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from annotate.actions.demo.claims import FIXTURES, claims, import_claims, known_answers
from annotate.actions.demo.meeting import ask_for_rulings, hold_meeting
from annotate.actions.demo.people import SLUG, demo_password, project_and_people
from annotate.actions.demo.rounds import open_round, simulated_round
from annotate.actions.demo.truths import truth_of
from annotate.actions.gold import Known, set_gold
from annotate.models import Batch, Subject
from projects.models import Event, Project, User
from rubrics.actions import import_rubric, publish

if TYPE_CHECKING:
    from annotate.simulation import Truth
    from rubrics.models import RubricVersion


def load_demo() -> tuple[Project, str]:
    """The demo project and the password of its people; a second call changes nothing.

    A demo of before there was a second version, with its second round open to people, is left as
    it is, but for known answers.
    """
    password = demo_password()
    project = Project.objects.filter(slug=SLUG).first()
    rounds = Batch.objects.rounds().select_related("version__rubric")
    if project is not None:
        second = rounds.filter(project=project, number=2).first()
        if second is not None and not second.simulated:
            set_known_answers(project, second.version)
            return project, password
        if rounds.filter(project=project, number=3).exists():
            return project, password
    project, people = project_and_people(password)
    _loop(project, people)
    return project, password


def _loop(project: Project, people: dict[str, User]) -> None:
    lead = people["lena"]
    version = import_rubric(
        project=project, source=(FIXTURES / "rubric.yaml").read_bytes(), acting_user=lead
    )
    if version.status == version.Status.DRAFT:
        version = publish(version=version, change_note="First version.", acting_user=lead)
    import_claims(project, lead)
    first = simulated_round(project, version, people, 1)
    version = hold_meeting(first, lead)
    second = simulated_round(project, version, people, 2)
    ask_for_rulings(second, lead)
    set_known_answers(project, version)
    open_round(project, version, people)


@transaction.atomic
def set_known_answers(project: Project, version: RubricVersion) -> None:
    """The lead's known answers on pairs that the rounds leave over, set once: what the lead has
    done since stands."""
    lead = User.objects.filter(username="lena").first()
    if (
        Event.objects.filter(project=project, verb__startswith="gold.").exists()
        or version.status != version.Status.PUBLISHED
    ):
        return
    by_id = {claim["id"]: claim for claim in claims()}
    for use, answers in known_answers().items():
        for answer in answers:
            pairs = Subject.objects.of_project(project).filter(slots__isnull=True)
            subject = pairs.filter(external_id=answer["id"]).first()
            if subject is not None:
                truth = truth_of(by_id[answer["id"]], version=version.number)
                known = Known(truth.labels, _preference(truth), answer["why"], use)
                set_gold(subject=subject, version=version, known=known, acting_user=lead)


def _preference(truth: Truth) -> str:
    """What was planted, where no gate decides."""
    by_gate = any(key.startswith("G") and code == "fail" for (key, _), code in truth.labels.items())
    return "" if by_gate else truth.preference or ""
