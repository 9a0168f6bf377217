"""Several processes at one moment: nothing is lost, nothing happens twice."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.conf import settings

from tests.annotate.importing import jsonl, pair, written
from tests.installation import Installation, Started, installed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ON_POSTGRES = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
REPLACED = 3000
EXPERTS = ("ann", "bo", "cy", "di", "ed")


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    yield from installed(
        tmp_path_factory.mktemp("installation"),
        postgres_url=os.environ["CALIBRANT_TEST_POSTGRES"] if ON_POSTGRES else None,
    )


@pytest.fixture
def slug(request: pytest.FixtureRequest) -> str:
    return re.sub(r"\W+", "-", request.node.originalname)[:40]


def experts_of(slug: str) -> list[str]:
    return [f"{slug[:20]}-{name}" for name in EXPERTS]


def long_pairs(word: str, count: int) -> Iterator[dict[str, str]]:
    for n in range(count):
        yield pair(n, response_a=f"{word} " * 250, response_b="second " * 150)


def at_once(installation: Installation, gate: Path, started: list[Started]) -> list[str]:
    """Open the gate when all are waiting at it; what each printed."""
    all_at(installation, gate, len(started))
    gate.touch()
    return [process.printed() for process in started]


def all_at(installation: Installation, gate: Path, count: int) -> None:
    waiting = f"{gate.name}-*"
    installation.until(lambda: len(list(gate.parent.glob(waiting))) == count, "all are at the gate")


def test_op_04_experts_lose_no_vote_while_30_mb_come_in(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    """New pairs first, then new content for some of them: both ways of writing a great deal."""
    experts = experts_of(slug)
    installation.call("project", slug, *experts)
    installation.call("round_of", slug, 4, *experts)
    files = [
        written(tmp_path, jsonl(long_pairs(word, count)), f"{word}.jsonl")
        for word, count in (("one", 15_000), ("two", REPLACED))
    ]
    assert files[0].stat().st_size > 30_000_000
    over = tmp_path / "over"
    labelling = [installation.start_call("label", name, over) for name in experts]
    for file in files:
        installation.start_manage("import_pairs", str(file), "--project", slug).printed()
    over.touch()
    said: list[dict[str, Any]] = [json.loads(process.printed()) for process in labelling]
    codes = sum((Counter(answers["codes"]) for answers in said), Counter())
    assert set(codes) == {"200", "303"}, codes
    # Each of these was acknowledged, so each is a revision.
    revisions = installation.value("SELECT COUNT(*) FROM annotate_vote")
    assert revisions == sum(answers["said"] for answers in said) == codes["303"]
    assert installation.value("SELECT COUNT(*) FROM annotate_vote WHERE current") == 5 * 4
    new = installation.value("SELECT COUNT(*) FROM annotate_part WHERE text LIKE 'two %'")
    assert new == REPLACED
    assert max(answers["slowest"] for answers in said) < 20


def test_of_two_imports_at_once_one_is_refused_with_words(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    installation.call("project", slug)
    first, second = (
        written(tmp_path, jsonl(pair(f"{i}-{n}") for n in range(400)), f"{i}.jsonl")
        for i in range(2)
    )
    count = (
        "SELECT COUNT(*) FROM annotate_subject s JOIN projects_project p ON p.id = s.project_id "
        f"WHERE p.slug = '{slug}'"
    )
    gate = tmp_path / "gate"
    slow = installation.start_call("import_slowly", slug, first, gate)
    all_at(installation, gate, 1)
    status, said = installation.start_manage("import_pairs", str(second), "--project", slug).ended()
    assert status == 1
    assert said == (
        "CommandError: Another import of this project is under way: try again when it has ended.\n"
    )
    gate.touch()
    slow.printed()
    assert installation.value(count) == 400
    installation.manage("import_pairs", str(second), "--project", slug)
    assert installation.value(count) == 800


def test_wf_01_two_rounds_at_once_never_share_a_pair_that_a_rater_would_see_twice(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    ann, bo, cy, *_ = experts_of(slug)
    installation.call("project", slug, ann, bo, cy)
    installation.call("pairs", slug, 60)
    gate = tmp_path / "gate"
    rounds = [
        installation.start_call("start_round", slug, 30, gate, *raters)
        for raters in ((ann, bo), (bo, cy))
    ]
    assert sorted(at_once(installation, gate, rounds)) == ["1", "2"]
    seen = installation.rows(
        "SELECT a.subject_id, COUNT(*) FROM annotate_assignment a "
        "JOIN projects_rater r ON r.id = a.rater_id "
        f"WHERE r.name = '{bo}' GROUP BY a.subject_id"
    )
    assert [count for _, count in seen] == [1] * 60


def test_wf_01_when_pairs_run_out_between_two_rounds_one_is_told_how_many_are_missing(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    ann, bo, *_ = experts_of(slug)
    installation.call("project", slug, ann, bo)
    installation.call("pairs", slug, 10)
    gate = tmp_path / "gate"
    rounds = [installation.start_call("start_round", slug, 8, gate, ann, bo) for _ in range(3)]
    said = sorted(at_once(installation, gate, rounds))
    assert said[0] == "1"
    assert all("6 are missing" in refusal for refusal in said[1:])


def test_a_vote_sent_from_two_processes_at_once_is_one_vote(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    ann, bo, *_ = experts_of(slug)
    installation.call("project", slug, ann, bo)
    installation.call("round_of", slug, 2, ann, bo)
    gate, key = tmp_path / "gate", uuid4()
    sent = [installation.start_call("submit", ann, key, gate) for _ in range(4)]
    assert at_once(installation, gate, sent) == ["303"] * 4
    votes = installation.rows(
        "SELECT v.revision, v.current FROM annotate_vote v "
        f"JOIN projects_rater r ON r.id = v.rater_id WHERE r.name = '{ann}'"
    )
    assert [(revision, bool(current)) for revision, current in votes] == [(1, True)]


def test_last_votes_at_one_moment_tell_the_lead_once(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    """Neither sees the vote of another that is not committed yet, and still one of them tells."""
    experts = experts_of(slug)
    installation.call("project", slug, *experts)
    installation.call("round_of", slug, 1, *experts)
    gate = tmp_path / "gate"
    sent = [installation.start_call("submit", name, uuid4(), gate) for name in experts]
    assert at_once(installation, gate, sent) == ["303"] * len(experts)
    told = installation.rows(
        "SELECT n.text FROM projects_notice n JOIN projects_project p ON p.id = n.project_id "
        f"WHERE p.slug = '{slug}' AND n.verb = 'round.all_in'"
    )
    assert [text for (text,) in told] == [
        "All 5 votes of round 1 are in. Close it, and its report opens."
    ]


def test_raters_who_begin_to_practise_at_one_moment_share_a_batch_and_no_slot(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    """Each presses Start twice at that."""
    experts = experts_of(slug)[:3]
    installation.call("project", slug, *experts)
    installation.call("round_of", slug, 2, *experts)
    installation.call("practice_pairs", slug)
    gate = tmp_path / "gate"
    begun = [installation.start_call("practise", name, gate) for name in experts * 2]
    assert at_once(installation, gate, begun) == ["303"] * 6
    dealt = installation.rows(
        "SELECT r.name, COUNT(*), COUNT(DISTINCT a.slot_id), COUNT(DISTINCT a.batch_id) "
        "FROM annotate_assignment a JOIN annotate_batch b ON b.id = a.batch_id "
        "JOIN projects_project p ON p.id = b.project_id "
        "JOIN projects_rater r ON r.id = a.rater_id "
        f"WHERE p.slug = '{slug}' AND b.kind = 'practice' GROUP BY r.name ORDER BY r.name"
    )
    assert [tuple(row) for row in dealt] == [(name, 3, 3, 1) for name in sorted(experts)]
    batches = installation.value(
        "SELECT COUNT(*) FROM annotate_batch b JOIN projects_project p ON p.id = b.project_id "
        f"WHERE p.slug = '{slug}' AND b.kind = 'practice'"
    )
    assert batches == 1
