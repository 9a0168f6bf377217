from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from annotate.meetings import meeting_for
from annotate.minutes import markdown
from annotate.pages.minutes import minutes_page
from projects.access import user_of

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest


@require_safe
def minutes(request: HttpRequest, slug: str, batch_id: UUID) -> HttpResponse:
    """What the meetings about a batch decided: to read, and to print."""
    user = user_of(request)
    room = meeting_for(user, slug, batch_id)
    batch = room.batch
    page = minutes_page(room, user)
    context = {"project": batch.project, "batch": batch, "page": page}
    return render(request, "annotate/minutes.html", context)


@require_safe
def minutes_file(request: HttpRequest, slug: str, batch_id: UUID) -> HttpResponse:
    """The same as a file, in Markdown."""
    user = user_of(request)
    room = meeting_for(user, slug, batch_id)
    batch = room.batch
    text = markdown(minutes_page(room, user).minutes)
    name = slugify(str(batch)) or "batch"
    return HttpResponse(
        text,
        content_type="text/markdown; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="minutes-{name}.md"'},
    )
