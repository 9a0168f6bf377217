"""What Django answers by itself, where its own answer would say too little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import RequestDataTooBig
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import bad_request as default_bad_request

if TYPE_CHECKING:
    from django.http import HttpRequest

# What is still on its way is read up to here: who is hung up on while sending hears no answer.
MOST_READ = 64 * 1024 * 1024
CHUNK = 64 * 1024


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """413 for a body that is too large, which says so; 400 for everything else."""
    if not isinstance(exception, RequestDataTooBig):
        return default_bad_request(request, exception)
    for _ in range(MOST_READ // CHUNK):
        if not request.read(CHUNK):
            break
    return HttpResponse(render_to_string("413_form.html"), status=413)
