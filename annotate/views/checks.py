from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotate.actions.check_jobs import checking_of, start_checking
from annotate.checking import checked_versions
from annotate.pages.checks import CODES, rubric_checks, step_of, texts_that
from projects.access import project_for, user_of
from projects.models import Role

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from projects.models import Project
    from rubrics.models import RubricVersion


@require_http_methods(["GET", "HEAD", "POST"])
def checks(request: HttpRequest, slug: str) -> HttpResponse:
    """GET says what code decided; POST has it look at the texts that it has not seen."""
    user = user_of(request)
    project = project_for(user, slug, Role.LEAD)
    if request.method == "POST":
        version = _version(project, request.POST.get("rubric", ""))
        if checking_of(version) is None:
            start_checking(version=version, acting_user=user)
        messages.success(request, "Code looks at the texts now; this page says how far it is.")
        return redirect("annotate:checks", slug)
    rubrics = rubric_checks(project)
    context = {"project": project, "rubrics": rubrics, "step": step_of(project, rubrics)}
    return render(request, "annotate/checks.html", context)


@require_safe
def check_texts(request: HttpRequest, slug: str, rubric: str, key: str) -> HttpResponse:
    user = user_of(request)
    project = project_for(user, slug, Role.LEAD)
    version = _version(project, rubric)
    criterion = get_object_or_404(version.criteria.filter(kind="automatic"), key=key)
    code = request.GET.get("said", "fail")
    if code not in CODES:
        raise Http404
    context = {
        "project": project,
        "version": version,
        "criterion": criterion,
        "code": code,
        "code_words": CODES[code],
        "found": texts_that(criterion, code, reader=user, number=request.GET.get("page")),
    }
    return render(request, "annotate/check_texts.html", context)


def _version(project: Project, rubric: str) -> RubricVersion:
    for version in checked_versions(project):
        if version.rubric.slug == rubric:
            return version
    raise Http404
