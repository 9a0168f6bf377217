"""Waivers: who lets volume begin without a check, why, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from annotate.actions.waivers import MAX_REASON, WaiverRefused, waive, withdraw_waiver
from annotate.calibration import measure, measured_under, volume_is_open
from annotate.lines import proposals_for
from annotate.models import Batch, Waiver
from annotate.verdicts import keep_verdicts, kept_verdicts
from annotate.waivers import standing
from projects.actions import set_bars
from projects.models import Event
from tests.making import make_rubric_version, make_version, make_voted_round

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.test import Client

    from projects.models import Project, User
    from rubrics.models import RubricVersion

# Ten pairs with a side that says no: C1 clears; G1 never fails, so that it cannot be tested.
CLEARS = [[{"C1": "yes no"}, {"C1": "yes no"}]] * 10
FAILS_TOO = [
    [{"C1": "yes no", "G1": "fail pass", "rationale": "[G1]."}] * 2,
    *[[{"C1": "yes no"}, {"C1": "yes no"}]] * 9,
]
REASON = "Raters caught all eight planted failures."


@pytest.fixture
def version(project: Project) -> RubricVersion:
    return make_version(project)


@pytest.fixture
def batch(project: Project, version: RubricVersion, expert: User, other_expert: User) -> Batch:
    return make_voted_round(project, [expert, other_expert], CLEARS, version=version)


def states(batch: Batch) -> Mapping[str, str]:
    return {row.key: row.state for row in measure(batch).rows if row.counts}


def refused(version: RubricVersion, key: str = "G1", reason: str = REASON) -> WaiverRefused:
    events = Event.objects.count()
    with pytest.raises(WaiverRefused) as found:
        waive(version=version, key=key, reason=reason, acting_user=None)
    assert Event.objects.count() == events
    return found.value


# ---- Giving one


def test_a_waived_check_no_longer_holds_volume_up(
    version: RubricVersion, batch: Batch, lead: User
) -> None:
    assert states(batch) == {"G1": "undefined", "C1": "clears_thin"}
    assert not volume_is_open(version)
    given = waive(version=version, key="G1", reason=f"  {REASON}\r\n", acting_user=lead)
    assert (given.reason, given.given_by, given.number) == (REASON, lead, 1)
    assert states(batch)["G1"] == "waived"
    assert volume_is_open(version)


def test_the_audit_row_holds_reason_and_what_was_measured(
    version: RubricVersion, batch: Batch, lead: User
) -> None:
    given = waive(version=version, key="G1", reason=REASON, acting_user=lead)
    event = Event.objects.get(verb="check.waived")
    assert (event.actor, event.target) == (lead, "summaries@1")
    assert event.data["reason"] == REASON
    assert event.data["waiver"] == given.pk
    assert event.data["evidence"]["simulated"] is False
    assert event.data["evidence"]["figures"]["values"]["status"] == "undefined"


def test_the_same_waiver_again_changes_nothing(
    version: RubricVersion, batch: Batch, lead: User, expert: User
) -> None:
    first = waive(version=version, key="G1", reason=REASON, acting_user=lead)
    again = waive(version=version, key="G1", reason=REASON, acting_user=expert)
    assert again == first
    assert Event.objects.filter(verb="check.waived").count() == 1


@pytest.mark.parametrize("reason", ["", " \r\n\t "])
def test_without_a_reason_nothing_is_waived(
    version: RubricVersion, batch: Batch, reason: str
) -> None:
    found = refused(version, reason=reason)
    assert found.field == "reason"
    assert str(found).startswith("Say why volume may begin without it")
    assert not Waiver.objects.exists()


def test_a_reason_has_an_end(version: RubricVersion, batch: Batch) -> None:
    assert "under 2,000" in str(refused(version, reason="x" * (MAX_REASON + 1)))


def test_what_has_cleared_cannot_be_waived(version: RubricVersion, batch: Batch) -> None:
    assert "C1 has cleared in version 1" in str(refused(version, "C1"))


@pytest.mark.parametrize("key", ["preference", "outcome", "G9"])
def test_only_what_volume_waits_for_can_be_waived(
    version: RubricVersion, batch: Batch, key: str
) -> None:
    assert f"does not wait for {key} in version 1: it waits for G1 and C1" in str(
        refused(version, key)
    )


def test_what_no_round_has_tried_cannot_be_waived(version: RubricVersion) -> None:
    assert "No round has tried version 1" in str(refused(version))


def test_a_draft_has_nothing_to_waive(project: Project, batch: Batch) -> None:
    draft = make_version(project, number=2, published=False)
    assert "is a draft" in str(refused(draft))


def test_another_reason_asks_for_the_first_to_be_withdrawn(
    version: RubricVersion, batch: Batch
) -> None:
    waive(version=version, key="G1", reason=REASON, acting_user=None)
    assert "Withdraw that waiver first" in str(refused(version, reason="Another."))


# ---- How far it goes


def test_a_waiver_is_for_its_version_only(
    project: Project, version: RubricVersion, batch: Batch, expert: User, other_expert: User
) -> None:
    waive(version=version, key="G1", reason=REASON, acting_user=None)
    second = make_version(project, number=2)
    later = make_voted_round(project, [expert, other_expert], CLEARS, version=second)
    assert standing(second) == {}
    assert states(later)["G1"] == "undefined"
    assert not volume_is_open(second)
    assert volume_is_open(version)


def test_a_waiver_is_moot_where_the_check_clears_after_all(
    project: Project, version: RubricVersion, batch: Batch, expert: User, other_expert: User
) -> None:
    waive(version=version, key="G1", reason=REASON, acting_user=None)
    fails = [[{"C1": "yes no", "G1": "fail pass", "rationale": "[G1]."}] * 2] * 10
    later = make_voted_round(project, [expert, other_expert], fails, version=version)
    assert states(later)["G1"] in ("clears", "clears_thin")
    assert standing(version)["G1"].reason == REASON


# ---- Withdrawing one


def test_a_withdrawn_waiver_closes_volume_again_and_says_who_and_when(
    version: RubricVersion, batch: Batch, lead: User
) -> None:
    given = waive(version=version, key="G1", reason=REASON, acting_user=None)
    gone = withdraw_waiver(waiver=given, acting_user=lead)
    assert gone.withdrawn_by == lead
    assert gone.withdrawn_at is not None
    assert states(batch)["G1"] == "undefined"
    assert not volume_is_open(version)
    event = Event.objects.get(verb="check.waiver_withdrawn")
    assert (event.actor, event.data["key"]) == (lead, "G1")


def test_withdrawing_twice_changes_nothing(
    version: RubricVersion, batch: Batch, lead: User, expert: User
) -> None:
    given = waive(version=version, key="G1", reason=REASON, acting_user=None)
    withdraw_waiver(waiver=given, acting_user=lead)
    assert withdraw_waiver(waiver=given, acting_user=expert).withdrawn_by == lead
    assert Event.objects.filter(verb="check.waiver_withdrawn").count() == 1


def test_a_check_can_be_waived_anew_after_a_withdrawal(
    version: RubricVersion, batch: Batch
) -> None:
    given = waive(version=version, key="G1", reason=REASON, acting_user=None)
    withdraw_waiver(waiver=given, acting_user=None)
    again = waive(version=version, key="G1", reason=REASON, acting_user=None)
    assert again != given
    assert Waiver.objects.count() == 2


# ---- What other pages say of it


def test_what_homes_say_follows_a_waiver_and_its_withdrawal(
    version: RubricVersion, batch: Batch
) -> None:
    keep_verdicts(batch)
    assert kept_verdicts([batch])[batch.pk].holding == "G1 undefined"
    given = waive(version=version, key="G1", reason=REASON, acting_user=None)
    told = kept_verdicts([batch])[batch.pk]
    assert (told.cleared, told.checks, told.holding, told.waived) == (2, 2, "", "G1")
    assert "has cleared or is waived (G1)" in told.sentence
    withdraw_waiver(waiver=given, acting_user=None)
    assert kept_verdicts([batch])[batch.pk].holding == "G1 undefined"


# ---- When volume opens


def test_volume_is_closed_without_a_closed_round(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    assert measured_under(version) is None
    assert not volume_is_open(version)
    make_voted_round(project, [expert, other_expert], CLEARS, version=version, close=False)
    assert not volume_is_open(version)


def test_simulated_raters_open_nothing(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    fails = [[{"C1": "yes no", "G1": "fail pass", "rationale": "[G1]."}] * 2] * 10
    make_voted_round(project, [expert, other_expert], fails, version=version, simulated=True)
    assert measured_under(version, simulated=True) is not None
    assert not volume_is_open(version)


def test_a_waiver_on_simulated_rounds_is_for_trying_it_out_and_opens_no_volume(
    client: Client,
    project: Project,
    version: RubricVersion,
    expert: User,
    other_expert: User,
    lead: User,
) -> None:
    raters = [expert, other_expert]
    tried_out = make_voted_round(project, raters, CLEARS, version=version, simulated=True)
    client.force_login(lead)
    page = client.get(reverse("annotate:waive", args=["claims", tried_out.number, "G1"]))
    assert "volume stays closed until a round with people has closed" in page.content.decode()
    waive(version=version, key="G1", reason=REASON, acting_user=lead)
    assert Event.objects.get(verb="check.waived").data["evidence"]["simulated"] is True
    assert not volume_is_open(version)
    make_voted_round(project, raters, CLEARS, version=version)
    assert volume_is_open(version)


def test_volume_opens_when_every_gate_and_criterion_has_cleared(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    fails = [[{"C1": "yes no", "G1": "fail pass", "rationale": "[G1]."}] * 2] * 10
    make_voted_round(project, [expert, other_expert], fails, version=version)
    assert volume_is_open(version)


def test_a_strict_project_waits_with_what_clears_thin_until_more_rounds_make_it_firm(
    project: Project, version: RubricVersion, expert: User, other_expert: User, lead: User
) -> None:
    fails = [[{"C1": "yes no", "G1": "fail pass", "rationale": "[G1]."}] * 2] * 10
    batch = make_voted_round(project, [expert, other_expert], fails, version=version)
    assert states(batch) == {"G1": "clears_thin", "C1": "clears_thin"}
    assert volume_is_open(version)
    keep_verdicts(batch)
    set_bars(project=project, thin_waits=True, acting_user=lead)
    version.refresh_from_db()
    batch = Batch.objects.select_related("project", "version__rubric").get(pk=batch.pk)
    assert not volume_is_open(version)
    # What homes kept of it was said under the other rule.
    assert kept_verdicts([batch]) == {}
    keep_verdicts(batch)
    told = kept_verdicts([batch])[batch.pk]
    assert (told.cleared, told.checks, told.holding) == (0, 2, "G1 and C1 thin")
    assert told.goal == "new_round"
    waive(version=version, key="G1", reason="All ten failures were seen.", acting_user=lead)
    assert not volume_is_open(version)
    for _ in range(3):
        last = make_voted_round(project, [expert, other_expert], fails, version=version)
    assert states(last)["C1"] == "clears"
    assert volume_is_open(version)


def test_imported_votes_wait_for_no_round(
    project: Project, version: RubricVersion, batch: Batch
) -> None:
    set_bars(project=project, thin_waits=True, acting_user=None)
    Batch.objects.filter(pk=batch.pk).update(kind="imported", name="old-votes")
    imported = Batch.objects.select_related("project", "version__rubric").get(pk=batch.pk)
    c1 = next(row for row in measure(imported).rows if row.key == "C1")
    assert (c1.status, c1.cleared) == ("clears_thin", True)


# ---- What three rounds show


WORDED = """
task: summaries
rubric_version: {number}
gates:
  - {{id: G1, check: Every amount is the one in the file.}}
criteria:
  - {{id: {key}, check: "{text}", weight: 1{lineage}}}
preference: {{scale: 5}}
"""


def tried(
    project: Project,
    raters: list[User],
    number: int,
    text: str,
    *,
    key: str = "C1",
    lineage: str = "",
) -> Batch:
    source = WORDED.format(number=number, text=text, key=key, lineage=lineage)
    version = make_rubric_version(project, source)
    opposed = [{key: "yes no", "rationale": "[G1]."}, {key: "no yes", "rationale": "[G1]."}]
    turned = list(reversed(opposed))
    return make_voted_round(project, raters, [opposed, turned] * 5, version=version)


def test_after_three_rounds_over_versions_a_proposal_names_the_reason(
    project: Project, expert: User, other_expert: User
) -> None:
    raters = [expert, other_expert]
    first = tried(project, raters, 1, "The cause is named.")
    second = tried(project, raters, 2, "The first sentence names the cause.")
    assert proposals_for(second, measure(second)) == {}
    third = tried(
        project,
        raters,
        3,
        "Lists every open item and names an owner.",
        key="C2",
        lineage=", lineage: {reworded: [C1]}",
    )
    found = proposals_for(third, measure(third))
    assert set(found) == {"C2"}
    assert (found["C2"].way, found["C2"].rounds) == ("split", 3)
    assert proposals_for(first, measure(first)) == {}


def test_a_new_check_brings_no_history_along(
    project: Project, expert: User, other_expert: User
) -> None:
    raters = [expert, other_expert]
    for number in (1, 2):
        tried(project, raters, number, f"Worded {number} times.")
    third = tried(project, raters, 3, "Lists every open item and names an owner.", key="C7")
    assert proposals_for(third, measure(third)) == {}


def test_rounds_of_one_version_count_as_well(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    opposed = [{"C1": "yes"}, {"C1": "no"}]
    for _ in range(3):
        last = make_voted_round(project, [expert, other_expert], [opposed] * 6, version=version)
    found = proposals_for(last, measure(last))["C1"]
    # Each says why by citing the last check, which is C1: the same two, on the same sides.
    assert found.way == "ruling"
    assert "the same two raters stand on opposite sides" in found.why
