from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction
from django.utils import timezone
from django.utils.text import capfirst, slugify

from projects.audit import record
from projects.models import Project
from rubrics import document
from rubrics.models import Anchor, Criterion, Rubric, RubricVersion

if TYPE_CHECKING:
    from projects.models import User


class RubricRefused(Exception):
    """The document cannot become a version here; the message says why and what to do."""


class DraftChanged(Exception):
    """Somebody else changed the draft since it was read; nothing was written."""

    def __init__(self, standing: RubricVersion) -> None:
        self.standing = standing
        super().__init__("Somebody else changed this draft since it was opened.")


def import_rubric(
    *,
    project: Project,
    source: str | bytes,
    acting_user: User | None,
    slug: str = "",
    replacing: str | None = None,
) -> RubricVersion:
    """Read a YAML document into a draft. The same document again changes nothing.

    `replacing` is the digest of the draft that its author has read ('' for none); without it any
    draft is replaced. Raises `document.RubricError` with every problem of the document,
    `RubricRefused` where the number it asks for is taken, `DraftChanged` where another draft than
    the one read stands there.
    """
    parsed = document.parse(source)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        rubric = _rubric_for(project, parsed.rubric, slug)
        number = parsed.rubric.number or _number_for(rubric, parsed.rubric)
        at_number = rubric.versions.filter(number=number).newest_first()
        draft, released = at_number.drafts().first(), at_number.released().first()
        for standing in (draft, released):
            if standing is not None and standing.digest == document.digest(parsed.rubric):
                return standing
        _refuse_another_meaning(rubric, parsed.rubric, released)
        if replacing is not None and draft is not None and draft.digest != replacing:
            raise DraftChanged(draft)
        if draft is not None:
            draft.delete()
        version = _write(rubric, parsed, number, released.revision + 1 if released else 1)
        record(
            "rubric.drafted",
            project=project,
            actor=acting_user,
            target=version,
            digest=version.digest,
            replaces=draft.digest if draft else None,
        )
    return version


def publish(*, version: RubricVersion, change_note: str, acting_user: User | None) -> RubricVersion:
    """Make a draft immutable, with the note that says what changed and why."""
    note = change_note.strip()
    if not note:
        raise RubricRefused("Say in the change note what changed and why.")
    with transaction.atomic():
        version = _locked(version)
        if version.status != RubricVersion.Status.DRAFT:
            raise RubricRefused(f"{capfirst(version.in_words)} is published already.")
        version.status = RubricVersion.Status.PUBLISHED
        version.change_note = note
        version.published_at = timezone.now()
        version.published_by = acting_user
        # Drafted before its elder was published, it had no parent yet.
        version.parent = _parent(version.rubric, version.number)
        version.save()
        _name_rubric(version)
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


def discard_draft(*, version: RubricVersion, acting_user: User | None) -> Rubric | None:
    """Throw a draft away, and its rubric if it has no other version; the rubric where it stays."""
    with transaction.atomic():
        version = _locked(version)
        rubric = version.rubric
        if version.status != RubricVersion.Status.DRAFT:
            raise RubricRefused(f"{capfirst(version.in_words)} is published and stays.")
        record(
            "rubric.discarded",
            project=rubric.project,
            actor=acting_user,
            target=version,
            digest=version.digest,
        )
        version.delete()
        if rubric.versions.exists():
            return rubric
        rubric.delete()
    return None


def _locked(version: RubricVersion) -> RubricVersion:
    """The version as it stands, under the lock that importing takes as well."""
    held = Project.objects.select_for_update(of=("self",), no_key=True)
    held.get(rubrics=version.rubric_id)
    rows = RubricVersion.objects.select_related("rubric__project")
    found = rows.filter(pk=version.pk).first()
    if found is None:
        raise RubricRefused(
            f"The draft of {version.in_words} was replaced or thrown away: look at what is there."
        )
    return found


def _name_rubric(version: RubricVersion) -> None:
    """A rubric goes by the name its newest published version gives it."""
    rubric = version.rubric
    if rubric.versions.released().newest_first().first() == version:
        rubric.name = version.content.display_name
        rubric.save(update_fields=["name"])


def _rubric_for(project: Project, content: document.Rubric, slug: str) -> Rubric:
    slug = slug or slugify(content.task)[:50] or "rubric"
    try:
        validate_slug(slug)
    except ValidationError:
        raise RubricRefused(
            f"“{slug}” cannot stand in an address: use letters, digits, - and _."
        ) from None
    rubric, _ = Rubric.objects.get_or_create(
        project=project, slug=slug, defaults={"name": content.display_name}
    )
    return rubric


def _number_for(rubric: Rubric, content: document.Rubric) -> int:
    """For a document without a number: of the version it already is or mends, else a free one."""
    same = rubric.versions.filter(digest=document.digest(content)).newest_first().first()
    if same is not None:
        return same.number
    released = rubric.versions.released().newest_first()
    newest = released.first()
    if newest is not None and newest.semantic_digest == document.semantic_digest(content):
        return newest.number
    taken = released.values("number")
    draft = rubric.versions.drafts().exclude(number__in=taken).newest_first().first()
    return draft.number if draft else rubric.versions.next_number()


def _refuse_another_meaning(
    rubric: Rubric, content: document.Rubric, released: RubricVersion | None
) -> None:
    if released and released.semantic_digest != document.semantic_digest(content):
        raise RubricRefused(
            f"Version {released.number} is published and says something else. "
            f"Set rubric_version to {rubric.versions.next_number()} to draft the next one."
        )


def _parent(rubric: Rubric, number: int) -> RubricVersion | None:
    return rubric.versions.released().filter(number__lte=number).newest_first().first()


def _write(rubric: Rubric, parsed: document.Parsed, number: int, revision: int) -> RubricVersion:
    content = parsed.rubric
    version = RubricVersion.objects.create(
        rubric=rubric,
        number=number,
        revision=revision,
        parent=_parent(rubric, number),
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
        decides=check.decides,
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
