from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from annotate.actions import imports
from annotate.actions.import_jobs import vote_file
from annotate.actions.imports import ImportRefused
from annotate.actions.vote_imports import import_votes as import_votes_action
from annotate.models import Batch, Label, Part, Subject, Vote
from projects.models import Event, Rater
from tests.annotate.importing import (
    every_table,
    import_pairs,
    import_votes,
    jsonl,
    pair,
    publish_rubric,
    refused_votes,
    reliability,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from django.test import Client

    from projects.models import Project, User

FORM = """
task: form
gates:
  - {id: G1, check: Every amount is right.}
criteria:
  - {id: C1, check: The first sentence names the cause., allows_na: true}
preference:
  scale: [A_much, A_slight, tie, B_slight, B_much]
"""
LONG = "subject,rater,criterion,side,value,swapped,at\n"
ANSWERS = (
    "task: answers\nsubject: answer\ncriteria:\n  - {id: C1, check: It is so., values: [%s]}\n"
)


@pytest.fixture
def pairs(project: Project, tmp_path: Path) -> Project:
    """A project with a rubric of every kind of check, and pairs p1 to p5."""
    publish_rubric(project, FORM)
    import_pairs(project, written(tmp_path, jsonl(pair(f"p{n}") for n in range(1, 6))))
    return project


def answers(project: Project, *values: str) -> None:
    """A rubric with one nominal criterion C1 of these values, about whole answers."""
    publish_rubric(project, ANSWERS % ", ".join(f"'{value}'" for value in values))


def csv_of(rows: Iterable[Iterable[object]], header: str = LONG) -> str:
    return header + "".join(",".join(str(cell) for cell in row) + "\n" for row in rows)


def labels(subject: str, rater: str) -> dict[tuple[str, str], str]:
    """The current labels by (criterion, part)."""
    found = Label.objects.filter(
        vote__subject__external_id=subject, vote__rater__name=rater, vote__current=True
    )
    return {(key, part): code for key, part, code in found.values_list(*LABEL)}


LABEL = ("criterion__key", "part_key", "code")


def history(subject: str, rater: str) -> list[tuple[int, bool, str]]:
    """(revision, current, preference) of each revision."""
    votes = Vote.objects.filter(subject__external_id=subject, rater__name=rater)
    return [
        (vote.revision, vote.current, vote.labels.get(criterion__key="preference").code)
        for vote in votes.order_by("revision")
    ]


def test_long_rows_become_votes_of_a_closed_batch(pairs: Project, tmp_path: Path) -> None:
    rows = [
        ("p1", "ann", "G1", "A", "pass", "", "2026-05-19 13:00:00"),
        ("p1", "ann", "G1", "B", "fail", "", "2026-05-19 13:00:00"),
        ("p1", "ann", "C1", "A", "na", "", "2026-05-19 13:00:00"),
        ("p1", "ann", "preference", "", "A_much", "", "2026-05-19 13:00:00"),
        ("p1", "bo", "preference", "", "tie", "", "2026-05-19 14:00:00"),
    ]
    file = written(tmp_path, csv_of(rows), "spring.csv")
    report = import_votes(pairs, file, "form@1")
    assert (report["rows"], report["created"], report["votes"]) == (5, 5, 2)
    assert (report["raters"], report["relabelled"]) == (2, 0)
    batch = Batch.objects.get()
    assert (batch.kind, batch.name) == ("imported", "spring")
    assert batch.closed_at is not None
    assert labels("p1", "ann") == {
        ("G1", "A"): "pass",
        ("G1", "B"): "fail",
        ("C1", "A"): "na",
        ("preference", ""): "A_much",
    }
    raters = Rater.objects.order_by("name")
    assert [(rater.name, rater.kind) for rater in raters] == [
        ("ann", "imported"),
        ("bo", "imported"),
    ]
    assert all(rater.pseudonym for rater in raters)
    assert Vote.objects.get(rater__name="bo").at is not None
    assert Event.objects.filter(target="votes from spring.csv").get().verb == "import.appeared"


def test_wide_rows_that_saw_the_sides_swapped_are_stored_in_the_pairs_own_order(
    pairs: Project, tmp_path: Path
) -> None:
    """The shape of the public Tulu ratings."""
    header = "item,who,shown_swapped,ok_a,ok_b,pref\n"
    rows = [("p1", "ann", 0, "yes", "no", "a"), ("p1", "bo", 1, "yes", "no", "a")]
    flags = (
        *("--map", "subject=item", "--map", "rater=who", "--map", "swapped=shown_swapped"),
        *("--column", "G1:A=ok_a", "--column", "G1:B=ok_b", "--column", "preference=pref"),
        *("--value", "G1:yes=pass", "--value", "G1:no=fail", "--value", "a=A_slight"),
    )
    file = written(tmp_path, csv_of(rows, header), "wide.csv")
    assert import_votes(pairs, file, "form@1", *flags)["votes"] == 2
    assert labels("p1", "ann") == {
        ("G1", "A"): "pass",
        ("G1", "B"): "fail",
        ("preference", ""): "A_slight",
    }
    assert labels("p1", "bo") == {
        ("G1", "B"): "pass",
        ("G1", "A"): "fail",
        ("preference", ""): "B_slight",
    }


def test_wf_10_each_revision_is_stored_by_content_whatever_order_it_was_seen_in(
    pairs: Project, tmp_path: Path
) -> None:
    rows = [
        ("p1", "ann", "preference", "", "A_much", 0, "2026-01-01"),  # A first, picks first: A
        ("p1", "ann", "preference", "", "B_much", 1, "2026-01-02"),  # B first, picks second: A
        ("p1", "ann", "preference", "", "A_much", 1, "2026-01-03"),  # B first, picks first: B
    ]
    import_votes(pairs, written(tmp_path, csv_of(rows), "v.csv"), "form@1")
    assert history("p1", "ann") == [
        (1, False, "A_much"),
        (2, False, "A_much"),
        (3, True, "B_much"),
    ]


def test_wf_06_raters_stand_beside_each_other_and_a_second_answer_is_a_revision(
    pairs: Project, tmp_path: Path
) -> None:
    publish_rubric(pairs, FORM.replace("task: form", "task: form\nrubric_version: 2"))
    first = [("p1", "ann", "A_much"), ("p1", "bo", "A_much"), ("p1", "ann", "A_much")]
    rows = [(s, r, "preference", "", v, "", "") for s, r, v in [*first, ("p1", "ann", "B_much")]]
    import_votes(pairs, written(tmp_path, csv_of(rows), "one.csv"), "form@1")
    import_votes(pairs, written(tmp_path, csv_of(rows[:1]), "two.csv"), "form@2")
    current = Vote.objects.current().values_list("rater__name", "batch__version__number")
    assert sorted(current) == [("ann", 1), ("ann", 2), ("bo", 1)]
    assert Label.objects.filter(vote__current=True, vote__rater__name="bo").get().code == "A_much"
    assert Rater.objects.count() == 2


def test_relabels_are_ordered_by_time_else_by_place(pairs: Project, tmp_path: Path) -> None:
    def rows(*times: str) -> str:
        said = zip(("A_much", "tie", "B_much"), times, strict=True)
        return csv_of(("p1", "ann", "preference", "", value, "", at) for value, at in said)

    timed = written(tmp_path, rows("2026-03-01", "2026-01-01", "2026-02-01"), "timed.csv")
    import_votes(pairs, timed, "form@1")
    assert [code for *_, code in history("p1", "ann")] == ["tie", "B_much", "A_much"]
    Vote.objects.all().delete()
    mixed = written(tmp_path, rows("2026-03-01", "", "2026-02-01"), "mixed.csv")
    report = import_votes(pairs, mixed, "form@1")
    assert [warning["code"] for warning in report["warnings"]] == ["mixed_times"]
    assert [code for *_, code in history("p1", "ann")] == ["A_much", "tie", "B_much"]


def test_ag_08_the_revision_replaces_and_the_old_one_stays_in_history(
    project: Project, tmp_path: Path
) -> None:
    """4 units, 8 ratings (5 pass, 3 fail), one unit disagrees: alpha = 1 - 7 · 2 / (2 · 15)."""
    answers(project, "pass", "fail")
    rows = [
        ("i1", "ann", "pass"),
        ("i1", "bo", "pass"),
        ("i2", "ann", "fail"),
        ("i2", "bo", "pass"),
        ("i3", "ann", "fail"),
        ("i3", "bo", "fail"),
        ("i4", "ann", "pass"),
        ("i4", "bo", "fail"),
        ("i2", "ann", "pass"),
    ]
    content = csv_of(((i, r, "C1", v) for i, r, v in rows), "item,rater,criterion,label\n")
    flags = ("--map", "subject=item", "--map", "value=label", "--create-subjects", "--name", "x")
    report = import_votes(project, written(tmp_path, content, "x.csv"), "answers@1", *flags)
    assert (report["rows"], report["votes"], report["relabelled"]) == (9, 8, 1)
    found = reliability(project, "x")["C1"]
    assert found["alpha"] == pytest.approx(float(1 - Fraction(7 * 2, 2 * 15)), abs=1e-9)
    assert (found["units"], found["ratings"]) == (4, 8)
    assert Vote.objects.filter(subject__external_id="i2", rater__name="ann").count() == 2


AG_03 = (
    ("good", "bad", "good", "bad", None),
    ("good", "bad", None, "bad", "good"),
    (None, "bad", "good", "bad", "good"),
)


@pytest.mark.parametrize("missing", ["left out", "", "  ", '"  "', "null"])
def test_ag_03_a_missing_rating_is_missing_however_it_is_written(
    project: Project, tmp_path: Path, missing: str
) -> None:
    answers(project, "good", "bad", "nan", "None")
    rows: list[dict[str, Any]] = [
        {"subject": f"i{i}", "rater": f"r{r}", "criterion": "C1", "value": value}
        for r, values in enumerate(AG_03)
        for i, value in enumerate(values)
        if not (missing == "left out" and value is None)
    ]
    if missing in {"null", "left out"}:
        file = written(tmp_path, jsonl(rows), "v.jsonl")
    else:
        cells = ([missing if v is None else v for v in row.values()] for row in rows)
        file = written(tmp_path, csv_of(cells, "subject,rater,criterion,value\n"), "v.csv")
    import_votes(project, file, "answers@1", "--create-subjects")
    found = reliability(project, "v")["C1"]
    assert (found["alpha"], found["units"], found["ratings"]) == (1.0, 5, 12)


def test_ag_03_a_label_that_is_the_text_nan_or_none_is_a_label(
    project: Project, tmp_path: Path
) -> None:
    answers(project, "good", "bad", "nan", "None")
    rows = [(f"i{i}", r, "C1", v) for i, v in enumerate(("nan", "None", "good")) for r in "xyz"]
    file = written(tmp_path, csv_of(rows, "subject,rater,criterion,value\n"), "v.csv")
    import_votes(project, file, "answers@1", "--create-subjects")
    found = reliability(project, "v")["C1"]
    assert (found["alpha"], found["ratings"]) == (1.0, 9)


def test_ag_12_rows_name_item_and_rater_and_their_order_does_not_matter(
    project: Project, tmp_path: Path
) -> None:
    matrix = ((1, 1, 0, 0, 1, 0), (1, 1, 0, 0, 1, 1), (1, 0, 0, 0, 1, 0))
    answers(project, "0", "1")
    rows = [(f"i{i}", r, "C1", v) for r, said in enumerate(matrix) for i, v in enumerate(said)]
    header = "subject,rater,criterion,value\n"
    for name, ordered in (("given", rows), ("reversed", rows[::-1]), ("by item", sorted(rows))):
        file = written(tmp_path, csv_of(ordered, header), f"{name}.csv")
        import_votes(project, file, "answers@1", "--create-subjects")
        alpha = reliability(project, name)["C1"]["alpha"]
        assert alpha == pytest.approx(float(Fraction(47, 81)), abs=1e-9)


def test_raw_values_are_read_as_numbers_too_and_an_empty_code_is_missing(
    project: Project, tmp_path: Path
) -> None:
    answers(project, "no", "yes")
    rows = [("i1", "x", "3.0"), ("i1", "y", "3"), ("i1", "z", "9")]
    content = csv_of(((i, r, "C1", v) for i, r, v in rows), "subject,rater,criterion,value\n")
    flags = ("--value", "3=yes", "--value", "C1:9=", "--create-subjects")
    report = import_votes(project, written(tmp_path, content, "v.csv"), "answers@1", *flags)
    assert (report["votes"], report["rows"]) == (2, 3)
    assert [w["code"] for w in report["warnings"]] == ["no_labels"]
    assert set(Label.objects.values_list("code", flat=True)) == {"yes"}


def test_anonymous_raters_are_slots_of_this_import_alone(pairs: Project, tmp_path: Path) -> None:
    header = "subject,rater,criterion,value\n"
    rows = [("p1", slot, "preference", "tie") for slot in ("s1", "s2")]
    for name in ("one", "two"):
        file = written(tmp_path, csv_of(rows, header), f"{name}.csv")
        import_votes(pairs, file, "form@1", "--anonymous-raters")
    assert Batch.objects.filter(anonymous_raters=True).count() == 2
    assert list(Rater.objects.values_list("name", flat=True)) == [
        "one: slot 1",
        "one: slot 2",
        "two: slot 1",
        "two: slot 2",
    ]


def test_anonymous_rows_without_slots_are_told_apart_by_their_place(
    pairs: Project, tmp_path: Path
) -> None:
    rows = [("p1", "preference", v) for v in ("tie", "A_much", "tie")]
    content = csv_of(rows, "subject,criterion,value\n")
    flags = ("--anonymous-raters", "--name", "v")
    report = import_votes(pairs, written(tmp_path, content, "v.csv"), "form@1", *flags)
    assert (report["votes"], report["raters"], report["relabelled"]) == (3, 3, 0)


def test_votes_that_break_the_order_are_kept_and_flagged(pairs: Project, tmp_path: Path) -> None:
    rows = [
        ("p1", "ann", "G1", "A", "fail", "", ""),
        ("p1", "ann", "G1", "B", "pass", "", ""),
        ("p1", "ann", "preference", "", "A_much", "", ""),
        ("p2", "ann", "G1", "A", "fail", "", ""),
        ("p2", "ann", "G1", "B", "pass", "", ""),
        ("p2", "ann", "preference", "", "B_much", "", ""),
        ("p1", "bo", "G1", "A", "fail", "", ""),
        ("p1", "bo", "G1", "B", "fail", "", ""),
        ("p1", "bo", "preference", "", "tie", "", ""),
        ("p2", "bo", "G1", "A", "pass", "", ""),
        ("p2", "bo", "G1", "B", "fail", "", ""),
        ("p2", "bo", "preference", "", "tie", "", ""),
    ]
    report = import_votes(pairs, written(tmp_path, csv_of(rows), "v.csv"), "form@1")
    assert report["preferring_against_a_gate"] == 2
    assert report["preferring_where_both_fail"] == 1
    flagged = Vote.objects.filter(detail__has_key="breaks_the_order").order_by("id")
    said = [(v.subject.external_id, v.rater.name, v.detail["breaks_the_order"]) for v in flagged]
    assert said == [
        ("p1", "ann", "preferring_against_a_gate"),
        ("p1", "bo", "preferring_where_both_fail"),
        ("p2", "bo", "preferring_against_a_gate"),
    ]


def test_unknown_subjects_are_refused_row_by_row_or_made_without_text(
    pairs: Project, tmp_path: Path
) -> None:
    names = ("p1", "new", "new")
    rows = [(s, f"r{n}", "preference", "", "tie", "", "") for n, s in enumerate(names)]
    file = written(tmp_path, csv_of(rows), "v.csv")
    before = every_table()
    refusal = refused_votes(pairs, file, "form@1")
    assert refusal.message == "Nothing was imported: 2 rows are refused."
    assert refusal.places == [(3, "subject", "unknown_subject"), (4, "subject", "unknown_subject")]
    assert every_table() == before
    report = import_votes(pairs, file, "form@1", "--partial", "--name", "partial")
    assert (report["rows"], report["created"], report["rejected"]) == (3, 1, 2)
    report = import_votes(pairs, file, "form@1", "--create-subjects", "--name", "made")
    assert (report["created"], report["subjects_made"]) == (3, 1)
    texts = Part.objects.filter(subject__external_id="new").values_list("key", "text")
    assert sorted(texts) == [("A", None), ("B", None)]


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (("p1", "ann", "preference", "", "A_lot", "", ""), (2, "value", "outside_scale")),
        (("p1", "ann", "C9", "A", "yes", "", ""), (2, "criterion", "unknown_criterion")),
        (("p1", "ann", "G1", "", "pass", "", ""), (2, "side", "side")),
        (("p1", "ann", "preference", "A", "tie", "", ""), (2, "side", "side")),
        (("p1", "ann", "preference", "", "tie", "perhaps", ""), (2, "swapped", "bad_swapped")),
        (("p1", "ann", "preference", "", "tie", "", "noon"), (2, "at", "bad_time")),
        (("p1", "", "preference", "", "tie", "", ""), (2, "rater", "missing")),
    ],
)
def test_a_bad_row_is_named_by_line_and_field_and_nothing_comes_in(
    pairs: Project, tmp_path: Path, row: tuple[str, ...], place: tuple[int, str, str]
) -> None:
    good = ("p2", "bo", "preference", "", "tie", "", "")
    file = written(tmp_path, csv_of([row, good]), "v.csv")
    before = every_table()
    assert refused_votes(pairs, file, "form@1").places == [place]
    assert every_table() == before
    report = import_votes(pairs, file, "form@1", "--partial")
    assert (report["created"], report["rejected"], report["votes"]) == (1, 1, 1)


def test_a_missing_column_is_named(pairs: Project, tmp_path: Path) -> None:
    file = written(tmp_path, "subject,rater,value\np1,ann,tie\n", "v.csv")
    refusal = refused_votes(pairs, file, "form@1")
    assert refusal.places == [(1, "criterion", "missing_column")]
    refusal = refused_votes(pairs, file, "form@1", "--column", "preference=pref")
    assert refusal.places == [(1, "pref", "missing_column")]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--column", "C9=x"), "the rubric has no"),
        (("--column", "G1=x"), "the side must be A or B"),
        (("--value", "1=nonsense"), "is on no scale"),
        (("--map", "colour=x"), "is not a field of this import"),
        (("--name", "x" * 121), "at most 120 characters"),
    ],
)
def test_flags_that_cannot_be_followed_are_refused(
    pairs: Project, tmp_path: Path, flags: tuple[str, ...], message: str
) -> None:
    file = written(tmp_path, csv_of([("p1", "ann", "preference", "", "tie", "", "")]), "v.csv")
    assert message in refused_votes(pairs, file, "form@1", *flags).message
    assert not Batch.objects.exists()


def test_an_unknown_rubric_is_refused_with_those_that_there_are(
    pairs: Project, tmp_path: Path
) -> None:
    file = written(tmp_path, LONG, "v.csv")
    message = refused_votes(pairs, file, "form@7").message
    assert "form@7" in message
    assert "Published: form@1." in message


def test_the_same_file_under_the_same_name_changes_nothing(pairs: Project, tmp_path: Path) -> None:
    rows = [("p1", r, "preference", "", "tie", "", "") for r in ("ann", "bo")]
    file = written(tmp_path, csv_of(rows), "v.csv")
    import_votes(pairs, file, "form@1")
    before = every_table()
    report = import_votes(pairs, file, "form@1")
    assert (report["unchanged"], report["created"]) == (2, 0)
    assert every_table() == before


def test_a_name_that_is_taken_is_refused_for_another_file_or_reading(
    pairs: Project, tmp_path: Path
) -> None:
    row = ("p1", "ann", "preference", "", "tie", "", "")
    import_votes(pairs, written(tmp_path, csv_of([row]), "v.csv"), "form@1")
    before = every_table()
    other = written(tmp_path, csv_of([row, row]), "other.csv")
    taken = "There are imported votes “v” already"
    assert refused_votes(pairs, other, "form@1", "--name", "v").message.startswith(taken)
    same = tmp_path / "v.csv"
    read_otherwise = ("--value", "tie=A_much")
    assert refused_votes(pairs, same, "form@1", *read_otherwise).message.startswith(taken)
    assert every_table() == before


def test_a_file_whose_every_value_is_missing_holds_no_ratings(
    pairs: Project, tmp_path: Path
) -> None:
    file = written(tmp_path, csv_of([("p1", "ann", "preference", "", "", "", "")]), "v.csv")
    before = every_table()
    assert refused_votes(pairs, file, "form@1").message.endswith("holds no ratings.")
    assert every_table() == before


def test_an_import_that_breaks_in_the_middle_leaves_nothing(
    pairs: Project, lead: User, client: Client, tmp_path: Path
) -> None:
    rows = [("new", f"r{n}", "preference", "", "tie", "", "") for n in range(400)]
    file = written(tmp_path, csv_of(rows), "v.csv")
    client.force_login(lead)
    before = every_table()

    def progress(done: int, total: int | None) -> None:
        if total is not None:
            staged = Batch.objects.get()
            assert Vote.objects.count() == imports.CHUNK
            assert not Batch.objects.visible().exists()
            page = client.get(f"/p/{pairs.slug}/imported/{staged.name}/")
            assert page.status_code == 404
            raise KeyboardInterrupt

    params = {"name": "v", "file_name": "v.csv", "map": [], "column": [], "value": []}
    switches = {"anonymous_raters": False, "create_subjects": True, "repair": False}
    version = pairs.rubrics.get().versions.get()
    source = vote_file(version, file, params | switches)
    with pytest.raises(KeyboardInterrupt):
        import_votes_action(source=source, acting_user=None, progress=progress)
    after = every_table()
    assert after.pop("annotate.Import") == before.pop("annotate.Import") + 1
    assert after.pop("projects.Event") == before.pop("projects.Event") + 1
    assert after == before
    assert import_votes(pairs, file, "form@1", "--create-subjects")["votes"] == 400


def test_a_name_that_is_taken_while_the_file_is_read_is_refused(
    pairs: Project, tmp_path: Path
) -> None:
    row = ("p1", "ann", "preference", "", "tie", "", "")
    file = written(tmp_path, csv_of([row]), "v.csv")
    params = {"name": "v", "file_name": "v.csv", "map": [], "column": [], "value": []}
    switches = {"anonymous_raters": False, "create_subjects": False, "repair": False}
    source = vote_file(pairs.rubrics.get().versions.get(), file, params | switches)

    def overtake(done: int, total: int | None) -> None:
        if total is None:
            import_votes(pairs, file, "form@1")

    with pytest.raises(ImportRefused, match="already"):
        import_votes_action(source=source, acting_user=None, progress=overtake)
    assert Batch.objects.count() == 1
    assert Vote.objects.count() == 1


def test_a_rater_who_is_a_member_is_not_taken_for_one_in_a_file(
    pairs: Project, expert: User, tmp_path: Path
) -> None:
    """A name in a file is no proof of who it was: imported raters are raters of their own."""
    Rater.objects.create(project=pairs, user=expert, kind=Rater.Kind.PERSON, name="expert")
    row = ("p1", "expert", "preference", "", "tie", "", "")
    import_votes(pairs, written(tmp_path, csv_of([row]), "v.csv"), "form@1")
    assert Vote.objects.get().rater.user is None


def test_pairs_with_imported_votes_keep_their_content(pairs: Project, tmp_path: Path) -> None:
    row = ("p1", "ann", "preference", "", "tie", "", "")
    import_votes(pairs, written(tmp_path, csv_of([row]), "v.csv"), "form@1")
    changed = written(tmp_path, jsonl([pair("p1", prompt="Other?"), pair("p2", prompt="Other?")]))
    report = import_pairs(pairs, changed, "--partial")
    assert (report["updated"], report["rejected"]) == (1, 1)
    assert Subject.objects.get(external_id="p1").pair.messages[0]["content"] == "Prompt of p1?"
