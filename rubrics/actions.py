from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from projects.audit import record
from projects.models import Project
from rubrics import document
from rubrics.models import Anchor, Criterion, Rubric, RubricVersion

if TYPE_CHECKING:
    from projects.models import User


class RubricRefused(Exception):
    """The document cannot become a version here; the message says why and what to do."""


def import_rubric(
    *, project: Project, source: str | bytes, acting_user: User | None, slug: str = ""
) -> RubricVersion:
    """Read a YAML document into a draft. The same document again changes nothing.

    Raises `document.RubricError` with every problem of the document, `RubricRefused` where the
    number it asks for is taken.
    """
    parsed = document.parse(source)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        rubric = _rubric_for(project, parsed.rubric, slug)
        standing = _standing(rubric, parsed.rubric)
        if standing is not None and standing.digest == document.digest(parsed.rubric):
            return standing
        if standing is not None and standing.status == RubricVersion.Status.DRAFT:
            standing.delete()
        version = _write(rubric, parsed, _place(rubric, parsed.rubric, standing))
        record(
            "rubric.drafted",
            project=project,
            actor=acting_user,
            target=version,
            digest=version.digest,
        )
    return version


def publish(*, version: RubricVersion, change_note: str, acting_user: User | None) -> RubricVersion:
    """Make a draft immutable, with the note that says what changed and why."""
    note = change_note.strip()
    if not note:
        raise RubricRefused("Say in the change note what changed and why.")
    with transaction.atomic():
        version = (
            RubricVersion.objects.select_for_update(of=("self",))
            .select_related("rubric__project")
            .get(pk=version.pk)
        )
        if version.status != RubricVersion.Status.DRAFT:
            raise RubricRefused(f"{version} is published already.")
        version.status = RubricVersion.Status.PUBLISHED
        version.change_note = note
        version.published_at = timezone.now()
        version.published_by = acting_user
        version.save()
        record(
            "rubric.published",
            project=version.rubric.project,
            actor=acting_user,
            target=version,
            digest=version.digest,
            change_note=note,
            warnings=version.warnings,
        )
    return version


def _rubric_for(project: Project, content: document.Rubric, slug: str) -> Rubric:
    rubric, _ = Rubric.objects.get_or_create(
        project=project,
        slug=slug or slugify(content.task)[:50] or "rubric",
        defaults={"name": content.display_name[:120]},
    )
    return rubric


def _standing(rubric: Rubric, content: document.Rubric) -> RubricVersion | None:
    """The latest revision under the number the document asks for, else the newest draft."""
    versions = rubric.versions.newest_first()
    if content.number is None:
        return versions.drafts().first() or versions.filter(digest=document.digest(content)).first()
    return versions.filter(number=content.number).first()


def _place(
    rubric: Rubric, content: document.Rubric, standing: RubricVersion | None
) -> tuple[int, int]:
    """Number and revision of the draft to write."""
    if standing is None:
        highest = rubric.versions.aggregate(Max("number"))["number__max"] or 0
        return content.number or highest + 1, 1
    if standing.status == RubricVersion.Status.DRAFT:
        return standing.number, standing.revision
    if standing.semantic_digest == document.semantic_digest(content):
        return standing.number, standing.revision + 1
    raise RubricRefused(
        f"Version {standing.number} is published and says something else. "
        f"Set rubric_version to {_free_number(rubric)} to draft the next one."
    )


def _free_number(rubric: Rubric) -> int:
    return int(rubric.versions.aggregate(Max("number"))["number__max"]) + 1


def _write(rubric: Rubric, parsed: document.Parsed, place: tuple[int, int]) -> RubricVersion:
    content = parsed.rubric
    number, revision = place
    version = RubricVersion.objects.create(
        rubric=rubric,
        number=number,
        revision=revision,
        parent=rubric.versions.published().filter(number__lte=number).newest_first().first(),
        subject_kind=content.subject,
        document=document.canonical(content),
        digest=document.digest(content),
        semantic_digest=document.semantic_digest(content),
        warnings=[str(warning) for warning in parsed.warnings],
    )
    for order, check in enumerate(content.criteria):
        _write_check(version, order, check)
    return version


def _write_check(version: RubricVersion, order: int, check: document.Criterion) -> None:
    criterion = Criterion.objects.create(
        version=version,
        order=order,
        key=check.key,
        kind=check.kind,
        family=check.family,
        level=check.level,
        values=list(check.values),
        bounds=list(check.bounds) if check.bounds else None,
        allows_na=check.allows_na,
        weight=check.weight,
        title=check.title,
        text=check.text,
        help=check.help,
        lineage=_lineage(check),
        rule=dict(check.rule) or None,
    )
    for place, anchor in enumerate(check.anchors):
        Anchor.objects.create(
            criterion=criterion,
            order=place,
            verdict=anchor.verdict,
            origin=anchor.origin,
            text=anchor.text,
            note=anchor.note,
        )


def _lineage(check: document.Criterion) -> dict[str, object] | None:
    return {"kind": check.lineage.kind, "keys": list(check.lineage.keys)} if check.lineage else None
