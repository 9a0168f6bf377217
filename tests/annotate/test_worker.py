"""A real worker on a real broker, killed outright, rung twice, or never rung at all."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from django.conf import settings

from tests.annotate.importing import jsonl, pair, written
from tests.installation import Installation, installed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.worker
REDIS = os.environ.get("CALIBRANT_TEST_REDIS", "")
NOBODY = "redis://127.0.0.1:1/0"
ON_POSTGRES = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
# Whoever grows up to PostgreSQL brings a broker too; over SQLite both are tried.
EMBEDDED = pytest.mark.skipif(
    ON_POSTGRES and bool(REDIS), reason="the embedded broker is tried with SQLite"
)
WITHOUT_REDIS = pytest.mark.skipif(not REDIS, reason="CALIBRANT_TEST_REDIS is not set")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("filesystem://", marks=EMBEDDED, id="filesystem"),
        pytest.param(REDIS, marks=WITHOUT_REDIS, id="redis"),
    ],
)
def installation(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    yield from installed(
        tmp_path_factory.mktemp("installation"),
        postgres_url=os.environ["CALIBRANT_TEST_POSTGRES"] if ON_POSTGRES else None,
        broker_url=request.param,
        # A killed worker is missed soon; a live one renews its lease far more often.
        lease_s=4.0,
    )


@pytest.fixture
def slug(installation: Installation, request: pytest.FixtureRequest) -> str:
    name = re.sub(r"\W+", "-", request.node.originalname)[:40]
    installation.call("project", name)
    return name


def ask(installation: Installation, slug: str, file: Path, **env: str) -> str:
    """Ask for a background import; the job's id."""
    command = ("import_pairs", str(file), "--project", slug, "--background")
    return job_of(installation.manage(*command, **env))


def job_of(said: str) -> str:
    found = re.search(r"Job (\S+) is waiting for a worker", said)
    assert found, said
    return found[1]


def state(installation: Installation, job: str) -> tuple[str, int]:
    """(state, deliveries)"""
    (row,) = installation.rows(
        "SELECT state, deliveries FROM projects_job "
        f"WHERE REPLACE(CAST(public_id AS text), '-', '') = '{job.replace('-', '')}'"
    )
    return row[0], row[1]


def finished(installation: Installation, job: str) -> None:
    installation.until(lambda: state(installation, job)[0] in {"done", "failed"}, f"{job} ends")


def subjects(installation: Installation, slug: str) -> dict[str, int]:
    """How many subjects each state of import holds."""
    return dict(
        installation.rows(
            "SELECT i.state, COUNT(*) FROM annotate_subject s "
            "JOIN annotate_import i ON i.id = s.origin_id "
            f"JOIN projects_project p ON p.id = s.project_id WHERE p.slug = '{slug}' "
            "GROUP BY i.state"
        )
    )


def imports(installation: Installation, slug: str) -> list[str]:
    rows = installation.rows(
        "SELECT i.state FROM annotate_import i JOIN projects_project p ON p.id = i.project_id "
        f"WHERE p.slug = '{slug}' ORDER BY i.id"
    )
    return [row[0] for row in rows]


def events(installation: Installation, slug: str) -> list[str]:
    rows = installation.rows(
        "SELECT e.verb FROM projects_event e JOIN projects_project p ON p.id = e.project_id "
        f"WHERE p.slug = '{slug}' AND e.verb LIKE 'job.%' ORDER BY e.id"
    )
    return [row[0] for row in rows]


def pairs_file(folder: Path, count: int, size: int = 20) -> Path:
    rows = (pair(n, response_a="x" * size, response_b="y" * size) for n in range(count))
    return written(folder, jsonl(rows))


def test_a_worker_does_a_background_import(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    file = pairs_file(tmp_path, 50)
    job = ask(installation, slug, file)
    file.unlink()
    installation.worker()
    finished(installation, job)
    assert state(installation, job) == ("done", 1)
    assert subjects(installation, slug) == {"visible": 50}
    assert events(installation, slug) == ["job.started", "job.done"]
    assert not list((installation.folder / "uploads").iterdir())


def test_op_03_an_import_whose_worker_is_killed_is_finished_by_another_once(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    job = ask(installation, slug, pairs_file(tmp_path, 6000, 1000))
    worker = installation.worker()
    installation.until(lambda: subjects(installation, slug).get("staged", 0) > 300, "half way")
    installation.kill(worker)
    assert state(installation, job) == ("running", 1)
    assert "visible" not in subjects(installation, slug)
    installation.worker()
    finished(installation, job)
    assert state(installation, job) == ("done", 2)
    assert subjects(installation, slug) == {"visible": 6000}
    assert imports(installation, slug) == ["abandoned", "visible"]
    assert events(installation, slug) == ["job.started", "job.done"]


def test_op_01_doubled_messages_do_nothing_twice(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    job = ask(installation, slug, pairs_file(tmp_path, 900))
    installation.call("ring", job, 3)
    installation.worker()
    finished(installation, job)
    installation.call("ring", job, 1)
    # Messages are taken in their order: when this job is done, the others were delivered.
    last = ask(installation, slug, pairs_file(tmp_path, 901))
    finished(installation, last)
    assert state(installation, job) == ("done", 1)
    assert subjects(installation, slug) == {"visible": 901}
    assert events(installation, slug) == 2 * ["job.started", "job.done"]


def test_op_03_a_job_that_kills_each_worker_is_given_up_and_the_others_are_done(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    poison = installation.call("start_poison", slug)
    job = ask(installation, slug, pairs_file(tmp_path, 20))
    installation.worker()
    finished(installation, poison)
    finished(installation, job)
    assert state(installation, poison) == ("failed", 3)
    assert state(installation, job) == ("done", 1)
    said = installation.value("SELECT message FROM projects_job WHERE kind = 'poison'")
    assert "worker_lost" in said


def test_a_job_whose_bell_was_never_heard_is_rung_again(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    job = ask(installation, slug, pairs_file(tmp_path, 20), CELERY_BROKER_URL=NOBODY)
    installation.worker()
    finished(installation, job)
    assert state(installation, job) == ("done", 1)


def test_a_job_asked_for_while_the_embedded_broker_has_no_folder_is_rung_again(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    if not installation.broker_url.startswith("filesystem"):
        pytest.skip("only the embedded broker has a folder")
    # A worker that runs would not survive the loss of its folder.
    installation.stop_all()
    said = installation.call("start_without_queue", slug, pairs_file(tmp_path, 20))
    installation.worker()
    finished(installation, job_of(said))
    assert subjects(installation, slug) == {"visible": 20}


def test_two_background_imports_of_one_project_take_turns(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    first = ask(installation, slug, pairs_file(tmp_path, 3000))
    second = ask(installation, slug, pairs_file(tmp_path, 3001))
    installation.worker()
    finished(installation, first)
    finished(installation, second)
    assert {state(installation, job)[0] for job in (first, second)} == {"done"}
    assert subjects(installation, slug) == {"visible": 3001}


CODED = """
task: coded
criteria: [{id: C1, weight: 1, check: c}]
automatic: [{id: A1, check: d, rule: {max_characters: 30}}]
"""


def said_by_code(installation: Installation, slug: str) -> dict[str, int]:
    """How many texts of a project code let through, and how many not."""
    return dict(
        installation.rows(
            "SELECT c.code, COUNT(*) FROM annotate_checkresult c "
            "JOIN annotate_part t ON t.id = c.part_id "
            "JOIN annotate_subject s ON s.id = t.subject_id "
            f"JOIN projects_project p ON p.id = s.project_id WHERE p.slug = '{slug}' "
            "GROUP BY c.code"
        )
    )


def test_what_a_worker_imports_is_looked_at_by_code_once_though_workers_are_killed(
    installation: Installation, slug: str, tmp_path: Path
) -> None:
    rubric = tmp_path / "rubric.yaml"
    rubric.write_text(CODED, encoding="utf-8")
    installation.manage("import_rubric", str(rubric), "--project", slug, "--publish", "First.")
    rows = (pair(n, response_a="x" * (20 + n % 2 * 20), response_b="y") for n in range(3000))
    job = ask(installation, slug, written(tmp_path, jsonl(rows)))
    worker = installation.worker()
    installation.until(lambda: bool(said_by_code(installation, slug)), "code has begun")
    installation.kill(worker)
    installation.worker()
    wanted = {"pass": 4500, "fail": 1500}
    installation.until(lambda: said_by_code(installation, slug) == wanted, "code has ended")
    finished(installation, job)
    assert state(installation, job)[0] == "done"
