"""NaN and Infinity do not exist in JSON: refused alike on SQLite, which would keep them (OP-06)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.apps import apps
from django.db import models, transaction

from annotate.models import Snapshot, Subject
from projects.json_encoding import StrictEncoder, dumps
from projects.models import Job

if TYPE_CHECKING:
    from projects.models import Project

NOT_JSON = pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])


@NOT_JSON
def test_op_06_a_snapshot_takes_no_number_that_json_lacks(db: None, value: float) -> None:
    report = {"accuracy": {"alpha": 0.71}, "style": {"alpha": value}}
    with pytest.raises(ValueError, match="not JSON compliant"), transaction.atomic():
        Snapshot.objects.create(key="k", data=report)
    assert not Snapshot.objects.exists()


def test_op_06_undefined_is_null_with_a_reason(db: None) -> None:
    report = {"accuracy": {"alpha": 0.71}, "style": {"alpha": None, "reason": "no_variation"}}
    Snapshot.objects.create(key="k", data=report)
    assert Snapshot.objects.get(key="k").data == report


@NOT_JSON
def test_op_06_neither_does_a_job_nor_a_bulk_of_subjects(project: Project, value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"), transaction.atomic():
        Job.objects.create(project=project, kind="k", result={"n": [value]})
    subject = Subject(project=project, external_id="p1", metadata={"n": value})
    with pytest.raises(ValueError, match="not JSON compliant"), transaction.atomic():
        Subject.objects.bulk_create([subject])


def test_every_json_column_is_strict() -> None:
    loose = [
        str(field)
        for model in apps.get_models()
        for field in model._meta.local_fields
        if isinstance(field, models.JSONField) and field.encoder is not StrictEncoder
        if model.__module__.split(".")[0] in {"projects", "rubrics", "annotate", "judges"}
    ]
    assert loose == []


@NOT_JSON
def test_text_made_for_browsers_and_files_is_strict_too(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps({"n": value})
