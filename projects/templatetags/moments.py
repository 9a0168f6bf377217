from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils import timezone
from django.utils.dateformat import format as as_words

if TYPE_CHECKING:
    from datetime import datetime

register = template.Library()


@register.filter
def moment(at: datetime) -> str:
    """Today's by the clock, older ones by the day, both as in the time zone of the page."""
    local, now = timezone.localtime(at), timezone.localtime()
    if local.date() == now.date():
        return as_words(local, "H:i")
    return as_words(local, "j F" if local.year == now.year else "j F Y")
