from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.contrib.admin import AdminSite

if TYPE_CHECKING:
    from django.http import HttpRequest

    from projects.models import User


class CalibrantAdminSite(AdminSite):
    """Closed to anyone who is still rating: votes of others stand in here in clear."""

    site_header = "Calibrant administration"

    def has_permission(self, request: HttpRequest) -> bool:
        from annotate.models import Assignment

        if not super().has_permission(request):
            return False
        user = cast("User", request.user)
        return not Assignment.objects.of_user(user).in_open_batches().exists()
