from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotate.access import own_batch_for, practice_for
from annotate.actions.practice import PracticeRefused, begin_practice, decline_practice
from annotate.assignment import next_for
from annotate.models import Batch
from annotate.pages.practice import feedback_page, own_practice
from annotate.pictures import pictures_on_click
from annotate.practice import Stage, is_told
from projects.access import user_of

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest

    from projects.models import User


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """Before the first pair of a round: the practice of its rubric, or straight on without it."""
    user = user_of(request)
    batch = own_batch_for(user, batch_id)
    if batch.kind != Batch.Kind.CALIBRATION:
        raise Http404
    if request.method == "POST":
        return _act(request, batch, user)
    found = own_practice(batch.raters.get(user=user), batch)
    if found is None or (batch.closed_at is not None and found.stage != Stage.DONE):
        return redirect("annotate:label_next", batch.public_id)
    context = {"batch": batch, "practice": found}
    return render(request, "annotate/practice.html", context)


def _act(request: HttpRequest, batch: Batch, user: User) -> HttpResponse:
    action = request.POST.get("action")
    if action == "later":
        decline_practice(batch=batch, acting_user=user)
        return _see(reverse("annotate:label_next", args=[batch.public_id]))
    if action != "start":
        raise BadRequest("No form arrived.")
    try:
        begun = begin_practice(batch=batch, acting_user=user)
    except PracticeRefused as refusal:
        messages.info(request, str(refusal))
        return _see(reverse("annotate:label_next", args=[batch.public_id]))
    following = next_for(begun.pairs[0].rater, begun.pairs[0].batch)
    if following is None:
        return _see(reverse("annotate:practice", args=[batch.public_id]))
    return _see(reverse("annotate:label_pair", args=[following.public_id]))


@pictures_on_click
@never_cache
@require_safe
def practice_feedback(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The known answer beside one's own: once that is sent, and not before."""
    assignment = practice_for(user_of(request), public_id)
    if not is_told(assignment):
        return redirect("annotate:label_pair", public_id)
    return render(request, "annotate/practice_feedback.html", {"told": feedback_page(assignment)})


def _see(address: str) -> HttpResponse:
    """After a form: the next page is fetched, the form is not sent again."""
    return HttpResponseRedirect(address, status=303)
