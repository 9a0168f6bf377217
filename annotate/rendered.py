"""Safe HTML of texts, rendered once and kept in the database.

Rendering stands outside every transaction: it takes as long as the text is long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.safestring import SafeString, mark_safe

from annotate.ballot import SEEN_SIDES
from annotate.diff_panes import diff_panes
from annotate.models import Part, RenderedText
from annotate.rendering import cache_key, render, source_in_blocks
from annotate.rendering.readable import readable, with_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from annotate.diff_panes import DiffPanes
    from annotate.models import Assignment
    from annotate.rendering.readable import Mark


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


def marked(html: SafeString, marks: Iterable[Mark]) -> SafeString:
    """Rendered HTML with evidence shown in it."""
    # S308: marks add our own elements around escaped text.
    return mark_safe(with_marks(html, marks))  # noqa: S308


def readable_sides(assignment: Assignment) -> dict[str, str]:
    """The text of each response as it is read, by the side on which this rater sees it."""
    parts = Part.objects.filter(subject=assignment.subject_id)
    texts = dict(parts.values_list("key", "text"))
    shown = [texts.get(key) or "" for key in assignment.seen_order]
    html = html_of(shown)
    return {side: readable(html[text]) for side, text in zip(SEEN_SIDES, shown, strict=True)}


def source_of(text: str) -> SafeString:
    """The text verbatim: escaped at once, so never kept."""
    return mark_safe(source_in_blocks(text))  # noqa: S308 (it escapes all of it)


@dataclass(frozen=True)
class DifferenceHtml:
    left: SafeString
    right: SafeString
    found: DiffPanes


def difference_of(left: str, right: str) -> DifferenceHtml:
    """Where two texts differ, word by word or by what only one of them says.

    Never kept: it takes a tenth of a second at most, and a kept one would tell by its speed that
    another rater has looked at it.
    """
    found = diff_panes(left, right)
    # S308: `diff_panes` escapes both texts.
    return DifferenceHtml(mark_safe(found.left), mark_safe(found.right), found)  # noqa: S308


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
