"""The road that README describes, walked command by command from an empty installation."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command

from annotate.models import Assignment, Batch
from projects.models import Event, Project, User
from tests.making import make_vote

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAIRS = 40
EXPERTS = ("ana", "ben", "cho")


def road() -> list[list[str]]:
    """The commands of the section, in their order."""
    section = README.read_text().split("## The road, by hand")[1].split("\n## ")[0]
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL)).replace("\\\n", " ")
    lines = [shlex.split(line, comments=True) for line in blocks.splitlines() if line]
    assert {line[0] for line in lines} == {"manage.py"}
    return [line[1:] for line in lines]


def table(file: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the section names, and the fixtures of the checkout."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    texts = ("id", "prompt", "response_a", "response_b")
    pairs = [{name: f"{name} {n}" for name in texts} for n in range(PAIRS)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    rated = [(f"id {n}", rater, n % 3) for n in range(9) for rater in EXPERTS]
    table(tmp_path / "ratings.csv", ("subject", "rater", "label"), rated)
    table(tmp_path / "scores.csv", ("unit", "rater", "value"), rated)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def label_everything() -> None:
    """What the experts do while `serve` runs."""
    for assignment in Assignment.objects.select_related("rater__user", "subject", "batch__version"):
        wins = assignment.subject_id % 2
        make_vote(assignment, {"preference": "A_slight" if wins else "B_much"})


@pytest.mark.django_db(transaction=True)
def test_the_road_by_hand_leads_where_readme_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not Project.objects.exists()
    assert not User.objects.exists()
    printed: dict[str, str] = {}
    for command in road():
        if command == ["serve"]:
            label_everything()
            continue
        call_command(*command)
        printed[command[0]] = capsys.readouterr().out
    assert {batch.name or batch.number for batch in Batch.objects.all()} == {1, "pilot"}
    assert "40 of 40 pairs exported" in printed["export_pairs"]
    lines = (folder / "release-1" / "pairs.jsonl").read_text().splitlines()
    assert len(lines) == PAIRS
    # All agree, on nine units of three labels: alpha is 1.
    assert "1.000" in printed["alpha"]
    every_step_names_who_took_it()


def every_step_names_who_took_it() -> None:
    lena = User.objects.get(username="lena")
    nameless = Event.objects.filter(actor=None).values_list("verb", flat=True)
    # Before Lena's account is there, only the operator can be named.
    assert set(nameless) <= {"project.created", "account.created", "member.added"}
    assert Event.objects.filter(actor=lena, data__operator__isnull=False).count() >= 6
