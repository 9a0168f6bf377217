"""The steps of a pair that nobody has touched are written once: never another pair's, nor a
person's with other keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.template.loader import render_to_string

from annotate.models import Batch
from annotate.pages.label import label_page
from annotate.templatetags import label_parts
from projects.models import User
from tests.ballots import PREFERENCE_ONLY, RUBRIC, SCALES, first_of, make_label_round
from tests.making import make_member, make_project

if TYPE_CHECKING:
    from projects.models import Project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_written_yet() -> None:
    label_parts._untouched.clear()


KINDS = {
    "plain": (RUBRIC, True),
    "another wording": (RUBRIC.replace("Amounts match the file", "Sums match the file"), True),
    "not asked after a gate": (RUBRIC, False),
    "scales": (SCALES, True),
    "preference only": (PREFERENCE_ONLY, True),
}


def test_what_is_written_once_is_what_each_page_would_be() -> None:
    seen: set[str] = set()
    for number, (rubric, after_gate) in enumerate(KINDS.values()):
        project = make_project(f"project-{number}")
        raters = [make_member(project, "expert", username=f"rater-{number}-{n}") for n in range(2)]
        batch = make_label_round(project, *raters, rubric=rubric)
        Batch.objects.filter(pk=batch.pk).update(ask_after_gate=after_gate)
        for order in ("AB", "BA"):
            assignment = first_of(batch, raters[0], order)
            for hands in User.Keys.values:
                page = label_page(assignment, hands=hands)
                assert page.untouched is not None
                alone = render_to_string("annotate/label_steps.html", {"page": page})
                assert label_parts.label_steps(page) == alone
                assert label_parts.label_steps(page) == alone
                seen.add(alone)
    # Left and Right look the same whichever response stands there; all else looks different.
    assert len(seen) == len(KINDS) * len(User.Keys.values)


def test_a_page_with_answers_is_never_kept(
    project: Project, expert: User, other_expert: User
) -> None:
    assignment = first_of(make_label_round(project, expert, other_expert), expert)
    fresh = label_parts.label_steps(label_page(assignment))
    begun = label_page(assignment, fields={"label:G1:Left": "fail", "rationale": "mine alone"})
    assert begun.untouched is None
    assert "mine alone" in label_parts.label_steps(begun)
    assert label_parts.label_steps(label_page(assignment)) == fresh
    assert "mine alone" not in fresh
