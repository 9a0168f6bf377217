from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.access import figures_are_open, imported_for, refuse_early, round_for
from annotate.forms import AskForm
from annotate.pages.report import report
from annotate.views.asking import open_round
from projects.access import user_of
from projects.models import Role

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from annotate.models import Batch


@require_safe
def round_report(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    user = user_of(request)
    batch = round_for(user, slug, number, Role.LEAD)
    if not figures_are_open(batch):
        return open_round(request, batch, AskForm())
    return _report(request, batch)


@require_safe
def imported_report(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    return _report(request, imported_for(user_of(request), slug, name, Role.LEAD))


def _report(request: HttpRequest, batch: Batch) -> HttpResponse:
    user = user_of(request)
    refuse_early(user, batch=batch)
    context = {
        "project": batch.project,
        "roles": frozenset([Role.LEAD]),
        "batch": batch,
        "report": report(batch, user),
    }
    return render(request, "annotate/report.html", context)
