from __future__ import annotations

from django.contrib import admin

from annotate.models import Assignment, Batch, GoldAnswer, Label, Release, Subject, Vote
from projects.admin_base import ReadOnlyAdmin


@admin.register(Vote)
class VoteAdmin(ReadOnlyAdmin):
    list_display = ["batch", "subject", "rater", "revision", "current", "at"]
    list_filter = ["current", "blind"]
    list_select_related = ["batch", "subject", "rater"]


for model in (Assignment, Batch, GoldAnswer, Label, Release, Subject):
    admin.site.register(model, ReadOnlyAdmin)
