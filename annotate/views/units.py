from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.access import batch_for, refuse_early, subject_for
from annotate.calibration import asked_of, pool_of
from annotate.pages.subject import subject_page
from annotate.pages.subject_checks import said_by_code
from annotate.pages.unit_filters import checks_of, filters_of
from annotate.pages.units import units
from annotate.pictures import pictures_on_click
from projects.access import user_of
from projects.models import Rater, Role

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse


@require_safe
def batch_units(request: HttpRequest, slug: str, batch_id: UUID) -> HttpResponse:
    user = user_of(request)
    batch = batch_for(user, slug, batch_id, Role.LEAD)
    batches = pool_of(batch) if request.GET.get("pooled") else [batch]
    refuse_early(user, batch=batch)
    checks = checks_of(asked_of(batch))
    filters = filters_of(request.GET, checks, anonymous=batch.anonymous_raters)
    if filters is None:
        raise Http404
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "project": batch.project,
        "batch": batch,
        "batches": batches,
        "checks": checks.values(),
        "filters": filters,
        "found": units(batches, filters, reader=user, number=request.GET.get("page")),
        "raters": Rater.objects.filter(votes__batch__in=batches).distinct().order_by("name"),
        "query": query.urlencode(),
    }
    return render(request, "annotate/units.html", context)


@require_safe
@pictures_on_click
def subject(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    found = subject_for(user_of(request), slug, public_id)
    shown = subject_page(found)
    context = {
        "project": found.project,
        "subject": found,
        "shown": shown,
        "by_code": said_by_code(found, [one.batch for one in shown.batches]),
        "is_known": found.gold_answers.exists(),
        "rulings": found.rulings.all(),
        "probed": set(found.slots.filter(role="probe").values_list("batch_id", flat=True)),
    }
    return render(request, "annotate/subject.html", context)
