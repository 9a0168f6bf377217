"""Files that people bring to the site: kept, looked at, checked, imported or thrown away."""

from __future__ import annotations

import hashlib
import shutil
from datetime import timedelta
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotate.actions import kept_files
from annotate.actions.jobs import start_job
from annotate.ingest.problems import Problem
from annotate.ingest.readers import ENDINGS, records
from annotate.models import Upload
from projects.audit import record
from projects.models import Job

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

    from projects.models import Project, User

# A file that nobody has gone on with for so long goes.
KEPT_FOR = timedelta(days=1)
CHECKS = {Upload.Kind.PAIRS: "check_pairs", Upload.Kind.VOTES: "check_votes"}
IMPORTS = {Upload.Kind.PAIRS: "import_subjects", Upload.Kind.VOTES: "import_votes"}
COMPRESSED = {".gz", ".zip", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".tgz"}
SPREADSHEETS = {".xlsx", ".xls", ".ods", ".numbers"}
DISCARDED, PRUNED = "upload.discarded", "upload.pruned"
BLOCK = 1024 * 1024


class UploadRefused(Exception):
    """Nothing was kept or started; the message says why and what to do."""


def bring(*, project: Project, kind: str, file: UploadedFile[bytes], acting_user: User) -> Upload:
    """Keep a file where nobody else reads it, until it is imported or thrown away."""
    name = (file.name or "")[-255:]
    if refusal := _refusal(name, file.size or 0):
        raise UploadRefused(refusal)
    kept = kept_files.folder() / kept_files.new_name(name)
    digest = _move(file, kept)
    if refusal := _unreadable(kept, name):
        kept.unlink()
        raise UploadRefused(refusal)
    with transaction.atomic():
        upload = Upload.objects.create(
            project=project,
            kind=kind,
            file_name=name,
            path=kept.name,
            sha256=digest,
            size=kept.stat().st_size,
            created_by=acting_user,
        )
        record(
            "upload.kept",
            project=project,
            actor=acting_user,
            target=upload,
            sha256=digest,
            size=upload.size,
        )
    return upload


def _refusal(name: str, size: int) -> str:
    ending = PurePath(name).suffix.casefold()
    if ending in COMPRESSED:
        return (
            f"The file is compressed ({ending}). Unpack it first, or write it as Parquet, which is "
            "compressed by itself."
        )
    if ending in SPREADSHEETS:
        return 'The file is a spreadsheet. Save it as "CSV UTF-8" and choose that file.'
    if ending not in ENDINGS:
        given = f"The name ends in {ending[:20]}" if ending else "The name has no ending"
        return f"{given}; it must be one of {', '.join(ENDINGS)}, which tells the format."
    if not size:
        return "The file is empty. Check that it is the one you meant."
    most = settings.CALIBRANT_MAX_UPLOAD_MB
    if size > most * 1024 * 1024:
        return (
            f"The file has {size / 1024 / 1024:,.0f} MB; {most} MB is the most. Split it, write it "
            "as Parquet, or have it brought in by the command line."
        )
    return ""


def _unreadable(kept: Path, name: str) -> str:
    """Why nothing can be read of the file: what the reader says first, if that is its last word."""
    with kept.open("rb") as stream:
        rows = records(stream, name)
        first = next(rows)
        rows.close()
    return first.message if isinstance(first, Problem) and first.fatal else ""


def _move(file: UploadedFile[bytes], kept: Path) -> str:
    """Put the file in its place and return its SHA-256."""
    digest = hashlib.sha256()
    for block in file.chunks(BLOCK):
        digest.update(block)
    if isinstance(file, TemporaryUploadedFile):
        # A link costs nothing where both lie in one folder, which they do unless it was moved.
        temporary = Path(file.temporary_file_path())
        try:
            kept.hardlink_to(temporary)
        except OSError:
            shutil.copyfile(temporary, kept)
    else:
        with kept.open("wb") as out:
            for block in file.chunks(BLOCK):
                out.write(block)
    kept.chmod(0o600)
    return digest.hexdigest()


def choose(*, upload: Upload, flags: dict[str, Any], acting_user: User) -> Upload:
    """Keep what the page says the file's fields are. Nothing is imported by it."""
    with transaction.atomic():
        held = _held(upload)
        held.flags = flags
        held.save(update_fields=["flags"])
        record("upload.mapped", project=held.project, actor=acting_user, target=held)
    return held


def start(*, upload: Upload, flags: dict[str, Any], write: bool, acting_user: User) -> Job:
    """Check the whole file, or import it; one job of a file at a time.

    Whoever presses twice, or second, is given the job that works already.
    """
    with transaction.atomic():
        held = _held(upload)
        if held.job is not None and held.job.state in (Job.State.PENDING, Job.State.RUNNING):
            return held.job
        held.flags = flags
        kinds = IMPORTS if write else CHECKS
        params = {
            **flags,
            "upload": str(held.public_id),
            "upload_file": held.path,
            "checks_only": not write,
        }
        held.job = start_job(
            project=held.project,
            kind=kinds[Upload.Kind(held.kind)],
            params=params,
            acting_user=acting_user,
        )
        held.save(update_fields=["flags", "job"])
    return held.job


def discard(*, upload: Upload, acting_user: User) -> None:
    """Throw the file away; what was imported from it stays."""
    with transaction.atomic():
        held = _held(upload)
        if held.job is not None and held.job.state in (Job.State.PENDING, Job.State.RUNNING):
            raise UploadRefused("The file is being read just now. Throw it away afterwards.")
        _forget(held, DISCARDED, acting_user)


def prune() -> int:
    """Delete files that were imported or left alone for a day, and then those that are nobody's."""
    old = timezone.now() - KEPT_FOR
    at_work = Q(job__state__in=(Job.State.PENDING, Job.State.RUNNING))
    imported = Q(job__kind__in=IMPORTS.values(), job__state=Job.State.DONE)
    abandoned = Q(created_at__lt=old) & (Q(job=None) | Q(job__finished_at__lt=old))
    kept = Upload.objects.exclude(path="")
    stale = kept.filter(imported | abandoned).exclude(at_work)
    for pk in list(stale.values_list("pk", flat=True)):
        with transaction.atomic():
            # Somebody may have gone on with it meanwhile: asked again once nobody can any more.
            _lock(pk)
            for upload in stale.filter(pk=pk):
                _forget(upload, PRUNED, None)
    wanted = set(Upload.objects.exclude(path="").values_list("path", flat=True))
    working = Job.objects.filter(state__in=(Job.State.PENDING, Job.State.RUNNING))
    files = working.filter(kind__in=IMPORTS.values()).values_list("params", flat=True)
    wanted |= {PurePath(params["file"]).name for params in files if params.get("file")}
    return kept_files.prune(wanted)


def _held(upload: Upload) -> Upload:
    """The upload, locked: two leads, or one who presses twice, come one after the other."""
    _lock(upload.pk)
    found = Upload.objects.select_related("project", "job").get(pk=upload.pk)
    if not found.path:
        raise UploadRefused("This file is no longer here. Upload it again.")
    if is_imported(found):
        raise UploadRefused("This file is imported already.")
    return found


def _lock(pk: int) -> None:
    """Wait for whoever holds the row; what it says is read afterwards.

    A query that locks and joins at once would join what stood before the wait: a job that was
    started meanwhile would look like none.
    """
    list(Upload.objects.select_for_update().filter(pk=pk).values_list("pk"))


def is_imported(upload: Upload) -> bool:
    job = upload.job
    return job is not None and job.kind in IMPORTS.values() and job.state == Job.State.DONE


def _forget(upload: Upload, verb: str, actor: User | None) -> None:
    name, upload.path = upload.path, ""
    upload.save(update_fields=["path"])
    said = {"upload": str(upload.public_id)}
    record(verb, project=upload.project, actor=actor, target=upload, **said)
    transaction.on_commit(lambda: (kept_files.folder() / name).unlink(missing_ok=True))
