from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.access import batch_for, refuse_while_rating, subject_for
from annotate.calibration import asked_of, pool_of
from annotate.decisions import Policy
from annotate.outcomes import OPEN, OUTCOMES
from annotate.subject_page import subject_page
from annotate.units import Filters, units
from projects.access import user_of
from projects.models import Rater, Role

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse, QueryDict

    from annotate.calibration import Asked
    from annotate.models import Batch


@require_safe
def batch_units(request: HttpRequest, slug: str, batch_id: UUID) -> HttpResponse:
    user = user_of(request)
    batch = batch_for(user, slug, batch_id, Role.LEAD)
    batches = pool_of(batch) if request.GET.get("pooled") else [batch]
    for one in batches:
        refuse_while_rating(user, batch=one)
    asked = [figure for figure in asked_of(batch) if figure.figure == "values"]
    filters = _filters(request.GET, batch, asked)
    found = units(batches, filters, reader=user, number=request.GET.get("page"))
    query = {name: value for name, value in request.GET.items() if name != "page"}
    context = {
        "project": batch.project,
        "batch": batch,
        "batches": batches,
        "asked": asked,
        "check": next(figure for figure in asked if figure.key == filters.criterion),
        "filters": filters,
        "found": found,
        "raters": Rater.objects.filter(votes__batch__in=batches).distinct().order_by("name"),
        "decisions": (*OUTCOMES, OPEN),
        "query": urlencode(query),
    }
    return render(request, "annotate/units.html", context)


@require_safe
def subject(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    found = subject_for(user_of(request), slug, public_id)
    context = {"project": found.project, "subject": found, "shown": subject_page(found)}
    return render(request, "annotate/subject.html", context)


def _filters(query: QueryDict, batch: Batch, asked: list[Asked]) -> Filters:
    keys = [figure.key for figure in asked]
    criterion = query.get("criterion") or (keys[0] if keys else "")
    if criterion not in keys:
        raise Http404
    # No id has more digits; a longer number is nobody's.
    rater, decision = query.get("rater", "")[:18], query.get("decision", "")
    policy = query.get("policy", Policy.ONE_SIDED)
    return Filters(
        criterion=criterion,
        value=query.get("value", ""),
        off=query.get("off", ""),
        # Whoever may not be told apart cannot be asked for.
        rater=int(rater) if rater.isdecimal() and not batch.anonymous_raters else None,
        differ=bool(query.get("differ")),
        decision=decision if decision in (*OUTCOMES, OPEN) else "",
        policy=Policy(policy) if policy in set(Policy) else Policy.ONE_SIDED,
    )
