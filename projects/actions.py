from __future__ import annotations

from django.db import transaction

from projects.audit import record
from projects.models import User


def deactivate_user(*, user: User, acting_user: User | None) -> User:
    """End a person's access. Their labels, and whatever was computed from them, stay.

    An account that has labels cannot be deleted; this is what there is instead. Sessions that are
    open end with it. Doing it twice changes nothing.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        if user.is_active:
            user.is_active = False
            user.save(update_fields=["is_active"])
            record("user.deactivated", project=None, actor=acting_user, target=user.username)
    return user
