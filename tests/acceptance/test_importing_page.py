"""Every command on docs/importing.md's worked examples, run as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import call_command

from annotate.models import Batch, Subject, Vote
from projects.models import Project
from tests.making import make_project

PAGE = Path(__file__).resolve().parents[2] / "docs" / "importing.md"


def worked_examples() -> str:
    return PAGE.read_text().split("## Worked examples")[1]


def rubrics(page: str) -> dict[str, str]:
    return dict(re.findall(r"`([a-z]+\.yaml)`:\n\n```yaml\n(.*?)```", page, re.DOTALL))


def commands(page: str) -> list[list[str]]:
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL)).replace("\\\n", " ")
    return [shlex.split(line)[1:] for line in blocks.splitlines() if line]


@pytest.fixture
def data(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in shared.iterdir():
        (tmp_path / folder.name).symlink_to(folder)
    for name, text in rubrics(worked_examples()).items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.django_db(transaction=True)
def test_the_worked_examples_do_what_the_page_says(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    research, tulu = make_project("research"), make_project("tulu")
    for command in commands(worked_examples()):
        call_command(*command)
    report = capsys.readouterr()
    for rows in ("999 rows: 999 created", "996 rows: 996 created", "100 rows: 100 created"):
        assert rows in report.out
    assert "error" not in report.err
    assert votes_of(research) == {"PandaLM": 2_997, "HANNA": 300, "LLM-Rubric": 726}
    assert votes_of(tulu) == {"Tulu": 1_141}
    assert Vote.objects.filter(batch__name="Tulu").count() == 1_150
    assert Subject.objects.filter(project=tulu).count() == 996


def votes_of(project: Project) -> dict[str, int]:
    batches = Batch.objects.filter(project=project)
    return {batch.name: batch.votes.filter(current=True).count() for batch in batches}
