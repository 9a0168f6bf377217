"""New content for subjects that stand already, as the staged rows of an import.

Once their import is visible they are a journal: replaced chunk by chunk, so that voters never wait
long for the database. What a killed worker left of it is done by the next import or the sweeper,
and until then no rater is given those subjects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotate.ingest.problems import Problem
from annotate.models import (
    Answer,
    CheckResult,
    CorrectionChain,
    Import,
    Pair,
    Part,
    StagedUpdate,
    Subject,
    Trace,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from annotate.actions.imports import Report
    from projects.models import Project

AT_ONCE = 50
OF_SUBJECT = ("group_key", "content_hash", "metadata")
DETAILS: dict[str, type[Pair | Trace | CorrectionChain | Answer]] = {
    "pair": Pair,
    "trace": Trace,
    "chain": CorrectionChain,
    "answer": Answer,
}


def detail_of(subject: Subject, content: Mapping[str, Any]) -> Any:
    """The row of details that goes with a subject of this content, not yet saved."""
    return DETAILS[subject.kind](
        subject=subject,
        messages=content["messages"],
        context=content["context"],
        **content["models"],
    )


def taken(line: int) -> Problem:
    return Problem(
        line,
        "id",
        "This subject has other content and raters have been given it already, so it stays as it "
        "is. Import the new content under a new id.",
        "already_given_out",
    )


def refuse_given_out(origin: Import, report: Report) -> None:
    """Strike out the updates of subjects that a rater was given since the file was compared."""
    given = Subject.objects.filter(pk=OuterRef("subject")).given_out()
    late = origin.updates.filter(Exists(given))
    for line in late.values_list("row__line", flat=True):
        report.updated -= 1
        report.reject(taken(line))
    late.delete()


def finish(project: Project | None = None) -> None:
    """Apply what is left of the journals, of one project or of all."""
    left = Import.objects.filter(
        Exists(StagedUpdate.objects.filter(origin=OuterRef("pk"))), state=Import.State.VISIBLE
    )
    for origin in left if project is None else left.filter(project=project):
        apply(origin)


def apply(origin: Import, heartbeat: Callable[[], None] = lambda: None) -> None:
    while _apply_some(origin):
        heartbeat()


def _apply_some(origin: Import) -> bool:
    with transaction.atomic():
        held = origin.updates.select_for_update(of=("self",)).select_related("subject")
        updates = list(held.order_by("id")[:AT_ONCE])
        _replace(updates)
        origin.updates.filter(pk__in=[update.pk for update in updates]).delete()
    return bool(updates)


def _replace(updates: Sequence[StagedUpdate]) -> None:
    subjects = [update.subject for update in updates]
    for update in updates:
        subject, content = update.subject, update.row
        new = {name: content[name] for name in OF_SUBJECT}
        Subject.objects.filter(pk=subject.pk).update(**new)
        subject.parts.exclude(key__in=content["parts"]).delete()
    Part.objects.bulk_create(
        (
            Part(subject=update.subject, key=key, text=text)
            for update in updates
            for key, text in update.row["parts"].items()
        ),
        update_conflicts=True,
        unique_fields=["subject", "key"],
        update_fields=["text"],
    )
    # What code decided about the old texts says nothing about the new ones. Now that the texts are
    # held, whoever wrote of the old ones has ended and whoever comes later sees the new ones.
    CheckResult.objects.filter(part__subject__in=subjects).delete()
    for kind, details in DETAILS.items():
        details._default_manager.bulk_create(
            (detail_of(u.subject, u.row) for u in updates if u.subject.kind == kind),
            update_conflicts=True,
            unique_fields=["subject"],
            update_fields=["messages", "context", *_models(kind)],
        )


def _models(kind: str) -> tuple[str, ...]:
    return ("model_a", "model_b") if kind == "pair" else ("model",)
