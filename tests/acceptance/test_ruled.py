"""Rulings on real splits: 999 pairs with three raters each, five of them before a policy owner."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from django.db.models import Count

from annotate.actions.rulings import decide_ruling, open_ruling
from annotate.models import Batch, Label
from tests.acceptance.road import Road, walked
from tests.acceptance.test_pandalm import PAIRS, RUBRIC, VOTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_django import DjangoDbBlocker

# So that it runs alone, too: the databases are made for tests that are marked.
pytestmark = pytest.mark.django_db

FATES = {
    "both": "ruled_both_acceptable",
    "missing": "ruled_rule_missing",
    "one_side": "ruled_one_side",
    "exclude": "ruled_excluded",
    "": "ruling_open",
}


class Unit(NamedTuple):
    subject: int
    key: str
    part: str


class Released(NamedTuple):
    before: dict[str, Any]
    after: dict[str, Any]
    # External id of a pair → the reason that its ruling stands for.
    ruled: dict[str, str]


@pytest.fixture(scope="module")
def released(
    data: Path,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Released]:
    folder = data / "pandalm"
    with walked(django_db_blocker, "ruled", tmp_path_factory.mktemp("ruled")) as road:
        road.rubric(RUBRIC)
        road.subjects(folder / "pairs.jsonl", *PAIRS)
        road.votes(folder / "ratings.csv", "pandalm@1", *VOTES)
        before = road.export("experts", "majority")
        ruled = rule_on_splits()
        yield Released(before, again(road), ruled)


def again(road: Road) -> dict[str, Any]:
    """A second export, into a folder of its own."""
    later = road.folder / "later"
    later.mkdir()
    return Road(road.slug, later).export("experts", "majority")


def rule_on_splits() -> dict[str, str]:
    batch = Batch.objects.get(name="experts")
    splits = (
        Label.objects.of_current_votes(batch)
        .order_by("vote__subject__external_id")
        .values_list("vote__subject", "vote__subject__external_id")
        .annotate(codes=Count("code", distinct=True))
        .filter(codes__gt=1)[: len(FATES)]
    )
    ruled = {}
    for (subject, name, _), (decision, reason) in zip(splits, FATES.items(), strict=True):
        ruling = open_ruling(
            batch=batch,
            units=[Unit(subject, "preference", "")],
            question="Which of the two?",
            acting_user=None,
        )
        if decision:
            right = "A" if decision == "one_side" else ""
            decide_ruling(
                ruling=ruling, decision=decision, answer="So.", right_code=right, acting_user=None
            )
        ruled[name] = reason
    return ruled


def test_each_ruling_takes_its_pair_out_under_its_own_reason_and_no_other_pair(
    released: Released,
) -> None:
    excluded = released.after["items"]["excluded"]
    assert {reason: excluded[reason] for reason in FATES.values()} == {
        reason: [name] for name, reason in released.ruled.items()
    }
    rest = [name for name in released.before["items"]["exported"] if name not in released.ruled]
    assert released.after["items"]["exported"] == rest
    assert [row for row in released.before["rows"] if row["pair_id"] not in released.ruled] == (
        released.after["rows"]
    )


def test_the_manifest_still_accounts_for_every_pair(released: Released) -> None:
    pairs = released.after["pairs"]
    assert pairs["all"] == pairs["exported"] + pairs["excluded"] == 999
    assert sum(released.after["excluded"].values()) == pairs["excluded"]
    assert Counter(row["decision"] for row in released.after["rulings"]) == Counter(
        ["both", "missing", "one_side", "exclude", "open"]
    )
    assert {row["pair"] for row in released.after["rulings"]} == set(released.ruled)
    assert released.before["rulings"] == []
