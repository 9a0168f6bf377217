from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

from annotate.ballot import TOKEN

if TYPE_CHECKING:
    from annotate.models import Vote

register = template.Library()


@register.filter
def pieces(vote: Vote) -> list[tuple[str, bool]]:
    """The rationale cut at what it cites: (text, whether it is an id or a side of the pair).

    Other words in brackets are prose and stay as they were written.
    """
    known = {*vote.cites, "A", "B"}
    found: list[tuple[str, bool]] = []
    for n, text in enumerate(TOKEN.split(vote.rationale)):
        is_token = n % 2 == 1
        if is_token and text not in known:
            found.append((f"[{text}]", False))
        elif text:
            found.append((text, is_token))
    return found
