"""What rulings do to a release: reasons of their own in every batch, and no vote touched."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from annotate.actions.releases import export_pairs
from annotate.actions.rulings import reopen_ruling, write_rule
from annotate.models import Batch, Edit, GoldAnswer, Pair, Ruling
from annotate.outcomes import summary
from annotate.release import Settings
from annotate.rulings import counting_in
from rubrics.actions import discard_draft, publish
from tests.annotate.ruled import asked, decided, first_pair, split_round
from tests.making import make_version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from projects.models import Project, User
    from rubrics.models import RubricVersion


@pytest.fixture
def raters(expert: User, other_expert: User, third_expert: User) -> list[User]:
    return [expert, other_expert, third_expert]


@pytest.fixture
def batch(project: Project, raters: list[User]) -> Batch:
    return split_round(project, raters)


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / f"out-{n}" for n in range(20))


def manifest(batch: Batch, folders: Iterator[Path]) -> dict[str, Any]:
    Pair.objects.update(messages=[{"role": "user", "content": "Summarise."}])
    out = next(folders)
    export_pairs(batch=batch, settings=Settings(), out=out, acting_user=None)
    written: dict[str, Any] = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    return written


def fate(batch: Batch, folders: Iterator[Path]) -> str:
    """Under which reason the first pair of the batch was left out."""
    excluded: dict[str, list[str]] = manifest(batch, folders)["items"]["excluded"]
    name = first_pair(batch).external_id
    return next(reason for reason, ids in excluded.items() if name in ids)


def same_pair(
    batch: Batch, raters: list[User], version: RubricVersion, *, simulated: bool = False
) -> Batch:
    """Another batch that holds the first pair of this one, split in the same way."""
    pair = first_pair(batch)
    second = split_round(batch.project, raters, size=1, version=version, simulated=simulated)
    for rows in (second.slots, second.assignments, second.votes):
        rows.update(subject=pair)
    return second


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ("both", "ruled_both_acceptable"),
        ("missing", "ruled_rule_missing"),
        ("one_side", "ruled_one_side"),
        ("exclude", "ruled_excluded"),
    ],
)
def test_each_decision_is_counted_under_its_own_reason_and_named(
    batch: Batch, folders: Iterator[Path], decision: str, reason: str
) -> None:
    assert fate(batch, folders) == "tie"
    ruling = decided(batch, decision, right_code="no")
    found = manifest(batch, folders)
    name = first_pair(batch).external_id
    assert found["excluded"] == {"tie": 1, reason: 1}
    assert found["items"]["excluded"][reason] == [name]
    assert found["rulings"] == [
        {"ruling": str(ruling.public_id), "decision": decision, "pair": name}
    ]
    assert found["pairs"] == {"all": 2, "exported": 0, "excluded": 2}


def test_while_it_waits_a_pair_is_left_out_as_open(batch: Batch, folders: Iterator[Path]) -> None:
    asked(batch)
    assert fate(batch, folders) == "ruling_open"
    assert manifest(batch, folders)["rulings"][0]["decision"] == "open"


def test_opened_again_it_is_open_once_more(batch: Batch, folders: Iterator[Path]) -> None:
    reopen_ruling(ruling=decided(batch, "both"), reason="New facts.", acting_user=None)
    assert fate(batch, folders) == "ruling_open"


def test_a_gold_pair_stays_a_gold_pair(batch: Batch, folders: Iterator[Path]) -> None:
    decided(batch, "both")
    GoldAnswer.objects.create(subject=first_pair(batch), version=batch.version)
    found = manifest(batch, folders)
    assert found["excluded"] == {"gold_item": 1, "tie": 1}
    assert found["rulings"] == []


@pytest.mark.parametrize("decision", ["both", "one_side", "exclude"])
def test_a_ruling_counts_in_every_batch_that_holds_the_pair(
    batch: Batch, raters: list[User], folders: Iterator[Path], decision: str
) -> None:
    ruling = decided(batch, decision, right_code="yes")
    second = same_pair(batch, raters, make_version(batch.project, number=2))
    for held in (batch, second):
        assert counting_in(held) == {ruling.subject_id: [ruling]}
        assert fate(held, folders).startswith("ruled_")


def test_a_ruling_of_another_pair_counts_for_that_pair_alone(
    batch: Batch, raters: list[User], folders: Iterator[Path]
) -> None:
    decided(batch, "both")
    other = split_round(batch.project, raters, version=batch.version)
    assert counting_in(other) == {}
    assert manifest(other, folders)["rulings"] == []


def test_what_simulated_raters_split_on_says_nothing_about_votes_of_people(
    batch: Batch, raters: list[User]
) -> None:
    ruling = decided(batch, "both")
    second = same_pair(batch, raters, batch.version, simulated=True)
    assert counting_in(second) == {}
    assert counting_in(batch) == {ruling.subject_id: [ruling]}


# ---- A rule that was missing, and then is there


def with_rule(ruling: Ruling) -> RubricVersion:
    edit = write_rule(
        ruling=ruling,
        kind="add:gate",
        text="No amount is rounded.",
        title="",
        note="Asked for.",
        acting_user=None,
    )
    draft = edit.rubric.versions.drafts().get()
    return publish(version=draft, change_note="The rule.", acting_user=None)


def test_votes_given_under_the_rule_that_was_missing_stand(
    batch: Batch, raters: list[User], folders: Iterator[Path]
) -> None:
    ruling = decided(batch, "missing")
    newer = same_pair(batch, raters, with_rule(ruling))
    assert fate(batch, folders) == "ruled_rule_missing"
    assert counting_in(newer) == {}
    assert fate(newer, folders) == "tie"
    assert manifest(newer, folders)["rulings"] == []


def test_as_long_as_nobody_has_written_the_rule_no_later_version_has_it(
    batch: Batch, raters: list[User], folders: Iterator[Path]
) -> None:
    decided(batch, "missing")
    newer = same_pair(batch, raters, make_version(batch.project, number=2))
    assert fate(newer, folders) == "ruled_rule_missing"


def test_a_rule_that_was_thrown_away_with_its_draft_is_missing_still(
    batch: Batch, raters: list[User], folders: Iterator[Path]
) -> None:
    ruling = decided(batch, "missing")
    edit = write_rule(
        ruling=ruling, kind="add:gate", text="A rule.", title="", note="", acting_user=None
    )
    assert list(Edit.objects.standing()) == [edit]
    discard_draft(version=edit.rubric.versions.drafts().get(), acting_user=None)
    assert not Edit.objects.standing()
    newer = same_pair(batch, raters, make_version(batch.project, number=2))
    assert newer.version.number == edit.number
    assert fate(newer, folders) == "ruled_rule_missing"


# ---- What the pages say of the votes


def test_what_votes_come_to_is_the_same_with_a_ruling_as_without(batch: Batch) -> None:
    before = summary(batch)
    decided(batch, "one_side", right_code="no")
    assert summary(batch) == before
