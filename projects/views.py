from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from axes.helpers import get_cool_off
from axes.models import AccessAttempt
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect, HttpResponseClientRefresh

from projects.access import job_for, user_of
from projects.actions import change_password
from projects.forms import NewPasswordForm, SignInForm
from projects.models import Job
from projects.reports import report_of

if TYPE_CHECKING:
    from datetime import datetime, timedelta
    from uuid import UUID

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


class SignOut(LogoutView):
    """By POST only: a link must not be able to sign anybody out."""


def locked_out(
    request: HttpRequest, _response: HttpResponse, credentials: dict[str, Any]
) -> HttpResponse:
    """What axes shows after too many failures: the time from which signing in works again."""
    until = locked_until(request, credentials.get("username", ""))
    wait = until - timezone.now()
    page = render(
        request,
        "projects/locked_out.html",
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
    """Who is signed in, and the form for another password."""
    user = user_of(request)
    form = NewPasswordForm(user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        change_password(user=user, password=form.cleaned_data["new_password1"], acting_user=user)
        update_session_auth_hash(request, user)
        messages.success(request, "Your password is changed; other sessions of yours have ended.")
        return redirect("projects:account")
    status = 422 if form.errors else 200
    return render(request, "projects/account.html", {"form": form}, status=status)


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
        "report": report_of(found.result),
    }
    if not getattr(request, "htmx", False):
        return render(request, "projects/job.html", context)
    if not moving:
        # The report stands on the page and not in the fragment.
        return HttpResponseClientRefresh()
    return render(request, "projects/job.html#progress", context)
