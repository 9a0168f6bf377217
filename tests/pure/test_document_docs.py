import re
from pathlib import Path

import pytest

from rubrics.check_rules import RULES
from rubrics.document import SCALES, parse
from rubrics.yaml_check import KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "rubric-format.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_block_of_the_page_is_accepted(block: str) -> None:
    assert parse(block).rubric.criteria


def test_the_page_shows_something() -> None:
    assert len(BLOCKS) >= 4


@pytest.mark.parametrize("key", sorted({key for keys in KEYS.values() for key in keys}))
def test_every_key_of_a_check_is_described(key: str) -> None:
    assert f"`{key}`" in PAGE


@pytest.mark.parametrize("name", RULES)
def test_every_rule_is_described(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("points", SCALES)
def test_every_standard_scale_is_described(points: int) -> None:
    assert f"| {points} | {', '.join(f'`{name}`' for name in SCALES[points])} |" in PAGE
