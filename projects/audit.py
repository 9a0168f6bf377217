from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from django.db import transaction

from projects.models import Event, Project, User

if TYPE_CHECKING:
    from collections.abc import Iterator

_operator: ContextVar[str] = ContextVar("operator", default="")


@contextmanager
def operated_by(account: str) -> Iterator[None]:
    """Whatever is written inside was written by a command, run by this account of a system."""
    token = _operator.set(account)
    try:
        yield
    finally:
        _operator.reset(token)


def operator() -> str:
    """The account of a system that runs what is going on; none where a page does."""
    return _operator.get()


def record(
    verb: str, *, project: Project | None, actor: User | None, target: object = "", **data: Any
) -> Event:
    """Write the audit row of a write; refuses to stand outside that write's transaction."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError(f"The event “{verb}” must be recorded in the transaction of its write.")
    if account := operator():
        data["operator"] = account
    return Event.objects.create(
        project=project, actor=actor, verb=verb, target=str(target)[:120], data=data
    )
