from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

from annotate.citing import pieces_of

if TYPE_CHECKING:
    from annotate.models import Vote

register = template.Library()


@register.filter
def pieces(vote: Vote) -> list[tuple[str, bool]]:
    """The rationale cut at what it cites: (text, whether it is an id or a side of the pair)."""
    return list(pieces_of(vote.rationale, {*vote.cites, "A", "B"}))
