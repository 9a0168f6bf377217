from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from axes.helpers import get_cool_off
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import Http404, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from projects import job_words
from projects.access import job_for, user_of
from projects.actions import change_password, choose_keys
from projects.browser_key import browser_key
from projects.forms import KeysForm, MailForm, NewPasswordForm, SignInForm
from projects.models import Job
from projects.reports import report_of

if TYPE_CHECKING:
    from datetime import datetime, timedelta
    from uuid import UUID

    from django.contrib.auth.forms import AuthenticationForm
    from django.http import HttpRequest, HttpResponse, HttpResponseBase


@method_decorator(login_not_required, name="dispatch")
class SignIn(LoginView):
    """A fragment whose session has ended is sent here: the whole page goes, not the fragment."""

    template_name = "projects/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        htmx = getattr(request, "htmx", None)
        if htmx:
            came_from = htmx.current_url_abs_path or "/"
            return HttpResponseClientRedirect(reverse("projects:login", query={"next": came_from}))
        return super().dispatch(request, *args, **kwargs)


@method_decorator(login_not_required, name="dispatch")
class SignInHere(LoginView):
    """The form alone, for a page that stays as it is while its session has ended (sign-in.js).

    Whose session holds now is answered by a key that names nobody: what one person entered is not
    sent under the name of another. With `?form` somebody else may sign in over it.
    """

    template_name = "projects/sign_in_here.html"
    authentication_form = SignInForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated and "form" not in request.GET:
            return self._person()
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        super().form_valid(form)
        return self._person()

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)

    def _person(self) -> JsonResponse:
        # A page that lost its token's cookie gets another with this answer.
        get_token(self.request)
        return JsonResponse({"person": browser_key(user_of(self.request))})


class SignOut(LogoutView):
    """By POST only: a link must not be able to sign anybody out."""


def locked_out(
    request: HttpRequest, _response: HttpResponse, credentials: dict[str, Any]
) -> HttpResponse:
    """What axes shows after too many failures: the time from which signing in works again."""
    until = locked_until(request, credentials.get("username", ""))
    wait = until - timezone.now()
    in_place = request.path == reverse("projects:login_here")
    page = render(
        request,
        "projects/locked_out.html#words" if in_place else "projects/locked_out.html",
        {"until": until, "minutes": max(1, math.ceil(wait.total_seconds() / 60))},
        status=429,
    )
    page["Retry-After"] = str(max(1, math.ceil(wait.total_seconds())))
    return page


def locked_until(request: HttpRequest, username: str) -> datetime:
    last = (
        AccessAttempt.objects.filter(
            username=username, ip_address=getattr(request, "axes_ip_address", None)
        )
        .order_by("-attempt_time")
        .values_list("attempt_time", flat=True)
        .first()
    )
    cool_off: timedelta = get_cool_off(request)
    return (last or timezone.now()) + cool_off


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Who is signed in, the form for another password, and what the person has chosen."""
    user = user_of(request)
    form = NewPasswordForm(user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        change_password(user=user, password=form.cleaned_data["new_password1"], acting_user=user)
        update_session_auth_hash(request, user)
        messages.success(request, "Your password is changed; other sessions of yours have ended.")
        return redirect("projects:account")
    status = 422 if form.errors else 200
    return account_page(request, status=status, form=form)


def account_page(request: HttpRequest, *, status: int = 200, **sent: Any) -> HttpResponse:
    """The page with its forms as they stand, or as they were `sent`."""
    user = user_of(request)
    context = {
        "form": NewPasswordForm(user, None),
        "mail_form": MailForm.of(user) if settings.MAIL_NOTICES else None,
        "keys_form": KeysForm(initial={"keys": user.keys}),
        **sent,
    }
    return render(request, "projects/account.html", context, status=status)


@require_POST
def account_keys(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    form = KeysForm(request.POST)
    if not form.is_valid():
        return account_page(request, status=422, keys_form=form)
    choose_keys(user=user, keys=form.cleaned_data["keys"], acting_user=user)
    messages.success(request, "Your keys are kept: the label page answers to them.")
    return redirect("projects:account")


@require_safe
def job(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """The page, and the fragment that asks for itself again until the work has ended."""
    found = job_for(user_of(request), public_id)
    if found.project.slug != slug:
        raise Http404
    moving = found.state in (Job.State.PENDING, Job.State.RUNNING)
    context = {
        "job": found,
        "project": found.project,
        "moving": moving,
        "title": job_words.title_of(found),
        "words": job_words.progress_of(found),
        "report": report_of(found.result, job_words.names_of(found), job_words.unsaid_of(found)),
    }
    if not getattr(request, "htmx", False):
        return render(request, "projects/job.html", context)
    if not moving:
        # The report stands on the page and not in the fragment.
        return HttpResponseClientRefresh()
    return render(request, "projects/job.html#progress", context)
