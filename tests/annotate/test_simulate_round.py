"""`manage.py simulate_round`: a round filled by seeded raters, and marked as such."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.actions.rounds import close_round, start_round
from annotate.models import Assignment, Batch, Label, Vote
from annotate.simulation import PROFILES
from projects.models import Event
from tests.ballots import RUBRIC
from tests.gold import make_gold
from tests.making import make_pairs, make_rubric_version, make_vote

if TYPE_CHECKING:
    from projects.models import Project, User
    from rubrics.models import RubricVersion


@pytest.fixture
def version(project: Project) -> RubricVersion:
    return make_rubric_version(project, RUBRIC)


def started(
    project: Project, version: RubricVersion, *raters: User, size: int = 6, simulated: bool = True
) -> Batch:
    make_pairs(project, size)
    return start_round(
        project=project,
        version=version,
        raters=raters,
        size=size,
        seed=1,
        simulated=simulated,
        acting_user=None,
    )


def run(*flags: str, project: str = "claims") -> str:
    out = io.StringIO()
    call_command("simulate_round", "--project", project, "--round", "1", *flags, stdout=out)
    return out.getvalue()


def answers(batch: Batch) -> list[Any]:
    rows = Label.objects.filter(vote__batch=batch).order_by("vote__assignment", "id")
    return list(rows.values_list("vote__rater", "vote__subject", "criterion", "part_key", "code"))


@pytest.mark.parametrize("profile", PROFILES)
def test_every_open_pair_of_the_round_is_answered(
    project: Project, version: RubricVersion, expert: User, other_expert: User, profile: str
) -> None:
    batch = started(project, version, expert, other_expert)
    assert "12 simulated votes" in run("--profile", profile, "--seed", "5")
    votes = Vote.objects.of_batches(batch)
    assert votes.count() == 12
    assert not batch.assignments.exclude(state=Assignment.State.SUBMITTED).exists()
    # Each took its time, which the working time of the page counts too.
    assert all(vote.active_s for vote in votes)
    event = Event.objects.get(verb="round.simulated")
    assert {key: event.data[key] for key in ("profile", "seed", "votes")} == {
        "profile": profile,
        "seed": 5,
        "votes": 12,
    }


def test_the_same_seed_gives_the_same_votes_and_again_changes_nothing(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    batch = started(project, version, expert, other_expert)
    run("--seed", "5")
    first = answers(batch)
    assert "0 simulated votes" in run("--seed", "6")
    assert answers(batch) == first
    assert Event.objects.filter(verb="round.simulated").count() == 1
    Vote.objects.all().delete()
    batch.assignments.update(state="assigned", draft={}, draft_revision=0, opened_at=None)
    run("--seed", "5")
    assert answers(batch) == first
    Vote.objects.all().delete()
    batch.assignments.update(state="assigned", draft={}, draft_revision=0, opened_at=None)
    run("--seed", "6")
    assert answers(batch) != first


def test_a_vote_that_stands_is_left_as_it_is(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    batch = started(project, version, expert, other_expert)
    own = make_vote(batch.assignments.filter(rater__user=expert)[0])
    assert "11 simulated votes" in run()
    own.refresh_from_db()
    assert own.current
    assert Vote.objects.get(assignment=own.assignment) == own


def test_an_answer_of_an_earlier_version_is_the_truth_as_far_as_it_holds(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    """Probes and other known pairs are carried by what their checks ask, not by a number."""
    given = {"C1": "no", "C2": "no yes", "preference": "B_much"}
    later = make_rubric_version(project, RUBRIC.replace("rubric_version: 1", "rubric_version: 2"))
    batch = started(project, later, expert, other_expert, size=3)
    for slot in batch.slots.select_related("subject"):
        make_gold(slot.subject, version, given)
    run("--profile", "truthful")
    codes = Label.objects.filter(vote__batch=batch)
    said = set(codes.values_list("criterion__key", "part_key", "code"))
    assert {(key, part, code) for key, part, code in said if key in ("C1", "C2")} == {
        ("C1", "A", "no"),
        ("C1", "B", "no"),
        ("C2", "A", "no"),
        ("C2", "B", "yes"),
    }


def test_truthful_raters_give_the_known_answers(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    batch = started(project, version, expert, other_expert, size=1)
    subject = batch.slots.all()[0].subject
    given = {"C1": "no", "C2": "no yes", "preference": "B_much"}
    make_gold(subject, version, given)
    run("--profile", "truthful")
    codes = Label.objects.filter(vote__rater__user=expert, vote__batch=batch)
    said = {
        (key, part): code
        for key, part, code in codes.values_list("criterion__key", "part_key", "code")
    }
    assert said["C1", "A"] == said["C1", "B"] == "no"
    assert (said["C2", "A"], said["C2", "B"]) == ("no", "yes")
    assert said["preference", ""] == "B_much"


def test_a_round_of_people_is_refused_and_left_alone(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    batch = started(project, version, expert, other_expert, simulated=False)
    with pytest.raises(CommandError, match="Round 1 is for people"):
        run()
    assert not Vote.objects.of_batches(batch).exists()
    assert not batch.assignments.exclude(opened_at=None).exists()


def test_a_closed_round_is_refused(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    close_round(batch=started(project, version, expert, other_expert), acting_user=None)
    with pytest.raises(CommandError, match="Round 1 is closed"):
        run()


def test_an_unknown_round_and_an_unknown_profile_are_refused(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    with pytest.raises(CommandError, match="There is no round 1"):
        run()
    started(project, version, expert, other_expert)
    with pytest.raises(CommandError, match="invalid choice: 'wild'"):
        run("--profile", "wild")


def test_the_figures_say_that_raters_were_simulated(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    close_round(batch=started(project, version, expert, other_expert), acting_user=None)
    out, err = io.StringIO(), io.StringIO()
    flags = ("--project", "claims", "--round", "1", "--json")
    call_command("reliability", *flags, stdout=out, stderr=err)
    assert json.loads(out.getvalue())["simulated"] is True
    assert "made by simulated raters" in err.getvalue()


def test_a_round_is_started_as_simulated_by_a_flag(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    make_pairs(project, 2)
    out = io.StringIO()
    call_command(
        "start_round",
        *("--project", "claims", "--rubric", f"{version.rubric.slug}@1", "--size", "2"),
        *("--raters", expert.username, other_expert.username, "--simulated"),
        stdout=out,
    )
    assert Batch.objects.get().simulated
    assert "2 simulated raters" in out.getvalue()
    assert "4 simulated votes" in run()
