from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotate.access import batch_and_roles_for, refuse_early
from annotate.actions.sorting import SortingRefused, accept_suggestions, sort_disagreement
from annotate.calibration import pool_of
from annotate.disagreements import differing, unit_of
from annotate.meetings import counted_and_met
from annotate.pages.disagreements import (
    KINDS,
    STATES,
    acceptable,
    disagreements_page,
    filters_of,
    list_href,
    row_page,
)
from annotate.pages.disagreements_csv import file_name, rows_of
from projects.access import user_of
from projects.models import Role

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest

    from annotate.disagreements import Differing, Found
    from annotate.models import Batch
    from annotate.pages.disagreements import Filters
    from projects.models import User


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def disagreements(request: HttpRequest, slug: str, batch_id: UUID) -> HttpResponse:
    user = user_of(request)
    batch, roles = batch_and_roles_for(user, slug, batch_id, Role.LEAD)
    refuse_early(user, batch=batch)
    filters = filters_of(request.GET, anonymous=batch.anonymous_raters)
    batches = pool_of(batch) if filters.pooled else [batch]
    counted, met = counted_and_met(batches)
    found = differing(batches, reader=user, counted=counted)
    if request.method == "POST":
        return _sort(request, batch, found, filters, user, met)
    context = {
        "project": batch.project,
        "roles": roles,
        "batch": batch,
        "list": disagreements_page(batch, found, filters, request.GET.get("page"), met),
        "kinds": KINDS,
        "states": STATES,
    }
    return render(request, "annotate/disagreements.html", context)


@never_cache
@require_safe
def disagreements_csv(request: HttpRequest, slug: str, batch_id: UUID) -> HttpResponse:
    """All that the filters list, as a file."""
    user = user_of(request)
    batch, _ = batch_and_roles_for(user, slug, batch_id, Role.LEAD)
    refuse_early(user, batch=batch)
    filters = filters_of(request.GET, anonymous=batch.anonymous_raters)
    found = differing(pool_of(batch) if filters.pooled else [batch], reader=user)
    response = HttpResponse(rows_of(found, filters), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name(batch)}"'
    return response


def _sort(
    request: HttpRequest,
    batch: Batch,
    found: Found,
    filters: Filters,
    user: User,
    met: frozenset[int],
) -> HttpResponse:
    batches = {one.pk: one for one in found.batches}
    if check := request.POST.get("accept", ""):
        group = next((group for group in found.groups if group.key == check), None)
        if group is None:
            raise BadRequest("No such check is listed here.")
        listed = acceptable(group, filters)
        for pk, given in batches.items():
            suggestions = {one.unit: one.suggestion for one in listed if one.batch == pk}
            accept_suggestions(batch=given, suggestions=suggestions, acting_user=user)
        return redirect(f"{list_href(batch, filters)}#check-{group.key}")
    one = _named(request, found)
    try:
        row = sort_disagreement(
            batch=batches[one.batch],
            unit=one.unit,
            kind=request.POST.get("kind", ""),
            note=one.row.note if one.row else "",
            suggestion=one.suggestion,
            acting_user=user,
        )
    except SortingRefused as refusal:
        raise BadRequest(str(refusal)) from None
    if not request.headers.get("HX-Request"):
        page = request.GET.get("page", "")
        query = filters.query(page=page if page.isdecimal() else "")
        return redirect(f"{request.path}?{query}#{request.POST['unit']}")
    shown = row_page(batch, found.with_row(one.unit, row), one.unit.place, filters, met)
    return render(request, "annotate/disagreements_row.html", {"row": shown, "batch": batch})


def _named(request: HttpRequest, found: Found) -> Differing:
    place = unit_of(request.POST.get("unit", ""))
    listed = {(one.unit.public_id, one.unit.key, one.unit.part): one for one in found.all}
    if place is None or place not in listed:
        raise BadRequest("Raters do not differ there.")
    return listed[place]
