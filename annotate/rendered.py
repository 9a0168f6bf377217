"""Safe HTML of texts, rendered once and kept in the database.

Rendering stands outside every transaction: it takes as long as the text is long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.safestring import SafeString, mark_safe

from annotate.ballot import SEEN_SIDES
from annotate.models import RenderedText
from annotate.rendering import cache_key, render
from annotate.rendering.readable import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from annotate.models import Assignment


def html_of(texts: Iterable[str]) -> dict[str, SafeString]:
    """Text → safe HTML, for all texts of a page in one query; what is missing is rendered now."""
    keys = {cache_key(text): text for text in texts}
    kept = dict(RenderedText.objects.filter(pk__in=keys).values_list("key", "html"))
    made = {key: render(text) for key, text in keys.items() if key not in kept}
    if made:
        _keep(made)
    kept.update(made)
    # S308: what `render` made passed its allow-list, now or when it was kept.
    return {text: mark_safe(kept[key]) for key, text in keys.items()}  # noqa: S308


def readable_sides(assignment: Assignment) -> dict[str, str]:
    """The text of each response as it is read, by the side on which this rater sees it."""
    texts = dict(assignment.subject.parts.values_list("key", "text"))
    shown = [texts.get(key) or "" for key in assignment.seen_order]
    html = html_of(shown)
    return {side: readable(html[text]) for side, text in zip(SEEN_SIDES, shown, strict=True)}


def render_ahead(texts: Iterable[str], heartbeat: Callable[[], None]) -> int:
    """Render what is not kept yet, and keep each at once; how many there were.

    `heartbeat` is called after each: a text may take seconds.
    """
    keys = {cache_key(text): text for text in texts}
    kept = set(RenderedText.objects.filter(pk__in=keys).values_list("key", flat=True))
    missing = [(key, text) for key, text in keys.items() if key not in kept]
    for key, text in missing:
        _keep({key: render(text)})
        heartbeat()
    return len(missing)


def _keep(made: dict[str, str]) -> None:
    """Whoever else rendered the same text meanwhile made the same of it."""
    RenderedText.objects.bulk_create(
        (RenderedText(key=key, html=html) for key, html in made.items()), ignore_conflicts=True
    )
