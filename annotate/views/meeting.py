from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.actions.meetings import (
    LONGEST,
    SHORTEST,
    USUAL,
    MeetingRefused,
    end_meeting,
    start_meeting,
)
from annotate.actions.sorting import SortingRefused, sort_disagreement
from annotate.disagreements import Found, unit_of
from annotate.meetings import meeting_for
from annotate.models import Disagreement
from annotate.pages.meeting import clock_of, meeting_page, real_names, seen_of
from annotate.pages.meeting_agenda import Agenda, agenda, meeting_address
from annotate.pages.meeting_gaps import meeting_gaps as gaps_page
from annotate.pages.meeting_raters import labels_on
from annotate.pages.meeting_start import start_page
from annotate.pictures import pictures_on_click
from projects.access import user_of

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

    from annotate.disagreements import Differing
    from annotate.meetings import Room
    from projects.models import User

CHOOSE = "Choose a kind first, 1 to 4: it is what the next version is counted by."


@require_http_methods(["GET", "HEAD", "POST"])
def meeting(request: HttpRequest, slug: str, batch_id: UUID) -> HttpResponse:
    """What there is to settle: before the meeting, while it runs, and when all is done."""
    user = user_of(request)
    room = meeting_for(user, slug, batch_id)
    batch, open_ = room.batch, room.meeting
    found = room.found(user)
    check = _check(request, found)
    status, problem = 200, ""
    if request.method == "POST":
        try:
            minutes = int(request.POST.get("minutes") or USUAL)
            open_ = start_meeting(batch=batch, minutes=minutes, acting_user=user)
        except (ValueError, MeetingRefused):
            problem = f"A meeting lasts from {SHORTEST} to {LONGEST} minutes."
            status = 422
        else:
            listed = agenda(found, batch, open_, check=check)
            first = next(iter(listed.open), None)
            return redirect(listed.address(first))
    context = {
        "project": batch.project,
        "batch": batch,
        "meeting": open_,
        "clock": clock_of(open_) if open_ else None,
        "start": start_page(agenda(found, batch, open_, check=check), outdated=room.outdated),
        "minutes": request.POST.get("minutes", USUAL),
        "problem": problem,
    }
    return render(request, "annotate/meeting_start.html", context, status=status)


@require_POST
def meeting_end(request: HttpRequest, slug: str, batch_id: UUID) -> HttpResponse:
    user = user_of(request)
    room = meeting_for(user, slug, batch_id)
    batch, open_ = room.batch, room.meeting
    if open_ is not None:
        end_meeting(meeting=open_, acting_user=user)
        messages.success(request, "The meeting has ended. These are its minutes.")
    return redirect("annotate:minutes", slug, batch.public_id)


@pictures_on_click
@require_http_methods(["GET", "HEAD", "POST"])
def meeting_unit(request: HttpRequest, slug: str, batch_id: UUID, unit: str) -> HttpResponse:
    """One disagreement. What is chosen and written is kept at every change."""
    user = user_of(request)
    room = meeting_for(user, slug, batch_id)
    batch, open_ = room.batch, room.meeting
    found = room.found(user)
    item = item_of(found, unit)
    if open_ is None:
        return redirect("annotate:meeting", slug, batch.public_id)
    listed = agenda(found, batch, open_, check=_check(request, found), at=item)
    if request.method == "POST":
        return _sort(request, user, found, listed, room, item)
    named = bool(request.GET.get("names"))
    page = meeting_page(found, listed, open_, item, outdated=room.outdated, named=named)
    context = {"project": batch.project, "page": page}
    return render(request, "annotate/meeting.html", context)


@require_safe
def meeting_names(request: HttpRequest, slug: str, batch_id: UUID, unit: str) -> HttpResponse:
    """Who is who, once somebody asks: the page itself does not know."""
    user = user_of(request)
    room = meeting_for(user, slug, batch_id)
    batch = room.batch
    found = room.found(user)
    item = item_of(found, unit)
    names = real_names(found, item, labels_on(batch, item.unit.subject))
    return JsonResponse({"names": names})


@require_safe
def meeting_gaps(request: HttpRequest, slug: str, batch_id: UUID, unit: str) -> HttpResponse:
    """Where the rubric was silent, beside what is discussed."""
    user = user_of(request)
    room = meeting_for(user, slug, batch_id)
    batch = room.batch
    item = item_of(room.found(user), unit)
    context = {
        "project": batch.project,
        "batch": batch,
        "gaps": gaps_page(batch, user),
        "back": meeting_address(batch, item),
        "add": f"{meeting_address(batch, item)}add/",
    }
    name = "annotate/meeting_gaps.html"
    return render(request, f"{name}#body" if is_fragment(request) else name, context)


def item_of(found: Found, code: str) -> Differing:
    """The disagreement that an address names; 404 where there is none."""
    named = unit_of(code)
    if named is None:
        raise Http404
    public_id, *place = named
    for one in found.all:
        if one.unit.public_id == public_id and [one.unit.key, one.unit.part] == place:
            return one
    raise Http404


def is_fragment(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def _check(request: HttpRequest, found: Found) -> str:
    """The check that the address keeps to; 404 where there is no disagreement on it."""
    check = request.GET.get("check", "")
    if check and check not in {group.key for group in found.groups if group.found}:
        raise Http404
    return check


def _sort(
    request: HttpRequest,
    user: User,
    found: Found,
    listed: Agenda,
    room: Room,
    item: Differing,
) -> HttpResponse:
    kind, note = request.POST.get("kind", ""), request.POST.get("note", "")
    settles = request.POST.get("action") == "settle"
    said = _changed_meanwhile(item.row, request.POST.get("seen", ""), user, kind, note)
    problem = CHOOSE if settles and not kind else ""
    if not problem:
        try:
            row = sort_disagreement(
                batch=listed.batch,
                unit=item.unit,
                kind=kind,
                note=note,
                suggestion=item.suggestion,
                acting_user=user,
            )
        except SortingRefused as refusal:
            problem = str(refusal)
    if request.accepts("application/json") and not request.accepts("text/html"):
        if problem:
            return JsonResponse({"problem": problem}, status=422)
        return JsonResponse({"seen": seen_of(row), "said": said})
    if problem:
        assert room.meeting is not None
        page = meeting_page(found, listed, room.meeting, item, outdated=room.outdated)
        page = replace(page, error=problem, typed_kind=kind, typed_note=note)
        context = {"project": listed.batch.project, "page": page}
        return render(request, "annotate/meeting.html", context, status=422)
    if said:
        messages.info(request, said)
    if not settles:
        return redirect(listed.address(item))
    following = listed.next_open(item)
    if following is None:
        messages.success(request, "That was the last one that was open.")
    return redirect(listed.address(following))


def _changed_meanwhile(
    row: Disagreement | None, seen: str, user: User, kind: str, note: str
) -> str:
    """What somebody else entered since this page came: the last one counts, no words are lost."""
    if row is None or row.sorted_at is None or seen_of(row) == seen or row.sorted_by == user:
        return ""
    if (row.kind, row.note) == (kind, note.replace("\r\n", "\n").strip()):
        return ""
    had = row.get_kind_display() if row.kind else "no kind"
    words = f", with the decision “{row.note}”" if row.note else ""
    who = row.sorted_by or "Somebody"
    return f"{who} had set {had}{words} meanwhile. What you set stands now."
