"""Where the button of a next step leads."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from annotate.pages.disagreements import Filters, list_href
from annotate.pages.probes import probes_href
from annotate.pages.unit_filters import units_href

if TYPE_CHECKING:
    from annotate.clearing import Next
    from annotate.models import Batch


def goal_href(batch: Batch, step: Next, *, pooled: bool) -> str:
    """The address of what a step about a batch leads to; one within its report begins with #."""
    slug = batch.project.slug
    match step.goal:
        case "disagreements":
            return list_href(batch, Filters(check=step.key, pooled=pooled))
        case "pairs":
            return units_href(batch, pooled=pooled, criterion=step.key or None)
        case "new_round":
            route = reverse("annotate:round_new", args=[slug])
            return f"{route}?{urlencode({'version': batch.version_id, 'check': step.key})}"
        case "waive":
            return reverse("annotate:waive", args=[slug, batch.number, step.key])
        case "probes":
            return probes_href(batch, pooled=pooled, check=step.key)
        case "decisions":
            return "#decisions"


def goal_href_from_elsewhere(batch: Batch, step: Next, *, pooled: bool) -> str:
    """The same from another page than the report of a round."""
    href = goal_href(batch, step, pooled=pooled)
    if not href.startswith("#"):
        return href
    return f"{reverse('annotate:round', args=[batch.project.slug, batch.number])}{href}"
