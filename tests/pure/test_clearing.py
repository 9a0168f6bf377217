"""What a report says of each check, and what a lead does next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate import clearing
from annotate.clearing import Road, Row, checks, next_step
from annotate.proposals import Proposal
from annotate.reliability import Bars, Reliability, Status


def reliability(
    alpha: float | None = 0.9,
    *,
    low: float | None = 0.75,
    minority: int = 20,
    counts: tuple[tuple[str, int], ...] = (("pass", 60), ("fail", 20)),
    reason: str | None = None,
) -> Reliability:
    ratings = sum(times for _, times in counts)
    return Reliability(
        criterion="G1",
        level="nominal",
        alpha=alpha,
        reason=reason,
        interval=None if low is None else (low, 0.99),
        interval_reason="one_pattern" if low is None else None,
        units=ratings // 2,
        ratings=ratings,
        units_total=ratings // 2,
        ratings_total=ratings,
        agreement=0.9,
        counts=counts,
        pairable_counts=counts,
        usual=max(counts, key=lambda count: count[1])[0],
        minority_units=minority,
        clusters=20,
    )


def row(
    key: str = "G1",
    found: Reliability | None = None,
    *,
    kind: clearing.Kind = "gate",
    figure: clearing.Figure = "values",
    split: int = 0,
    counts: bool = True,
    waived: str = "",
    strict: bool = False,
) -> Row:
    return clearing.row(
        key=key,
        kind=kind,
        title=key,
        figure=figure,
        level="nominal",
        scale=("pass", "fail"),
        reliability=found or reliability(),
        split=split,
        bars=Bars(thin_waits=strict),
        counts=counts,
        waived=waived,
    )


BROKEN = reliability(0.5, low=0.3)
TENTATIVE = reliability(0.7, low=0.5)
UNTESTED = reliability(0.9, minority=6)
UNDEFINED = reliability(
    None, low=None, minority=0, counts=(("pass", 240), ("fail", 0)), reason="no_variation"
)


@pytest.mark.parametrize(
    ("found", "split", "status", "words"),
    [
        (reliability(), 0, Status.CLEARS, ""),
        (reliability(0.83, low=0.62), 0, Status.CLEARS_THIN, "Lower end 0.62, below .667."),
        (TENTATIVE, 5, Status.TENTATIVE, "Raters differ on 5 units."),
        (BROKEN, 1, Status.BROKEN, "Raters differ on 1 unit."),
        (UNTESTED, 3, Status.NOT_TESTABLE, "6 of 10 units needed with fail."),
        (UNDEFINED, 0, Status.UNDEFINED, "No variation: all 240 labels are pass."),
    ],
)
def test_each_status_has_its_words(
    found: Reliability, split: int, status: Status, words: str
) -> None:
    one = row(found=found, split=split)
    assert (one.status, one.words) == (status, words)


def test_clearing_without_an_interval_is_thin_and_says_why() -> None:
    one = row(found=reliability(1.0, low=None))
    assert one.status == Status.CLEARS_THIN
    assert one.words.startswith("No interval: all subjects were labelled alike")


def test_a_check_of_three_values_counts_units_off_the_usual_label() -> None:
    counts = (("yes", 60), ("no", 3), ("na", 4), ("other", 1))
    one = row(found=reliability(minority=6, counts=counts))
    assert one.words == "6 of 10 units needed with a label other than yes."


def test_na_does_not_make_a_gate_one_of_three_values() -> None:
    counts = (("pass", 60), ("fail", 3), ("na", 4))
    assert row(found=reliability(minority=6, counts=counts)).minority == "fail"


def test_where_most_is_na_no_value_of_two_is_the_rarer_one() -> None:
    counts = (("pass", 10), ("fail", 3), ("na", 60))
    one = row(found=reliability(minority=6, counts=counts))
    assert one.minority is None
    assert one.words == "6 of 10 units needed with a label other than N/A."


def test_a_check_clears_with_all_its_figures_and_others_do_not_count() -> None:
    rows = [
        row("G1"),
        row("C1", kind="criterion"),
        row("C1", BROKEN, kind="criterion", figure="applicability"),
        row("preference", BROKEN, kind="preference", counts=False),
    ]
    assert checks(rows) == (1, 2)


def test_the_broken_come_before_the_tentative_and_those_before_the_untested() -> None:
    rows = [row("G1", UNDEFINED), row("G2", UNTESTED), row("C1", TENTATIVE), row("C2", BROKEN)]
    assert next_step(rows, version=1).key == "C2"
    assert next_step(rows[:3], version=1).key == "C1"
    assert next_step(rows[:2], version=1).key == "G2"
    assert next_step(rows[:1], version=1).goal == "new_round"


def test_broken_checks_are_named_with_the_disagreements_to_settle() -> None:
    one = next_step([row("G1"), row("C2", BROKEN, split=7)], version=2)
    assert one.sentence == (
        "Volume stays closed: C2 is broken. Settle its 7 disagreements in the meeting, "
        "then publish version 3 and label fresh pairs."
    )
    assert (one.goal, one.key) == ("disagreements", "C2")
    worse = reliability(0.1, low=0.0)
    two = next_step([row("C2", BROKEN, split=7), row("C4", worse, split=1)], version=2)
    assert "C4 and C2 are broken. Settle their 8 disagreements" in two.sentence
    assert two.key == "C4"


def test_untested_checks_ask_for_another_round_of_the_same_version() -> None:
    one = next_step([row("G2", UNTESTED)], version=2)
    assert one.sentence.startswith(
        "Volume stays closed: G2 is not testable yet, 4 more units with fail needed. "
        "Label another round with version 2; its figures are added to these."
    )
    assert "a waiver with a reason opens volume without it" in one.sentence
    assert (one.goal, one.key) == ("new_round", "G2")
    two = next_step([row("G2", UNTESTED), row("G4", UNDEFINED)], version=2)
    assert "G2 is not testable" in two.sentence
    several = next_step([row("G2", UNTESTED), row("G4", UNTESTED)], version=2)
    assert (
        "G2 (4 more units with fail needed) and G4 (4 more units with fail needed) are not "
        "testable yet"
    ) in several.sentence
    nobody = reliability(None, low=None, minority=0, reason="no_ratings")
    assert (
        "G4 is not testable yet, no ratings." in next_step([row("G4", nobody)], version=2).sentence
    )


# ---- Probes, waivers and what three rounds have shown


def test_probes_that_are_ready_are_offered_by_number() -> None:
    road = Road(ready={"G2": 8, "G3": 1})
    one = next_step([row("G2", UNTESTED)], version=2, road=road)
    assert one.sentence.endswith(
        "Label another round with version 2 and plant the 8 probe pairs that fail G2 in it, or "
        "waive G2 with a reason."
    )
    assert one.goal == "new_round"
    two = next_step([row("G2", UNTESTED), row("G3", UNTESTED)], version=2, road=road).sentence
    assert "plant the 8 probe pairs that fail G2 and 1 that fails G3 in it" in two


def test_caught_probes_are_a_reason_to_waive() -> None:
    road = Road(ready={"G2": 3}, caught={"G2": (8, 8)})
    one = next_step([row("G2", UNTESTED)], version=2, road=road)
    assert "Raters caught all 8 planted failures of G2: waive it for that reason" in one.sentence
    assert (one.action, one.goal, one.key) == ("Waive G2", "waive", "G2")


def test_missed_probes_are_read_before_anything_else() -> None:
    road = Road(caught={"G2": (8, 8), "G3": (5, 8)})
    one = next_step([row("G2", UNTESTED), row("G3", UNTESTED)], version=2, road=road)
    assert "Of 8 planted failures of G3 raters missed 3: read them" in one.sentence
    assert (one.goal, one.key) == ("probes", "G3")


def test_what_is_broken_is_settled_first_and_the_untested_get_their_probes_then() -> None:
    rows = [row("G2", UNTESTED), row("C2", BROKEN, split=7)]
    one = next_step(rows, version=2, road=Road(ready={"G2": 8})).sentence
    assert one.startswith("Volume stays closed: C2 is broken. Settle its 7 disagreements")
    assert one.endswith(
        "G2 is not testable yet: plant the 8 probe pairs that fail G2 in that round."
    )


def test_after_three_rounds_the_proposal_stands_in_the_next_step() -> None:
    proposal = Proposal("C2", "split", 3, "since “a and b” asks two things at once", "split it")
    rows = [row("C1", reliability(0.1, low=0.0), split=1), row("C2", BROKEN, split=7)]
    one = next_step(rows, version=3, road=Road(proposals={"C2": proposal}))
    assert one.sentence.endswith(
        "C2 has stayed below the bar for 3 rounds: split it, since “a and b” asks two things at "
        "once."
    )
    assert (one.goal, one.key) == ("disagreements", "C2")


def test_a_waived_check_is_done_and_says_so() -> None:
    rows = [row("G1"), row("G2", UNTESTED, waived="Caught all probes.")]
    assert (rows[1].state, rows[1].is_waived, rows[1].done) == ("waived", True, True)
    assert checks(rows) == (2, 2)
    assert clearing.holding_words(rows) == ""
    assert clearing.waived(rows) == ["G2"]
    sentence = next_step(rows, version=2).sentence
    assert "has cleared or is waived (G2), so volume labelling may begin" in sentence


def test_a_waiver_is_moot_once_the_check_clears() -> None:
    one = row("G2", waived="Caught all probes.")
    assert (one.state, one.is_waived) == (Status.CLEARS, False)
    assert clearing.waived([one]) == []
    assert "waived" not in next_step([one], version=2).sentence


def test_a_waiver_spares_only_its_own_check() -> None:
    rows = [row("G2", UNTESTED, waived="Why."), row("C2", BROKEN, split=7)]
    one = next_step(rows, version=2)
    assert one.key == "C2"
    assert "G2" not in one.sentence
    assert clearing.holding_words(rows) == "C2 broken"


THIN = reliability(0.83, low=0.6)


def test_what_clears_thin_waits_for_another_round_where_a_project_says_so() -> None:
    assert row("C3", THIN).done
    rows = [row("C1", strict=True), row("C3", THIN, strict=True)]
    assert [one.done for one in rows] == [True, False]
    # What was measured is called what it is called everywhere.
    assert rows[1].state == Status.CLEARS_THIN
    assert rows[1].words == "Lower end 0.60, below .667; waits for another round."
    assert checks(rows) == (1, 2)
    assert clearing.holding_words(rows) == "C3 thin"
    one = next_step(rows, version=2)
    assert one.sentence == (
        "Volume stays closed: C3 clears only just, which is not enough in this project. Label "
        "another round with version 2; its figures are added to these. A waiver with a reason "
        "opens volume without it."
    )
    assert (one.action, one.goal, one.key) == ("Start a round", "new_round", "C3")


def test_a_thin_check_that_waits_can_be_waived() -> None:
    rows = [row("C1", strict=True), row("C3", THIN, strict=True, waived="Read all of its pairs.")]
    assert (rows[1].state, rows[1].done) == ("waived", True)
    assert "has cleared or is waived (C3)" in next_step(rows, version=2).sentence


def test_what_is_below_the_bar_comes_before_what_clears_thin() -> None:
    rows = [row("C3", THIN, strict=True), row("C2", BROKEN, split=7, strict=True)]
    assert next_step(rows, version=2).key == "C2"
    untested = [row("C3", THIN, strict=True), row("G2", UNTESTED, strict=True)]
    assert next_step(untested, version=2).key == "G2"
    assert "C3" not in next_step(rows, version=2).sentence
    assert clearing.holding_words(untested) == "G2 not testable yet; C3 thin"


FOUND = st.sampled_from([reliability(), BROKEN, TENTATIVE, UNTESTED, UNDEFINED, THIN])


@given(
    st.lists(st.tuples(FOUND, st.booleans(), st.booleans()), min_size=1, max_size=8), st.booleans()
)
def test_volume_waits_exactly_while_something_is_neither_cleared_nor_waived(
    found: list[tuple[Reliability, bool, bool]], strict: bool
) -> None:
    rows = [
        row(f"G{n}", one, waived="Why." if spared else "", counts=counts, strict=strict)
        for n, (one, spared, counts) in enumerate(found)
    ]
    done, all_of = checks(rows)
    one = next_step(rows, version=1)
    if done == all_of:
        assert one.goal in ("decisions", "pairs")
        assert clearing.holding_words(rows) == ""
    else:
        assert one.sentence.startswith("Volume stays closed: ")
        held = next(row for row in rows if row.key == one.key)
        assert held.counts
        assert not held.done
    assert all(key not in clearing.holding_words(rows) for key in clearing.waived(rows))


def test_all_cleared_opens_volume_and_names_the_thin_ones() -> None:
    assert "Every check of version 2 has cleared" in next_step([row()], version=2).sentence
    thin = next_step([row("C3", reliability(0.83, low=0.6))], version=2)
    assert thin.sentence.endswith("C3 only just: look again at the first overlap.")


def test_imported_votes_are_spoken_of_without_volume() -> None:
    rows = [row("C2", BROKEN, split=1)]
    sentences = [
        next_step(found, version=1, imported=True).sentence
        for found in (rows, [row()], [row("G1", UNTESTED)])
    ]
    assert sentences[0] == (
        "In these votes C2 is broken. Read its 1 disagreement before relying on them."
    )
    assert not any("olume" in sentence for sentence in sentences)


def test_nothing_to_measure_is_said_so() -> None:
    assert next_step([], version=1).sentence == "There is nothing in these votes to measure."


def test_many_checks_are_named_in_short() -> None:
    rows = [row(f"C{n}", BROKEN) for n in range(6)]
    assert "C0, C1, C2 and 3 more are broken" in next_step(rows, version=1).sentence


def test_a_preference_that_holds_volume_closed_is_named_as_one() -> None:
    one = next_step([row("preference", BROKEN, kind="preference")], version=1)
    assert "the preference is broken" in one.sentence
