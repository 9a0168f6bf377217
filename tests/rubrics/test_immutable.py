"""A published version never changes: every road to its rows is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Model, ProtectedError
from django.urls import reverse

from projects.models import Project
from rubrics.models import Anchor, Criterion, RubricVersion
from rubrics.querysets import Immutable
from tests.rubrics.making import make_draft, make_published, make_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.test import Client

    from projects.models import User


MODELS: tuple[type[Model], ...] = (RubricVersion, Criterion, Anchor)


def everything() -> list[list[dict[str, Any]]]:
    return [list(model._default_manager.order_by("pk").values()) for model in MODELS]


def criterion(version: RubricVersion) -> Criterion:
    return version.criteria.get(key="G1")


def anchor(version: RubricVersion) -> Anchor:
    found = criterion(version).anchors.first()
    assert found
    return found


def changed(row: Any, **values: Any) -> Any:
    for name, value in values.items():
        setattr(row, name, value)
    return row


ROADS: dict[str, Callable[[RubricVersion], object]] = {
    "save a version": lambda v: changed(v, document="{}").save(),
    "save some fields": lambda v: changed(v, change_note="x").save(update_fields=["change_note"]),
    "back to draft": lambda v: changed(v, status="draft").save(update_fields=["status"]),
    "retire with more": lambda v: changed(v, status="retired", digest="x").save(
        update_fields=["status", "digest"]
    ),
    "delete a version": lambda v: v.delete(),
    "update versions": lambda v: RubricVersion.objects.filter(pk=v.pk).update(change_note="x"),
    "delete versions": lambda v: RubricVersion.objects.filter(number=v.number).delete(),
    "update through the rubric": lambda v: v.rubric.versions.update(status="draft"),
    "bulk create versions": lambda v: RubricVersion.objects.bulk_create([v]),
    "bulk update versions": lambda v: RubricVersion.objects.bulk_update([v], ["digest"]),
    "update or create": lambda v: RubricVersion.objects.update_or_create(
        rubric=v.rubric, number=v.number, revision=v.revision, defaults={"change_note": "x"}
    ),
    "save a criterion": lambda v: changed(criterion(v), text="x").save(),
    "delete a criterion": lambda v: criterion(v).delete(),
    "add a criterion": lambda v: v.criteria.create(
        key="X", kind="gate", family="side", level="nominal", order=9, text="x"
    ),
    "update criteria": lambda v: v.criteria.update(weight=9),
    "delete criteria": lambda v: v.criteria.all().delete(),
    "bulk create criteria": lambda v: Criterion.objects.bulk_create([criterion(v)]),
    "bulk update criteria": lambda v: Criterion.objects.bulk_update([criterion(v)], ["text"]),
    "save an anchor": lambda v: changed(anchor(v), text="x").save(),
    "delete an anchor": lambda v: anchor(v).delete(),
    "add an anchor": lambda v: criterion(v).anchors.create(
        verdict="pass", origin="real", text="x", order=9
    ),
    "update anchors": lambda v: Anchor.objects.filter(criterion__version=v).update(text="x"),
    "delete anchors": lambda v: criterion(v).anchors.all().delete(),
    "bulk update anchors": lambda v: Anchor.objects.bulk_update([anchor(v)], ["text"]),
    "base manager": lambda v: Criterion._base_manager.filter(version=v).update(text="x"),
}


@pytest.mark.parametrize("road", ROADS)
def test_no_road_changes_a_published_version(project: Project, road: str) -> None:
    version = make_published(project)
    before = everything()

    with pytest.raises(Immutable), transaction.atomic():
        ROADS[road](RubricVersion.objects.get(pk=version.pk))

    assert everything() == before


MOVES: dict[str, Callable[[RubricVersion, RubricVersion], object]] = {
    "a criterion out, saved": lambda old, new: changed(
        criterion(old), version=new, key="G9"
    ).save(),
    "a criterion in, saved": lambda old, new: changed(criterion(new), version=old, key="G9").save(),
    "criteria in, updated": lambda old, new: new.criteria.filter(key="G1").update(
        version=old, key="G9"
    ),
    "criteria in, by id": lambda old, new: new.criteria.filter(key="G1").update(
        version_id=old.pk, key="G9"
    ),
    "criteria in, through the related manager": lambda old, new: old.criteria.add(
        changed(criterion(new), key="G9")
    ),
    "an anchor out, saved": lambda old, new: changed(anchor(old), criterion=criterion(new)).save(),
    "an anchor in, saved": lambda old, new: changed(anchor(new), criterion=criterion(old)).save(),
    "anchors in, through the related manager": lambda old, new: criterion(old).anchors.add(
        anchor(new)
    ),
    "anchors in, set": lambda old, new: criterion(old).anchors.set([anchor(new)]),
}


@pytest.mark.parametrize("move", MOVES)
def test_no_row_moves_out_of_or_into_a_published_version(project: Project, move: str) -> None:
    old = make_published(project)
    new = make_draft(project, make_yaml(2, weight=2))
    before = everything()

    with pytest.raises(Immutable), transaction.atomic():
        MOVES[move](old, new)

    assert everything() == before


def test_an_instance_read_before_the_publishing_cannot_write_after_it(project: Project) -> None:
    stale = make_draft(project)
    stale_criterion, stale_anchor = criterion(stale), anchor(stale)
    make_published(project)
    before = everything()
    assert stale.status == "draft"

    for row in (stale, stale_criterion, stale_anchor):
        with pytest.raises(Immutable):
            row.save()
        with pytest.raises(Immutable):
            row.delete()

    assert everything() == before


def test_a_published_version_may_only_be_retired_and_then_stays_so(project: Project) -> None:
    version = make_published(project)

    changed(version, status="retired").save(update_fields=["status"])

    assert version.stored_status() == "retired"
    for status in ("published", "draft"):
        with pytest.raises(Immutable):
            changed(version, status=status).save(update_fields=["status"])
    with pytest.raises(Immutable):
        version.criteria.update(text="x")


def test_a_draft_cannot_be_called_published_without_its_time(project: Project) -> None:
    draft = make_draft(project)

    with pytest.raises(IntegrityError), transaction.atomic():
        changed(draft, status="published").save()


def test_a_project_with_a_published_version_cannot_be_deleted(project: Project) -> None:
    make_published(project)

    with pytest.raises(ProtectedError):
        Project.objects.get(pk=project.pk).delete()
    with pytest.raises(ProtectedError):
        project.rubrics.get().delete()


def test_a_draft_may_be_changed_and_deleted(project: Project) -> None:
    draft = make_draft(project)

    changed(criterion(draft), text="Every amount and date matches.").save()
    draft.criteria.filter(key="C2").update(text="How plain is it?")
    draft.delete()

    assert everything() == [[], [], []]


def test_the_admin_only_reads(client: Client, project: Project, lead: User) -> None:
    version = make_published(project, make_yaml(gate="<img src=x onerror=probe()>"))
    lead.is_staff = lead.is_superuser = True
    lead.save()
    client.force_login(lead)
    before = everything()

    for row in (version, criterion(version), anchor(version)):
        room = f"admin:rubrics_{row._meta.model_name}"
        listed = client.get(reverse(f"{room}_changelist"))
        shown = client.get(reverse(f"{room}_change", args=[row.pk]))
        assert (listed.status_code, shown.status_code) == (200, 200)
        assert b"<img src=x" not in listed.content + shown.content
        for refused in (
            client.get(reverse(f"{room}_add")),
            client.post(reverse(f"{room}_change", args=[row.pk]), {"text": "x"}),
            client.post(reverse(f"{room}_delete", args=[row.pk]), {"post": "yes"}),
        ):
            assert refused.status_code == 403

    assert everything() == before
