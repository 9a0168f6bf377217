from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from projects.access import user_of
from projects.models import Role
from rubrics import reading, redline, wording
from rubrics.access import rubric_for, versions_for
from rubrics.actions import RubricRefused
from rubrics.actions import publish as publish_version
from rubrics.forms import PublishForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest

    from rubrics.models import RubricVersion


# Back brings the note as it was typed; it holds no votes.
@cache_control(private=True, no_cache=True)
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, slug: str, rubric: str, number: int) -> HttpResponse:
    """Make the draft of this number immutable. Doing it twice changes nothing."""
    user = user_of(request)
    versions = versions_for(user, rubric_for(user, slug, rubric, Role.LEAD)).filter(number=number)
    found = versions.drafts().first()
    if found is None:
        return _published_already(request, versions.first())
    begun = redline.note_starts(reading.told_changes(found))
    form = PublishForm(request.POST or None, begun=begun, initial_notes=found.change_notes)
    if request.method != "POST":
        form.initial["digest"] = found.digest
        return _publish_page(request, found, form)
    if request.POST.get("digest") != found.digest:
        return _publish_another(request, found, begun)
    if not form.is_valid():
        return _publish_page(request, found, form, status=422)
    try:
        published = publish_version(
            version=found,
            change_note=form.cleaned_data["change_note"],
            notes=form.notes,
            acting_user=user,
        )
    except RubricRefused as refusal:
        messages.warning(request, str(refusal))
        return redirect("rubrics:rubric", slug, rubric)
    said = f"{capfirst(published.in_words)} is published and stays as it is from now on."
    messages.success(request, said)
    return redirect(_address(published))


def _published_already(request: HttpRequest, version: RubricVersion | None) -> HttpResponse:
    if version is None:
        raise Http404
    said = f"{capfirst(version.in_words)} is published already; nothing was changed."
    messages.info(request, said)
    return redirect(_address(version))


def _publish_another(
    request: HttpRequest, version: RubricVersion, begun: Mapping[str, str]
) -> HttpResponse:
    """The draft was replaced while its reader was writing the notes: show the new one first."""
    typed = {key: request.POST.get(f"note:{key}", "") for key in begun}
    kept = {"digest": version.digest, "change_note": request.POST.get("change_note", "")}
    form = PublishForm(
        initial=kept,
        begun=begun,
        initial_notes={key: typed[key] or version.change_notes.get(key, "") for key in begun},
    )
    return _publish_page(request, version, form, replaced=True, status=409)


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
        "redline": reading.changes(version),
        "form": form,
        "replaced": replaced,
    }
    template = "rubrics/publish_dialog.html" if "part" in request.GET else "rubrics/publish.html"
    return render(request, template, context, status=status)


def _address(version: RubricVersion) -> str:
    """The page of exactly this version; the bare number leads to its latest published revision."""
    parts = (version.rubric.project.slug, version.rubric.slug, version.number)
    return reverse("rubrics:version", args=parts, query={"revision": version.revision})
