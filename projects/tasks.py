"""Ids in, action out."""

from __future__ import annotations

from celery import shared_task

from projects import mail


@shared_task
def mail_notices(notice_ids: list[int]) -> None:
    mail.send(notice_ids)
