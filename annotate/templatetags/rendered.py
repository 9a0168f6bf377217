"""A filter for text that a model or a person wrote and that is not kept (else: rendered.py)."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from annotate.rendering import render

register = template.Library()


@register.filter
def rendered(text: str | None) -> SafeString:
    """Markdown as safe HTML; nothing for a part whose text is absent."""
    return mark_safe(render(text or ""))  # noqa: S308 (render's output passed its allow-list)
