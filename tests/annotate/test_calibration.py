"""What a round measures. Units of G1 and C1 are the two sides of each pair."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from annotate import calibration, snapshots
from annotate.actions.rounds import close_round
from annotate.calibration import MixedVersions, measure, measure_pools, pool_of, pools_of
from annotate.clearing import Row
from annotate.models import Snapshot
from annotate.reliability import Status
from tests.making import (
    make_round,
    make_rubric_version,
    make_version,
    make_vote,
    make_voted_round,
)

if TYPE_CHECKING:
    from annotate.models import Batch
    from projects.models import Project, User

ALIKE = {"C1": "yes no"}
SWAPPED = {"C1": "no yes"}
GRADED = """
task: graded
criteria:
  - id: C1
    check: How much of the file does it cover?
    level: ordinal
    values: [little, half, all]
    allows_na: true
"""
ONLY_PREFERENCE = """
task: preference
preference:
  scale: 3
"""


def rows_of(batch: Batch) -> dict[str, Row]:
    rows = measure(batch).rows
    return {row.key if row.figure == "values" else f"{row.key}:{row.figure}": row for row in rows}


def test_a_round_has_a_row_for_each_check_then_preference_and_outcome(
    project: Project, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[ALIKE, ALIKE], [ALIKE, SWAPPED]])
    rows = measure(batch).rows
    assert [row.key for row in rows] == ["G1", "C1", "preference", "outcome"]
    assert [row.kind for row in rows] == ["gate", "criterion", "preference", "outcome"]
    assert [row.level for row in rows] == ["nominal", "nominal", "ordinal", "nominal"]
    assert [row.counts for row in rows] == [True, True, False, False]
    found = rows[1].reliability
    # Four units, eight labels; the raters agree on two units and differ on two.
    assert (found.units, found.ratings, found.agreement) == (4, 8, 0.5)
    assert rows[1].split == 2
    # Observed disagreement 1/2, expected 2*4*4/(8*7) = 4/7: alpha = 1 - 7/8.
    assert found.alpha == pytest.approx(1 / 8)


def test_ag_01_labels_that_are_all_alike_are_undefined_with_the_reason_in_words(
    project: Project, expert: User, other_expert: User, third_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert, third_expert], [[{}] * 3] * 2)
    row = rows_of(batch)["G1"]
    assert (row.reliability.alpha, row.reliability.reason) == (None, "no_variation")
    assert row.reliability.agreement == 1
    assert (row.reliability.units, row.reliability.ratings) == (4, 12)
    assert row.status == Status.UNDEFINED
    assert row.words == "No variation: all 12 labels are pass."


def test_ag_02_one_dissent_among_like_labels_gives_nought_and_says_what_it_rests_on(
    project: Project, expert: User, other_expert: User
) -> None:
    dissent: dict[str, str] = {"G1": "pass fail"}
    nothing: dict[str, str] = {}
    said = [[nothing, nothing]] * 9 + [[nothing, dissent]]
    batch = make_voted_round(project, [expert, other_expert], said)
    row = rows_of(batch)["G1"]
    # 39 pass and 1 fail: observed 2/40, expected 2*39*1/(40*39) = 2/40.
    assert row.reliability.alpha == pytest.approx(0, abs=1e-12)
    assert row.reliability.agreement == 0.95
    assert row.reliability.counts == (("pass", 39), ("fail", 1))
    assert "low variation" in row.notes[0]
    assert row.status == Status.NOT_TESTABLE
    assert row.words == "1 of 10 units needed with fail."


def test_ag_05_raters_who_share_no_unit_measure_nothing(
    project: Project, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[ALIKE, None], [None, SWAPPED]])
    row = rows_of(batch)["C1"]
    assert (row.reliability.alpha, row.reliability.reason) == (None, "no_pairable_units")
    assert row.words == "No unit has two or more ratings (4 ratings on 4 units)."


def test_ag_09_raters_who_always_differ_are_negative_and_flagged(
    project: Project, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[ALIKE, SWAPPED]] * 2)
    row = rows_of(batch)["C1"]
    # Observed 1, expected 2*4*4/(8*7) = 4/7: alpha = 1 - 7/4.
    assert row.reliability.alpha == pytest.approx(-0.75, abs=1e-12)
    assert any("reversed labels or sides" in note for note in row.notes)


def test_closed_rounds_of_one_version_are_pooled_and_the_own_figure_stands_beside(
    project: Project, expert: User, other_expert: User
) -> None:
    version = make_version(project)
    raters = [expert, other_expert]
    bad = make_voted_round(project, raters, [[ALIKE, SWAPPED]] * 2, version=version)
    good = make_voted_round(project, raters, [[ALIKE, ALIKE]] * 2, version=version)
    measured = measure(good)
    row = {row.key: row for row in measured.rows}["C1"]
    assert measured.batches == (bad, good)
    assert row.reliability.units == 8
    # A second, perfect round does not replace the first: 1 - (1/2)/(2*8*8/(16*15)) = 1/16.
    assert row.reliability.alpha == pytest.approx(1 / 16)
    assert row.own is not None
    assert row.own.alpha == 1
    assert rows_of(bad)["C1"].reliability == row.reliability


def test_an_open_round_and_simulated_raters_stay_out_of_the_pool(
    project: Project, expert: User, other_expert: User
) -> None:
    version = make_version(project)
    raters = [expert, other_expert]
    own = make_voted_round(project, raters, [[ALIKE, ALIKE]], version=version)
    make_voted_round(project, raters, [[ALIKE, SWAPPED]], version=version, close=False)
    acted = make_voted_round(project, raters, [[ALIKE, SWAPPED]], version=version, simulated=True)
    assert pool_of(own) == [own]
    assert pool_of(acted) == [acted]
    assert rows_of(own)["C1"].own is None


def test_wf_07_versions_are_never_pooled_and_a_mixed_value_is_refused(
    project: Project, expert: User, other_expert: User
) -> None:
    raters = [expert, other_expert]
    first = make_voted_round(project, raters, [[ALIKE, SWAPPED]], version=make_version(project))
    second = make_voted_round(
        project, raters, [[ALIKE, ALIKE]], version=make_version(project, number=2)
    )
    assert measure(second).batches == (second,)
    assert rows_of(first)["C1"].reliability.alpha == pytest.approx(-0.5)
    with pytest.raises(MixedVersions, match=r"Round 1: summaries@1; Round 2: summaries@2"):
        measure(second, pool=[first, second])


def test_a_typo_mended_in_a_help_text_keeps_the_rounds_together(
    project: Project, expert: User, other_expert: User
) -> None:
    raters = [expert, other_expert]
    source = "task: t\nrubric_version: 1\ngates:\n  - {id: G1, check: Amounts match., help: %s}\n"
    first = make_voted_round(
        project, raters, [[{}, {}]], version=make_rubric_version(project, source % "Ruonding fails")
    )
    again = make_rubric_version(project, source % "Rounding fails")
    second = make_voted_round(project, raters, [[{}, {}]], version=again)
    assert (again.number, again.revision) == (1, 2)
    assert pool_of(second) == [first, second]
    assert rows_of(second)["G1"].reliability.units == 4


def test_the_preference_is_measured_where_it_was_asked_and_the_outcome_everywhere(
    project: Project, expert: User, other_expert: User
) -> None:
    fails_b = {"G1": "pass fail"}
    prefers_a = {"preference": "A_much"}
    batch = make_voted_round(
        project, [expert, other_expert], [[fails_b, fails_b], [prefers_a, prefers_a], [{}, {}]]
    )
    rows = rows_of(batch)
    assert rows["preference"].reliability.units == 2
    assert rows["outcome"].reliability.units == 3
    assert dict(rows["outcome"].reliability.counts) == {"A": 4, "tie": 2, "B": 0, "both_fail": 0}
    assert measure(batch).subjects == 3
    # The criterion is measured after the deciding gate, too.
    assert rows["C1"].reliability.units == 6


def test_a_check_clears_on_ten_minority_units_and_the_bar_of_its_project(
    project: Project, expert: User, other_expert: User
) -> None:
    alike = [[ALIKE, ALIKE] for _ in range(9)]
    batch = make_voted_round(project, [expert, other_expert], [*alike, [ALIKE, {"C1": "no"}]])
    row = rows_of(batch)["C1"]
    # 19 yes, 21 no, one unit of 20 in disagreement: 1 - (1/20)/(2*19*21/(40*39)).
    assert row.reliability.alpha == pytest.approx(1 - (1 / 20) / (2 * 19 * 21 / (40 * 39)))
    assert row.reliability.minority_units == 10
    assert row.status in (Status.CLEARS, Status.CLEARS_THIN)
    project.bar = 0.95
    project.save()
    batch.refresh_from_db()
    assert rows_of(batch)["C1"].status == Status.TENTATIVE


def test_an_ordinal_check_with_na_has_two_figures(
    project: Project, expert: User, other_expert: User
) -> None:
    version = make_rubric_version(project, GRADED)
    said = [[{"C1": "little all"}, {"C1": "half all"}], [{"C1": "na all"}, {"C1": "na half"}]]
    batch = make_voted_round(project, [expert, other_expert], said, version=version)
    rows = rows_of(batch)
    assert rows["C1"].level == "ordinal"
    assert rows["C1"].reliability.units == 3
    applies = rows["C1:applicability"]
    assert (applies.level, applies.reliability.alpha) == ("nominal", 1)
    assert applies.reliability.counts == (("applicable", 6), ("na", 2))
    assert (applies.split, rows["C1"].split) == (0, 2)
    assert applies.counts


def test_whether_a_check_applies_is_no_question_before_somebody_says_no(
    project: Project, expert: User, other_expert: User
) -> None:
    version = make_rubric_version(project, GRADED)
    batch = make_voted_round(project, [expert, other_expert], [[{}, {}]], version=version)
    rows = rows_of(batch)
    assert rows["C1"].counts
    assert not rows["C1:applicability"].counts


def test_a_rubric_of_nothing_but_a_preference_waits_for_the_preference(
    project: Project, expert: User, other_expert: User
) -> None:
    version = make_rubric_version(project, ONLY_PREFERENCE)
    prefers = {"preference": "A"}
    batch = make_voted_round(
        project, [expert, other_expert], [[prefers, prefers], [{}, {}]], version=version
    )
    rows = rows_of(batch)
    assert rows["preference"].counts
    assert not rows["outcome"].counts


def test_figures_are_computed_once_for_the_same_votes(
    project: Project, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[ALIKE, ALIKE]], close=False)
    first = measure(batch)
    with mock.patch.object(calibration, "reliability", side_effect=AssertionError("computed")):
        assert measure(batch) == first
    make_vote(batch.assignments.get(rater__user=expert), SWAPPED)
    assert rows_of(batch)["C1"].reliability.alpha == pytest.approx(-0.5)
    assert Snapshot.objects.count() == 2


def test_figures_are_computed_again_when_the_code_says_other_things(
    project: Project, expert: User, other_expert: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[ALIKE, ALIKE]])
    measure(batch)
    monkeypatch.setattr(snapshots, "CODE_VERSION", 999)
    measure(batch)
    assert Snapshot.objects.count() == 2


def test_op_06_what_is_kept_is_strict_json_with_a_reason_for_each_missing_alpha(
    project: Project, expert: User, other_expert: User
) -> None:
    measure(make_voted_round(project, [expert, other_expert], [[{}, {}]]))
    data = Snapshot.objects.get().data
    json.dumps(data, allow_nan=False)
    kept = {key: entry["reliability"] for key, _, entry in data["figures"]}
    assert (kept["G1"]["alpha"], kept["G1"]["reason"]) == (None, "no_variation")


def test_what_has_cleared_is_said_of_all_rounds_of_a_version(
    project: Project, expert: User, other_expert: User
) -> None:
    version = make_version(project)
    raters = [expert, other_expert]
    alike = [[ALIKE, ALIKE]] * 6
    first = make_voted_round(project, raters, alike, version=version)
    assert _cleared([first]) == {first.pk: (0, 2)}
    second = make_voted_round(project, raters, alike, version=version)
    # Six pairs have six minority units, twelve have twelve; G1 never varies.
    assert _cleared([first, second]) == {first.pk: (1, 2), second.pk: (1, 2)}
    assert measure(first).cleared == (1, 2)


def _cleared(batches: list[Batch]) -> dict[int, tuple[int, int]]:
    pools = measure_pools(pools_of(batches))
    return {batch.pk: pool.cleared for pool in pools for batch in pool.batches}


def test_a_round_without_votes_is_undefined_and_not_an_error(
    project: Project, expert: User, other_expert: User
) -> None:
    batch = close_round(batch=make_round(project, [expert, other_expert]), acting_user=None)
    assert {row.status for row in measure(batch).rows} == {Status.UNDEFINED}
    assert rows_of(batch)["G1"].words == "No ratings."
