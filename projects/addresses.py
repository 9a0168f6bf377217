from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.http import HttpRequest


def behind_proxy(request: HttpRequest) -> str:
    """The visitor's address as our own proxy saw it: the last one, which only it can write.

    Without it every visitor would come from the proxy, and a stranger could lock anyone out.
    """
    forwarded: str = request.META.get("HTTP_X_FORWARDED_FOR", "")
    return forwarded.rpartition(",")[2].strip() or request.META["REMOTE_ADDR"]
