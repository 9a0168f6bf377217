"""Rubric documents and versions for tests; each takes only what the test cares about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rubrics.actions import import_rubric, publish

if TYPE_CHECKING:
    from projects.models import Project
    from rubrics.models import RubricVersion

YAML = """\
task: claim-letter
name: Claim letters
rubric_version: {number}
gates:
  - id: G1
    title: Amounts match
    check: {gate}
    help: {help}
    anchors:
      - verdict: pass
        origin: real
        text: We are sending $4,120.00.
        note: The estimate says so.
      - {{verdict: fail, origin: invented, text: We are sending about four thousand.}}
criteria:
  - id: C1
    weight: {weight}
    check: The first paragraph states the decision.
    allows_na: true
    pass_example: We have approved your claim.
  - id: C2
    weight: 1
    check: How plain is the language?
    level: ordinal
    values: [low, middling, high]
automatic:
  - id: A1
    check: The letter has at most 250 words.
    rule: {{max_words: 250}}
preference:
  scale: 5
  rationale: Cite what decided it.
"""


def make_yaml(
    number: int = 1,
    *,
    gate: str = "Every amount matches the claim file.",
    help: str = "Fails on any amount that differs.",  # noqa: A002 - the key's own name
    weight: float = 3,
) -> str:
    return YAML.format(number=number, gate=gate, help=help, weight=weight)


def make_draft(project: Project, source: str | None = None) -> RubricVersion:
    return import_rubric(project=project, source=source or make_yaml(), acting_user=None)


def make_published(
    project: Project, source: str | None = None, *, note: str = "The first version."
) -> RubricVersion:
    draft = make_draft(project, source)
    return publish(version=draft, change_note=note, acting_user=None)
