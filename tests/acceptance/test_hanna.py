"""100 answers, three anonymous ratings each, six yes/no criteria, one of them without variation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.conftest import agrees
from tests.acceptance.road import walked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django import DjangoDbBlocker

CRITERIA = (
    "guidelines",
    "syntax",
    "superfluous",
    "incorrectness",
    "unsubstantiated",
    "incoherence",
)
RUBRIC = "task: hanna\nsubject: answer\ncriteria:\n" + "".join(
    f"  - {{id: {key}, check: The explanation shows {key}.}}\n" for key in CRITERIA
)
VOTES = (
    *("--name", "study", "--map", "subject=item_id", "--map", "rater=rater_slot"),
    *("--value", "1=yes", "--value", "0=no", "--anonymous-raters"),
)


@pytest.fixture(scope="module")
def hanna(
    data: Path,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Any]]:
    folder = data / "hanna_user_study"
    with walked(django_db_blocker, "hanna", tmp_path_factory.mktemp("hanna")) as road:
        road.rubric(RUBRIC)
        texts = ("--kind", "answer", "--map", "id=item_id", "--map", "text=explanation")
        assert road.subjects(folder / "items.jsonl", *texts)["created"] == 100
        votes = road.votes(folder / "ratings.csv", "hanna@1", *VOTES)
        assert (votes["rows"], votes["votes"], votes["raters"]) == (1800, 300, 3)
        yield road.reliability("study")


@pytest.mark.parametrize("key", CRITERIA)
def test_each_criterion_has_the_reference_agreement(
    hanna: dict[str, Any], expected: dict[str, Any], key: str
) -> None:
    agrees(hanna[key], expected[f"hanna/{key}"], "nominal")


def test_a_criterion_without_variation_is_undefined_and_says_why(hanna: dict[str, Any]) -> None:
    found = hanna["incorrectness"]
    assert (found["alpha"], found["reason"], found["interval"]) == (None, "no_variation", None)
    assert found["agreement"] == 1.0


def test_the_defined_ones_have_no_reason_and_an_interval(hanna: dict[str, Any]) -> None:
    for key in set(CRITERIA) - {"incorrectness"}:
        assert hanna[key]["reason"] is None
        low, high = hanna[key]["interval"]
        assert low <= hanna[key]["alpha"] <= high
