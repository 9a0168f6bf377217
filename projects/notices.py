"""What people are told in the app. Mail follows where it is wanted, once all is committed."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import Truncator

from projects import mail
from projects.models import Notice, User

if TYPE_CHECKING:
    from collections.abc import Iterable

    from projects.models import Project

KEEP = timedelta(days=90)
_TEXT_LENGTH = 300


def tell(
    *, users: Iterable[User], project: Project, verb: Notice.Verb, text: str, path: str
) -> list[Notice]:
    """Tell these people, each once, in the transaction of what they are told.

    An account that has ended and whoever has left the project are told nothing.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError(f"“{verb}” must be told in the transaction of what it tells.")
    if not is_local(path):
        raise ValueError(f"A notice leads to a page of this site, not to {path!r}.")
    wanted = User.objects.filter(pk__in=[user.pk for user in users], is_active=True)
    members = wanted.filter(memberships__project=project).distinct().order_by("pk")
    notices = Notice.objects.bulk_create(
        Notice(
            user=user,
            project=project,
            verb=verb,
            text=Truncator(text).chars(_TEXT_LENGTH),
            path=path,
            mail_due_at=timezone.now() if _is_mailed(user) else None,
        )
        for user in members
    )
    if due := [notice.pk for notice in notices if notice.mail_due_at]:
        transaction.on_commit(partial(mail.ring_for, due))
    return notices


def mark_read(*, user: User, notice: Notice) -> None:
    """Reading is a person's own business, hence no event; the first time counts."""
    own = Notice.objects.filter(pk=notice.pk, user=user)
    own.unread().update(read_at=timezone.now())


def mark_all_read(*, user: User, newest: Notice) -> int:
    """Everything up to the newest one that the person was shown."""
    shown = Notice.objects.readable_by(user).unread().filter(pk__lte=newest.pk)
    return shown.update(read_at=timezone.now())


def prune() -> int:
    """Delete what is older than 90 days, read or not."""
    deleted, _ = Notice.objects.older_than(KEEP).delete()
    return deleted


def is_local(path: str) -> bool:
    """Whether it names a page of this site, and cannot be read as an address elsewhere."""
    return path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None)


def _is_mailed(user: User) -> bool:
    return bool(settings.MAIL_NOTICES and user.mail_notices and user.email)
