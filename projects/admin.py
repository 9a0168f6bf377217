from __future__ import annotations

from django.contrib import admin

from projects.admin_base import ReadOnlyAdmin
from projects.models import Event, Job, Membership, Project, Rater


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ["name", "slug", "time_zone", "bar", "created_at"]


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ["project", "user", "role"]
    list_filter = ["role"]
    list_select_related = ["project", "user"]


@admin.register(Rater)
class RaterAdmin(ReadOnlyAdmin):
    list_display = ["name", "project", "kind", "pseudonym"]
    list_filter = ["kind"]
    list_select_related = ["project"]


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ["public_id", "project", "kind", "state", "done", "total", "created_at"]
    list_filter = ["state", "kind"]
    list_select_related = ["project"]


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ["at", "verb", "target", "actor", "project"]
    list_select_related = ["actor", "project"]
