from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template

from projects.access import roles_of
from projects.models import Project, User

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.template import Context

register = template.Library()


@register.inclusion_tag("components/bar.html", takes_context=True)
def bar(context: Context) -> dict[str, Any]:
    """The bar of every page. Within a project (`project` in the context) it shows its rooms."""
    request: HttpRequest | None = context.get("request")
    user = getattr(request, "user", None)
    project = context.get("project")
    if not isinstance(user, User):
        return {"person": None}
    if not isinstance(project, Project):
        return {"person": user, "room": room_of(request)}
    roles = context.get("roles")
    if roles is None:
        roles = roles_of(user, project)
    return {"person": user, "project": project, "roles": roles, "room": room_of(request)}


def room_of(request: HttpRequest | None) -> str:
    """Which entry of the bar the page belongs to."""
    match = request.resolver_match if request else None
    if match is None:
        return ""
    if match.view_name in ("annotate:home", "annotate:project"):
        return match.url_name or ""
    return {"rubrics": "rubrics", "annotate": "rounds"}.get(match.app_name, "")
