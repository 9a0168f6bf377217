"""Parts of the label page that come out the same again and again, written once in a process."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotate.pages.keys import page_keys

if TYPE_CHECKING:
    from annotate.pages.keys import PageKeys
    from annotate.pages.label import LabelPage
    from annotate.pages.label_rows import Row

register = template.Library()

_MOST_KEPT = 64
_untouched: dict[tuple[object, ...], SafeString] = {}


@register.simple_tag
def label_steps(page: LabelPage) -> SafeString:
    """The three steps of a pair; as long as nothing is entered, they are those of every pair."""
    if page.untouched is None:
        return _steps(page)
    if page.untouched not in _untouched:
        if len(_untouched) >= _MOST_KEPT:
            _untouched.clear()
        _untouched[page.untouched] = _steps(page)
    return _untouched[page.untouched]


def _steps(page: LabelPage) -> SafeString:
    return render_to_string("annotate/label_steps.html", {"page": page})


@register.simple_tag
def label_row(row: Row, keys: PageKeys) -> SafeString:
    """A check with its cells. Rows are values: what is equal looks the same."""
    return _row(row, keys.hands)


@register.simple_tag
def label_keys(keys: PageKeys) -> SafeString:
    return _keys(keys.hands)


@lru_cache(maxsize=1024)
def _row(row: Row, hands: str) -> SafeString:
    return render_to_string("annotate/label_row.html", {"row": row, "keys": page_keys(hands)})


@lru_cache
def _keys(hands: str) -> SafeString:
    return render_to_string("annotate/label_keys.html", {"keys": page_keys(hands)})
