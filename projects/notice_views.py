from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from projects.access import user_of
from projects.actions import change_mail
from projects.forms import MailForm
from projects.models import Notice
from projects.notice_page import key_of, notice_page
from projects.notices import is_local, mark_all_read, mark_read
from projects.views import account_page

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse


@require_safe
def notices(request: HttpRequest) -> HttpResponse:
    """A person's notices, newest first; `before` is the last one of the page before."""
    page = notice_page(user_of(request), before=key_of(request.GET.get("before", "")))
    return render(request, "projects/notices.html", {"page": page})


@require_POST
def notice_open(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Read, and on to the page it is about: by POST, so that nothing reads it but a person."""
    user = user_of(request)
    notice = get_object_or_404(Notice.objects.readable_by(user), public_id=public_id)
    mark_read(user=user, notice=notice)
    if not is_local(notice.path):
        return redirect("projects:notices")
    return HttpResponseRedirect(notice.path)


@require_POST
def notices_read(request: HttpRequest) -> HttpResponse:
    """All up to the newest that was shown: one that came since was not seen."""
    user = user_of(request)
    newest = key_of(request.POST.get("newest", ""))
    if newest is None:
        raise Http404
    mark_all_read(
        user=user, newest=get_object_or_404(Notice.objects.readable_by(user), public_id=newest)
    )
    return redirect("projects:notices")


@require_POST
def account_mail(request: HttpRequest) -> HttpResponse:
    """Where a person's notices are mailed, and whether."""
    user = user_of(request)
    form = MailForm(request.POST)
    if not form.is_valid():
        return account_page(request, status=422, mail_form=form)
    address, wanted = form.cleaned_data["email"], form.cleaned_data["mail_notices"]
    change_mail(user=user, address=address, wanted=wanted, acting_user=user)
    going = f"are mailed to {address}" if address and wanted else "are not mailed"
    messages.success(request, f"Saved. Your notices {going}.")
    return redirect("projects:account")
