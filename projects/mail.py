"""Notices by e-mail: at least once, never inside the transaction that told them.

A notice that is to be mailed carries the time at which that is due. Whoever mails it first puts
that time off by one conditional update, so two workers never mail one notice at the same time; a
worker that dies, or a server that refuses, leaves it due again, later each time. The same notice
always goes out under the same Message-ID, so that a mail program can tell a second copy.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from email.errors import MessageError
from smtplib import SMTPException
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.utils import timezone
from django.utils.text import Truncator

from projects.bell import ring
from projects.models import Notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.mail.backends.base import BaseEmailBackend

log = logging.getLogger(__name__)

# By its name: tasks import actions, never the other way round.
TASK = "projects.tasks.mail_notices"
FIRST_WAIT = timedelta(minutes=1)
AT_ONCE = 100
_SUBJECT_LENGTH = 120
# The server and the network; and what is raised where an address or a header fits into no mail.
NOT_SENT = (SMTPException, OSError, MessageError, ValueError, LookupError)


def ring_for(notice_ids: Sequence[int]) -> None:
    """Tell a worker which notices to mail, once they are committed."""
    for start in range(0, len(notice_ids), AT_ONCE):
        ring(TASK, list(notice_ids[start : start + AT_ONCE]))


def ring_again() -> int:
    """Ring for mails that are still due: their bell was lost, or the server refused them."""
    if not settings.MAIL_NOTICES:
        return 0
    due = list(Notice.objects.to_mail().order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    ring_for(due)
    return len(due)


def send(notice_ids: Sequence[int]) -> int:
    """Mail these notices, as far as they are due; how many went out. Twice does nothing twice."""
    if not settings.MAIL_NOTICES:
        return 0
    due = Notice.objects.to_mail().filter(pk__in=notice_ids).select_related("user", "project")
    notices = list(due.order_by("pk"))
    if not notices:
        return 0
    connection = get_connection()
    try:
        connection.open()
    except NOT_SENT as failure:
        log.warning("The mail server did not answer (%s); mails wait.", type(failure).__name__)
        return 0
    try:
        return sum(_send(notice, connection) for notice in notices if _claim(notice))
    finally:
        connection.close()


def _claim(notice: Notice) -> bool:
    """Put the mail off, so that nobody else sends it now; twice as long with each failure."""
    now = timezone.now()
    wait = max(FIRST_WAIT, now - notice.created_at)
    due = Notice.objects.to_mail().filter(pk=notice.pk)
    return bool(due.update(mail_due_at=now + wait))


def _send(notice: Notice, connection: BaseEmailBackend) -> bool:
    try:
        sent = _is_wanted(notice) and bool(message_of(notice, connection).send())
    except NOT_SENT as failure:
        # What is said may name the address of a person; its kind says enough.
        log.warning("Notice %s was not mailed (%s).", notice.pk, type(failure).__name__)
        return False
    Notice.objects.filter(pk=notice.pk).update(mail_due_at=None)
    return sent


def _is_wanted(notice: Notice) -> bool:
    """As things are now: the person may have left, read it or switched mail off since."""
    user = notice.user
    if not (user.is_active and user.mail_notices and user.email):
        return False
    return Notice.objects.readable_by(user).unread().filter(pk=notice.pk).exists()


def message_of(notice: Notice, connection: BaseEmailBackend | None = None) -> EmailMessage:
    """Plain text under a subject of one line, with the absolute address of the page."""
    site = settings.CALIBRANT_SITE_URL
    host = site.partition("://")[2].partition("/")[0].partition(":")[0]
    line = " ".join(f"{notice.project}: {notice.text}".split())
    body = (
        f"{notice.text}\n\n{site}{notice.path}\n\n"
        f"-- \n{notice.project}, on Calibrant. "
        f"You can switch these mails off: {site}/account/\n"
    )
    return EmailMessage(
        subject=Truncator(line).chars(_SUBJECT_LENGTH),
        body=body,
        to=[notice.user.email],
        headers={"Message-ID": f"<{notice.public_id}@{host}>", "Auto-Submitted": "auto-generated"},
        connection=connection,
    )
