"""`manage.py reliability` and `manage.py alpha`, and the JSON they document."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.actions.rounds import close_round
from annotate.actions.waivers import waive
from tests.annotate.test_probes import make_probes, make_rubric, start, vote_all
from tests.making import make_pairs, make_version, make_voted_round

if TYPE_CHECKING:
    from projects.models import Project, User

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "reliability-json.md"
ALIKE = {"C1": "yes no"}
SWAPPED = {"C1": "no yes"}


def run(*command: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(*command, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def strict(text: str) -> list[dict[str, Any]]:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    found: list[dict[str, Any]] = json.loads(text, parse_constant=refuse)["criteria"]
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ratings.csv"


def alpha(file: Path, text: str, *flags: str, level: str = "nominal") -> list[dict[str, Any]]:
    file.write_text(text, encoding="utf-8")
    return strict(run("alpha", str(file), "--level", level, "--json", *flags)[0])


def refused(file: Path, text: str, *flags: str, level: str = "nominal") -> str:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError) as refusal:
        run("alpha", str(file), "--level", level, *flags)
    return str(refusal.value)


def documented_keys() -> list[str]:
    return re.findall(r"^\| `(\w+)` \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_json_has_the_documented_keys_and_no_others(
    file: Path, project: Project, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[ALIKE, SWAPPED]])
    (from_file,) = alpha(file, "unit,rater,value\n1,a,x\n1,b,x\n")
    from_round = strict(run("reliability", "--project", "claims", "--round", "1", "--json")[0])
    of_a_round = list(from_round[0])[len(from_file) :]
    assert documented_keys() == [*from_file, *of_a_round] == list(from_round[0])
    assert of_a_round == ["minority_units", "status", "waived"]


def test_the_documented_example_is_what_the_command_prints(file: Path) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    table = re.search(r"```csv\n(.*?)```", text, re.DOTALL)
    printed = re.search(r"```json\n(.*?)```", text, re.DOTALL)
    assert table is not None
    assert printed is not None
    assert alpha(file, table[1], "--scale", "poor,fair,good", level="ordinal") == strict(printed[1])


def test_criteria_come_in_the_order_of_the_file(file: Path) -> None:
    found = alpha(file, "unit,rater,value,criterion\n1,a,x,tone\n1,b,x,tone\n1,a,y,length\n")
    assert [row["criterion"] for row in found] == ["tone", "length"]
    assert found[1]["reason"] == "no_pairable_units"


def test_without_a_criterion_column_the_values_are_of_one_criterion(file: Path) -> None:
    (row,) = alpha(file, "u,who,score\n1,a,1\n1,b,2\n2,a,2\n2,b,2\n", *(
        "--map", "unit=u", "--map", "rater=who", "--map", "value=score"
    ))  # fmt: skip
    assert row["criterion"] == "score"
    assert (row["units"], row["ratings"], row["agreement"]) == (2, 4, 0.5)


def test_ag_08_the_later_row_of_a_rater_on_a_unit_is_the_one_that_counts(file: Path) -> None:
    rows = "1,ann,pass 1,bo,pass 2,ann,fail 2,bo,pass 3,ann,fail 3,bo,fail 4,ann,pass 4,bo,fail"
    text = "\n".join(["unit,rater,value", *rows.split(), "2,ann,pass"])
    (row,) = alpha(file, text)
    assert row["alpha"] == pytest.approx(0.5333333333, abs=1e-9)
    _, said = run("alpha", str(file), "--level", "nominal")
    assert "1 rating was replaced by a later row" in said


def test_ag_12_rows_may_come_in_any_order(file: Path) -> None:
    matrix = [[1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 1, 1], [1, 0, 0, 0, 1, 0]]
    rows = [f"i{i},r{r},{v}" for r, row in enumerate(matrix) for i, v in enumerate(row)]
    for order in (rows, rows[::-1], sorted(rows)):
        (row,) = alpha(file, "\n".join(["unit,rater,value", *order]))
        assert row["alpha"] == pytest.approx(47 / 81, abs=1e-9)


def test_blank_values_are_missing_and_nan_is_a_label(file: Path) -> None:
    (row,) = alpha(file, "unit,rater,value\n1,a,nan\n1,b,nan\n2,a,x\n2,b,\n3,a,x\n3,b,x\n")
    assert (row["units"], row["units_total"], row["alpha"]) == (2, 3, 1)


def test_a_missing_column_is_named_with_those_there_are(file: Path) -> None:
    said = refused(file, "item,rater,value\n1,a,x\n")
    assert "line 1, unit: The file has no column unit. Its columns are item, rater, value." in said


def test_a_value_outside_the_scale_is_refused_with_its_line(file: Path) -> None:
    said = refused(
        file, "unit,rater,value\n1,a,poor\n1,b,bad\n", "--scale", "poor,good", level="ordinal"
    )
    assert 'ratings.csv, line 3, value: The value "bad" is not on the scale: poor, good.' in said


def test_words_without_an_order_are_no_ordinal_scale(file: Path) -> None:
    said = refused(file, "unit,rater,value\n1,a,poor\n", level="ordinal")
    assert "--scale poor,fair,good" in said
    assert "not a number, as the interval" in refused(
        file, "unit,rater,value\n1,a,x\n", level="interval"
    )


def test_numbers_on_a_scale_compare_as_numbers(file: Path) -> None:
    text = "unit,rater,value\n1,a,3.0\n1,b,3\n2,a,1\n2,b,1\n"
    (row,) = alpha(file, text, "--scale", "1,2,3", level="ordinal")
    assert row["alpha"] == 1
    (row,) = alpha(file, text, "--scale", "1,2,3", level="interval")
    assert row["alpha"] == 1


def test_one_criterion_can_be_measured_and_an_unknown_one_is_named(file: Path) -> None:
    text = "unit,rater,value,criterion\n1,a,1,len\n1,b,1,len\n1,a,good,tone\n"
    (row,) = alpha(file, text, "--only", "len", level="interval")
    assert row["criterion"] == "len"
    assert "No row is of the criterion style. The file has len, tone." in refused(
        file, text, "--only", "style"
    )


def test_many_problems_are_counted(file: Path) -> None:
    said = refused(file, "unit,rater,value\n" + ",a,x\n" * 30)
    assert said.count("has no unit") == 20
    assert said.endswith("… and 10 more")


def test_an_empty_file_and_a_missing_one_are_errors(file: Path, tmp_path: Path) -> None:
    assert "holds no rows" in refused(file, "")
    with pytest.raises(CommandError, match="There is no file"):
        run("alpha", str(tmp_path / "none.csv"), "--level", "nominal")


def test_without_json_there_is_a_table_with_counts_and_reasons(file: Path) -> None:
    file.write_text("unit,rater,value\n1,a,x\n1,b,x\n", encoding="utf-8")
    out, _ = run("alpha", str(file), "--level", "nominal")
    assert out.splitlines()[0].split()[:3] == ["criterion", "level", "alpha"]
    assert "undefined" in out
    assert "no variation: all 2 labels are x" in out
    assert "value labels: x: 2" in out


# Rounds and imports.


def test_a_round_prints_its_own_figures_and_the_version_those_of_all_rounds(
    project: Project, expert: User, other_expert: User
) -> None:
    version, raters = make_version(project), [expert, other_expert]
    make_voted_round(project, raters, [[ALIKE, SWAPPED]] * 2, version=version)
    make_voted_round(project, raters, [[ALIKE, ALIKE]] * 2, version=version)
    command = ("reliability", "--project", "claims", "--round", "2", "--json")
    out, said = run(*command)
    assert {row["criterion"]: row["alpha"] for row in strict(out)}["C1"] == 1
    assert "what clears is decided over rounds 1, 2: --pooled" in said
    out, said = run(*command, "--pooled")
    row = {row["criterion"]: row for row in strict(out)}["C1"]
    assert (row["units"], row["alpha"]) == (8, pytest.approx(1 / 16))
    assert "Pooled over rounds 1, 2 of summaries@1." in said


def test_op_06_undefined_figures_are_null_with_a_reason(
    project: Project, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[{}, {}]])
    rows = strict(run("reliability", "--project", "claims", "--round", "1", "--json")[0])
    assert {(row["alpha"], row["interval"], row["reason"]) for row in rows} == {
        (None, None, "no_variation")
    }


def test_the_table_says_what_each_check_comes_to(
    project: Project, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[ALIKE, ALIKE]] * 10)
    out, _ = run("reliability", "--project", "claims", "--round", "1")
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert lines["G1"].endswith("undefined") or "undefined" in out
    assert "clears" in next(line for line in out.splitlines() if line.startswith("C1 "))


def test_a_waived_check_is_told_with_its_reason(
    project: Project, expert: User, other_expert: User
) -> None:
    version = make_version(project)
    make_voted_round(project, [expert, other_expert], [[ALIKE, ALIKE]] * 10, version=version)
    waive(version=version, key="G1", reason="No claim of this book has one.", acting_user=None)
    command = ("reliability", "--project", "claims", "--round", "1")
    rows = {row["criterion"]: row for row in strict(run(*command, "--json")[0])}
    assert (rows["G1"]["status"], rows["G1"]["waived"]) == (
        "waived",
        "No claim of this book has one.",
    )
    assert (rows["C1"]["status"], rows["C1"]["waived"]) == ("clears_thin", None)
    table, _ = run(*command)
    assert next(one for one in table.splitlines() if one.startswith("G1 ")).endswith("waived")


def test_a_round_alone_has_no_status_where_several_decide(
    project: Project, expert: User, other_expert: User
) -> None:
    version, raters = make_version(project), [expert, other_expert]
    for _ in range(2):
        make_voted_round(project, raters, [[ALIKE, ALIKE]] * 10, version=version)
    command = ("reliability", "--project", "claims", "--round", "2", "--json")
    assert {row["status"] for row in strict(run(*command)[0])} == {None}
    assert None not in {row["status"] for row in strict(run(*command, "--pooled")[0])}


def test_probes_are_told_apart_once_their_round_is_closed(
    project: Project, expert: User, other_expert: User
) -> None:
    version = make_rubric(project)
    make_pairs(project, 3)
    batch = start(version, expert, other_expert, probes=make_probes(project, version))
    vote_all(batch, expert)
    vote_all(batch, other_expert)
    command = ("reliability", "--project", "claims", "--round", "1", "--json")
    assert json.loads(run(*command)[0])["probes"] == []
    close_round(batch=batch, acting_user=None)
    (found,) = json.loads(run(*command)[0])["probes"]
    low, high = found.pop("interval")
    assert found == {"criterion": "G2", "planted": 2, "answered": 2, "caught_by_all": 2}
    assert (0 < low < 1, high) == (True, 1.0)


def test_an_open_round_is_measured_with_a_warning(
    project: Project, expert: User, other_expert: User
) -> None:
    make_voted_round(project, [expert, other_expert], [[ALIKE, ALIKE]], close=False)
    _, said = run("reliability", "--project", "claims", "--round", "1")
    assert "Round 1 is still open: these figures will change." in said


def test_an_unknown_round_is_named_with_those_there_are(project: Project) -> None:
    with pytest.raises(CommandError, match=r"There is no round 3 in Claims\. Rounds: none yet\."):
        run("reliability", "--project", "claims", "--round", "3")
