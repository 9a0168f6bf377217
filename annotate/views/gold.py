from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotate.access import subject_for
from annotate.actions.gold import GoldRefused, set_gold, withdraw_gold
from annotate.models import GoldAnswer, Subject
from annotate.pages.gold import answerable, gold_form, gold_list, known_from, withdrawal
from annotate.pages.subject import subject_page
from annotate.pictures import pictures_on_click
from projects.access import project_for, user_of
from projects.models import Role
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

SAID = {
    "created": "The answer on {pair} is kept.",
    "updated": "The answer on {pair} has taken the place of the one before, which the audit keeps.",
    "unchanged": "The answer on {pair} stands as it was.",
}


@never_cache
@require_safe
def gold(request: HttpRequest, slug: str) -> HttpResponse:
    """Every known answer of the project; `?pair=ID` leads to the form of a pair."""
    user = user_of(request)
    project = project_for(user, slug, Role.LEAD)
    wanted = request.GET.get("pair", "").strip()
    if wanted:
        pairs = Subject.objects.visible().of_project(project).pairs()
        if found := pairs.filter(external_id=wanted).first():
            return redirect("annotate:subject_gold", slug, found.public_id)
    context = {"project": project, "list": gold_list(project, user), "wanted": wanted}
    return render(request, "annotate/gold.html", context)


@pictures_on_click
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def subject_gold(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """The known answer on one pair under one version."""
    user = user_of(request)
    subject = subject_for(user, slug, public_id)
    version = _version(subject, request.GET.get("version", ""))
    if version is None or subject.kind != Subject.Kind.PAIR:
        return _page(request, subject, None)
    if request.method != "POST":
        if "withdraw" in request.GET:
            return _ask(request, subject, version)
        return _page(request, subject, version)
    if not request.POST:
        raise BadRequest("No form arrived.")
    try:
        if request.POST.get("action") == "withdraw":
            withdraw_gold(subject=subject, version=version, acting_user=user)
            said = f"The answer on {subject} is withdrawn."
        else:
            known = known_from(request.POST, version)
            done = set_gold(subject=subject, version=version, known=known, acting_user=user)
            said = SAID[done].format(pair=subject)
    except GoldRefused as refusal:
        return _page(
            request,
            subject,
            version,
            status=422,
            fields=request.POST,
            errors=refusal.problems,
        )
    messages.success(request, said)
    return redirect("annotate:gold", slug)


def _version(subject: Subject, name: str) -> RubricVersion | None:
    """The version that the address names; else the one that the pair is answered under, else the
    newest. None where there is none to answer under."""
    held = GoldAnswer.objects.filter(subject=subject).values("version")
    answered = RubricVersion.objects.filter(pk__in=held).published().select_related("rubric")
    choices = [*answered.newest_first(), *answerable(subject.project)]
    named = next((version for version in choices if str(version) == name), None)
    return named or next(iter(choices), None)


def _ask(request: HttpRequest, subject: Subject, version: RubricVersion) -> HttpResponse:
    """The question before an answer is withdrawn, for those who see no dialog."""
    if not GoldAnswer.objects.filter(subject=subject, version=version).exists():
        return redirect("annotate:gold", subject.project.slug)
    context = {
        "project": subject.project,
        "subject": subject,
        "withdraw": withdrawal(subject, version),
    }
    return render(request, "annotate/gold_withdraw.html", context)


def _page(
    request: HttpRequest,
    subject: Subject,
    version: RubricVersion | None,
    *,
    status: int = 200,
    fields: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> HttpResponse:
    form = gold_form(subject, version, fields=fields, errors=errors) if version else None
    context = {
        "project": subject.project,
        "subject": subject,
        "shown": subject_page(subject),
        "form": form,
        "withdraw": withdrawal(subject, version) if version else None,
    }
    return render(request, "annotate/gold_form.html", context, status=status)
