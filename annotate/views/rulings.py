from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.access import batch_for, refuse_early, ruling_for
from annotate.actions.rulings import (
    RulingRefused,
    decide_ruling,
    open_ruling,
    reopen_ruling,
    write_rule,
)
from annotate.models import Ruling, Subject
from annotate.pages.ruling import ruling_page
from annotate.pages.rulings import rulings_page
from annotate.pictures import pictures_on_click
from annotate.ruling_forms import AskRulingForm, DecisionForm, ReopenForm, RuleForm
from annotate.rulings import checks_to_reword
from projects.access import project_and_roles_for, refuse_without, user_of
from projects.models import Role
from rubrics.actions import RubricRefused
from rubrics.edits import EditError

if TYPE_CHECKING:
    from uuid import UUID

    from django.forms import Form
    from django.http import HttpRequest, HttpResponse

    from projects.models import User

READERS = (Role.LEAD, Role.POLICY_OWNER)


class At(NamedTuple):
    """A unit as the form of a candidate names it."""

    subject: int
    key: str
    part: str


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rulings(request: HttpRequest, slug: str) -> HttpResponse:
    """What waits and what was decided; POST sends a split that stayed."""
    user = user_of(request)
    project, roles = project_and_roles_for(user, slug, *READERS)
    form = None
    if request.method == "POST":
        form = AskRulingForm(request.POST)
        if answer := _ask(request, form, user, slug):
            return answer
    context = {
        "project": project,
        "roles": roles,
        "page": rulings_page(project, user, roles, form),
        "refused": form,
    }
    return render(request, "annotate/rulings.html", context, status=422 if form else 200)


def _ask(request: HttpRequest, form: AskRulingForm, user: User, slug: str) -> HttpResponse | None:
    """Send a split to the policy owner; nothing where the form has to be shown again."""
    if not form.is_valid():
        return None
    sent = form.cleaned_data
    batch = batch_for(user, slug, sent["batch"], *READERS)
    refuse_early(user, batch=batch)
    subjects = Subject.objects.visible().of_project(batch.project)
    subject = get_object_or_404(subjects, public_id=sent["subject"])
    unit = At(subject.pk, sent["key"], sent["part"])
    try:
        made = open_ruling(batch=batch, units=[unit], question=sent["question"], acting_user=user)
    except RulingRefused as refusal:
        if refusal.ruling is None:
            form.add_error(refusal.field if refusal.field in form.fields else None, str(refusal))
            return None
        messages.warning(request, str(refusal))
        return _see(slug, refusal.ruling)
    messages.success(request, "The split waits for its ruling now.")
    return _see(slug, made)


@pictures_on_click
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ruling(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    user = user_of(request)
    found, roles = ruling_for(user, slug, public_id, *READERS)
    forms: dict[str, Form] = {}
    if request.method == "POST":
        act = _ACTIONS.get(request.POST.get("action", ""))
        if act is None:
            raise BadRequest("No form arrived.")
        # What the policy of the house is, only its owner says; a rule is worded by either.
        refuse_without(roles, *((Role.POLICY_OWNER,) if act is not _rule else READERS))
        name, form, said = act(request, found, user)
        if said:
            messages.success(request, said)
            return _see(slug, found)
        forms[name] = form
        found, _ = ruling_for(user, slug, public_id, *READERS)
    page = ruling_page(found)
    may_decide = Role.POLICY_OWNER in roles
    if found.decided_at is None and may_decide:
        forms.setdefault("decide", DecisionForm(codes=page.codes))
    elif may_decide:
        forms.setdefault("reopen", ReopenForm())
    if found.decision == Ruling.Decision.MISSING and page.units:
        checks = checks_to_reword(page.batch.version.rubric_id)
        forms.setdefault("rule", RuleForm(checks=checks, about=page.criteria[0].key))
    context = {
        "project": found.project,
        "roles": roles,
        "page": page,
        "ruling": found,
        "may_decide": may_decide,
        "forms": forms,
    }
    refused = request.method == "POST"
    return render(request, "annotate/ruling.html", context, status=422 if refused else 200)


def _decide(request: HttpRequest, found: Ruling, user: User) -> tuple[str, Form, str]:
    form = DecisionForm(request.POST, codes=ruling_page(found).codes)
    if form.is_valid():
        try:
            decided = decide_ruling(ruling=found, acting_user=user, **form.cleaned_data)
        except RulingRefused as refusal:
            form.add_error(refusal.field or None, str(refusal))
        else:
            return "decide", form, f"Decided: {decided.get_decision_display()}."
    return "decide", form, ""


def _reopen(request: HttpRequest, found: Ruling, user: User) -> tuple[str, Form, str]:
    form = ReopenForm(request.POST)
    if form.is_valid():
        try:
            reopen_ruling(ruling=found, acting_user=user, **form.cleaned_data)
        except RulingRefused as refusal:
            form.add_error(refusal.field or None, str(refusal))
        else:
            return "reopen", form, "Open again: it waits for a decision."
    return "reopen", form, ""


def _rule(request: HttpRequest, found: Ruling, user: User) -> tuple[str, Form, str]:
    rubric = ruling_page(found).batch.version.rubric_id
    form = RuleForm(request.POST, checks=checks_to_reword(rubric))
    if form.is_valid():
        try:
            edit = write_rule(ruling=found, acting_user=user, **form.cleaned_data)
        except (RulingRefused, EditError, RubricRefused) as refusal:
            form.add_error(getattr(refusal, "field", "") or None, str(refusal))
        else:
            return "rule", form, f"The draft of version {edit.number} has it now."
    return "rule", form, ""


_ACTIONS = {"decide": _decide, "reopen": _reopen, "rule": _rule}


def _see(slug: str, found: Ruling) -> HttpResponseRedirect:
    """After a form: the page is fetched, the form is not sent again."""
    return HttpResponseRedirect(
        reverse("annotate:ruling", args=[slug, found.public_id]), status=303
    )
