from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from projects.access import project_for, user_of
from projects.models import Role
from rubrics import document, reading, wording
from rubrics.access import rubric_for, versions_for
from rubrics.actions import RubricRefused, import_rubric
from rubrics.actions import publish as publish_version
from rubrics.forms import DraftForm, PublishForm

if TYPE_CHECKING:
    from django.http import HttpRequest

    from projects.models import Project
    from rubrics.models import RubricVersion


# Back brings the form as it was typed; it holds no votes.
kept_as_typed = cache_control(private=True, no_cache=True)


@kept_as_typed
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    """Paste or upload a YAML document; what is refused stays in the form with every problem."""
    user = user_of(request)
    project = project_for(user, slug, Role.LEAD)
    if request.method != "POST":
        form = DraftForm(rubrics=project.rubrics.all(), initial=_starting_point(request, project))
        return _draft_page(request, project, form)
    form = DraftForm(request.POST, request.FILES, rubrics=project.rubrics.all())
    if not form.is_valid():
        return _draft_page(request, project, form, status=422)
    try:
        drafted = import_rubric(
            project=project,
            source=form.document(),
            acting_user=user,
            slug=form.cleaned_data["rubric"],
        )
    except document.RubricError as refusal:
        return _draft_page(request, project, form.kept(), refusal.problems, status=422)
    except RubricRefused as refusal:
        return _draft_page(request, project, form.kept(), refused=str(refusal), status=422)
    if drafted.status == drafted.Status.DRAFT:
        messages.success(request, f"{drafted} is drafted. Experts see it once it is published.")
    else:
        messages.info(request, f"This is {drafted} word for word; nothing was changed.")
    return redirect(_address(drafted))


def _starting_point(request: HttpRequest, project: Project) -> dict[str, str]:
    """The newest version of the rubric asked for, under the number of the next draft."""
    asked = request.GET.get("rubric")
    if not asked:
        return {}
    newest = versions_for(user_of(request), rubric_for(user_of(request), project.slug, asked))
    version = newest.first()
    if version is None:
        raise Http404
    drafted = version.status == version.Status.DRAFT
    number = version.number if drafted else version.rubric.versions.next_number()
    return {"rubric": asked, "source": document.dump(replace(version.content, number=number))}


def _draft_page(
    request: HttpRequest,
    project: Project,
    form: DraftForm,
    problems: tuple[document.Problem, ...] = (),
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {"project": project, "form": form, "problems": problems, "refused": refused}
    return render(request, "rubrics/draft.html", context, status=status)


@kept_as_typed
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, slug: str, rubric: str, number: int) -> HttpResponse:
    """Make the draft of this number immutable. Doing it twice changes nothing."""
    user = user_of(request)
    versions = versions_for(user, rubric_for(user, slug, rubric, Role.LEAD)).filter(number=number)
    found = versions.drafts().first()
    form = PublishForm(request.POST or None)
    if found is None:
        return _published_already(request, versions.first())
    if request.method != "POST":
        form = PublishForm(initial={"digest": found.digest})
        return _publish_page(request, found, form)
    if not form.is_valid():
        return _publish_page(request, found, form, status=422)
    if form.cleaned_data["digest"] != found.digest:
        return _publish_another(request, found, form)
    try:
        published = publish_version(
            version=found, change_note=form.cleaned_data["change_note"], acting_user=user
        )
    except RubricRefused as refusal:
        messages.warning(request, str(refusal))
        return redirect("rubrics:rubric", slug, rubric)
    messages.success(request, f"{published} is published and stays as it is from now on.")
    return redirect(_address(published))


def _published_already(request: HttpRequest, version: RubricVersion | None) -> HttpResponse:
    if version is None:
        raise Http404
    messages.info(request, f"{version} is published already; nothing was changed.")
    return redirect(_address(version))


def _publish_another(
    request: HttpRequest, version: RubricVersion, form: PublishForm
) -> HttpResponse:
    """The draft was replaced while its reader was writing the note: show the new one first."""
    kept = {"digest": version.digest, "change_note": form.cleaned_data["change_note"]}
    return _publish_page(request, version, PublishForm(initial=kept), replaced=True, status=409)


def _publish_page(
    request: HttpRequest,
    version: RubricVersion,
    form: PublishForm,
    *,
    replaced: bool = False,
    status: int = 200,
) -> HttpResponse:
    context = {
        "project": version.rubric.project,
        "version": version,
        "contents": wording.contents(version.content),
        "changes": reading.changes(version),
        "form": form,
        "replaced": replaced,
    }
    return render(request, "rubrics/publish.html", context, status=status)


def _address(version: RubricVersion) -> str:
    """The page of exactly this version; the bare number leads to its latest published revision."""
    parts = (version.rubric.project.slug, version.rubric.slug, version.number)
    return reverse("rubrics:version", args=parts, query={"revision": version.revision})
