from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template

from projects.access import roles_of
from projects.browser_key import browser_key
from projects.models import Notice, Project, User

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.template import Context

register = template.Library()


@register.simple_tag(takes_context=True)
def person_key(context: Context) -> str:
    """Whose copies in the browser a page may read and write; '' for a visitor."""
    user = getattr(context.get("request"), "user", None)
    return browser_key(user) if isinstance(user, User) else ""


@register.inclusion_tag("components/bar.html", takes_context=True)
def bar(context: Context) -> dict[str, Any]:
    """The bar of every page. Within a project (`project` in the context) it shows its rooms."""
    request: HttpRequest | None = context.get("request")
    user = getattr(request, "user", None)
    project = context.get("project")
    if not isinstance(user, User):
        return {"person": None}
    unread = Notice.objects.readable_by(user).unread().count()
    shown = {"person": user, "room": room_of(request), "unread": unread}
    if not isinstance(project, Project):
        return shown
    roles = context.get("roles")
    if roles is None:
        roles = roles_of(user, project)
    return {**shown, "project": project, "roles": roles}


def room_of(request: HttpRequest | None) -> str:
    """Which entry of the bar the page belongs to."""
    match = request.resolver_match if request else None
    if match is None:
        return ""
    if match.view_name in ("annotate:home", "annotate:project", "projects:notices"):
        return match.url_name or ""
    if match.view_name in ("annotate:import_new", "annotate:upload"):
        return "project"
    if match.view_name in ("annotate:gold", "annotate:subject_gold"):
        return "gold"
    return {"rubrics": "rubrics", "annotate": "rounds"}.get(match.app_name, "")
