from __future__ import annotations

from functools import lru_cache
from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Names with a hash. They never change while a process runs, so each is looked up once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._kept = lru_cache(maxsize=1024)(super().url)

    def url(self, name: str, force: bool = False) -> str:  # noqa: FBT001 (Django's signature)
        return str(self._kept(name, force))
