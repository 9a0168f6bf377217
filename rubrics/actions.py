from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction
from django.utils import timezone
from django.utils.text import capfirst, slugify

from projects.audit import record
from projects.models import Project
from rubrics import document, edits, reading, redline
from rubrics.models import Anchor, Criterion, Rubric, RubricVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from projects.models import User
    from rubrics import content


class RubricRefused(Exception):
    """The document cannot become a version here; the message says why and what to do."""


class DraftChanged(Exception):
    """Somebody else changed the draft since it was read; nothing was written."""

    def __init__(self, standing: RubricVersion) -> None:
        self.standing = standing
        super().__init__("Somebody else changed this draft since it was opened.")


@dataclass(frozen=True)
class DraftEdit:
    """A draft after one edit. `before` is the way back, for `restore_draft` alone ('' where there
    was no draft); `keys` are the checks that were touched, as the draft calls them."""

    draft: RubricVersion
    before: str
    keys: tuple[str, ...]


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
        if draft is not None and draft.change_notes:
            _keep_notes(version, draft.change_notes)
        record(
            "rubric.drafted",
            project=project,
            actor=acting_user,
            target=version,
            digest=version.digest,
            replaces=draft.digest if draft else None,
        )
    return version


def edit_draft(
    *,
    version: RubricVersion,
    kind: str,
    detail: Mapping[str, Any],
    note: str,
    acting_user: User | None,
) -> DraftEdit:
    """Make one change in the draft of the next version, opened from `version` if there is none.

    `kind` and `detail` as `rubrics.edits.apply` takes them; `note` joins the change notes of the
    checks it touches. Raises `edits.EditError` where the change cannot be made, `RubricRefused`
    where `version` is not the newest published one. Nothing is written then.
    """
    with transaction.atomic():
        base, draft = _newest(version.rubric)
        if base is None or base.number != version.number:
            raise RubricRefused(
                f"{capfirst(version.in_words)} is not the newest published one: "
                "its votes speak of a rubric that has changed since."
            )
        was = draft.content if draft else replace(base.content, number=None)
        number = draft.number if draft else base.rubric.versions.next_number()
        before = _sealed(draft)
        edited = edits.apply(base.content, replace(was, number=number), kind, detail)
        draft = import_rubric(
            project=base.rubric.project,
            source=document.dump(edited.rubric),
            slug=base.rubric.slug,
            acting_user=acting_user,
        )
        _keep_notes(draft, {**draft.change_notes, **_joined(draft, edited.keys, note)})
    return DraftEdit(draft, before, edited.keys)


def note_draft(
    *, rubric: Rubric, number: int, keys: Iterable[str], note: str, instead_of: str = ""
) -> None:
    """Why these checks change, in a draft that holds no note on them, or holds `instead_of`.

    What anybody else wrote of a check stays. Nothing is written once the draft is published.
    """
    line, before = " ".join(note.split()), " ".join(instead_of.split())
    with transaction.atomic():
        _, draft = _newest(rubric)
        if draft is None or draft.number != number:
            return
        said = draft.change_notes
        notes = {key: line for key in keys if said.get(key, "") in ("", before)}
        if notes:
            _keep_notes(draft, {**said, **notes})


def draft_before(before: str, *, number: int) -> content.Rubric | None:
    """The draft that `before` (a DraftEdit's) holds; None where there was none."""
    if not before:
        return None
    return replace(document.from_canonical(json.loads(before)["document"]), number=number)


def restore_draft(
    *, rubric: Rubric, number: int, before: str, after_digest: str, acting_user: User | None
) -> RubricVersion | None:
    """Take an edit back: the draft as `before` (a DraftEdit's) holds it, None where there was none.

    Only while the draft is still what the edit left; raises `RubricRefused` otherwise.
    """
    with transaction.atomic():
        _, draft = _newest(rubric)
        if draft is None or draft.number != number or draft.digest != after_digest:
            raise RubricRefused(
                "The draft has changed since, so this cannot be taken back by itself: "
                "open the draft and change it there."
            )
        was = draft_before(before, number=number)
        if was is None:
            discard_draft(version=draft, acting_user=acting_user)
            return None
        draft = import_rubric(
            project=draft.rubric.project,
            source=document.dump(was),
            slug=rubric.slug,
            acting_user=acting_user,
        )
        _keep_notes(draft, json.loads(before)["notes"])
    return draft


def _newest(rubric: Rubric) -> tuple[RubricVersion | None, RubricVersion | None]:
    """The newest published version of a rubric and the draft after it, under the project's lock."""
    Project.objects.select_for_update(no_key=True).get(pk=rubric.project_id)
    rows = RubricVersion.objects.filter(rubric=rubric).select_related("rubric__project")
    base = rows.released().newest_first().first()
    drafts = rows.drafts().filter(number__gt=base.number) if base else rows.none()
    return base, drafts.newest_first().first()


def _sealed(draft: RubricVersion | None) -> str:
    if draft is None:
        return ""
    return json.dumps({"document": draft.document, "notes": draft.change_notes})


def _joined(draft: RubricVersion, keys: tuple[str, ...], note: str) -> dict[str, str]:
    """The notes of the checks with one line more; what is said already is not said twice."""
    said = {key: draft.change_notes.get(key, "").splitlines() for key in keys}
    line = " ".join(note.split())
    return {
        key: "\n".join([*lines, line] if line not in lines else lines)
        for key, lines in said.items()
        if line
    }


def _keep_notes(draft: RubricVersion, notes: Mapping[str, str]) -> None:
    """Notes on a draft; those of checks that are in it no more have nothing to speak of."""
    known = {check.key for check in draft.content.criteria}
    if draft.parent is not None:
        known |= {check.key for check in draft.parent.content.criteria}
    draft.change_notes = {key: note for key, note in notes.items() if key in known and note}
    draft.save(update_fields=["change_notes"])


def publish(
    *,
    version: RubricVersion,
    change_note: str,
    acting_user: User | None,
    notes: Mapping[str, str] | None = None,
) -> RubricVersion:
    """Make a draft immutable, with notes that say what changed in each check and why.

    `notes` is by key of a changed check; without it the draft's own notes stand, and what changed
    in checks that have none is told in the document's words. `change_note` speaks of the whole, and
    may be left out where every changed check has its note.
    """
    note = change_note.strip()
    with transaction.atomic():
        version = _locked(version)
        if version.status != RubricVersion.Status.DRAFT:
            raise RubricRefused(f"{capfirst(version.in_words)} is published already.")
        # Drafted before its elder was published, it had no parent yet.
        version.parent = _parent(version.rubric, version.number)
        version.change_notes = _answered(version, notes)
        version.change_note = note
        if not note and not version.change_notes:
            raise RubricRefused("Say in the change note what changed and why.")
        version.status = RubricVersion.Status.PUBLISHED
        version.published_at = timezone.now()
        version.published_by = acting_user
        version.save()
        _name_rubric(version)
        record(
            "rubric.published",
            project=version.rubric.project,
            actor=acting_user,
            target=version,
            digest=version.digest,
            change_note=version.change_note,
            change_notes=version.change_notes,
            warnings=version.warnings,
        )
    return version


def _answered(version: RubricVersion, notes: Mapping[str, str] | None) -> dict[str, str]:
    """A note for each changed check. Raises RubricRefused where one is missing."""
    begun = redline.note_starts(reading.told_changes(version))
    if notes is None:
        given = {
            key: version.change_notes.get(key) or capfirst(f"{words}.")
            for key, words in begun.items()
        }
    else:
        given = {key: notes.get(key, "").strip() for key in begun}
    missing = [key for key, note in given.items() if not note]
    if missing:
        raise RubricRefused(f"Say what changed and why in {', '.join(missing)}.")
    return given


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
