from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def data() -> Path:
    """As the fixture `shared`, for the module's one walk down the road."""
    if not SHARED.is_dir():
        pytest.skip("the public data sets (../shared/data) are not beside this checkout")
    return SHARED


@pytest.fixture(scope="module")
def expected(data: Path) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((data / "expected.json").read_text())
    return parsed


def agrees(found: dict[str, Any], reference: dict[str, Any], level: str) -> None:
    """The figures of one criterion are those of expected.json, alpha to six decimals."""
    alpha = reference["alpha"][level]
    assert found["level"] == level
    assert found["alpha"] == (None if alpha is None else pytest.approx(alpha, abs=5e-7))
    assert found["agreement"] == pytest.approx(reference["raw_agreement_pooled_pairs"], abs=5e-7)
    assert found["units"] == reference["units_pairable"]
    assert found["ratings"] == reference["values_pairable"]
    assert found["units_total"] == reference["units_total"]
    assert found["ratings_total"] == reference["values_total"]
