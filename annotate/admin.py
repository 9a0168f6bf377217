from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db import transaction

from annotate.actions.leaving import end_account
from annotate.models import Assignment, Batch, GoldAnswer, Label, Release, Subject, Vote
from projects.admin_base import ReadOnlyAdmin
from projects.models import User

if TYPE_CHECKING:
    from django.http import HttpRequest


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]  # not generic at run time
    """Accounts are the one thing that is made and ended here. They end; none is deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: FBT001  (Django's signature)
        ends = change and "is_active" in form.changed_data and not obj.is_active
        # Not by this form: ending has an action of its own, with its audit row.
        obj.is_active = obj.is_active or ends
        super().save_model(request, obj, form, change)
        if ends:
            end_account(user=obj, acting_user=cast("User", request.user))


@admin.register(Vote)
class VoteAdmin(ReadOnlyAdmin):
    list_display = ["batch", "subject", "rater", "revision", "current", "at"]
    list_filter = ["current", "blind"]
    list_select_related = ["batch", "subject", "rater"]


for model in (Assignment, Batch, GoldAnswer, Label, Release, Subject):
    admin.site.register(model, ReadOnlyAdmin)
