"""The cases that triage looks at, as they follow from plain votes."""

from __future__ import annotations

from annotate.reliability import Status
from annotate.triage import Case
from annotate.triage_cases import (
    APPLICABILITY,
    VALUES,
    Around,
    SplitCheck,
    SplitVote,
    Standing,
    cases_of,
)

GOOD = Standing(0.9, Status.CLEARS, 20, 2)
BAD = Standing(0.3, Status.BROKEN, 10, 5)
SCALE = ("1", "2", "3", "4", "5")
USUAL = Around()
CLARITY = SplitCheck("C1", "criterion", "ordinal", SCALE, {VALUES: GOOD, APPLICABILITY: BAD})


def vote(rater: int, code: str, preference: str = "") -> SplitVote:
    labels = {("C1", "A"): code} if code else {}
    return SplitVote(rater, labels | ({("preference", ""): preference} if preference else {}))


def cases(*subjects: list[SplitVote], around: Around = USUAL) -> dict[tuple[int, str], Case]:
    votes = dict(enumerate(subjects))
    names = {n: {vote.rater: f"Rater {vote.rater}" for vote in given} for n, given in votes.items()}
    units = [(n, "A") for n in votes]
    return cases_of(CLARITY, units, votes, names, around, dict.fromkeys(votes, 100))


def test_a_split_on_whether_a_check_applies_lies_in_that_figure() -> None:
    found = cases([vote(1, "1"), vote(2, "5")], [vote(1, "1"), vote(2, "na")])
    assert (found[0, "A"].alpha, found[0, "A"].split) == (GOOD.alpha, GOOD.split)
    assert (found[1, "A"].alpha, found[1, "A"].status) == (BAD.alpha, Status.BROKEN)


def test_patterns_are_looked_for_among_splits_of_one_figure() -> None:
    up = [vote(1, "1"), vote(2, "5")]
    found = cases(up, up, up, [vote(1, "1"), vote(2, "na")])
    assert [found[n, "A"].repeats for n in range(4)] == [2, 2, 2, 0]


def test_where_raters_are_no_persons_no_pattern_is_looked_for() -> None:
    up = [vote(1, "1"), vote(2, "5")]
    found = cases(up, up, around=Around(persons=False))
    assert {case.repeats for case in found.values()} == {None}


def test_everybody_who_voted_on_the_subject_is_in_its_case() -> None:
    (case,) = cases([vote(1, "1"), vote(2, "5"), vote(3, "")]).values()
    assert [voter.handle for voter in case.voters] == ["Rater 1", "Rater 2", "Rater 3"]
    assert [voter.handle for voter in case.labelled] == ["Rater 1", "Rater 2"]


def test_a_preference_is_a_margin_and_no_label_of_a_check() -> None:
    around = Around(margins={"A_much": 2}, gold={(1, "C1"): (3, 5), (2, "G1"): (0, 9)})
    (case,) = cases([vote(1, "1", "A_much"), vote(2, "5")], around=around).values()
    one, two = case.voters
    assert (one.margin, two.margin) == (2, None)
    assert set(one.labels) == {("C1", "A")}
    assert (one.gold, two.gold) == ((3, 5), None)
