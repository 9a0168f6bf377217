from __future__ import annotations

from typing import Any

from django.db import transaction

from projects.models import Event, Project, User


def record(
    verb: str, *, project: Project | None, actor: User | None, target: object = "", **data: Any
) -> Event:
    """Write the audit row of a write; refuses to stand outside that write's transaction."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError(f"The event “{verb}” must be recorded in the transaction of its write.")
    return Event.objects.create(
        project=project, actor=actor, verb=verb, target=str(target)[:120], data=data
    )
