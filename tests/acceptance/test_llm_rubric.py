"""250 conversations whose texts could not be had: 24 raters, nine questions answered 1 to 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from annotate.models import Part, Subject
from tests.acceptance.conftest import agrees
from tests.acceptance.road import walked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django import DjangoDbBlocker

QUESTIONS = tuple(f"Q{n}" for n in range(9))
RUBRIC = "task: conversations\nsubject: answer\ncriteria:\n" + "".join(
    f"  - {{id: {key}, check: Question {key}., level: ordinal, values: ['1', '2', '3', '4']}}\n"
    for key in QUESTIONS
)
VOTES = (
    *("--name", "raters", "--map", "subject=item_id", "--map", "rater=rater_id"),
    *("--value", "0=", "--create-subjects"),
)


@pytest.fixture(scope="module")
def llm_rubric(
    data: Path,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Any]]:
    file = data / "llm_rubric" / "ratings.csv"
    with walked(django_db_blocker, "llm", tmp_path_factory.mktemp("llm")) as road:
        road.rubric(RUBRIC)
        votes = road.votes(file, "conversations@1", *VOTES)
        assert (votes["relabelled"], votes["raters"]) == (9, 24)
        assert votes["subjects_made"] == Subject.objects.count()
        assert set(Part.objects.values_list("text", flat=True)) == {None}
        yield road.reliability("raters")


@pytest.mark.parametrize("key", QUESTIONS)
def test_each_question_has_the_reference_ordinal_agreement(
    llm_rubric: dict[str, Any], expected: dict[str, Any], key: str
) -> None:
    agrees(llm_rubric[key], expected[f"llm_rubric/{key}"], "ordinal")


def test_the_two_figures_that_the_issue_names(llm_rubric: dict[str, Any]) -> None:
    assert round(llm_rubric["Q0"]["alpha"], 6) == 0.043514
    assert round(llm_rubric["Q3"]["alpha"], 6) == 0.314536
