"""996 pairs, 1,150 ratings by 16 raters: swapped displays, relabels, a gate, five-point margin."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.conftest import agrees
from tests.acceptance.road import walked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django import DjangoDbBlocker

PREFERENCE = "preference:\n  scale: [A_much, A_slight, tie, B_slight, B_much]\n"
GATE = "gates:\n  - id: acceptable\n    check: The answer is acceptable.\n"
PLAIN = f"task: plain\n{PREFERENCE}"
GATED = f"task: gated\n{GATE}{PREFERENCE}"
VOTES = (
    *("--map", "subject=item_id", "--map", "rater=rater_id", "--map", "at=timestamp"),
    *("--map", "swapped=shown_swapped_vs_pairs_file", "--column", "preference=preference"),
    *("--value", "a-is-better=A_much", "--value", "a-is-slightly-better=A_slight"),
    *("--value", "b-is-better=B_much", "--value", "b-is-slightly-better=B_slight"),
)
GATES = (
    *("--column", "acceptable:A=a_acceptable", "--column", "acceptable:B=b_acceptable"),
    *("--value", "acceptable:yes=pass", "--value", "acceptable:no=fail"),
)


@dataclass
class Walked:
    pairs: dict[str, Any]
    votes: dict[str, dict[str, Any]]
    reliability: dict[str, dict[str, Any]]
    releases: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def tulu(
    data: Path,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Walked]:
    folder = data / "tulu_human_eval"
    ratings = folder / "ratings.csv"
    with walked(django_db_blocker, "tulu", tmp_path_factory.mktemp("tulu")) as road:
        road.rubric(PLAIN)
        road.rubric(GATED)
        pairs = road.subjects(folder / "pairs.jsonl", "--map", "id=item_id")
        votes = {
            "plain": road.votes(ratings, "plain@1", "--name", "plain", *VOTES),
            "gated": road.votes(ratings, "gated@1", "--name", "gated", *VOTES, *GATES),
        }
        yield Walked(
            pairs=pairs,
            votes=votes,
            reliability={name: road.reliability(name) for name in votes},
            releases={name: road.export(name, "one_sided") for name in votes},
        )


def test_the_latest_row_of_each_rater_and_pair_is_current(tulu: Walked) -> None:
    assert tulu.pairs["created"] == 996
    for report in tulu.votes.values():
        assert report["rows"] == report["created"] == report["revisions"] == 1150
        assert (report["votes"], report["relabelled"], report["raters"]) == (1141, 9, 16)


@pytest.mark.parametrize("name", ["plain", "gated"])
def test_the_margin_is_measured_with_the_display_order_undone(
    tulu: Walked, expected: dict[str, Any], name: str
) -> None:
    preference = tulu.reliability[name]["preference"]
    agrees(preference, expected["tulu/margin(-2..2, un-swapped)"], "ordinal")
    assert round(preference["alpha"], 6) == 0.406222


def test_the_gate_is_measured_on_both_sides(tulu: Walked, expected: dict[str, Any]) -> None:
    gate = tulu.reliability["gated"]["acceptable"]
    agrees(gate, expected["tulu/acceptable(gate, both answers)"], "nominal")
    assert round(gate["alpha"], 6) == 0.479740


def test_ratings_that_prefer_the_unacceptable_answer_are_kept_and_counted(tulu: Walked) -> None:
    assert tulu.votes["gated"]["preferring_against_a_gate"] == 2
    assert tulu.votes["gated"]["preferring_where_both_fail"] == 115
    assert tulu.votes["plain"]["preferring_against_a_gate"] == 0


@pytest.mark.parametrize(("name", "count"), [("plain", 635), ("gated", 581)])
def test_one_sided_pairs_are_exported_gates_first(tulu: Walked, name: str, count: int) -> None:
    release = tulu.releases[name]
    assert len(release["rows"]) == count
    assert release["pairs"] == {"all": 996, "exported": count, "excluded": 996 - count}
    assert sum(release["excluded"].values()) == 996 - count


def test_chosen_is_the_text_that_every_rater_preferred(tulu: Walked, data: Path) -> None:
    """Worked out anew from the files, by the names of the models and not by A and B."""
    folder = data / "tulu_human_eval"
    preferred = preferred_models(folder / "ratings.csv")
    lines = (folder / "pairs.jsonl").read_text(encoding="utf-8").split("\n")
    rows = {row["pair_id"]: row for row in tulu.releases["plain"]["rows"]}
    for pair in (json.loads(line) for line in lines if line):
        row = rows.get(str(pair["item_id"]))
        winner = preferred[str(pair["item_id"])]
        assert (row is None) == (winner is None)
        if row is not None:
            side = "a" if pair["model_a"] == winner else "b"
            assert row["chosen_model"] == winner
            assert row["chosen"] == [{"role": "assistant", "content": pair[f"response_{side}"]}]
            assert row["prompt"] == [{"role": "user", "content": pair["prompt"]}]


def preferred_models(ratings: Path) -> dict[str, str | None]:
    """By item, the model that every rater's latest rating prefers, None where they differ."""
    latest: dict[tuple[str, str], dict[str, str]] = {}
    with ratings.open(encoding="utf-8", newline="") as stream:
        for row in sorted(csv.DictReader(stream), key=lambda row: row["timestamp"]):
            latest[row["item_id"], row["rater_id"]] = row
    said: dict[str, set[str | None]] = {}
    for row in latest.values():
        shown = {"a": row["shown_a"], "b": row["shown_b"]}
        said.setdefault(row["item_id"], set()).add(shown.get(row["preference"][0]))
    return {item: models.pop() if len(models) == 1 else None for item, models in said.items()}
