from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from django.conf import settings
from django.core.exceptions import BadRequest
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from projects.models import Membership, Role

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


def times_of_project(get_response: GetResponse) -> GetResponse:
    """Whatever zone a request's project has set (projects/access.py) ends with that request."""

    def middleware(request: HttpRequest) -> HttpResponse:
        with timezone.override(None):
            return get_response(request)

    return middleware


# The longest form without a file: a rationale or a rubric of a megabyte, written as percent codes.
LARGEST_FORM = 16 * 1024 * 1024
MB = 1024 * 1024
# By its name: that page stands in a room above this one.
TAKES_FILES = "annotate:import_new"


def refuse_large(get_response: GetResponse) -> GetResponse:
    """Say no before a byte of the body is read: it would be written to the disk first.

    Files come to one page alone, and from people who may import. Without a declared length nothing
    is read at all.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        length = _declared_length(request)
        most = LARGEST_FORM
        if length > most and _may_bring_files(request):
            most += settings.CALIBRANT_MAX_UPLOAD_MB * MB
        if length > most:
            context = {"most": settings.CALIBRANT_MAX_UPLOAD_MB}
            return render(request, "413.html", context, status=413)
        return get_response(request)

    return middleware


def _may_bring_files(request: HttpRequest) -> bool:
    if not request.user.is_authenticated:
        return False
    try:
        page = resolve(request.path_info)
    except Resolver404:
        return False
    if page.view_name != TAKES_FILES:
        return False
    lead = Membership.objects.filter(user=request.user, role=Role.LEAD)
    return lead.filter(project__slug=page.kwargs["slug"]).exists()


def _declared_length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0
