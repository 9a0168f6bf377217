"""Which version stands for its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rubrics.actions import import_rubric, publish
from rubrics.models import RubricVersion
from tests.making import RUBRIC, make_version

if TYPE_CHECKING:
    from projects.models import Project


def revise(project: Project, *, published: bool) -> RubricVersion:
    """The same meaning in the first version of the task, with a help text mended."""
    source = RUBRIC.format(task="summaries", number=1).replace(
        "criteria:", "    help: Look at the totals.\ncriteria:"
    )
    version = import_rubric(project=project, source=source, acting_user=None)
    if published:
        publish(version=version, change_note="A help text.", acting_user=None)
    return version


def names(project: Project) -> list[str]:
    latest = RubricVersion.objects.of_project(project).latest_revisions()
    return [str(version) for version in latest.order_by("number")]


def test_a_published_revision_stands_for_its_number_before_a_draft(project: Project) -> None:
    make_version(project)
    make_version(project, number=2, published=False)
    revise(project, published=False)
    assert names(project) == ["summaries@1", "summaries@2"]


def test_the_latest_published_revision_stands_for_its_number(project: Project) -> None:
    make_version(project)
    revise(project, published=True)
    assert names(project) == ["summaries@1.2"]


def test_numbers_of_different_rubrics_stand_apart_and_the_next_one_is_free(
    project: Project,
) -> None:
    first = make_version(project)
    make_version(project, task="replies")
    assert len(names(project)) == 2
    assert first.rubric.versions.next_number() == 2
    assert RubricVersion.objects.none().next_number() == 1
