"""The claim files of the demo, and the pairs made of them."""

from __future__ import annotations

import json
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from django.conf import settings

from annotate import ingest
from annotate.actions.subject_imports import import_subjects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from projects.models import Project, User

FIXTURES = Path(settings.BASE_DIR) / "fixtures" / "demo"
SEED = 20261
MODELS = ("deskwriter-2", "file-digest-small")
PROMPT = (
    "Summarise this claim file for the desk adjuster who takes it over today. Say what happened, "
    "what it costs, what is still open and who has it. Half a page at most."
)


def claims() -> Iterator[dict[str, Any]]:
    """The claim files as written, in a settled order."""
    return iter(_claims())


@cache
def _claims() -> tuple[dict[str, Any], ...]:
    files = sorted((FIXTURES / "claims").glob("*.yaml"))
    return tuple(claim for file in files for claim in yaml.safe_load(file.read_bytes()))


@cache
def story() -> dict[str, Any]:
    """How the demo goes from round to round: fixtures/demo/story.yaml."""
    found: dict[str, Any] = _read("story.yaml")
    return found


def known_answers() -> dict[str, list[dict[str, str]]]:
    """What the lead writes down for the raters, by use: fixtures/demo/gold.yaml."""
    found: dict[str, list[dict[str, str]]] = _read("gold.yaml")
    return found


def import_claims(project: Project, lead: User) -> None:
    """Import the claims as pairs; which model wrote which side is drawn, not planted."""
    dice = random.Random(SEED)  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "claims.jsonl"
        with file.open("w", encoding="utf-8") as stream:
            for claim in claims():
                stream.write(json.dumps(_row(claim, dice), ensure_ascii=False) + "\n")
        import_subjects(
            project=project, file=file, fields=ingest.field_map("pair"), acting_user=lead
        )


def _row(claim: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    model_a, model_b = dice.sample(MODELS, 2)
    return {
        "id": claim["id"],
        "prompt": PROMPT,
        "context": claim["file"],
        "response_a": claim["a"],
        "response_b": claim["b"],
        "model_a": model_a,
        "model_b": model_b,
        "metadata": {"peril": claim["peril"]},
    }


def _read(name: str) -> Any:
    return yaml.safe_load((FIXTURES / name).read_bytes())
