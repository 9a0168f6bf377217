from __future__ import annotations

from django.contrib import admin

from projects.admin_base import ReadOnlyAdmin
from rubrics.models import Anchor, Criterion, Rubric, RubricVersion


@admin.register(Rubric)
class RubricAdmin(ReadOnlyAdmin):
    list_display = ["name", "slug", "project"]
    list_select_related = ["project"]


@admin.register(RubricVersion)
class VersionAdmin(ReadOnlyAdmin):
    list_display = ["rubric", "number", "revision", "status", "published_at"]
    list_filter = ["status"]
    list_select_related = ["rubric"]


@admin.register(Criterion)
class CriterionAdmin(ReadOnlyAdmin):
    list_display = ["key", "kind", "family", "level", "version"]
    list_filter = ["kind", "level"]
    list_select_related = ["version__rubric"]


@admin.register(Anchor)
class AnchorAdmin(ReadOnlyAdmin):
    list_display = ["criterion", "verdict", "origin", "text"]
    list_select_related = ["criterion"]
