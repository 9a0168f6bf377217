from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from projects.access import user_of
from projects.models import Role
from rubrics.access import rubric_for, versions_for
from rubrics.actions import RubricRefused, discard_draft

if TYPE_CHECKING:
    from django.http import HttpRequest


@require_http_methods(["GET", "HEAD", "POST"])
def discard(request: HttpRequest, slug: str, rubric: str, number: int) -> HttpResponse:
    """Ask, then throw the draft of this number away: the very one that was asked about."""
    user = user_of(request)
    owner = rubric_for(user, slug, rubric, Role.LEAD)
    found = versions_for(user, owner).filter(number=number).drafts().first()
    if found is None:
        raise Http404
    if request.method != "POST" or request.POST.get("digest") != found.digest:
        context = {
            "project": owner.project,
            "version": found,
            "is_only": owner.versions.count() == 1,
            "replaced": request.method == "POST",
        }
        status = 409 if context["replaced"] else 200
        return render(request, "rubrics/discard.html", context, status=status)
    try:
        staying = discard_draft(version=found, acting_user=user)
    except RubricRefused as refusal:
        messages.warning(request, str(refusal))
        return redirect("rubrics:rubrics", slug)
    messages.success(request, f"The draft of {found.in_words} is thrown away.")
    if staying is None:
        return redirect("rubrics:rubrics", slug)
    return redirect("rubrics:rubric", slug, rubric)
