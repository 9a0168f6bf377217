from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from projects.access import project_for, user_of
from projects.models import Role
from rubrics import document, editor, outline_reader, outline_writer, reading, starting
from rubrics.access import rubric_for, versions_for
from rubrics.actions import DraftChanged, RubricRefused, import_rubric
from rubrics.forms import DraftForm
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from django.http import HttpRequest

    from projects.models import Project

# What keeps the text as a draft; every other button of the editor only shows it anew.
SAVING = ("", "save", "publish")


# Back may bring the form as it was typed, or the text it was opened on: a browser decides. Keeping
# the older text is a 409 that says by whom the newer one is. It holds no votes.
@cache_control(private=True, no_cache=True)
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    """Write a rubric as a form or as YAML; what is refused stays there with every problem."""
    project = project_for(user_of(request), slug, Role.LEAD)
    if request.method != "POST":
        return _opened(request, project)
    form = DraftForm(request.POST, request.FILES, rubrics=project.rubrics.all())
    received = editor.receive(request.POST.dict())
    if not form.is_valid():
        return _page(request, project, form, received, status=422)
    file: bytes | None = form.cleaned_data["file"]
    if request.POST.get("action", "") in SAVING and not received.clash:
        return _save(request, project, form, received, received.source if file is None else file)
    if file is not None:
        received = editor.Received(_as_text(file))
    return _page(request, project, form, received, status=422 if received.clash else 200)


def _opened(request: HttpRequest, project: Project) -> HttpResponse:
    """The newest version of the rubric asked for, under the number of the next draft, or a new
    rubric with the gates that nearly every task needs.
    """
    asked = request.GET.get("rubric")
    rubrics = project.rubrics.all()
    if not asked:
        source = outline_writer.write(outline_reader.start(starting.new_rubric()))
        return _page(request, project, DraftForm(rubrics=rubrics), editor.Received(source))
    newest = versions_for(user_of(request), rubric_for(user_of(request), project.slug, asked))
    version = newest.first()
    if version is None:
        raise Http404
    drafted = version.status == version.Status.DRAFT
    number = version.number if drafted else version.rubric.versions.next_number()
    source = document.dump(replace(version.content, number=number))
    form = DraftForm(rubrics=rubrics, initial={"rubric": asked})
    digest = version.digest if drafted else ""
    return _page(request, project, form, editor.Received(source), digest=digest)


def _save(
    request: HttpRequest,
    project: Project,
    form: DraftForm,
    received: editor.Received,
    source: str | bytes,
) -> HttpResponse:
    if isinstance(source, bytes):
        received = editor.Received(_as_text(source))
    try:
        drafted = import_rubric(
            project=project,
            source=source,
            acting_user=user_of(request),
            slug=form.cleaned_data["rubric"],
            replacing=request.POST.get("draft_digest"),
        )
    except document.RubricError as refusal:
        return _page(request, project, form, received, refusal=refusal, status=422)
    except RubricRefused as refusal:
        return _page(request, project, form, received, refused=str(refusal), status=422)
    except DraftChanged as changed:
        return _page(request, project, form, received, theirs=changed.standing, status=409)
    if drafted.status != drafted.Status.DRAFT:
        messages.info(request, f"This is {drafted.in_words} word for word; nothing was changed.")
    elif request.POST.get("action") == "publish":
        return redirect("rubrics:publish", project.slug, drafted.rubric.slug, drafted.number)
    else:
        said = f"{capfirst(drafted.in_words)} is drafted. Experts see it once it is published."
        messages.success(request, said)
    return redirect(_address(drafted))


def _as_text(file: bytes) -> str:
    """A file as the text to mend in place; what is no text stays visibly wrong."""
    return file.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _page(
    request: HttpRequest,
    project: Project,
    form: DraftForm,
    received: editor.Received,
    *,
    digest: str | None = None,
    refusal: document.RubricError | None = None,
    refused: str = "",
    theirs: RubricVersion | None = None,
    status: int = 200,
) -> HttpResponse:
    chosen = form.chosen
    context = {
        "project": project,
        "form": form,
        "chosen": chosen,
        "chosen_name": form.known.get(chosen, ""),
        "editor": editor.shown(received, ids_before=_ids_before(project, chosen)),
        # What the file itself was refused for may not show in the text it left.
        "file_problems": refusal.problems if refusal and request.FILES else (),
        "refused": refused,
        "draft_digest": request.POST.get("draft_digest", "") if digest is None else digest,
        "changed": request.method == "POST",
    }
    if theirs is not None:
        context["draft_digest"] = theirs.digest
    standing = theirs or _told_of(request, project)
    if standing is not None:
        ours = _parsed(received.source)
        context["theirs"] = reading.their_draft(standing, ours, user_of(request))
    template = "rubrics/editor.html" if request.POST.get("part") else "rubrics/draft.html"
    return render(request, template, context, status=status)


def _told_of(request: HttpRequest, project: Project) -> RubricVersion | None:
    """The draft that kept a save from being taken, while its notice stands on the page."""
    if not (digest := request.POST.get("told_of", "")):
        return None
    drafts = RubricVersion.objects.drafts().of_project(project)
    return drafts.select_related("rubric__project").filter(digest=digest).first()


def _parsed(source: str) -> document.Rubric | None:
    try:
        return document.parse(source).rubric
    except document.RubricError:
        return None


def _ids_before(project: Project, slug: str) -> tuple[str, ...]:
    """The ids of the version that the next one is made from."""
    rubric = project.rubrics.filter(slug=slug).first()
    newest = rubric.versions.released().newest_first().first() if rubric else None
    return tuple(check.key for check in newest.content.criteria) if newest else ()


def _address(version: RubricVersion) -> str:
    """The page of exactly this version; the bare number leads to its latest published revision."""
    parts = (version.rubric.project.slug, version.rubric.slug, version.number)
    return reverse("rubrics:version", args=parts, query={"revision": version.revision})
