from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from django.conf import settings as django_settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from annotate import release
from annotate.by_code import gates_by_code, never_given
from annotate.models import Batch, GoldAnswer, Release, Slot, Subject, Vote
from annotate.ratings import votes_by_subject
from annotate.rulings import counting_in
from projects.audit import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from annotate.decisions import ByCode, VoteView
    from annotate.querysets import SubjectQuerySet
    from projects.models import User

SUBJECTS_AT_ONCE = 200


FILES = (release.PAIRS_FILE, release.SCHEMA_FILE, release.MANIFEST_FILE)


class ReleaseRefused(Exception):
    """The batch cannot be released; the message says why and what to do."""


def export_pairs(
    *, batch: Batch, settings: release.Settings, out: Path, acting_user: User | None
) -> Release:
    """Write the decided pairs of a closed batch into `out`, with schema and manifest.

    The manifest comes last, so that a folder that holds one holds all of it; what fails in
    between leaves neither files nor a release.
    """
    _check(batch, settings, out)
    _make_folder(out)
    try:
        manifest = _write_pairs(batch, settings, out)
        with transaction.atomic():
            row = _release(batch, settings, manifest, acting_user)
            _write(out / release.MANIFEST_FILE, [release.document(manifest)])
    except BaseException:
        for name in FILES:
            (out / name).unlink(missing_ok=True)
        raise
    return row


def _check(batch: Batch, settings: release.Settings, out: Path) -> None:
    if batch.version.subject_kind != "pair":
        raise ReleaseRefused(f"{batch} judges no pairs, so there are none to export.")
    if batch.closed_at is None:
        raise ReleaseRefused(f"{batch} is open, its votes still change: close it first.")
    if not settings.threshold > 0:
        raise ReleaseRefused("The threshold is a mean margin above 0.")
    for name in FILES:
        if (out / name).exists():
            raise ReleaseRefused(f"{out / name} exists already: choose another folder.")


def _write_pairs(batch: Batch, settings: release.Settings, out: Path) -> dict[str, Any]:
    """Write the pairs and their schema; the manifest that accounts for them is returned."""
    made = _provenance(batch)
    ledger, meter = release.Ledger(), release.Meter(release.PAIRS_FILE)
    lines = release.rows(_candidates(batch, settings), settings, ledger, made.rubric_version)
    _write(out / release.PAIRS_FILE, meter.through(lines))
    schema = release.document(release.schema())
    _write(out / release.SCHEMA_FILE, [schema])
    return release.manifest(
        ledger,
        made,
        settings,
        files=[meter.entry(), release.describe(release.SCHEMA_FILE, schema)],
        total=_released(batch, settings).count(),
        beside=never_given(batch.version).count(),
    )


def _release(
    batch: Batch,
    settings: release.Settings,
    manifest: dict[str, Any],
    acting_user: User | None,
) -> Release:
    row = Release.objects.create(
        project=batch.project,
        batch=batch,
        format="trl",
        policy=settings.policy,
        manifest=manifest,
        created_by=acting_user,
    )
    record(
        "release.exported",
        project=batch.project,
        actor=acting_user,
        target=row.public_id,
        batch=str(batch),
        exported=manifest["pairs"]["exported"],
    )
    return row


def pairs_of(batch: Batch) -> SubjectQuerySet:
    """Every pair the batch is about, voted on or not."""
    given = Slot.objects.filter(batch=batch, subject=OuterRef("pk"))
    voted = Vote.objects.filter(batch=batch, subject=OuterRef("pk"))
    return Subject.objects.pairs().filter(Exists(given) | Exists(voted))


def _released(batch: Batch, settings: release.Settings) -> SubjectQuerySet:
    """The pairs of the batch and, on request, those that code kept out of every batch."""
    pairs = pairs_of(batch)
    if settings.by_code is release.DecidedByCode.LEAVE:
        return pairs
    return pairs | Subject.objects.pairs().filter(pk__in=never_given(batch.version).values("pk"))


def _candidates(batch: Batch, settings: release.Settings) -> Iterator[release.Candidate]:
    votes = votes_by_subject(batch)
    gold = set(
        GoldAnswer.objects.filter(subject__in=pairs_of(batch)).values_list("subject", flat=True)
    )
    roles = Slot.objects.filter(batch=batch).exclude(role="normal")
    planted = dict(roles.values_list("subject", "role"))
    rulings = counting_in(batch)
    released = _released(batch, settings)
    by_code = gates_by_code(batch.version, released)
    subjects = released.select_related("pair").prefetch_related("parts")
    for subject in subjects.iterator(chunk_size=SUBJECTS_AT_ONCE):
        yield _candidate(
            subject,
            votes.get(subject.pk, []),
            by_code.get(subject.pk, {}),
            [
                release.RulingView(str(one.public_id), one.decision)
                for one in rulings.get(subject.pk, ())
            ],
            gold=subject.pk in gold or planted.get(subject.pk) == "gold",
            probe=planted.get(subject.pk) == "probe",
        )


def _candidate(
    subject: Subject,
    votes: list[VoteView],
    by_code: ByCode,
    rulings: list[release.RulingView],
    *,
    gold: bool,
    probe: bool,
) -> release.Candidate:
    texts = {part.key: part.text for part in subject.parts.all()}
    pair = getattr(subject, "pair", None)
    return release.Candidate(
        id=subject.external_id,
        messages=pair.messages if pair else [],
        response_a=texts.get("A"),
        response_b=texts.get("B"),
        votes=votes,
        context=pair.context if pair else "",
        model_a=pair.model_a if pair else "",
        model_b=pair.model_b if pair else "",
        gold=gold,
        probe=probe,
        by_code=by_code,
        rulings=rulings,
    )


def _provenance(batch: Batch) -> release.Provenance:
    version = batch.version
    voted = Vote.objects.of_batches(batch).current().counted().values("rater")
    return release.Provenance(
        project=batch.project.slug,
        batch=str(batch),
        label_source=_label_source(batch),
        rubric=version.rubric.slug,
        version=version.number,
        revision=version.revision,
        digest=version.digest,
        semantic_digest=version.semantic_digest,
        code_version=django_settings.CALIBRANT_VERSION,
        made_at=timezone.now(),
        raters=[
            rater.pseudonym
            for rater in batch.project.raters.filter(pk__in=voted)
            if rater.pseudonym is not None
        ],
        seed=batch.seed,
    )


def _label_source(batch: Batch) -> str:
    if batch.simulated:
        return "simulated"
    return "imported" if batch.kind == Batch.Kind.IMPORTED else "vote"


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReleaseRefused(
            f"{out} cannot be made into a folder: {error.strerror}. Choose another."
        ) from None


def _write(file: Path, chunks: Iterable[bytes]) -> None:
    """All of the file or nothing of it: written beside its place, then moved there."""
    partial = file.with_name(f"{file.name}.part")
    try:
        with partial.open("wb") as stream:
            stream.writelines(chunks)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        partial.unlink()
        raise
    partial.replace(file)
