from __future__ import annotations

from pathlib import Path

from django.conf import settings

from annotate.actions.kept_files import unlink_old

KEEP_S = 3600


def prune_processed() -> int:
    """Delete delivered messages of the embedded broker that are older than an hour."""
    options = getattr(settings, "CELERY_BROKER_TRANSPORT_OPTIONS", {})
    folder = options.get("processed_folder")
    return unlink_old(Path(folder).iterdir(), lambda _: KEEP_S) if folder else 0
