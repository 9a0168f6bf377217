"""Pictures that a text names: what a page needs on which a reader may load one by a press."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from csp.decorators import csp_update
from django.http import HttpResponse

View = TypeVar("View", bound=Callable[..., HttpResponse])


def pictures_on_click(view: View) -> View:
    """Let the page of this view show pictures from elsewhere, which no other page may.

    Nothing but static/js/images.js puts one in, and only once it is asked for: a text cannot write
    an element. Such a page loads that script.
    """
    return cast("View", csp_update({"img-src": ["https:"]})(view))
