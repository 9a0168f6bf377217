"""The whole road of imported ratings, as a user walks it: one command after the other."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.management import call_command, get_commands
from django.core.management.base import CommandError
from django.db import transaction

from tests.making import make_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django import DjangoDbBlocker


@dataclass
class Road:
    """A project and a folder of its own."""

    slug: str
    folder: Path

    def rubric(self, source: str) -> None:
        file = self.folder / "rubric.yaml"
        file.write_text(source, encoding="utf-8")
        run("import_rubric", str(file), "--project", self.slug, "--publish", "As published.")

    def subjects(self, file: Path, *flags: str) -> dict[str, Any]:
        return report(run("import_pairs", str(file), "--project", self.slug, "--json", *flags))

    def votes(self, file: Path, rubric: str, *flags: str) -> dict[str, Any]:
        command = ("import_votes", str(file), "--project", self.slug, "--rubric", rubric)
        return report(run(*command, "--json", *flags))

    def refused(self, command: str, *flags: str) -> str:
        """Why a command of this project refuses."""
        try:
            run(command, *flags, "--project", self.slug)
        except CommandError as refusal:
            return str(refusal)
        raise AssertionError(f"{command} was not refused")

    def reliability(self, name: str) -> dict[str, Any]:
        """What `reliability --json` prints, by criterion."""
        if "reliability" not in get_commands():
            return {r["criterion"]: r for r in report(_computed(self.slug, name))["criteria"]}
        out = run("reliability", "--project", self.slug, "--imported", name, "--json")
        return {row["criterion"]: row for row in report(out)["criteria"]}

    def export(self, name: str, policy: str) -> dict[str, Any]:
        """The manifest, with the lines of the pairs file under `rows`."""
        folder = self.folder / f"{name}-{policy}"
        command = ("export_pairs", "--project", self.slug, "--imported", name)
        run(*command, "--format", "trl", "--policy", policy, "--out", str(folder))
        manifest = report((folder / "manifest.json").read_text(encoding="utf-8"))
        lines = (folder / "pairs.jsonl").read_text(encoding="utf-8").split("\n")
        return {**manifest, "rows": [json.loads(line) for line in lines if line]}


def run(*command: str) -> str:
    out = io.StringIO()
    call_command(*command, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def report(text: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(text)
    return parsed


@contextmanager
def walked(blocker: DjangoDbBlocker, slug: str, folder: Path) -> Iterator[Road]:
    """A road whose rows are gone afterwards: only what it printed is kept."""
    with blocker.unblock(), transaction.atomic():
        make_project(slug)
        yield Road(slug, folder)
        transaction.set_rollback(True)


def _computed(slug: str, name: str) -> str:
    from annotate import ratings
    from annotate.models import Batch
    from annotate.reliability import reliability

    batch = Batch.objects.get(project__slug=slug, name=name)
    frame = ratings.ratings([batch])
    criteria = [
        reliability(
            ratings.for_reliability(frame, c.key),
            criterion=c.key,
            level=c.level,  # type: ignore[arg-type]
            scale=list(c.values) or None,
            resamples=1000,
        ).public()
        for c in batch.version.criteria.all()
    ]
    outcome = reliability(
        ratings.for_reliability(frame, "outcome"), criterion="outcome", level="nominal", scale=None
    )
    return json.dumps({"criteria": [*criteria, outcome.public()]})
