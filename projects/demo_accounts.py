"""Demo accounts share a password that is printed on a terminal: they may not reach production."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.apps import AppConfig

# No mail can ever reach this domain; it marks the accounts of the demo project.
DEMO_DOMAIN = "demo.invalid"


@register(Tags.security, deploy=True)
def no_demo_accounts(
    app_configs: Sequence[AppConfig] | None,  # noqa: ARG001  (the signature of every check)
    **options: Any,  # noqa: ARG001
) -> list[CheckMessage]:
    """Fails `check --deploy` while a demo account can sign in."""
    from projects.models import User

    demo = User.objects.filter(email__endswith=f"@{DEMO_DOMAIN}", is_active=True)
    try:
        names = list(demo.values_list("username", flat=True))
    except DatabaseError:
        # Not migrated yet: there are no accounts at all.
        return []
    if not names:
        return []
    return [
        Error(
            f"Demo accounts can sign in: {', '.join(names)}.",
            hint="Deactivate or delete them before anyone else can reach this server.",
            id="calibrant.E001",
        )
    ]
