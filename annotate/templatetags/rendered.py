"""Filters for text that a model or a person wrote. The one place that marks HTML as safe."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from annotate.rendering import render, source

register = template.Library()


@register.filter
def rendered(text: str | None) -> SafeString:
    """Markdown as safe HTML; nothing for a part whose text is absent."""
    return mark_safe(render(text or ""))  # noqa: S308 (render's output passed its allow-list)


@register.filter
def as_source(text: str | None) -> SafeString:
    """The text verbatim, control characters visible."""
    return mark_safe(source(text or ""))  # noqa: S308 (source escapes all of it)
