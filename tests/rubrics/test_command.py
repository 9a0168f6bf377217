from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from rubrics import document
from rubrics.actions import edit_draft
from rubrics.models import Criterion, Rubric, RubricVersion
from tests.rubrics.making import make_draft, make_published, make_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from projects.models import Project

# The shape of the compact example that the format was asked to accept as it stands.
COMPACT = """\
task: adjuster-file-summary
rubric_version: 3
gates:
  - id: G1
    check: "Every dollar amount and date matches the claim file"
  - id: G2
    check: "No coverage decision is stated that the file does not record"
criteria:
  - id: C1
    weight: 3
    check: "The first sentence states the cause and the date of loss"
    pass_example: "On 14 March a supply line failed and flooded the kitchen."
    fail_example: "This file concerns a water loss at the insured's home."
  - id: C2
    weight: 2
    check: "Every open item names its owner"
preference:
  scale: [A_much, A_slight, tie, B_slight, B_much]
  rationale: must cite gate or criterion ids
"""


def run(command: str, *args: str, project: str = "claims", **options: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(command, *args, project=project, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def written(folder: Path, content: str | bytes, name: str = "rubric.yaml") -> str:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(file)


def refusal(folder: Path, content: str | bytes) -> str:
    with pytest.raises(CommandError) as caught:
        run("import_rubric", written(folder, content))
    assert not Rubric.objects.exists()
    return str(caught.value)


def test_the_compact_example_is_accepted_as_it_stands(project: Project, tmp_path: Path) -> None:
    out, err = run("import_rubric", written(tmp_path, COMPACT))

    version = RubricVersion.objects.get()
    assert (version.number, version.status) == (3, "draft")
    assert out == f"adjuster-file-summary@3 is draft: {version.digest}\n"
    assert "G1 has no pass anchor" in err
    assert "C1" not in err
    checks = list(
        version.criteria.values_list("key", "kind", "family", "level", "values", "weight")
    )
    assert checks == [
        ("G1", "gate", "side", "nominal", ["pass", "fail"], None),
        ("G2", "gate", "side", "nominal", ["pass", "fail"], None),
        ("C1", "criterion", "side", "nominal", ["yes", "no"], 3.0),
        ("C2", "criterion", "side", "nominal", ["yes", "no"], 2.0),
        (
            "preference",
            "preference",
            "subject",
            "ordinal",
            ["A_much", "A_slight", "tie", "B_slight", "B_much"],
            None,
        ),
    ]
    anchors = version.criteria.get(key="C1").anchors.values_list("verdict", "origin")
    assert list(anchors) == [("pass", "invented"), ("fail", "invented")]


def test_the_demo_rubric_is_accepted_without_a_warning(project: Project) -> None:
    _, err = run("import_rubric", "fixtures/demo/rubric.yaml", publish="The demo.")

    assert err == ""
    assert RubricVersion.objects.get().status == "published"
    assert Criterion.objects.count() == 9


def test_publishing_at_once_says_which_checks_have_no_reason_of_their_own(
    project: Project, tmp_path: Path
) -> None:
    first = make_published(project)
    changed = make_yaml(number=2, gate="Amounts match the estimate.", weight=9)
    out, _ = run("import_rubric", written(tmp_path, changed), publish="Clearer.")
    assert "Nobody had written why G1 and C1 changed: their notes say what changed" in out
    edit_draft(
        version=first.rubric.versions.get(number=2),
        kind="reword",
        detail={"key": "G1", "text": "Every amount matches."},
        note="Raters asked which amounts.",
        acting_user=None,
    )
    draft = document.dump(first.rubric.versions.drafts().get().content)
    out, _ = run("import_rubric", written(tmp_path, draft), publish="Clearer still.")
    assert "is published" in out
    assert "Nobody had written" not in out


def test_publish_publishes_at_once_and_again_changes_nothing(
    project: Project, tmp_path: Path
) -> None:
    file = written(tmp_path, COMPACT)
    run("import_rubric", file, publish="The first version.")

    out, _ = run("import_rubric", file, publish="Another note.")

    version = RubricVersion.objects.get()
    assert "is published" in out
    assert version.change_note == "The first version."


def test_a_slug_may_be_given(project: Project, tmp_path: Path) -> None:
    run("import_rubric", written(tmp_path, COMPACT), slug="summary")
    assert Rubric.objects.get().slug == "summary"

    with pytest.raises(CommandError, match="cannot stand in an address"):
        run("import_rubric", written(tmp_path, COMPACT), slug="no slug/")


def test_a_dash_reads_standard_input(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(COMPACT.encode())))

    run("import_rubric", "-")

    assert RubricVersion.objects.get().number == 3


def test_malformed_yaml_names_line_and_column(project: Project, tmp_path: Path) -> None:
    said = refusal(tmp_path, "task: x\ncriteria:\n  - id: C1\n   check: y\n")

    assert "rubric.yaml is not imported" in said
    assert "line 4, column 4" in said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "[A_much, A_slight, tie, B_slight, B_much]",
            "[good, bad]",
            "line 18, preference.scale: unknown scale",
        ),
        ("id: G2", "id: G1", "line 6, gates.G1: the id G1 is already used in line 4"),
        ("weight: 2", "weight: 0", "line 15, criteria.C2.weight: weight must be greater than 0"),
        ("weight: 2", "weight: -1", "line 15, criteria.C2.weight: weight must be greater than 0"),
        ("weight: 2", "wieght: 2", "line 15, criteria.C2: unknown key “wieght”: did you mean"),
        ("rubric_version: 3", "rubric_version: three", "line 2, rubric_version"),
        ("task: adjuster-file-summary\n", "", "task is missing"),
    ],
)
def test_a_wrong_document_is_refused_with_line_and_key(
    project: Project, tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in COMPACT

    assert said in refusal(tmp_path, COMPACT.replace(old, new))


def test_every_problem_is_told_at_once(project: Project, tmp_path: Path) -> None:
    wrong = COMPACT.replace("weight: 2", "weight: 0").replace("id: G2", "id: G1")

    said = refusal(tmp_path, wrong)

    assert "weight must be greater than 0" in said
    assert "already used" in said


@pytest.mark.parametrize("content", ["", "# nothing\n", "task: x\n", "task: x\ngates: []\n"])
def test_an_empty_rubric_is_refused(project: Project, tmp_path: Path, content: str) -> None:
    assert "empty rubric" in refusal(tmp_path, content)


def test_a_file_in_another_encoding_is_refused_with_its_line(
    project: Project, tmp_path: Path
) -> None:
    said = refusal(tmp_path, COMPACT.replace("kitchen", "Küche").encode("latin-1"))

    assert "line 12: not valid UTF-8 text" in said


def test_a_file_that_is_not_there_is_said_so(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no file"):
        run("import_rubric", str(tmp_path / "none.yaml"))
    with pytest.raises(CommandError, match="There is no file"):
        run("import_rubric", str(tmp_path))


def test_a_taken_number_is_refused_with_the_free_one(project: Project, tmp_path: Path) -> None:
    run("import_rubric", written(tmp_path, COMPACT), publish="One.")

    with pytest.raises(CommandError, match="Set rubric_version to 4"):
        run("import_rubric", written(tmp_path, COMPACT.replace("weight: 2", "weight: 1")))


def test_an_unknown_project_is_said_so(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no project “elsewhere”.*claims"):
        run("import_rubric", written(tmp_path, COMPACT), project="elsewhere")


# export_rubric


def test_an_exported_version_reads_back_the_same(project: Project, tmp_path: Path) -> None:
    version = make_published(project)

    out, _ = run("export_rubric", "claim-letter@1")

    assert document.digest(document.parse(out).rubric) == version.digest
    again, _ = run("import_rubric", written(tmp_path, out))
    assert again == f"claim-letter@1 is published: {version.digest}\n"


def test_export_takes_the_latest_published_revision_or_the_one_named(project: Project) -> None:
    make_published(project, make_yaml(help="The first."))
    make_published(project, make_yaml(help="The second."))
    make_draft(project, make_yaml(help="The third."))
    make_draft(project, make_yaml(2, weight=2))

    assert "The second." in run("export_rubric", "claim-letter@1")[0]
    assert "The first." in run("export_rubric", "claim-letter@1.1")[0]
    assert "The third." in run("export_rubric", "claim-letter@1.3")[0]
    assert "rubric_version: 2" in run("export_rubric", "claim-letter@2")[0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("claim-letter@7", r"no claim-letter@7 in Claims. Versions here: claim-letter@1"),
        ("other@1", "no other@1"),
        ("claim-letter", "Name the version as SLUG@N"),
        ("claim-letter@x", "Name the version as SLUG@N"),
    ],
)
def test_a_version_that_is_not_there_is_said_so(project: Project, name: str, said: str) -> None:
    make_published(project)

    with pytest.raises(CommandError, match=said):
        run("export_rubric", name)
