"""Probe pairs: planted in a round, blind, reported apart when it is closed."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.actions.gold import GoldRefused, withdraw_gold
from annotate.actions.rounds import RoundRefused, close_round, start_round
from annotate.calibration import measure
from annotate.models import AnchorSource, Assignment, Batch, GoldAnswer, Slot, Subject
from annotate.probes import met, probes_for, ready, tally
from projects.models import Event, Notice
from tests.gold import make_gold
from tests.making import make_member, make_pair, make_pairs, make_rubric_version, make_vote

if TYPE_CHECKING:
    from projects.models import Project, User
    from rubrics.models import RubricVersion

RUBRIC = """
task: file-summaries
rubric_version: {number}
gates:
  - {{id: G1, check: Every amount is the one in the file.}}
  - {{id: {key}, check: No coverage decision that the file lacks.{lineage}}}
criteria:
  - {{id: C1, check: "{criterion}"}}
preference:
  scale: 5
"""
# What is known of a probe: B decides coverage, against G2.
FAILS_G2 = {"G1": "pass", "G2": "pass fail", "C1": "yes", "C2": "", "preference": ""}


def make_rubric(
    project: Project,
    number: int = 1,
    criterion: str = "The first sentence names the cause.",
    *,
    key: str = "G2",
    lineage: str = "",
) -> RubricVersion:
    source = RUBRIC.format(number=number, criterion=criterion, key=key, lineage=lineage)
    return make_rubric_version(project, source)


def make_probes(
    project: Project, version: RubricVersion, count: int = 2, by: User | None = None
) -> list[Subject]:
    found = [make_pair(project, f"probe-{n}") for n in range(count)]
    for pair in found:
        make_gold(pair, version, FAILS_G2, use="probe", by=by)
    return found


@pytest.fixture
def version(project: Project) -> RubricVersion:
    return make_rubric(project)


@pytest.fixture
def probes(project: Project, version: RubricVersion) -> list[Subject]:
    make_pairs(project, 12)
    return make_probes(project, version)


def start(version: RubricVersion, *raters: User, probes: list[Subject], size: int = 3) -> Batch:
    return start_round(
        project=version.rubric.project,
        version=version,
        raters=raters,
        size=size,
        seed=5,
        acting_user=None,
        probes=probes,
    )


# ---- Planting


def test_probes_come_on_top_of_the_fresh_pairs_in_every_queue(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User
) -> None:
    batch = start(version, expert, other_expert, probes=probes)
    for user in (expert, other_expert):
        held = Assignment.objects.filter(batch=batch, rater__user=user)
        assert held.count() == 3 + 2
        planted = held.filter(slot__role=Slot.Role.PROBE)
        assert set(planted.values_list("subject", flat=True)) == {one.pk for one in probes}


def test_probes_lie_at_random_places_and_no_row_tells_which_they_are(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User
) -> None:
    batch = start(version, expert, other_expert, probes=probes, size=10)
    places = {}
    for user in (expert, other_expert):
        queue = Assignment.objects.filter(batch=batch, rater__user=user).order_by("position")
        rows = list(queue.values_list("position", "pk", "slot_id", "slot__role", "public_id"))
        # Rows are numbered as the queue runs, whatever they hold.
        assert [row[1] for row in rows] == sorted(row[1] for row in rows)
        assert [row[2] for row in rows] == sorted(row[2] for row in rows)
        assert all(row[4].version == 4 for row in rows)
        places[user.pk] = [row[0] for row in rows if row[3] == "probe"]
    assert places[expert.pk] != places[other_expert.pk]


def test_the_same_seed_without_probes_draws_and_deals_as_ever(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    make_pairs(project, 6)
    first = start(version, expert, other_expert, probes=[])
    queue = list(first.assignments.order_by("rater", "position").values_list("subject", "order"))
    Assignment.objects.all().delete()
    Slot.objects.all().delete()
    again = start(version, expert, other_expert, probes=[])
    found = list(again.assignments.order_by("rater", "position").values_list("subject", "order"))
    assert found == queue


def test_the_notice_of_a_round_counts_what_the_queue_holds(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User
) -> None:
    start(version, expert, other_expert, probes=probes)
    assert ": 5 pairs," in Notice.objects.get(user=expert).text
    event = Event.objects.get(verb="round.started")
    assert event.data["size"] == 3
    assert event.data["probes"] == [str(one.public_id) for one in probes]


# ---- Refusals


def refusal(
    version: RubricVersion, *raters: User, probes: list[Subject], field: str = "probes"
) -> str:
    with pytest.raises(RoundRefused) as refused:
        start(version, *raters, probes=probes)
    assert refused.value.field == field
    assert not Batch.objects.rounds().exists()
    assert not Event.objects.filter(verb="round.started").exists()
    return str(refused.value)


def test_a_probe_without_known_answers_is_refused_by_name(
    project: Project,
    version: RubricVersion,
    probes: list[Subject],
    expert: User,
    other_expert: User,
) -> None:
    silent = make_pair(project, "silent-1")
    said = refusal(version, expert, other_expert, probes=[*probes, silent])
    assert said.startswith("silent-1 has no known answer under file-summaries@1")


def test_an_answer_that_is_kept_for_something_else_is_no_probe(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    make_pairs(project, 3)
    pair = make_pair(project, "shown-1")
    make_gold(pair, version, FAILS_G2, use="practice")
    said = refusal(version, expert, other_expert, probes=[pair])
    assert "shown-1 is kept for something else (practice)" in said


def test_a_probe_that_a_rater_has_seen_is_refused_under_any_id(
    project: Project,
    version: RubricVersion,
    probes: list[Subject],
    expert: User,
    other_expert: User,
    third_expert: User,
) -> None:
    fourth = make_member(project, "expert", username="fourth_expert")
    batch = start(version, expert, other_expert, probes=probes)
    close_round(batch=batch, acting_user=None)
    copy = make_pair(project, "copy-1")
    make_gold(copy, version, FAILS_G2, use="probe")
    Subject.objects.filter(pk=copy.pk).update(content_hash=probes[0].content_hash)
    copy.refresh_from_db()
    for chosen in ([probes[0]], [copy]):
        with pytest.raises(RoundRefused, match="expert has had"):
            start(version, expert, third_expert, probes=chosen)
    with pytest.raises(RoundRefused, match="are the same pair"):
        start(version, third_expert, fourth, probes=[probes[0], copy])


def test_whoever_has_answered_a_probe_does_not_rate_it(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    make_pairs(project, 3)
    (probe,) = make_probes(project, version, 1, by=other_expert)
    said = refusal(version, expert, other_expert, probes=[probe])
    assert said.startswith("other_expert rates in this round and has answered probe-0")


def test_a_lead_rates_no_probes_since_leads_can_read_what_is_known_of_them(
    project: Project, version: RubricVersion, probes: list[Subject], expert: User, lead: User
) -> None:
    said = refusal(version, expert, lead, probes=probes, field="raters")
    assert said.startswith("lead is a lead of Claims, and leads can read the known answers")
    # Without probes a lead may rate as ever.
    start(version, expert, lead, probes=[])


def test_the_command_refuses_a_lead_among_the_raters_of_probes(
    project: Project, version: RubricVersion, probes: list[Subject], expert: User, lead: User
) -> None:
    raters = ("--raters", "expert", "lead")
    to = ("--project", "claims", "--rubric", "file-summaries@1", *raters, "--size", "3")
    with pytest.raises(CommandError, match="lead is a lead of Claims"):
        call_command("start_round", *to, "--probe", "probe-0")
    assert not Batch.objects.rounds().exists()


def test_whoever_chooses_probes_does_not_rate(
    version: RubricVersion, probes: list[Subject], expert: User, lead: User
) -> None:
    with pytest.raises(RoundRefused, match="leave yourself out"):
        start_round(
            project=version.rubric.project,
            version=version,
            raters=[expert, lead],
            size=3,
            acting_user=lead,
            probes=probes,
        )
    assert not Batch.objects.rounds().exists()


def test_a_pair_that_an_anchor_shows_is_no_probe(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User
) -> None:
    AnchorSource.objects.create(rubric=version.rubric, text_sha256="0" * 64, subject=probes[1])
    assert [one.subject for one in probes_for(version)] == [probes[0]]
    assert "an anchor was taken" in refusal(version, expert, other_expert, probes=probes)


def test_a_pair_of_another_project_is_no_probe(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User, outsider: User
) -> None:
    foreign = make_pair(outsider.memberships.get().project, "foreign-1")
    assert "no such pair" in refusal(version, expert, other_expert, probes=[foreign])


def test_a_probe_named_twice_is_refused(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User
) -> None:
    said = refusal(version, expert, other_expert, probes=[probes[0], probes[0]])
    assert "named twice" in said


# ---- Known answers and versions


def test_an_answer_holds_where_a_later_version_asks_the_same(
    project: Project, version: RubricVersion, probes: list[Subject]
) -> None:
    later = make_rubric(project, 2, "The first sentence names the cause and the date.")
    found = probes_for(later)
    assert [one.subject for one in found] == probes
    kept = found[0].kept
    assert {key for key, _ in kept.labels} == {"G1", "G2"}
    assert (kept.lost, kept.older, kept.answered) == (("C1",), True, version)
    assert ready(found) == {"G2": 2}


def test_an_answer_follows_a_check_that_was_renamed(
    project: Project, version: RubricVersion, probes: list[Subject]
) -> None:
    lineage = ", lineage: {unchanged: [G2]}"
    later = make_rubric(project, 2, key="G3", lineage=lineage)
    assert ready(probes_for(later)) == {"G3": 2}


def test_an_answer_of_a_later_version_says_nothing_of_an_earlier_one(
    project: Project, version: RubricVersion
) -> None:
    later = make_rubric(project, 2, "Other words.")
    make_gold(make_pair(project, "late-1"), later, FAILS_G2, use="probe")
    assert probes_for(version) == []


def test_an_answer_of_which_nothing_holds_is_refused_with_its_version(
    project: Project, expert: User, other_expert: User
) -> None:
    make_pairs(project, 3)
    first = make_rubric(project)
    (probe,) = make_probes(project, first, 1)
    source = "task: file-summaries\nrubric_version: 2\ngates: [{id: G9, check: All is well.}]\n"
    second = make_rubric_version(project, source)
    assert probes_for(second) == []
    said = refusal(second, expert, other_expert, probes=[probe])
    assert "was said under file-summaries@1, and no check of file-summaries@2 asks" in said


def test_what_a_round_measures_by_can_neither_change_nor_be_withdrawn(
    project: Project,
    version: RubricVersion,
    probes: list[Subject],
    expert: User,
    other_expert: User,
) -> None:
    later = make_rubric(project, 2, "Other words.")
    start(later, expert, other_expert, probes=probes)
    before = GoldAnswer.objects.count()
    for under in (version, later):
        with pytest.raises(GoldRefused, match="stays as it is"):
            make_gold(probes[0], under, {**FAILS_G2, "G2": "fail"}, use="probe")
    with pytest.raises(GoldRefused, match="stays as it is"):
        withdraw_gold(subject=probes[0], version=version, acting_user=None)
    assert GoldAnswer.objects.count() == before
    third = make_rubric(project, 3, "Again other words.")
    make_gold(probes[0], third, FAILS_G2, use="probe")
    assert GoldAnswer.objects.count() == before + 1


# ---- What they come to


def vote_all(batch: Batch, user: User, *, catches: bool = True) -> None:
    for assignment in batch.assignments.filter(rater__user=user):
        is_probe = assignment.slot.role == Slot.Role.PROBE
        gates = "pass fail" if is_probe and catches else "pass"
        make_vote(assignment, {"G2": gates, "rationale": "[G2] decides."})


def test_caught_failures_are_counted_by_check_and_rater_apart_from_the_figures(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User
) -> None:
    batch = start(version, expert, other_expert, probes=probes)
    vote_all(batch, expert)
    vote_all(batch, other_expert, catches=False)
    batch = close_round(batch=batch, acting_user=None)
    found = met([batch])
    (g2,) = tally(found, version)
    raters = {rater.name: rater.pk for rater in batch.raters.all()}
    assert (g2.key, g2.planted) == ("G2", 2)
    assert g2.by_rater[raters["expert"]].caught == 2
    assert g2.by_rater[raters["other_expert"]].caught == 0
    assert (g2.by_all.caught, g2.by_all.of) == (0, 2)
    # Both sides are known under three checks: 2 probes × 2 sides × (G1, G2, C1).
    assert len(found) == 12
    rows = {row.key: row for row in measure(batch).rows}
    assert rows["G2"].reliability.counts == (("pass", 3 * 2 * 2), ("fail", 0))


def test_probes_that_the_reader_still_rates_are_left_out(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User
) -> None:
    batch = start(version, expert, other_expert, probes=probes)
    found = met([batch], secret=[probes[0].pk])
    assert {one.subject for one in found} == {probes[1].pk}


def test_a_round_without_probes_is_told_in_one_query(
    project: Project,
    version: RubricVersion,
    expert: User,
    other_expert: User,
    django_assert_num_queries: object,
) -> None:
    make_pairs(project, 3)
    batch = start(version, expert, other_expert, probes=[])
    with django_assert_num_queries(1):  # type: ignore[operator]
        assert met([batch]) == []


# ---- The command


def command(version: RubricVersion, *probes: str) -> str:
    out = io.StringIO()
    call_command(
        "start_round",
        *("--project", "claims", "--rubric", str(version), "--size", "3", "--seed", "5"),
        *("--raters", "expert", "other_expert", "--probe", *probes),
        stdout=out,
    )
    return out.getvalue()


def test_the_command_plants_probes_by_id(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User
) -> None:
    assert "3 pairs and 2 probe pairs, 2 raters" in command(version, "probe-0", "probe-1")
    planted = Slot.objects.filter(role=Slot.Role.PROBE)
    assert planted.count() == 4


def test_the_command_names_what_is_no_probe(
    version: RubricVersion, probes: list[Subject], expert: User, other_expert: User
) -> None:
    with pytest.raises(CommandError, match="There is no pair probe-9 in Claims"):
        command(version, "probe-0", "probe-9")
    with pytest.raises(CommandError, match="pair-0 has no known answer"):
        command(version, "pair-0")
    assert not Batch.objects.rounds().exists()
