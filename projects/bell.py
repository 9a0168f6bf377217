"""Ringing for a worker: the rows are the truth, the broker only tells that there are any."""

from __future__ import annotations

import logging
from typing import Any

from celery import current_app
from kombu.exceptions import ChannelError, KombuError

log = logging.getLogger(__name__)

# What the brokers raise: Redis and RabbitMQ the first, the embedded one the others.
BROKER_AWAY = (KombuError, ChannelError, OSError)


def ring(task: str, *arguments: Any) -> None:
    """Send a task by its name; when the broker is away, the sweeper rings again later."""
    try:
        current_app.send_task(task, arguments)
    except BROKER_AWAY:
        log.warning("The broker did not answer; %s%s waits for the sweeper.", task, arguments)
