"""Plain ways to run the import commands and to look at what they left behind."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError

from rubrics.actions import import_rubric, publish

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from projects.models import Project
    from rubrics.models import RubricVersion

HEADER = "id,prompt,response_a,response_b\n"


@dataclass
class Refusal:
    message: str
    report: dict[str, Any]

    @property
    def places(self) -> list[tuple[int, str, str]]:
        return [(row["line"], row["field"], row["code"]) for row in self.report["problems"]]


def pair(external_id: object, **changed: Any) -> dict[str, Any]:
    """A row of a pairs file, whose texts are its own; ABSENT takes a field away."""
    row = {
        "id": external_id,
        "prompt": f"Prompt of {external_id}?",
        "response_a": f"First of {external_id}.",
        "response_b": f"Second of {external_id}.",
    }
    return {name: value for name, value in {**row, **changed}.items() if value != "ABSENT"}


def written(folder: Path, content: str | bytes, name: str = "pairs.jsonl") -> Path:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def jsonl(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def import_pairs(project: Project, file: Path, *flags: str) -> dict[str, Any]:
    return _report("import_pairs", str(file), "--project", project.slug, *flags)


def refused_pairs(project: Project, file: Path, *flags: str) -> Refusal:
    return _refusal("import_pairs", str(file), "--project", project.slug, *flags)


def import_votes(project: Project, file: Path, rubric: str, *flags: str) -> dict[str, Any]:
    command = ("import_votes", str(file), "--project", project.slug, "--rubric", rubric)
    return _report(*command, *flags)


def refused_votes(project: Project, file: Path, rubric: str, *flags: str) -> Refusal:
    command = ("import_votes", str(file), "--project", project.slug, "--rubric", rubric)
    return _refusal(*command, *flags)


def reliability(project: Project, name: str) -> dict[str, Any]:
    out = io.StringIO()
    command = ("reliability", "--project", project.slug, "--imported", name, "--json")
    call_command(*command, stdout=out)
    return {row["criterion"]: row for row in json.loads(out.getvalue())["criteria"]}


def publish_rubric(project: Project, source: str) -> RubricVersion:
    version = import_rubric(project=project, source=source, acting_user=None)
    return publish(version=version, change_note="Made for a test.", acting_user=None)


def every_table() -> dict[str, int]:
    """How many rows each table has."""
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def _report(*command: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command(*command, "--json", stdout=out, stderr=io.StringIO())
    report: dict[str, Any] = json.loads(out.getvalue())
    counted = report["created"] + report["updated"] + report["unchanged"] + report["rejected"]
    assert counted == report["rows"]
    return report


def _refusal(*command: str) -> Refusal:
    out = io.StringIO()
    try:
        call_command(*command, "--json", stdout=out, stderr=io.StringIO())
    except CommandError as refusal:
        printed = out.getvalue()
        report = json.loads(printed) if printed else {"problems": []}
        done = [report.get(word, 0) for word in ("created", "updated", "unchanged")]
        assert done == [0, 0, 0], "a refused import says that it did something"
        return Refusal(str(refusal), report)
    raise AssertionError(f"{command[0]} was not refused: {out.getvalue()}")
