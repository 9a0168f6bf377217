"""The passages that raters attached to their answers on one subject, for its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.evidence import Passage, place_of
from annotate.models import Evidence
from annotate.rendering.readable import Mark, readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from annotate.models import Label

_FAILS = ("fail", "no")


@dataclass(frozen=True)
class Quoted:
    """One passage under its rater's rationale; `anchor` leads to it in the text, '' where the text
    has other words by now."""

    check: str
    part: str
    quote: str
    anchor: str


@dataclass(frozen=True)
class SubjectEvidence:
    """`marks` by part, `quoted` by the vote's row."""

    marks: Mapping[str, Sequence[Mark]]
    quoted: Mapping[int, Sequence[Quoted]]


def subject_evidence(
    names: Mapping[int, str],
    labels: Iterable[Label],
    html: Mapping[str, str],
) -> SubjectEvidence:
    """Everybody's passages, with who attached each: `names` by the vote's row, `html` by part."""
    marks: dict[str, list[Mark]] = {}
    quoted: dict[int, list[Quoted]] = {}
    rows = list(Evidence.objects.filter(vote__in=names).select_related("criterion"))
    texts = {part: readable(html.get(part, "")) for part in {row.part_key for row in rows}}
    failed = {
        (label.vote_id, label.criterion_id, label.part_key)
        for label in labels
        if label.code in _FAILS
    }
    for row in rows:
        check, part = row.criterion.key, row.part_key
        place = place_of(Passage(check, part, row.start, row.end, row.quote), texts[part])
        anchor = f"evidence-{row.pk}" if place else ""
        quoted.setdefault(row.vote_id, []).append(Quoted(check, part, row.quote, anchor))
        if place:
            who = names[row.vote_id]
            own = {(row.vote_id, row.criterion_id, key) for key in (part, "")}
            marks.setdefault(part, []).append(
                Mark(*place, check, who, not own.isdisjoint(failed), anchor)
            )
    return SubjectEvidence(marks, quoted)
