"""999 pairs with three raters each, down the whole road."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from annotate.models import Batch, Label
from tests.acceptance.conftest import agrees
from tests.acceptance.road import walked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django import DjangoDbBlocker

RUBRIC = "task: pandalm\npreference:\n  scale: [A, tie, B]\n"
PAIRS = (
    *("--map", "id=item_id", "--map", "prompt=instruction,input"),
    *("--as-text", "response_a", "--as-text", "response_b"),
)
VOTES = (
    *("--name", "experts", "--map", "subject=item_id", "--map", "rater=rater_id"),
    *("--column", "preference=label", "--value", "0=tie", "--value", "1=A", "--value", "2=B"),
)


@dataclass
class Walked:
    without_as_text: str
    pairs: dict[str, Any]
    votes: dict[str, Any]
    majority: Counter[str]
    reliability: dict[str, Any]
    releases: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def pandalm(
    data: Path,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Walked]:
    folder = data / "pandalm"
    with walked(django_db_blocker, "pandalm", tmp_path_factory.mktemp("pandalm")) as road:
        road.rubric(RUBRIC)
        refused = road.refused("import_pairs", str(folder / "pairs.jsonl"), *PAIRS[:4])
        yield Walked(
            without_as_text=refused,
            pairs=road.subjects(folder / "pairs.jsonl", *PAIRS),
            votes=road.votes(folder / "ratings.csv", "pandalm@1", *VOTES),
            majority=majority(),
            reliability=road.reliability("experts"),
            releases={p: road.export("experts", p) for p in ("majority", "one_sided")},
        )


def majority() -> Counter[str]:
    votes: dict[int, Counter[str]] = {}
    labels = Label.objects.of_current_votes(Batch.objects.get(name="experts"))
    for subject, code in labels.values_list("vote__subject_id", "code"):
        votes.setdefault(subject, Counter())[code] += 1
    return Counter(said.most_common(1)[0][0] for said in votes.values())


def test_six_responses_that_are_json_true_are_refused_unless_taken_as_text(pandalm: Walked) -> None:
    assert pandalm.without_as_text == "Nothing was imported: 6 rows are refused."


def test_every_pair_and_every_vote_comes_in(pandalm: Walked) -> None:
    assert (pandalm.pairs["rows"], pandalm.pairs["created"]) == (999, 999)
    codes = Counter(row["code"] for row in pandalm.pairs["warnings"])
    assert codes["empty_text"] == 54
    assert (pandalm.votes["rows"], pandalm.votes["votes"]) == (2997, 2997)
    assert pandalm.votes["raters"] == 3


def test_the_majority_labels_are_the_published_ones(pandalm: Walked) -> None:
    assert pandalm.majority == {"tie": 105, "A": 422, "B": 472}


def test_the_outcome_has_the_published_agreement(pandalm: Walked, expected: dict[str, Any]) -> None:
    agrees(pandalm.reliability["outcome"], expected["pandalm/label(0 tie,1 A,2 B)"], "nominal")
    assert round(pandalm.reliability["outcome"]["alpha"], 6) == 0.864221


def test_the_preference_has_the_reference_agreement(
    pandalm: Walked, expected: dict[str, Any]
) -> None:
    reference = expected["pandalm/direction(-1 A,0 tie,1 B)"]
    agrees(pandalm.reliability["preference"], reference, "ordinal")
    assert round(pandalm.reliability["preference"]["alpha"], 6) == 0.877464
    low, high = pandalm.reliability["preference"]["interval"]
    assert low < 0.877464 < high


@pytest.mark.parametrize(("policy", "count"), [("majority", 894), ("one_sided", 794)])
def test_each_policy_exports_the_reference_number_of_rows(
    pandalm: Walked, policy: str, count: int
) -> None:
    release = pandalm.releases[policy]
    assert len(release["rows"]) == count
    assert release["pairs"] == {"all": 999, "exported": count, "excluded": 999 - count}
    assert sum(release["excluded"].values()) == 999 - count
    assert release["label_source"] == "imported"


def test_a_released_row_holds_the_texts_of_the_file(pandalm: Walked) -> None:
    row = pandalm.releases["majority"]["rows"][0]
    assert [turn["role"] for turn in row["prompt"]] == ["user"]
    assert "\n\n" in row["prompt"][0]["content"]
    assert row["chosen"][0]["role"] == row["rejected"][0]["role"] == "assistant"
    assert row["votes"] == 3
