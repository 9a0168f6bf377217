from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import template
from django.urls import reverse

from annotate.access import figures_are_open
from annotate.models import Batch

if TYPE_CHECKING:
    from django.template import Context

register = template.Library()


@dataclass(frozen=True)
class Room:
    name: str
    href: str
    here: bool


@register.inclusion_tag("annotate/rooms.html", takes_context=True)
def rooms(context: Context, batch: Batch) -> dict[str, Any]:
    """The pages about one closed round or one import, in the order in which a lead goes through
    them. They are the leads' alone, as is every page that shows this."""
    match = context["request"].resolver_match
    here = match.url_name if match else ""
    return {"batch": batch, "rooms": _rooms(batch, here) if figures_are_open(batch) else []}


def _rooms(batch: Batch, here: str) -> list[Room]:
    slug = batch.project.slug
    own: list[Any] = [slug, batch.public_id]
    imported = batch.kind == Batch.Kind.IMPORTED
    addresses: list[tuple[str, str, list[Any]]] = [
        ("Report", "imported", [slug, batch.name])
        if imported
        else ("Report", "round", [slug, batch.number]),
        ("Disagreements", "disagreements", own),
        ("Meeting", "meeting", own),
        ("Minutes", "minutes", own),
    ]
    if not imported:
        rubric = [slug, batch.version.rubric.slug]
        addresses.append(("Round after round", "rounds_table", rubric))
    return [
        Room(name, reverse(f"annotate:{route}", args=arguments), here=route == here)
        for name, route, arguments in addresses
    ]
