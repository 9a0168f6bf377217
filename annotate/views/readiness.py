from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.pages.readiness import readiness_page
from projects.access import project_for, user_of
from projects.models import Role

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def readiness(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(user_of(request), slug, Role.LEAD)
    page = readiness_page(project, request.GET.get("rubric", ""))
    context = {"project": project, "roles": frozenset([Role.LEAD]), "page": page}
    return render(request, "annotate/readiness.html", context)
