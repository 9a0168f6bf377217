from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

from annotate.models import Batch
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from rubrics.models import RubricVersion as Version

register = template.Library()


@register.simple_tag
def waits_for_a_round(version: Version) -> bool:
    """Whether people have not tried it yet: the newest published version of a rubric for pairs."""
    own = RubricVersion.objects.filter(rubric=version.rubric_id)
    if version.status != RubricVersion.Status.PUBLISHED or own.published().filter(
        number__gt=version.number
    ):
        return False
    rounds = Batch.objects.rounds().filter(
        version__rubric=version.rubric_id, version__number=version.number, simulated=False
    )
    return version.subject_kind == "pair" and not rounds.exists()
