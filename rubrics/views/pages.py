from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from projects.access import project_for, roles_of, user_of
from projects.models import Role
from rubrics import document, reading, wording
from rubrics.access import is_lead, rubric_for, version_for, versions_for

if TYPE_CHECKING:
    from django.http import HttpRequest


@require_safe
def rubrics(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    project = project_for(user, slug)
    shown = [(rubric, list(versions_for(user, rubric))) for rubric in project.rubrics.all()]
    context = {
        "project": project,
        "roles": roles_of(user, project),
        "lines": [reading.summary(rubric, versions) for rubric, versions in shown if versions],
    }
    return render(request, "rubrics/rubrics.html", context)


@require_safe
def rubric(request: HttpRequest, slug: str, rubric: str) -> HttpResponse:
    user = user_of(request)
    found = rubric_for(user, slug, rubric)
    context = {
        "project": found.project,
        "roles": roles_of(user, found.project),
        "rubric": found,
        "lines": reading.history(
            versions_for(user, found), for_raters=not is_lead(user, found.project)
        ),
    }
    return render(request, "rubrics/rubric.html", context)


@require_safe
def version(request: HttpRequest, slug: str, rubric: str, number: int) -> HttpResponse:
    """A version as an expert reads it; leads also get what only they need."""
    user = user_of(request)
    found = version_for(user, slug, rubric, number, _revision(request))
    content = found.content
    siblings = versions_for(user, found.rubric).filter(number=number)
    context = {
        "project": found.rubric.project,
        "roles": roles_of(user, found.rubric.project),
        "version": found,
        "content": content,
        "contents": wording.contents(content),
        "steps": reading.procedure(content),
        "revisions": list(siblings),
    }
    if is_lead(user, found.rubric.project):
        context |= {"automatic": reading.automatic(content), "source": document.dump(content)}
    return render(request, "rubrics/version.html", context)


@require_safe
def source(request: HttpRequest, slug: str, rubric: str, number: int) -> HttpResponse:
    found = version_for(user_of(request), slug, rubric, number, _revision(request), Role.LEAD)
    return HttpResponse(
        document.dump(found.content),
        content_type="application/yaml; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{found}.yaml"'},
    )


def _revision(request: HttpRequest) -> int | None:
    asked = request.GET.get("revision")
    if asked is None:
        return None
    if not asked.isdecimal() or len(asked) > 9:
        raise Http404
    return int(asked)
