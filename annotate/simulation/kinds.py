"""Why a simulated rater's label is not the planted one: the kinds that a disagreement has."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """The words are those of `annotate.models.Disagreement.Kind`."""

    SLIP = "slip"
    AMBIGUITY = "ambiguity"
    WEIGHTING = "weighting"
    LEGITIMATE = "legitimate"
