from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.access import batch_for, refuse_early, round_for, still_rated_by
from annotate.actions.waivers import WaiverRefused, waive, withdraw_waiver
from annotate.calibration import pool_of
from annotate.models import Waiver
from annotate.pages.probes import probe_page
from annotate.pages.waiver import waiver_page
from annotate.probes import met
from projects.access import user_of
from projects.models import Role

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def waive_check(request: HttpRequest, slug: str, number: int, key: str) -> HttpResponse:
    """Why volume may begin without a check that the rounds of a version have not cleared."""
    user = user_of(request)
    batch = round_for(user, slug, number, Role.LEAD)
    refuse_early(user, batch=batch)
    reason, error = "", ""
    if request.method == "POST":
        if not request.POST:
            raise BadRequest("No form arrived.")
        reason = request.POST.get("reason", "")
        try:
            waive(version=batch.version, key=key, reason=reason, acting_user=user)
        except WaiverRefused as refusal:
            error = str(refusal)
        else:
            messages.success(request, f"{key} is waived in version {batch.version.number}.")
            return redirect("annotate:round", slug, number)
    page = waiver_page(batch, key, user, reason=reason, error=error)
    context = {"project": batch.project, "batch": batch, "page": page}
    return render(request, "annotate/waive.html", context, status=422 if error else 200)


@require_POST
def withdraw(request: HttpRequest, slug: str, number: int, key: str) -> HttpResponse:
    """Volume waits for the check again."""
    user = user_of(request)
    batch = round_for(user, slug, number, Role.LEAD)
    refuse_early(user, batch=batch)
    version = batch.version
    given = Waiver.objects.filter(rubric=version.rubric_id, number=version.number, key=key)
    if waiver := given.filter(withdrawn_at__isnull=True).first():
        withdraw_waiver(waiver=waiver, acting_user=user)
        messages.success(request, f"The waiver of {key} is withdrawn: volume waits for it again.")
    else:
        # Somebody was faster, or the page was sent twice.
        get_object_or_404(given[:1])
    return redirect("annotate:waive", slug, number, key)


@never_cache
@require_safe
def probes(request: HttpRequest, slug: str, batch_id: UUID) -> HttpResponse:
    """The probe pairs of a closed round: what is known of each, and what raters said."""
    user = user_of(request)
    batch = batch_for(user, slug, batch_id, Role.LEAD)
    refuse_early(user, batch=batch)
    batches = pool_of(batch) if request.GET.get("pooled") else [batch]
    found = met(batches, secret=still_rated_by(user))
    context = {
        "project": batch.project,
        "batch": batch,
        "batches": batches,
        "page": probe_page(found, request.GET),
    }
    return render(request, "annotate/probes.html", context)
