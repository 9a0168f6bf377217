"""The rounds of the demo: two that are simulated and closed, one that is open to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from annotate.actions.demo.claims import SEED, claims
from annotate.actions.demo.people import PEOPLE
from annotate.actions.demo.truths import truth_in_round
from annotate.actions.rounds import close_round, start_round
from annotate.actions.simulated_votes import fill_round
from annotate.models import Batch, GoldAnswer, Subject

if TYPE_CHECKING:
    from annotate.simulation import Truth
    from projects.models import Project, User
    from rubrics.models import RubricVersion

OPEN_ROUND = 3
# Of the probe answers, so many are planted in the open round; the others wait for the next.
PLANTED = 3


@transaction.atomic
def simulated_round(
    project: Project, version: RubricVersion, people: dict[str, User], number: int
) -> Batch:
    """Started, filled and closed; what stands of it already stays."""
    batch = _round(project, number) or start_round(
        project=project,
        version=version,
        raters=_experts(people),
        acting_user=people["lena"],
        seed=SEED + number - 1,
        simulated=True,
    )
    if batch.closed_at is not None:
        return batch
    by_id = {claim["id"]: claim for claim in claims()}
    weights = {check.key: check.weight for check in batch.version.content.criteria if check.weight}

    def truth(external_id: str) -> Truth:
        return truth_in_round(by_id[external_id], number, weights)

    seats = batch.raters.values_list("pk", "user__username")
    errors = {person.username: person.simulated for person in PEOPLE if person.simulated}
    team = {pk: errors[username][number] for pk, username in seats if username in errors}
    fill_round(batch=batch, team=team, truth_of=truth, seed=SEED)
    return close_round(batch=batch, acting_user=people["lena"])


def open_round(project: Project, version: RubricVersion, people: dict[str, User]) -> None:
    if _round(project, OPEN_ROUND) is None:
        probes = Subject.objects.filter(
            gold_answers__version=version, gold_answers__use=GoldAnswer.Use.PROBE
        )
        start_round(
            project=project,
            version=version,
            raters=_experts(people),
            acting_user=people["lena"],
            seed=SEED + OPEN_ROUND - 1,
            probes=list(probes.order_by("pk")[:PLANTED]),
        )


def _round(project: Project, number: int) -> Batch | None:
    rounds = Batch.objects.of_project(project).rounds().select_related("version__rubric")
    return rounds.filter(number=number).first()


def _experts(people: dict[str, User]) -> list[User]:
    return [people[person.username] for person in PEOPLE if person.simulated]
