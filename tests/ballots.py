"""Filled ballots as a form sends them, under one small rubric with gates, criteria and scales."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from annotate.actions.rounds import start_round
from annotate.models import Assignment
from tests.making import make_pair, make_rubric_version

if TYPE_CHECKING:
    from annotate.models import Batch
    from projects.models import Project, User

RUBRIC = """
task: file-summaries
name: File summaries
rubric_version: 1
gates:
  - id: G1
    title: Amounts match the file
    check: Every amount in the summary is the one in the file.
    help: Rounding counts as a difference.
    anchors:
      - {verdict: pass, origin: real, text: "Estimate $18,240.50."}
      - {verdict: fail, origin: invented, text: "About $18,000.", note: "Rounded."}
  - id: G2
    check: No coverage decision that the file lacks.
    allows_na: true
criteria:
  - id: C1
    check: The first sentence names the cause of loss.
  - id: C2
    check: Every open item is listed.
    allows_na: true
preference:
  scale: 5
  check: Which summary would you rather pick the file up from?
"""
PREFERENCE_ONLY = """
task: preference-only
preference:
  scale: 3
"""
SCALES = """
task: scales
criteria:
  - {id: C1, check: How clear is it?, level: ordinal, values: ["1", "2", "3", "4", "5"]}
  - {id: C2, check: Words of padding., level: interval, range: [0, 100], allows_na: true}
  - {id: C3, check: The two say the same., family: subject}
"""
CHECKS = ("G1", "G2", "C1", "C2")


def filled(**changes: str) -> dict[str, str]:
    """A whole answer: gates pass, C1 differs, Left slightly. `G1_Left="fail"` changes a label,
    `preference`, `rationale` and the like by their names, '' takes a field away."""
    form = {
        f"label:{key}:{side}": "pass" if key.startswith("G") else "yes"
        for key in CHECKS
        for side in ("Left", "Right")
    }
    form["label:C1:Right"] = "no"
    form["preference"] = "2"
    form["rationale"] = "[C1] decides: [Left] names the cause."
    for name, value in changes.items():
        key, _, side = name.partition("_")
        form[f"label:{key}:{side}" if key in CHECKS else name] = value
    return {name: value for name, value in form.items() if value != ""}


def submission(**changes: str) -> dict[str, str]:
    return {**filled(**changes), "action": "submit", "submit_key": str(uuid4())}


def make_label_round(project: Project, *raters: User, size: int = 2, rubric: str = RUBRIC) -> Batch:
    """An open round; its pairs carry what must never show."""
    version = make_rubric_version(project, rubric)
    for n in range(size):
        make_pair(
            project,
            f"external-{n}",
            prompt=f"Summarise file {n}.",
            context="The **file** says $18,240.50.",
            response_a=f"Canonical first text {n}.",
            response_b=f"Canonical second text {n}.",
            model_a="model-alpha",
            model_b="model-beta",
            batch_of_origin="secret-metadata",
        )
    return start_round(
        project=project, version=version, raters=raters, size=size, seed=1, acting_user=None
    )


def first_of(batch: Batch, user: User, order: str = "") -> Assignment:
    """A rater's first assignment, with the sides in the order a test asks for."""
    assignment = Assignment.objects.of_user(user).filter(batch=batch).in_queue_order()[0]
    if order:
        Assignment.objects.filter(pk=assignment.pk).update(order=order)
    return Assignment.objects.select_related("batch__version", "rater").get(pk=assignment.pk)
