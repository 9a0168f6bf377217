from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.pages import components as parts

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def components(request: HttpRequest) -> HttpResponse:
    """Every part of the house in every state: what a new page is built from."""
    context = {
        "parts": parts.components(),
        "colours": parts.COLOURS,
        "type": parts.TYPE,
        "spaces": parts.SPACES,
        "shapes": parts.SHAPES,
        "icons": parts.ICONS,
        "missing": parts.MISSING,
        "saved": parts.SAVED,
        "cited": parts.CITED,
    }
    return render(request, "annotate/components.html", context)
