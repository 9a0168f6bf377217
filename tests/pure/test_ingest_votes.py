from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.ingest.mapping import FlagError
from annotate.ingest.problems import Notice, Problem
from annotate.ingest.value_rules import CheckSpec, OutsideScale, Scheme, ValueRules
from annotate.ingest.vote_history import RatedSubject, votes
from annotate.ingest.vote_rows import VotePlan, VoteRow
from tests.pure.reading import jsonl, labels_of, notices_of, problems_of, votes_in

PREFERENCE = CheckSpec(
    "preference", "preference", "ordinal", ("A_much", "A_slight", "tie", "B_slight", "B_much")
)
GATE = CheckSpec("G1", "gate", "nominal", ("pass", "fail"), allows_na=True, unit="side")
CRITERION = CheckSpec("C1", "criterion", "nominal", ("yes", "no"))
SCORE = CheckSpec("Q0", "criterion", "ordinal", ("1", "2", "3", "4"))
LENGTH = CheckSpec("L1", "criterion", "interval", bounds=(0.0, 100.0))
STEP = CheckSpec("S1", "criterion", "nominal", ("yes", "no"), unit="part")
SCHEME = Scheme.of([PREFERENCE, GATE, CRITERION, SCORE, LENGTH, STEP])

LONG = "subject,rater,criterion,side,value,swapped,at\n"


def plan(**flags: Any) -> VotePlan:
    return VotePlan.parse(SCHEME, **flags)


def long(*rows: str, **flags: Any) -> list[Any]:
    return votes_in(LONG + "".join(f"{row}\n" for row in rows), plan(**flags))


def gathered(items: list[Any]) -> list[RatedSubject]:
    said = votes(item for item in items if isinstance(item, VoteRow))
    return [vote for vote in said if isinstance(vote, RatedSubject)]


def test_a_row_of_the_long_form_is_one_label() -> None:
    items = long(
        "p1,ann,G1,A,pass,,", "p1,ann,G1,b,na,,", "p1,ann,preference,,tie,,", "p1,ann,L1,,12.50,,"
    )
    assert labels_of(items) == [
        (("G1", "A", "pass"),),
        (("G1", "B", "na"),),
        (("preference", "", "tie"),),
        (("L1", "", 12.5),),
    ]
    assert problems_of(items) == []


@pytest.mark.parametrize(
    ("row", "field", "code"),
    [
        (",ann,C1,,yes,,", "subject", "missing"),
        ("p1,,C1,,yes,,", "rater", "missing"),
        ("p1,ann,,,yes,,", "criterion", "missing"),
        ("p1,ann,C9,,yes,,", "criterion", "unknown_criterion"),
        ("p1,ann,C1,A,yes,,", "side", "side"),
        ("p1,ann,G1,,pass,,", "side", "side"),
        ("p1,ann,G1,C,pass,,", "side", "side"),
        ("p1,ann,S1,,yes,,", "side", "side"),
        ("p1,ann,C1,,Yes,,", "value", "outside_scale"),
        ("p1,ann,C1,,na,,", "value", "outside_scale"),
        ("p1,ann,C1,,nan,,", "value", "outside_scale"),
        ("p1,ann,Q0,,0,,", "value", "outside_scale"),
        ("p1,ann,L1,,101,,", "value", "outside_scale"),
        ("p1,ann,L1,,1_0,,", "value", "outside_scale"),
        ("p1,ann,L1,,٣,,", "value", "outside_scale"),
        ("p1,ann,C1,,yes,maybe,", "swapped", "bad_swapped"),
        ("p1,ann,C1,,yes,,19.05.2023", "at", "bad_time"),
        ("p1,ann,C1,,yes,,2023-02-30", "at", "bad_time"),
        ("p1,ann,C1,,yes,,0001-01-01T00:00:00+10:00", "at", "bad_time"),
    ],
)
def test_a_bad_row_is_refused_with_its_field(row: str, field: str, code: str) -> None:
    items = long(row, "p2,ann,C1,,yes,,")
    assert problems_of(items) == [(2, field, code)]
    assert labels_of(items) == [(("C1", "", "yes"),)]


def test_a_value_outside_the_scale_names_the_scale() -> None:
    (problem,) = [i for i in long("p1,ann,G1,A,maybe,,") if isinstance(i, Problem)]
    assert "G1: pass, fail, na" in problem.message
    assert '"maybe"' in problem.message


def test_a_missing_column_refuses_the_file_and_names_those_there_are() -> None:
    (problem,) = votes_in("item,rater,criterion\n1,ann,C1\n", plan(maps=["subject=item_id"]))
    assert (problem.line, problem.fatal, problem.code) == (1, True, "missing_column")
    assert "no columns item_id, value" in problem.message
    assert "item, rater, criterion" in problem.message


def test_a_missing_wide_column_refuses_the_file() -> None:
    (problem,) = votes_in("subject,rater\n1,ann\n", plan(columns=["C1=helpful"]))
    assert (problem.field, problem.code) == ("helpful", "missing_column")


WIDE = ["preference=pref", "G1:A=ok_a", "G1:B=ok_b"]
WORDS = ["a-is-better=A_much", "a-is-slightly-better=A_slight", "yes=pass", "no=fail"]


def test_a_row_of_the_wide_form_is_a_whole_vote() -> None:
    text = "subject,rater,ok_a,ok_b,pref,note\n1,ann,yes,no,a-is-better,hm\n"
    items = votes_in(text, plan(columns=WIDE, values=WORDS))
    assert labels_of(items) == [
        (("preference", "", "A_much"), ("G1", "A", "pass"), ("G1", "B", "fail"))
    ]
    assert notices_of(items) == [(0, "note", "left_out")]


@pytest.mark.parametrize("true", ["1", "true", "True", "YES", "1.0"])
def test_un_swap_mirrors_the_preference_and_moves_wide_columns(true: str) -> None:
    text = f"subject,rater,ok_a,ok_b,pref,swapped\n1,ann,yes,no,a-is-slightly-better,{true}\n"
    items = votes_in(text, plan(columns=WIDE, values=WORDS))
    assert set(labels_of(items)[0]) == {
        ("preference", "", "B_slight"),
        ("G1", "B", "pass"),
        ("G1", "A", "fail"),
    }


def test_un_swap_moves_the_side_of_a_long_row_and_no_other_criterion() -> None:
    items = long(
        "p1,ann,G1,A,fail,1,",
        "p1,ann,preference,,B_much,yes,",
        "p1,ann,preference,,tie,yes,",
        "p1,ann,preference,,,yes,",
        "p1,ann,Q0,,4,1,",
        "p1,ann,S1,0,no,1,",
        "p1,ann,G1,A,fail,0,",
    )
    assert labels_of(items) == [
        (("G1", "B", "fail"),),
        (("preference", "", "A_much"),),
        (("preference", "", "tie"),),
        (("preference", "", None),),
        (("Q0", "", "4"),),
        (("S1", "0", "no"),),
        (("G1", "A", "fail"),),
    ]


def test_numbers_compare_as_numbers_and_other_texts_as_texts() -> None:
    rules = ValueRules.parse(["0=", "Q0:5=4", "7=yes", "nan=no"], SCHEME)
    assert [rules.read(SCORE, raw) for raw in ("3.0", "03", "3e0", " 4 ", "0.00", "5.0")] == [
        *("3", "3", "3", "4"),
        *(None, "4"),
    ]
    assert rules.read(CRITERION, "7.0") == "yes"
    assert rules.read(CRITERION, "nan") == "no"
    for raw in ("NaN", "1e9999", "3.5", "1" * 5_000):
        with pytest.raises(OutsideScale):
            rules.read(SCORE, raw)


@pytest.mark.parametrize("missing", [None, "", "  ", "\t"])
def test_ag_03_only_an_empty_value_is_missing(missing: str | None) -> None:
    word = CheckSpec("W1", "criterion", "nominal", ("nan", "None", "good"))
    rules = ValueRules.parse([], Scheme.of([word]))
    assert rules.read(word, missing) is None
    assert [rules.read(word, raw) for raw in ("nan", "None")] == ["nan", "None"]


def test_a_rule_for_the_criterion_wins_over_one_for_all() -> None:
    rules = ValueRules.parse(["1=yes", "G1:1=fail", "0=no", "G1:0="], SCHEME)
    assert (rules.read(CRITERION, "1"), rules.read(GATE, "1")) == ("yes", "fail")
    assert (rules.read(CRITERION, "0"), rules.read(GATE, "0")) == ("no", None)


def test_a_rule_for_all_applies_only_where_its_code_is_on_the_scale() -> None:
    rules = ValueRules.parse(["1=yes"], SCHEME)
    assert (rules.read(CRITERION, "1"), rules.read(SCORE, "1")) == ("yes", "1")


def test_a_raw_value_may_hold_the_signs_of_the_flag() -> None:
    rules = ValueRules.parse(["x=y:z=yes", "Q9:1=no"], SCHEME)
    assert (rules.read(CRITERION, "x=y:z"), rules.read(CRITERION, "Q9:1")) == ("yes", "no")


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        ({"values": ["1"]}, "RAW=CODE"),
        ({"values": ["=yes"]}, "missing"),
        ({"values": ["C1:=yes"]}, "missing"),
        ({"values": ["1=maybe"]}, "maybe"),
        ({"values": ["G1:1=yes"]}, "pass, fail, na"),
        ({"values": ["1=yes", "1.0=no"]}, "code already"),
        ({"values": ["x=yes", "x=no"]}, "code already"),
        ({"columns": ["C9=x"]}, "it has preference, G1"),
        ({"columns": ["G1=x"]}, "A or B"),
        ({"columns": ["C1:A=x"]}, "whole subject"),
        ({"columns": ["C1"]}, "COLUMN"),
        ({"columns": ["C1=x", "C1=y"]}, "already"),
        ({"columns": ["C1=x"], "maps": ["value=y"]}, "value"),
        ({"maps": ["subject=a,b"]}, "one field"),
    ],
)
def test_a_flag_that_cannot_be_followed_is_refused(flags: dict[str, Any], word: str) -> None:
    with pytest.raises(FlagError, match=word):
        plan(**flags)


def test_times_are_kept_in_utc_and_naive_ones_are_read_in_the_zone_given() -> None:
    rows = [
        "p1,ann,C1,,yes,,2023-05-19 13:11:45",
        "p1,ann,C1,,yes,,2023-05-19T13:11:45+02:00",
        "p1,ann,C1,,yes,,2023-05-19T13:11:45Z",
    ]
    at = [item.at for item in long(*rows, zone=ZoneInfo("America/New_York"))]
    assert at == [datetime(2023, 5, 19, hour, 11, 45, tzinfo=UTC) for hour in (17, 11, 13)]
    assert long(rows[0])[0].at == datetime(2023, 5, 19, 13, 11, 45, tzinfo=UTC)


def test_values_of_jsonl_are_read_as_their_json_text() -> None:
    rows = [
        {"subject": n, "rater": 21, "criterion": "C1", "value": value}
        for n, value in enumerate([True, 1, 1.0, None, ["yes"]])
    ]
    items = votes_in(jsonl(*rows), plan(values=["true=yes", "1=no"]), "votes.jsonl")
    assert labels_of(items) == [(("C1", "", value),) for value in ("yes", "no", "no", None)]
    assert problems_of(items) == [(5, "value", "not_text")]


AG_08 = [
    *("i1,ann,C1,,yes,,", "i1,bo,C1,,yes,,", "i2,ann,C1,,no,,", "i2,bo,C1,,yes,,"),
    *("i3,ann,C1,,no,,", "i3,bo,C1,,no,,", "i4,ann,C1,,yes,,", "i4,bo,C1,,no,,"),
    "i2,ann,C1,,yes,,",
]


def test_ag_08_a_revision_replaces_and_the_old_label_stays_in_history() -> None:
    said = gathered(long(*AG_08))
    assert len(said) == 8
    revised = {(vote.subject, vote.rater): vote for vote in said if len(vote.revisions) > 1}
    assert list(revised) == [("i2", "ann")]
    values = [revision.labels[0].value for revision in revised["i2", "ann"].revisions]
    assert values == ["no", "yes"]


def test_ag_12_the_order_of_the_rows_does_not_matter() -> None:
    rows = [f"{item},{rater},C1,,yes,," for item in "ab" for rater in ("ann", "bo")]
    seen = {
        frozenset((vote.subject, vote.rater) for vote in gathered(long(*order)))
        for order in permutations(rows)
    }
    assert seen == {frozenset((item, rater) for item in "ab" for rater in ("ann", "bo"))}


def test_the_latest_row_is_current_by_time_and_not_by_place() -> None:
    late, early = "p1,ann,C1,,yes,,2023-05-20", "p1,ann,C1,,no,,2023-05-19"
    (vote,) = gathered(long(late, early))
    assert vote.current.labels[0].value == "yes"
    assert [revision.line for revision in vote.revisions] == [3, 2]


def test_without_a_time_on_every_row_the_place_decides_and_it_is_said() -> None:
    items = long("p1,ann,C1,,yes,,2023-05-20", "p1,ann,C1,,no,,")
    notice, vote = votes(items)
    assert isinstance(notice, Notice)
    assert notice.code == "mixed_times"
    assert isinstance(vote, RatedSubject)
    assert vote.current.labels[0].value == "no"


def test_long_rows_build_up_one_vote_and_a_second_value_begins_a_revision() -> None:
    rows = ["C1,,yes", "Q0,,1", "G1,A,pass", "Q0,,2", "C1,,no", "Q0,,3"]
    (vote,) = gathered(long(*(f"p1,ann,{row},," for row in rows)))
    assert [{la.criterion: la.value for la in r.labels} for r in vote.revisions] == [
        {"C1": "yes", "Q0": "1", "G1": "pass"},
        {"C1": "no", "Q0": "2", "G1": "pass"},
        {"C1": "no", "Q0": "3", "G1": "pass"},
    ]


def test_a_later_missing_value_takes_the_label_away() -> None:
    (vote,) = gathered(long("p1,ann,C1,,yes,,", "p1,ann,Q0,,1,,", "p1,ann,Q0,,,,"))
    assert [len(revision.labels) for revision in vote.revisions] == [2, 1]


def test_a_wide_row_replaces_the_one_before_as_a_whole() -> None:
    text = "subject,rater,c,q\n1,ann,yes,3\n1,ann,no,\n"
    (vote,) = gathered(votes_in(text, plan(columns=["C1=c", "Q0=q"])))
    assert [len(revision.labels) for revision in vote.revisions] == [2, 1]


def test_missing_values_alone_make_no_vote_and_no_revision() -> None:
    items = long("p1,ann,C1,,,,", "p2,ann,C1,,,,", "p2,ann,C1,,yes,,")
    notice, vote = votes(items)
    assert isinstance(notice, Notice)
    assert (notice.code, notice.line) == ("no_labels", 2)
    assert isinstance(vote, RatedSubject)
    assert len(vote.revisions) == 1


def test_anonymous_rows_are_gathered_by_slot() -> None:
    text = "subject,slot,c,q\n1,s1,yes,1\n1,s2,no,2\n1,s1,no,3\n"
    flags = {"columns": ["C1=c", "Q0=q"], "maps": ["rater=slot"], "anonymous": True}
    said = gathered(votes_in(text, plan(**flags)))
    assert [(vote.rater, len(vote.revisions)) for vote in said] == [("s1", 2), ("s2", 1)]


def test_anonymous_rows_without_slots_are_different_people() -> None:
    wide = votes_in("subject,c\n1,yes\n2,no\n1,no\n", plan(columns=["C1=c"], anonymous=True))
    assert [(v.subject, v.rater) for v in gathered(wide)] == [
        ("1", "unnamed 1"),
        ("2", "unnamed 1"),
        ("1", "unnamed 2"),
    ]
    text = "subject,criterion,value\n1,C1,yes\n1,Q0,1\n1,C1,no\n1,Q0,2\n"
    assert [len(v.current.labels) for v in gathered(votes_in(text, plan(anonymous=True)))] == [2, 2]


def test_a_rater_is_needed_where_raters_are_not_anonymous() -> None:
    (problem,) = votes_in("subject,c\n1,yes\n", plan(columns=["C1=c"]))
    assert (problem.field, problem.code) == ("rater", "missing_column")


cells = st.sampled_from(["", "p1", "ann", "G1", "C1", "A", "yes", "1", "2023-05-19", "x", "\x1b"])


@given(st.lists(st.lists(cells, min_size=7, max_size=7).map(",".join)))
def test_no_row_raises_and_each_is_taken_or_refused(rows: list[str]) -> None:
    items = long(*rows)
    taken = {i.line for i in items if isinstance(i, VoteRow)}
    refused = {line for line, _, _ in problems_of(items)}
    assert taken | refused >= set(range(2, len(rows) + 2))
    assert not taken & refused
    assert all(vote.current.labels or len(vote.revisions) > 1 for vote in gathered(items))


@given(st.lists(st.sampled_from(PREFERENCE.values), min_size=1))
def test_swapping_twice_is_no_swap(values: list[str]) -> None:
    assert [PREFERENCE.mirrored(PREFERENCE.mirrored(v)) for v in values] == values
