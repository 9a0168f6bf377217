from __future__ import annotations

import time
from pathlib import Path

from django.conf import settings

KEEP_S = 3600


def prune_processed() -> int:
    """Delete delivered messages of the embedded broker that are older than an hour."""
    options = getattr(settings, "CELERY_BROKER_TRANSPORT_OPTIONS", {})
    folder = options.get("processed_folder")
    if not folder:
        return 0
    oldest = time.time() - KEEP_S
    stale = [file for file in Path(folder).iterdir() if file.stat().st_mtime < oldest]
    for file in stale:
        file.unlink(missing_ok=True)
    return len(stale)
