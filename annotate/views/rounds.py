from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from annotate.access import round_for
from annotate.actions.rounds import RoundRefused, close_round, start_round
from annotate.assignment import count_fresh
from annotate.clearing import ROUND_SIZE
from annotate.forms import RoundForm, raters_chosen, versions_to_try
from annotate.pages.left_out import left_out
from annotate.pages.probe_offer import Offer, offer_of
from annotate.pages.round_cards import round_cards
from annotate.pages.rounds import round_groups
from projects.access import project_for, user_of
from projects.models import Role

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from projects.models import User
    from rubrics.models import RubricVersion


@require_safe
def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    project = project_for(user, slug, Role.LEAD)
    context = {"project": project, "groups": round_groups(project, user)}
    return render(request, "annotate/rounds.html", context)


# Back brings the form as it was typed; it holds no votes.
@cache_control(private=True, no_cache=True)
@require_http_methods(["GET", "HEAD", "POST"])
def round_new(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    project = project_for(user, slug, Role.LEAD)
    form = RoundForm(request.POST or None, project=project)
    versions = list(versions_to_try(project))
    offer = _offer(request, versions, user)
    if offer is not None:
        form.offer(offer.version, offer.labels, offer.chosen)
    if request.method == "POST" and form.is_valid():
        try:
            batch = start_round(
                project=project,
                version=form.cleaned_data["version"],
                raters=list(form.cleaned_data["raters"]),
                acting_user=user,
                size=form.cleaned_data["size"],
                seed=form.cleaned_data["seed"],
                ask_after_gate=form.cleaned_data["ask_after_gate"],
                probes=list(form.cleaned_data.get("probes", ())),
            )
        except RoundRefused as refusal:
            form.add_error(refusal.field or None, str(refusal))
        else:
            messages.success(request, f"{batch} is open: its raters can label now.")
            return redirect("annotate:round", project.slug, batch.number)
    context = {
        "project": project,
        "form": form,
        "stock": count_fresh(project, []),
        "fresh": count_fresh(project, raters_chosen(form, project)),
        "whom": "the raters ticked" if form.is_bound else "the experts",
        "enough": ROUND_SIZE,
        "left_out": left_out(project),
        "offer": offer,
        "others": [one for one in versions if offer is not None and one != offer.version],
    }
    return render(request, "annotate/round_new.html", context, status=422 if form.errors else 200)


def _offer(request: HttpRequest, versions: list[RubricVersion], user: User) -> Offer | None:
    """The probe pairs of the version that is sent or asked for, else of the newest."""
    wanted = request.POST.get("version") or request.GET.get("version", "")
    version = next((one for one in versions if str(one.pk) == wanted), next(iter(versions), None))
    check = request.GET.get("check", "") if request.method != "POST" else ""
    return offer_of(version, user, check=check) if version is not None else None


@require_http_methods(["GET", "HEAD", "POST"])
def round_close(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Asked first, since it cannot be undone: GET says what would be missing."""
    user = user_of(request)
    batch = round_for(user, slug, number, Role.LEAD)
    if request.method == "POST":
        close_round(batch=batch, acting_user=user)
        messages.success(request, f"{batch} is closed. This is what its votes say.")
        return redirect("annotate:round", slug, number)
    if batch.closed_at is not None:
        return redirect("annotate:round", slug, number)
    (card,) = round_cards([batch], user)
    context = {
        "project": batch.project,
        "batch": batch,
        "card": card,
        "missing": card.total - card.done,
    }
    return render(request, "annotate/round_close.html", context)
