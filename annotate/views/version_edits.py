from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.pages.version_edits import version_edits as edits_of
from projects.access import user_of
from projects.models import Role
from rubrics.access import version_for

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def version_edits(request: HttpRequest, slug: str, rubric: str, number: int) -> HttpResponse:
    user = user_of(request)
    version = version_for(user, slug, rubric, number, None, Role.LEAD)
    context = {
        "project": version.rubric.project,
        "version": version,
        "shown": edits_of(version, user),
    }
    return render(request, "annotate/version_edits.html", context)
