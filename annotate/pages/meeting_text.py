"""What the raters of a disagreement read: the responses with everybody's evidence, and the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.evidence import Passage, place_of
from annotate.models import Evidence, Part
from annotate.pages.meeting_raters import natural
from annotate.rendered import html_of, marked
from annotate.rendering.readable import Mark, readable
from rubrics.words import joined

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from annotate.disagreements import Unit
    from annotate.models import Label

_FAILS = ("fail", "no")
# A file of so many characters is read at a glance and stands open; a longer one opens on a press.
SHORT = 900


@dataclass(frozen=True)
class Response:
    """One part. `html` is None where the text was not imported; `by` names whoever marked it."""

    part: str
    html: SafeString | None
    by: str
    discussed: bool

    @property
    def title(self) -> str:
        if self.part in ("A", "B"):
            return f"Response {self.part}"
        return f"Part {self.part}" if self.part else "The text"

    @property
    def anchor(self) -> str:
        """The name of its element, by which a passage is found again (label-passages.js)."""
        return f"text-{self.part or 'text'}"


@dataclass(frozen=True)
class Turn:
    title: str
    html: SafeString


@dataclass(frozen=True)
class Offered:
    """A passage that a rater attached: what an anchor may be made from, by its number."""

    number: int
    part: str
    start: int
    end: int
    quote: str
    by: str


@dataclass(frozen=True)
class Texts:
    """`discussed` stands open, `others` fold; `file` is the prompt and the context."""

    responses: tuple[Response, ...]
    file: tuple[Turn, ...]
    file_is_short: bool
    offered: tuple[Offered, ...]

    @property
    def discussed(self) -> tuple[Response, ...]:
        return tuple(one for one in self.responses if one.discussed)

    @property
    def is_side_by_side(self) -> bool:
        """Whether two responses are discussed, which stand beside each other."""
        return len(self.discussed) == 2

    @property
    def others(self) -> tuple[Response, ...]:
        return tuple(one for one in self.responses if not one.discussed)


def texts_of(
    unit: Unit, labels: Sequence[Label], handles: Mapping[int, str], *, marks_all: bool = False
) -> Texts:
    """The texts of a unit's subject. Evidence on the discussed check is marked; where the whole
    pair is discussed (`marks_all`), that on every check."""
    parts = list(Part.objects.filter(subject=unit.subject).select_related("subject__pair"))
    messages, context = _detail(parts)
    shown = [context, *(text for _, text in messages), *(part.text or "" for part in parts)]
    html = html_of(shown)
    evidence = _evidence(labels, unit, marks_all=marks_all)
    texts = {part.key: readable(html[part.text or ""]) for part in parts}
    found = [(row, _place(row, texts.get(row.part_key, ""))) for row in evidence]
    failed = {
        (label.vote_id, label.criterion_id, label.part_key)
        for label in labels
        if label.code in _FAILS
    }
    names = {row.pk: handles[row.vote_id] for row, _ in found}
    marks: dict[str, list[Mark]] = {}
    for row, place in found:
        if place is not None:
            own = {(row.vote_id, row.criterion_id, key) for key in (row.part_key, "")}
            marks.setdefault(row.part_key, []).append(
                Mark(*place, row.criterion.key, names[row.pk], not own.isdisjoint(failed))
            )
    responses = tuple(
        Response(
            part=part.key,
            html=None if part.text is None else marked(html[part.text], marks.get(part.key, ())),
            by=joined(
                sorted(
                    {names[row.pk] for row, place in found if place and row.part_key == part.key},
                    key=natural,
                )
            ),
            discussed=unit.part in ("", part.key),
        )
        for part in sorted(parts, key=lambda part: part.key)
    )
    offered = [(row, place) for row, place in found if place is not None]
    # Those of the discussed response come first.
    offered.sort(key=lambda one: unit.part not in ("", one[0].part_key))
    return Texts(
        responses=responses,
        file=tuple(
            Turn(title, html[text]) for title, text in [*messages, ("Context", context)] if text
        ),
        file_is_short=len(context) + sum(len(text) for _, text in messages) <= SHORT,
        offered=tuple(
            Offered(n, row.part_key, *place, row.quote, names[row.pk])
            for n, (row, place) in enumerate(offered, start=1)
        ),
    )


def _detail(parts: Sequence[Part]) -> tuple[list[tuple[str, str]], str]:
    """(role, text) of each message, and the context."""
    detail = getattr(parts[0].subject, parts[0].subject.kind, None) if parts else None
    if detail is None:
        return [], ""
    messages = [(str(one["role"]).capitalize(), str(one["content"])) for one in detail.messages]
    return messages, detail.context


def _evidence(labels: Iterable[Label], unit: Unit, *, marks_all: bool) -> list[Evidence]:
    rows = Evidence.objects.filter(vote__in={label.vote_id for label in labels})
    if not marks_all:
        rows = rows.filter(criterion__key=unit.key)
    return list(rows.select_related("criterion").order_by("part_key", "start", "id"))


def _place(row: Evidence, text: str) -> tuple[int, int] | None:
    return place_of(Passage(row.criterion.key, row.part_key, row.start, row.end, row.quote), text)
