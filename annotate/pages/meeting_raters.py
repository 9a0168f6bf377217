"""Each rater's answer on one subject as the meeting shows it: side by side, without names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.decisions import SIDES
from annotate.models import Label
from rubrics.content import NA, PREFERENCE
from rubrics.models import Criterion
from rubrics.words import joined, label_words, number_words

if TYPE_CHECKING:
    from annotate.disagreements import Differing, Unit
    from annotate.models import Batch, Vote

_MARKS = {"pass": "pass", "yes": "pass", "fail": "fail", "no": "fail", NA: "na"}


@dataclass(frozen=True)
class Given:
    """A label: `mark` is pass, fail, na or '' for a value with words alone."""

    words: str
    mark: str

    @property
    def heading(self) -> str:
        return f"{self.words[:1].upper()}{self.words[1:]}"


@dataclass(frozen=True)
class Cell:
    """One place of a rater's table. `here` is the check that is discussed, `odd` the very label
    that most others do not share."""

    given: Given | None
    here: bool = False
    odd: bool = False


@dataclass(frozen=True)
class Line:
    part: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Column:
    """One rater: what they say on the check that is discussed, why, and everything else."""

    name: str
    vote: Vote
    given: Given | None
    after_gate: bool
    lines: tuple[Line, ...]
    preference: str
    unclear: bool
    # Why there is no answer, where a gate left nothing to ask.
    not_asked: str = ""
    # Only once somebody has asked for it.
    real_name: str = ""

    @property
    def saw(self) -> str:
        """Which response stood on the left; '' where nobody noted it."""
        return f"Saw {self.vote.get_order_display()}" if self.vote.order else ""


@dataclass(frozen=True)
class Raters:
    """`keys` head the small tables; `here` is the discussed one."""

    columns: tuple[Column, ...]
    keys: tuple[str, ...]
    here: str


def labels_on(batch: Batch, subject: int) -> list[Label]:
    """Every label of the current votes on a subject, in the order of the rubric."""
    rows = Label.objects.of_current_votes(batch).filter(vote__subject=subject)
    return list(
        rows.select_related("criterion", "vote__rater").order_by("criterion__order", "part_key")
    )


def raters_on(
    unit: Unit,
    labels: Iterable[Label],
    handles: Mapping[int, str],
) -> Raters:
    """A column for each vote, in the order of the raters' neutral names: `handles`, by vote."""
    labels = list(labels)
    votes = {label.vote_id: label.vote for label in labels}
    checks = dict.fromkeys(
        label.criterion.key for label in labels if label.criterion.kind != PREFERENCE
    )
    by_vote: dict[int, dict[tuple[str, str], Label]] = {pk: {} for pk in votes}
    for label in labels:
        by_vote[label.vote_id][label.criterion.key, label.part_key] = label
    place = (unit.key, unit.part)
    times = Counter(_code(own[place]) for own in by_vote.values() if place in own)
    most = max(times.values(), default=0)
    parts = _parts(labels)
    columns = [
        _column(unit, vote, by_vote[pk], tuple(checks), parts, handles[pk])
        for pk, vote in votes.items()
    ]
    odd = {code for code, count in times.items() if count < most}
    return Raters(
        columns=tuple(
            _with_odd(column, unit, by_vote[column.vote.pk], odd, tuple(checks))
            for column in sorted(columns, key=lambda column: natural(column.name))
        ),
        keys=tuple(checks),
        here=unit.key,
    )


def handles_of(item: Differing, labels: Iterable[Label]) -> dict[int, str]:
    """The neutral name of each vote's rater, as the suggestion uses it."""
    return {label.vote_id: item.names.get(label.vote.rater_id, "Another rater") for label in labels}


def natural(name: str) -> tuple[int, str]:
    """Rater 2 before Rater 10."""
    return len(name), name


def _preferred(code: str) -> str:
    """After the word “prefers”."""
    return "a tie" if code == "tie" else label_words(code)


def _parts(labels: Sequence[Label]) -> tuple[str, ...]:
    """The rows of a table: the parts in order; a check that is asked once stands in the first."""
    found = {label.part_key for label in labels if label.criterion.kind != PREFERENCE}
    named = sorted(found - {""}, key=lambda part: (len(part), part))
    return tuple(named) or ("",)


def _column(
    unit: Unit,
    vote: Vote,
    own: Mapping[tuple[str, str], Label],
    keys: Sequence[str],
    parts: Sequence[str],
    name: str,
) -> Column:
    label = own.get((unit.key, unit.part))
    preference = next((one for one in own.values() if one.criterion.kind == PREFERENCE), None)
    return Column(
        name=name,
        vote=vote,
        given=_given(label),
        after_gate=label is not None and label.how == Label.How.AFTER_GATE,
        lines=tuple(
            Line(part, tuple(Cell(_given(_at(own, key, part, parts))) for key in keys))
            for part in parts
        ),
        # Where the preference itself is discussed it stands large above.
        preference=_preferred(preference.code) if preference and unit.key != PREFERENCE else "",
        unclear=unit.key in vote.unclear,
        not_asked=_not_asked(unit, own) if label is None else "",
    )


def _not_asked(unit: Unit, own: Mapping[tuple[str, str], Label]) -> str:
    """“Not asked: G1 decides”; '' where no other check, a gate, fails."""
    failed = [
        label
        for label in own.values()
        if label.criterion.kind == Criterion.Kind.GATE
        and label.code == "fail"
        and label.criterion.key != unit.key
    ]
    if not failed:
        return ""
    if {label.part_key for label in failed} >= set(SIDES):
        return "Not asked: both fail a gate"
    keys = list(dict.fromkeys(label.criterion.key for label in failed))
    return f"Not asked: {joined(keys)} decide{'s' * (len(keys) == 1)}"


def _with_odd(
    column: Column,
    unit: Unit,
    own: Mapping[tuple[str, str], Label],
    odd: set[str],
    keys: Sequence[str],
) -> Column:
    """The column with the discussed check framed, and its label marked where it stands alone."""
    label = own.get((unit.key, unit.part))
    is_odd = label is not None and _code(label) in odd
    first = column.lines[0].part if column.lines else ""
    lines = tuple(
        Line(
            line.part,
            tuple(
                Cell(
                    cell.given,
                    here=key == unit.key,
                    odd=is_odd and key == unit.key and line.part == (unit.part or first),
                )
                for key, cell in zip(keys, line.cells, strict=True)
            ),
        )
        for line in column.lines
    )
    return Column(**{**vars(column), "lines": lines})


def _at(
    own: Mapping[tuple[str, str], Label], key: str, part: str, parts: Sequence[str]
) -> Label | None:
    found = own.get((key, part))
    return found or (own.get((key, "")) if part == parts[0] else None)


def _given(label: Label | None) -> Given | None:
    if label is None:
        return None
    return Given(label_words(_code(label)), _MARKS.get(label.code, ""))


def _code(label: Label) -> str:
    return label.code if label.number is None else number_words(label.number)
