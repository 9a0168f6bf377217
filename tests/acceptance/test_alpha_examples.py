"""Krippendorff's published tables through `manage.py alpha`, at every published level but ratio."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import agrees
from tests.acceptance.road import report, run

EXAMPLES = (
    "a_binary_two_observers",
    "b_nominal_two_observers",
    "c_four_observers_missing",
    "d_three_coders_missing",
)
LEVELS = ("nominal", "ordinal", "interval")


def measured(data: Path, *flags: str) -> dict[str, Any]:
    file = data / "alpha_examples" / "ratings.csv"
    maps = ("--map", "rater=observer", "--map", "criterion=example")
    found = report(run("alpha", str(file), *maps, *flags, "--json"))
    return {row["criterion"]: row for row in found["criteria"]}


def test_all_four_tables_at_the_nominal_level(data: Path, expected: dict[str, Any]) -> None:
    found = measured(data, "--level", "nominal")
    assert tuple(found) == EXAMPLES
    for name in EXAMPLES:
        agrees(found[name], expected[f"alpha_examples/{name}"], "nominal")


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_the_tables_of_numbers_at_the_other_levels(
    data: Path, expected: dict[str, Any], level: str
) -> None:
    published = [name for name in EXAMPLES if level in expected[f"alpha_examples/{name}"]["alpha"]]
    only = [flag for name in published for flag in ("--only", name)]
    found = measured(data, "--level", level, *only)
    assert list(found) == published
    for name in published:
        agrees(found[name], expected[f"alpha_examples/{name}"], level)


def test_every_published_level_but_ratio_is_covered(expected: dict[str, Any]) -> None:
    levels = {level for name in EXAMPLES for level in expected[f"alpha_examples/{name}"]["alpha"]}
    assert levels == {*LEVELS, "ratio"}
