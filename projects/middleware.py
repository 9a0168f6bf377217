from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from django.core.exceptions import BadRequest
from django.utils.cache import add_never_cache_headers

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    GetResponse = Callable[[HttpRequest], HttpResponse]


def refuse_nul(get_response: GetResponse) -> GetResponse:
    """An address with U+0000 in it: PostgreSQL holds no such text, so no page can mean it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "\0" in unquote(request.META.get("QUERY_STRING", "")):
            raise BadRequest("The address contains the character U+0000.")
        return get_response(request)

    return middleware


def keep_nothing(get_response: GetResponse) -> GetResponse:
    """What a signed-in person saw stays in no cache: after they sign out, back shows nothing.

    A view that sets its own Cache-Control has decided otherwise.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.user.is_authenticated and not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response

    return middleware
