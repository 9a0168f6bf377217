from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from annotate.access import upload_for
from annotate.actions import kept_files, uploads
from annotate.actions.uploads import UploadRefused
from annotate.ingest.readers import ENDINGS
from annotate.models import Upload
from annotate.pages.uploads import Head, cards, first_rows, gone_because, head_of, path_of
from annotate.pictures import pictures_on_click
from annotate.upload_forms import MappingForm, PairsForm, UploadForm, VotesForm, versions_for_votes
from projects.access import project_for, user_of
from projects.models import Job, Role

if TYPE_CHECKING:
    from pathlib import Path
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse, HttpResponseBase


@require_http_methods(["GET", "HEAD", "POST"])
def import_new(request: HttpRequest, slug: str) -> HttpResponse:
    """The file and what it holds; with JavaScript the same form says how far it is."""
    user = user_of(request)
    project = project_for(user, slug, Role.LEAD)
    form = UploadForm(request.POST or None, request.FILES or None)
    if request.method == "POST":
        form = UploadForm(request.POST, request.FILES)
        if form.is_valid():
            given = form.cleaned_data
            try:
                kept = uploads.bring(
                    project=project, kind=given["kind"], file=given["file"], acting_user=user
                )
            except UploadRefused as refusal:
                form.add_error("file", str(refusal))
            else:
                address = reverse("annotate:upload", args=[slug, kept.public_id])
                if getattr(request, "htmx", False):
                    return HttpResponseClientRedirect(address)
                return redirect(address)
    context = {
        "project": project,
        "form": form,
        "cards": cards(project),
        "most": settings.CALIBRANT_MAX_UPLOAD_MB,
        "endings": ",".join(ENDINGS),
        "can_take_votes": versions_for_votes(project).exists(),
    }
    template = "annotate/import_new.html"
    if getattr(request, "htmx", False):
        template += "#upload"
    return render(request, template, context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@pictures_on_click
def upload(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """What the file's fields are, and its first rows; then the check or the import."""
    user = user_of(request)
    found = upload_for(user, slug, public_id)
    action = request.POST.get("action", "")
    try:
        if action == "discard":
            uploads.discard(upload=found, acting_user=user)
            messages.success(request, f"{found.file_name} was thrown away.")
            return redirect("annotate:import_new", slug)
        head = head_of(found)
        form = _form(request, found, head)
        if request.method == "POST" and form.is_valid():
            if action not in ("check", "import"):
                uploads.choose(upload=found, flags=form.flags, acting_user=user)
                return redirect("annotate:upload", slug, public_id)
            write = action == "import"
            job = uploads.start(upload=found, flags=form.flags, write=write, acting_user=user)
            return redirect("projects:job", slug, job.public_id)
    except UploadRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("annotate:import_new", slug)
    context = _context(found, head, form)
    return render(request, "annotate/upload.html", context, status=422 if form.errors else 200)


def _form(request: HttpRequest, found: Upload, head: Head) -> MappingForm:
    kind = PairsForm if found.kind == Upload.Kind.PAIRS else VotesForm
    data = request.POST if request.method == "POST" else None
    return kind(data, upload=found, columns=head.columns, file=path_of(found))


def _context(found: Upload, head: Head, form: MappingForm) -> dict[str, Any]:
    flags, missing = form.proposed()
    job = found.job
    is_imported = uploads.is_imported(found)
    is_here = bool(found.path) and path_of(found).is_file()
    return {
        "project": found.project,
        "upload": found,
        "head": head,
        "form": form,
        "fields": form.rows(head),
        "missing": missing,
        "first": first_rows(found, head, flags),
        "job": job,
        "is_imported": is_imported,
        "is_here": is_here,
        "gone_because": "" if is_here or is_imported else gone_because(found),
        "moving": job is not None and job.state in (Job.State.PENDING, Job.State.RUNNING),
        "has_version": found.kind == Upload.Kind.PAIRS
        or versions_for_votes(found.project).exists(),
    }


@require_safe
def refused_report(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponseBase:
    """Every refused row with what is wrong with it, safe to open in a spreadsheet."""
    job = _job_of(request, slug, public_id)
    return _download(kept_files.report_of_refused(job.public_id), "text/csv; charset=utf-8")


@require_safe
def refused_rows(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponseBase:
    """The refused rows as they were: to be mended and brought again, they alone."""
    job = _job_of(request, slug, public_id)
    return _download(kept_files.refused_rows_of(job.public_id), "application/jsonl; charset=utf-8")


def _job_of(request: HttpRequest, slug: str, public_id: UUID) -> Job:
    project = project_for(user_of(request), slug, Role.LEAD)
    return get_object_or_404(Job, project=project, public_id=public_id)


def _download(file: Path, content_type: str) -> FileResponse:
    try:
        stream = file.open("rb")
    except FileNotFoundError:
        raise Http404("The report of refused rows is kept for a week.") from None
    name = f"refused-rows{file.suffix}"
    return FileResponse(stream, as_attachment=True, filename=name, content_type=content_type)
