"""Jobs as rows: claimed once, renewed, given back, given up. The worker itself: test_worker.py."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.db import OperationalError, transaction
from django.utils import timezone

from annotate import tasks
from annotate.actions import broker, jobs, kept_files
from annotate.actions.imports import ImportBusy, ImportRefused, Report
from annotate.actions.kept_files import keep_file
from annotate.actions.runners import RUNNERS
from annotate.models import Batch, Import, Subject
from projects.commands import system_account
from projects.models import Event, Job, Notice
from projects.notices import tell
from tests.annotate.importing import jsonl, pair, publish_rubric, written

if TYPE_CHECKING:
    from annotate.actions.imports import Progress
    from projects.models import Project, User


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "var"


def waiting(project: Project, **fields: Any) -> Job:
    return Job.objects.create(project=project, kind="count", **fields)


def lapsed() -> Any:
    return timezone.now() - timedelta(seconds=1)


class Counting:
    """A kind of job that counts how often it was done."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, job: Job, progress: Progress) -> dict[str, Any]:
        self.times += 1
        progress(1, 2)
        return {"times": self.times}


def test_a_job_is_done_once_however_often_the_bell_rings(project: Project) -> None:
    job, count = waiting(project), Counting()
    for _ in range(3):
        jobs.run(job.pk, {"count": count})
    job.refresh_from_db()
    assert (job.state, job.result, job.deliveries, count.times) == ("done", {"times": 1}, 1, 1)
    assert (job.done, job.total) == (1, 2)
    assert job.finished_at is not None
    assert job.lease_until is None
    assert Event.objects.filter(verb="job.done").count() == 1


def test_a_second_delivery_while_the_first_works_returns_at_once(project: Project) -> None:
    job, count = waiting(project), Counting()

    def deliver_again(held: Job, progress: Progress) -> dict[str, Any]:
        jobs.run(held.pk, {"count": count})
        return {}

    jobs.run(job.pk, {"count": deliver_again})
    assert count.times == 0
    job.refresh_from_db()
    assert (job.state, job.deliveries) == ("done", 1)


def test_a_job_whose_lease_has_run_out_is_taken_over(project: Project) -> None:
    job = waiting(project, state="running", lease_until=lapsed(), deliveries=1)
    assert list(Job.objects.to_ring_again()) == [job]
    count = Counting()
    jobs.run(job.pk, {"count": count})
    job.refresh_from_db()
    assert (job.state, job.deliveries, count.times) == ("done", 2, 1)


def test_a_worker_that_slept_through_its_lease_writes_nothing_more(project: Project) -> None:
    job = waiting(project)

    def sleep_while_another_does_it(held: Job, progress: Progress) -> dict[str, Any]:
        Job.objects.update(lease_until=lapsed())
        jobs.run(held.pk, {"count": Counting()})
        progress(7, None)
        raise AssertionError("unreachable: the lease is lost")

    jobs.run(job.pk, {"count": sleep_while_another_does_it})
    job.refresh_from_db()
    assert (job.state, job.result, job.deliveries, job.done) == ("done", {"times": 1}, 2, 1)


def test_the_end_of_a_lost_delivery_does_not_overwrite_the_one_that_counts(
    project: Project, tmp_path: Path
) -> None:
    kept = written(tmp_path, "still needed")
    job = waiting(project, params={"file": str(kept)})

    def end_too_late(held: Job, progress: Progress) -> dict[str, Any]:
        Job.objects.update(deliveries=2)
        return {"of": "the lost delivery"}

    jobs.run(job.pk, {"count": end_too_late})
    job.refresh_from_db()
    assert (job.state, job.result) == ("running", None)
    assert kept.exists()


def test_op_03_a_job_that_lost_its_worker_three_times_is_given_up(
    project: Project, tmp_path: Path
) -> None:
    kept = written(tmp_path, "not needed any more")
    lost = {"state": "running", "lease_until": lapsed(), "params": {"file": str(kept)}}
    job = waiting(project, deliveries=3, **lost)
    jobs.ring_again()
    job.refresh_from_db()
    assert job.state == "failed"
    assert "worker_lost" in job.message
    assert not kept.exists()
    jobs.run(job.pk, {"count": Counting()})
    job.refresh_from_db()
    assert job.state == "failed"


def test_a_refused_import_fails_with_its_report(project: Project) -> None:
    def refuse(job: Job, progress: Progress) -> dict[str, Any]:
        raise ImportRefused("Nothing was imported: 1 row is refused.", Report("pairs.jsonl"))

    job = waiting(project)
    jobs.run(job.pk, {"count": refuse})
    job.refresh_from_db()
    assert (job.state, job.message) == ("failed", "Nothing was imported: 1 row is refused.")
    assert job.result is not None
    assert job.result["file"] == "pairs.jsonl"


def test_an_error_that_nobody_foresaw_fails_the_job_by_name_and_is_not_tried_again(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    def vanish(job: Job, progress: Progress) -> dict[str, Any]:
        raise FileNotFoundError("uploads/1.jsonl")

    job = waiting(project)
    jobs.run(job.pk, {"count": vanish})
    job.refresh_from_db()
    assert (job.state, job.deliveries) == ("failed", 1)
    assert "FileNotFoundError" in job.message
    assert "uploads/1.jsonl" in caplog.text


def test_a_database_that_was_away_for_a_moment_does_not_fail_the_job(project: Project) -> None:
    def stumble(job: Job, progress: Progress) -> dict[str, Any]:
        raise OperationalError("the server closed the connection")

    job = waiting(project)
    with pytest.raises(OperationalError):
        jobs.run(job.pk, {"count": stumble})
    job.refresh_from_db()
    assert job.state == "running"
    Job.objects.update(lease_until=lapsed())
    jobs.run(job.pk, {"count": Counting()})
    job.refresh_from_db()
    assert job.state == "done"


def test_a_job_that_finds_the_project_busy_waits_for_its_turn(project: Project) -> None:
    def find_it_busy(job: Job, progress: Progress) -> dict[str, Any]:
        raise ImportBusy("Another import of this project is under way.")

    job = waiting(project)
    for _ in range(5):
        jobs.run(job.pk, {"count": find_it_busy})
    job.refresh_from_db()
    assert (job.state, job.deliveries) == ("pending", 0)
    assert "Waiting" in job.message
    jobs.run(job.pk, {"count": Counting()})
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "")


def test_a_kept_file_outlives_the_original_whatever_its_name(tmp_path: Path) -> None:
    original = written(tmp_path, "rows", f"{'long' * 60}.jsonl")
    kept = keep_file(original)
    original.unlink()
    assert kept.read_text() == "rows"
    assert kept.suffix == ".jsonl"
    assert kept.parent.stat().st_mode & 0o777 == 0o700


def background(project: Project, command: str, file: Path, *flags: str) -> Job:
    call_command(command, str(file), "--project", project.slug, "--background", *flags)
    file.unlink()
    return Job.objects.get()


def test_what_a_worker_does_for_a_command_names_the_account_that_ran_it(
    project: Project, tmp_path: Path
) -> None:
    job = background(project, "import_pairs", written(tmp_path, jsonl([pair("p1")])))
    jobs.run(job.pk, RUNNERS)
    named = dict(Event.objects.filter(actor=None).values_list("verb", "data__operator"))
    assert named == dict.fromkeys(("job.started", "import.appeared", "job.done"), system_account())


def test_a_background_import_of_pairs_does_what_the_command_does(
    project: Project, tmp_path: Path
) -> None:
    row = {"n": 1, "q": "Why?", "response_a": True, "response_b": "b"}
    flags = ("--map", "id=n", "--map", "prompt=q", "--as-text", "response_a")
    job = background(project, "import_pairs", written(tmp_path, jsonl([row])), *flags)
    assert job.state == "pending"
    jobs.run(job.pk, RUNNERS)
    job.refresh_from_db()
    assert job.state == "done", job.message
    assert job.result is not None
    assert (job.result["file"], job.result["created"]) == ("pairs.jsonl", 1)
    assert (job.done, job.total) == (1, 1)
    assert Subject.objects.get().external_id == "1"
    assert not Path(job.params["file"]).exists()


def test_a_background_import_of_votes_does_what_the_command_does(
    project: Project, tmp_path: Path
) -> None:
    publish_rubric(project, "task: form\npreference:\n  scale: [A, tie, B]\n")
    file = written(tmp_path, "subject,rater,label\np1,ann,1\n", "v.csv")
    flags = ("--rubric", "form@1", "--column", "preference=label", "--value", "1=A")
    job = background(project, "import_votes", file, *flags, "--create-subjects")
    jobs.run(job.pk, RUNNERS)
    job.refresh_from_db()
    assert job.state == "done", job.message
    assert job.result is not None
    assert job.result["votes"] == 1
    assert Batch.objects.get().name == "v"


def test_a_background_import_with_bad_rows_fails_with_their_places(
    project: Project, tmp_path: Path
) -> None:
    rows = jsonl([pair("p1"), pair("p2", prompt="ABSENT")])
    job = background(project, "import_pairs", written(tmp_path, rows))
    jobs.run(job.pk, RUNNERS)
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.result is not None
    assert [problem["line"] for problem in job.result["problems"]] == [2]
    assert not Subject.objects.exists()


def test_the_sweeper_takes_lost_imports_back(project: Project) -> None:
    lost = Import.objects.create(project=project, kind="pair", file_name="f", lease_until=lapsed())
    Subject.objects.create(project=project, external_id="p1", origin=lost)
    tasks.sweep()
    lost.refresh_from_db()
    assert lost.state == "abandoned"
    assert not Subject.objects.exists()


def test_delivered_messages_of_the_embedded_broker_go_after_an_hour(
    settings: Any, tmp_path: Path
) -> None:
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"processed_folder": str(tmp_path)}
    old, new = written(tmp_path, "", "old"), written(tmp_path, "", "new")
    an_hour_ago = time.time() - broker.KEEP_S - 1
    os.utime(old, (an_hour_ago, an_hour_ago))
    assert broker.prune_processed() == 1
    assert not old.exists()
    assert new.exists()


def test_a_file_that_has_gone_meanwhile_ends_no_pruning(settings: Any, tmp_path: Path) -> None:
    """A link to nowhere is what a file is that another worker took between looking and asking."""
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"processed_folder": str(tmp_path)}
    for folder, prune in (
        (tmp_path, broker.prune_processed),
        (kept_files.folder(), lambda: kept_files.prune(())),
    ):
        (folder / "gone").symlink_to(folder / "nowhere")
        old = written(folder, "", "old")
        os.utime(old, (0, 0))
        assert prune() == 1
        assert not old.exists()


def test_what_one_step_of_the_sweep_breaks_on_keeps_no_other_from_running(
    settings: Any, tmp_path: Path, project: Project, lead: User, caplog: pytest.LogCaptureFixture
) -> None:
    no_folder = written(tmp_path, "", "no folder")
    settings.VAR_DIR = no_folder
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"processed_folder": str(no_folder)}
    job = waiting(project, state="running", lease_until=lapsed(), deliveries=3)
    # Giving the job up takes its file away, which a folder does not allow.
    Job.objects.update(params={"file": str(tmp_path)})
    lost = Import.objects.create(project=project, kind="pair", file_name="f", lease_until=lapsed())
    with transaction.atomic():
        tell(users=[lead], project=project, verb=Notice.Verb.OPENED, text="Old.", path="/")
    Notice.objects.update(created_at=timezone.now() - timedelta(days=91))
    tasks.sweep()
    for step in ("ring_again", "uploads.prune", "broker.prune_processed"):
        assert f"{step} failed" in caplog.text
    job.refresh_from_db()
    lost.refresh_from_db()
    assert (job.state, lost.state) == ("failed", "abandoned")
    assert not Notice.objects.exists()


def test_another_broker_has_nothing_to_prune(settings: Any) -> None:
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {}
    assert broker.prune_processed() == 0
