"""One brought file and two who want something of it at one moment, on PostgreSQL."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.actions import kept_files, uploads
from annotate.models import Upload
from projects.models import Event, Job
from tests.annotate.importing import jsonl, pair, written
from tests.annotate.test_locks import ON_POSTGRES, Beside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from projects.models import Project, User

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not ON_POSTGRES, reason="SQLite has one writer at a time by itself"),
]
FLAGS: dict[str, Any] = {"kind": "pair", "name": "a.jsonl", "map": [], "as_text": []}


@pytest.fixture
def beside() -> Iterator[Beside]:
    found = Beside()
    yield found
    found.pool.shutdown()


@pytest.fixture
def upload(settings: Any, tmp_path: Path, project: Project, lead: User) -> Upload:
    settings.VAR_DIR = tmp_path / "var"
    kept = written(kept_files.folder(), jsonl([pair("p1")]), "kept.jsonl")
    return Upload.objects.create(
        project=project, kind="pairs", file_name="a.jsonl", path=kept.name, size=1, created_by=lead
    )


def start(upload: Upload, lead: User, *, write: bool = True) -> Job:
    return uploads.start(
        upload=upload, flags={**FLAGS, "partial": False}, write=write, acting_user=lead
    )


@pytest.mark.parametrize("checked", [False, True])
def test_a_file_left_alone_for_a_day_stays_when_its_import_has_just_been_started(
    upload: Upload, lead: User, beside: Beside, checked: bool
) -> None:
    long_ago = timezone.now() - timedelta(hours=25)
    if checked:
        job = start(upload, lead, write=False)
        Job.objects.filter(pk=job.pk).update(state="done", finished_at=long_ago)
    Upload.objects.update(created_at=long_ago)
    with transaction.atomic():
        start(upload, lead)
        pruning = beside.start(uploads.prune)
        assert beside.waits(pruning)
    pruning.result(timeout=10)
    upload.refresh_from_db()
    assert upload.path == "kept.jsonl"
    assert (kept_files.folder() / upload.path).exists()
    assert not Event.objects.filter(verb="upload.pruned").exists()


def test_two_leads_at_once_start_one_import(upload: Upload, lead: User, beside: Beside) -> None:
    with transaction.atomic():
        first = start(upload, lead)
        coming = beside.start(lambda: start(upload, lead))
        assert beside.waits(coming)
    assert coming.result(timeout=10) == first == Job.objects.get()


def test_a_file_whose_import_has_just_been_started_is_not_thrown_away(
    upload: Upload, lead: User, beside: Beside
) -> None:
    with transaction.atomic():
        start(upload, lead)
        coming = beside.start(lambda: uploads.discard(upload=upload, acting_user=lead))
        assert beside.waits(coming)
    with pytest.raises(uploads.UploadRefused, match="being read just now"):
        coming.result(timeout=10)


def test_a_file_that_is_pruned_just_now_is_not_imported_any_more(
    upload: Upload, lead: User, beside: Beside
) -> None:
    Upload.objects.update(created_at=timezone.now() - timedelta(hours=25))
    with transaction.atomic():
        uploads.prune()
        coming = beside.start(lambda: start(upload, lead))
        assert beside.waits(coming)
    with pytest.raises(uploads.UploadRefused, match="no longer here"):
        coming.result(timeout=10)
    assert not Job.objects.exists()
