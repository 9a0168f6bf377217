from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotate.access import round_for
from annotate.actions.asking import AskRefused, ask_again
from annotate.actions.render_jobs import rendering_of
from annotate.forms import AskForm
from annotate.pages.round_cards import round_cards
from projects.access import user_of
from projects.models import Role

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from annotate.models import Batch


@require_POST
def round_ask(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Ask the raters that are named, or all who wait, to go on with an open round."""
    user = user_of(request)
    batch = round_for(user, slug, number, Role.LEAD)
    form = AskForm(request.POST, raters=batch.raters.values_list("pk", flat=True))
    if not form.is_valid() and batch.closed_at is None:
        return open_round(request, batch, form, status=422)
    try:
        note = form.cleaned_data.get("note", "")
        asked = ask_again(batch=batch, acting_user=user, note=note, raters=form.raters)
    except AskRefused as refusal:
        messages.warning(request, str(refusal))
    else:
        names = ", ".join(rater.name for rater in asked)
        messages.success(request, f"Asked to go on with {str(batch).lower()}: {names}.")
    if request.POST.get("from") == "home":
        return redirect("annotate:home")
    return redirect("annotate:round", slug, number)


def open_round(
    request: HttpRequest, batch: Batch, form: AskForm, *, status: int = 200
) -> HttpResponse:
    """The page of an open round: who is how far, and the form that asks them to go on."""
    (card,) = round_cards([batch], user_of(request))
    context = {
        "project": batch.project,
        "batch": batch,
        "card": card,
        "rendering": rendering_of(batch),
        "form": form,
    }
    return render(request, "annotate/round_open.html", context, status=status)
