"""The other views of a pair's responses, fetched once they are asked for.

Without a script the page of the pair shows them itself (`?show=source`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.access import assignment_for
from annotate.pages.reading import difference_view, source_view
from projects.access import user_of

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

VIEW = "annotate/label_view.html"


@never_cache
@require_safe
def label_source(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = source_view(assignment_for(user_of(request), public_id))
    return render(request, VIEW, {"reading": found})


@never_cache
@require_safe
def label_difference(request: HttpRequest, public_id: UUID) -> HttpResponse:
    found = difference_view(assignment_for(user_of(request), public_id))
    return render(request, VIEW, {"reading": found})
