from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.access import own_closed_round_for
from annotate.pages.differed import differed_page
from projects.access import user_of

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse


@never_cache
@require_safe
def differed(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """A rater's own: leads have the list of disagreements, which names nobody either."""
    user = user_of(request)
    batch = own_closed_round_for(user, batch_id)
    return render(request, "annotate/differed.html", {"page": differed_page(user, batch)})
