"""What a rubric is, as plain values: the one form that YAML, the hash and the database share.

Pure: no Django, no I/O. Made by `rubrics.document.parse`, or by hand in tests and importers.
"""

from dataclasses import dataclass, field, replace
from typing import Literal

Kind = Literal["gate", "criterion", "automatic", "preference"]
Family = Literal["subject", "side", "text", "step", "attempt", "error_item"]
Level = Literal["nominal", "ordinal", "interval"]
Verdict = Literal["pass", "fail"]
Origin = Literal["real", "invented"]
SubjectKind = Literal["pair", "answer", "trace", "chain"]
Descent = Literal["unchanged", "reworded", "split_from", "merged_from", "moved_to_automatic"]
# A schema is its JSON text; true stands for json.
RuleValue = int | float | str | tuple[str, ...]

KINDS: tuple[Kind, ...] = ("gate", "criterion", "automatic", "preference")
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
FAMILIES: tuple[Family, ...] = ("subject", "side", "text", "step", "attempt", "error_item")
VERDICTS: tuple[Verdict, ...] = ("pass", "fail")
ORIGINS: tuple[Origin, ...] = ("real", "invented")
SUBJECTS: tuple[SubjectKind, ...] = ("pair", "answer", "trace", "chain")
DESCENTS: tuple[Descent, ...] = (
    "unchanged",
    "reworded",
    "split_from",
    "merged_from",
    "moved_to_automatic",
)
PART_FAMILY: dict[SubjectKind, Family] = {
    "pair": "side",
    "answer": "text",
    "trace": "step",
    "chain": "attempt",
}

GATE_VALUES = ("pass", "fail")
YES_NO = ("yes", "no")
NA = "na"
PREFERENCE = "preference"
PREFERENCE_TEXT = "Which response is better, all in all?"
SCALES: dict[int, tuple[str, ...]] = {
    3: ("A", "tie", "B"),
    5: ("A_much", "A_slight", "tie", "B_slight", "B_much"),
    7: ("A_much", "A_clear", "A_slight", "tie", "B_slight", "B_clear", "B_much"),
}


@dataclass(frozen=True)
class Anchor:
    """An example that passes or fails a check. `note` says why; it never changes the meaning."""

    verdict: Verdict
    text: str
    origin: Origin = "invented"
    note: str = ""


@dataclass(frozen=True)
class Lineage:
    """Where a check comes from: `keys` are keys of the version this one was made from."""

    kind: Descent
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Criterion:
    """One check of a rubric: gate, criterion, automatic check, or the preference.

    `values` are the codes a rater chooses from, in scale order, without 'na' (allowed where
    `allows_na`); they are empty for the interval level, where `bounds` gives (lowest, highest).
    `weight` is set for criteria only. `rule` is set for automatic checks only: (name, value)
    pairs in alphabetical order. `decides` is true of an automatic check that works as a gate: a
    side that fails it fails the pair's gates.
    """

    key: str
    kind: Kind
    family: Family
    level: Level = "nominal"
    values: tuple[str, ...] = ()
    allows_na: bool = False
    weight: float | None = None
    text: str = ""
    help: str = ""
    anchors: tuple[Anchor, ...] = ()
    lineage: Lineage | None = None
    title: str = ""
    bounds: tuple[float, float] | None = None
    rule: tuple[tuple[str, RuleValue], ...] = ()
    decides: bool = False

    @property
    def heading(self) -> str:
        """The words for a narrow row: the title, or the whole check where it has none."""
        return self.title or self.text


@dataclass(frozen=True)
class Rubric:
    """A whole rubric. `criteria` always run gates, criteria, automatic checks, preference.

    The order within one kind is the author's; the order between kinds is the procedure's, so it
    is restored here whatever order the caller gives.
    """

    task: str
    name: str = ""
    number: int | None = None
    subject: SubjectKind = "pair"
    criteria: tuple[Criterion, ...] = field(default=())
    rationale: str = ""

    def __post_init__(self) -> None:
        ordered = sorted(self.criteria, key=lambda criterion: KINDS.index(criterion.kind))
        object.__setattr__(self, "criteria", tuple(ordered))

    @property
    def display_name(self) -> str:
        return self.name or self.task

    def of_kind(self, kind: Kind) -> tuple[Criterion, ...]:
        return tuple(criterion for criterion in self.criteria if criterion.kind == kind)

    @property
    def for_raters(self) -> "Rubric":
        """Without what code decides, which raters never see."""
        asked = tuple(check for check in self.criteria if check.kind != "automatic")
        return replace(self, criteria=asked)

    @property
    def gates(self) -> tuple[Criterion, ...]:
        return self.of_kind("gate")

    @property
    def preference(self) -> Criterion | None:
        return next(iter(self.of_kind("preference")), None)


@dataclass(frozen=True)
class Problem:
    """One thing to mend or to know: 1-based line, dotted key path ('' for the whole document)."""

    line: int
    where: str
    message: str
    column: int | None = None

    def __str__(self) -> str:
        place = f"line {self.line}"
        if self.column is not None:
            place += f", column {self.column}"
        if self.where:
            place += f", {self.where}"
        return f"{place}: {self.message}"


class RubricError(ValueError):
    """The document is refused; `problems` are all that was found, in line order."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


@dataclass(frozen=True)
class Parsed:
    """An accepted document. Warnings do not keep it from being published."""

    rubric: Rubric
    warnings: tuple[Problem, ...] = ()


def missing_anchors(rubric: Rubric) -> tuple[tuple[str, Verdict], ...]:
    """(key, verdict) of each anchor that a gate or criterion lacks; publishing warns of them."""
    return tuple(
        (check.key, verdict)
        for check in rubric.of_kind("gate") + rubric.of_kind("criterion")
        for verdict in VERDICTS
        if not any(anchor.verdict == verdict for anchor in check.anchors)
    )
