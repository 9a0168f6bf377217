"""One split before the policy owner: the question, the pair, who said what, and the check."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from django.db.models import Exists, OuterRef

from annotate.decisions import SIDES
from annotate.models import Batch, Disagreement, Edit, Label, Ruling, Subject
from annotate.pages.ruling_raters import named_by_batch
from annotate.pages.subject import SubjectPage, page_of, shown_label
from annotate.rulings import codes_for, place_words
from projects.models import Event
from rubrics.words import joined, label_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rubrics.models import Criterion


@dataclass(frozen=True)
class SplitUnit:
    """One unit that the ruling is about, with how often each label was given there."""

    batch: Batch
    criterion: Criterion
    part: str
    given: tuple[tuple[str, int], ...]

    @property
    def place(self) -> str:
        return place_words(self.criterion.key, self.part)


@dataclass(frozen=True)
class RulingPage:
    ruling: Ruling
    shown: SubjectPage
    units: tuple[SplitUnit, ...]
    # What was decided before it was opened again, and why, newest first.
    before: tuple[Event, ...]
    edits: tuple[Edit, ...]

    @property
    def criteria(self) -> list[Criterion]:
        """The checks it is about, each once."""
        return list({unit.criterion.pk: unit.criterion for unit in self.units}.values())

    @property
    def places(self) -> str:
        names = list(dict.fromkeys(unit.place for unit in self.units))
        return joined(names)

    @property
    def codes(self) -> list[tuple[str, str]]:
        """The labels of which one can be right, with their words."""
        return [(code, label_words(code)) for code in codes_for(self.criteria)]

    @property
    def right(self) -> str:
        return label_words(self.ruling.right_code)

    @property
    def batch(self) -> Batch:
        """The one with the newest version: what is changed is changed from there."""
        return max(
            (unit.batch for unit in self.units), key=lambda one: (one.version.number, one.pk)
        )

    @property
    def simulated(self) -> bool:
        return any(unit.batch.simulated for unit in self.units)


def ruling_page(ruling: Ruling) -> RulingPage:
    """Votes of closed batches only, under numbers in place of names, as in the meeting."""
    rows = Disagreement.objects.filter(
        ruling=ruling,
        batch=OuterRef("vote__batch"),
        criterion=OuterRef("criterion"),
        part_key=OuterRef("part_key"),
    )
    labels = (
        Label.objects.filter(
            vote__subject=ruling.subject_id,
            vote__current=True,
            vote__batch__in=Batch.objects.visible().closed(),
        )
        .annotate(asked_about=Exists(rows))
        .select_related("criterion", "vote__rater", "vote__batch__version__rubric")
        .defer("vote__batch__version__document")
        .order_by("vote__batch_id", "criterion__order", "part_key", "id")
    )
    found = list(labels)
    return RulingPage(
        ruling=ruling,
        shown=page_of(ruling.subject, named_by_batch(found), found, _texts(ruling)),
        units=tuple(_units(label for label in found if cast("Any", label).asked_about)),
        before=tuple(
            Event.objects.filter(
                project=ruling.project_id, verb="ruling.reopened", target=str(ruling.public_id)
            ).select_related("actor")
        ),
        edits=(
            tuple(Edit.objects.standing().filter(ruling=ruling).select_related("rubric"))
            if ruling.decision == Ruling.Decision.MISSING
            else ()
        ),
    )


def _texts(ruling: Ruling) -> list[tuple[str, str | None]] | None:
    """Those of a pair came with the ruling (`annotate.access.ruling_for`)."""
    if ruling.subject.kind != Subject.Kind.PAIR:
        return None
    return [(key, getattr(ruling, f"text_{key.lower()}", None)) for key in SIDES]


def _units(labels: Iterable[Label]) -> Iterable[SplitUnit]:
    given: dict[tuple[Batch, Criterion, str], Counter[str]] = {}
    for label in labels:
        place = (label.vote.batch, label.criterion, label.part_key)
        given.setdefault(place, Counter())[shown_label(label)] += 1
    for (batch, criterion, part), times in given.items():
        in_order = sorted(times.items(), key=lambda one: (-one[1], one[0]))
        yield SplitUnit(batch, criterion, part, tuple(in_order))
