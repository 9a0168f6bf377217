from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from projects.models import User


def browser_key(user: User) -> str:
    """Whose copies are whose in a browser that several people use; it names nobody."""
    return salted_hmac("projects.browser_key", str(user.pk), algorithm="sha256").hexdigest()[:16]
