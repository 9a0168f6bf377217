from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.pages.home import home_of
from annotate.pages.overview import overview_of
from projects.access import project_for, roles_of, user_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "annotate/home.html", {"home": home_of(user_of(request))})


@require_safe
def project(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    found = project_for(user, slug)
    roles = roles_of(user, found)
    context = {"project": found, "roles": roles, "overview": overview_of(found, user, roles)}
    return render(request, "annotate/project.html", context)
