from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template

from projects.access import roles_of
from projects.browser_key import browser_key
from projects.models import Notice, Project, Role, User

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
    # Rulings are read by those who ask for them and by those who decide them.
    rules = not roles.isdisjoint({Role.LEAD, Role.POLICY_OWNER})
    return {**shown, "project": project, "roles": roles, "rules": rules}


def room_of(request: HttpRequest | None) -> str:
    """Which entry of the bar the page belongs to."""
    match = request.resolver_match if request else None
    if match is None:
        return ""
    if match.view_name in ("annotate:home", "annotate:project", "projects:notices"):
        return match.url_name or ""
    return _ROOMS.get(match.view_name) or _APPS.get(match.app_name, "")


_APPS = {"rubrics": "rubrics", "annotate": "rounds"}
# Pages that stand in another room than their app's.
_ROOMS = {
    "annotate:import_new": "project",
    "annotate:upload": "project",
    "annotate:readiness": "project",
    "annotate:gold": "gold",
    "annotate:subject_gold": "gold",
    "annotate:ruling": "rulings",
    "annotate:rulings": "rulings",
    "annotate:checks": "rubrics",
    "annotate:check_texts": "rubrics",
    "annotate:version_edits": "rubrics",
}
