"""Records of a ratings file → rows of labels, in the pair's own order of responses.

Long form: one label in a row (`subject, rater, criterion, side, value, swapped, at`).
Wide form: one whole vote in a row, a column for each criterion (and part): `--column`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from annotate.decisions import SIDES
from annotate.ingest.fields import Fields
from annotate.ingest.mapping import FieldCount, FieldMap, FlagError, missing_column_problem
from annotate.ingest.problems import Notice, Problem, listed, shown
from annotate.ingest.readers import Record
from annotate.ingest.strict_json import json_text
from annotate.ingest.value_rules import (
    CheckSpec,
    Code,
    OutsideScale,
    Scheme,
    ValueRules,
)
from rubrics.content import PREFERENCE

WIDE_TARGETS = ("subject", "rater", "swapped", "at")
LONG_TARGETS = (*WIDE_TARGETS, "criterion", "side", "value")
OPTIONAL_TARGETS = ("rater", "swapped", "at", "side")
OTHER_SIDE = {"A": "B", "B": "A"}
TRUE = frozenset({"true", "1", "1.0", "yes", "y", "t"})
FALSE = frozenset({"false", "0", "0.0", "no", "n", "f", ""})
PART_LENGTH = 16


class GivenLabel(NamedTuple):
    """One value: a code, a number on the interval level, or None where it is missing."""

    criterion: str
    part_key: str
    value: Code | None


@dataclass(frozen=True, slots=True)
class VoteRow:
    """The labels of one row, un-swapped.

    rater: '' only where raters are anonymous and the file has no slots.
    at: in UTC, None where the row has no time.
    whole: the row is a whole vote (wide form), not one label of a vote (long form).
    """

    line: int
    subject: str
    rater: str
    at: datetime | None
    labels: tuple[GivenLabel, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a wide file: whose labels it holds."""

    check: CheckSpec
    part_key: str
    source: str


@dataclass(frozen=True, slots=True)
class VotePlan:
    """How a ratings file is to be read. Without columns it is in long form."""

    scheme: Scheme
    fields: FieldMap
    rules: ValueRules
    columns: tuple[Column, ...] = ()
    anonymous: bool = False
    zone: tzinfo = UTC

    @classmethod
    def parse(
        cls,
        scheme: Scheme,
        *,
        maps: Sequence[str] = (),
        columns: Sequence[str] = (),
        values: Sequence[str] = (),
        anonymous: bool = False,
        zone: tzinfo = UTC,
    ) -> VotePlan:
        """Read the flags `--map`, `--column` and `--value`. Raises FlagError.

        zone: the zone of times that name none.
        """
        targets = WIDE_TARGETS if columns else LONG_TARGETS
        return cls(
            scheme=scheme,
            fields=FieldMap.parse(maps, targets=targets, optional=OPTIONAL_TARGETS),
            rules=ValueRules.parse(values, scheme),
            columns=_columns(columns, scheme),
            anonymous=anonymous,
            zone=zone,
        )

    def required(self) -> tuple[str, ...]:
        """Targets that every row must have."""
        rater = () if self.anonymous else ("rater",)
        return ("subject", *rater) if self.columns else ("subject", *rater, "criterion", "value")

    def named(self) -> frozenset[str]:
        """Fields of the file that a flag names."""
        mapped = {source for given in self.fields.sources.values() for source in given}
        return frozenset(mapped | {column.source for column in self.columns})

    def missing_columns(self, columns: Sequence[str]) -> list[str]:
        """Columns that the plan needs and a table does not have."""
        missing = self.fields.missing_columns(columns, self.required())
        wanted = (column.source for column in self.columns)
        return list(dict.fromkeys([*missing, *(name for name in wanted if name not in columns)]))


def vote_rows(
    read: Iterable[Record | Problem | Notice], plan: VotePlan
) -> Iterator[VoteRow | Problem | Notice]:
    """Rows of a ratings file, in its order, or what is wrong with them.

    A row with any problem gives no labels at all. Nothing in a file raises.
    """
    count = FieldCount(plan.fields.read_fields() | plan.named(), plan.named())
    for item in read:
        if not isinstance(item, Record):
            yield item
            continue
        if not count.rows and item.columns is not None:
            missing = plan.missing_columns(item.columns)
            if missing:
                yield missing_column_problem(missing, item.columns)
                return
        count.see(item)
        yield from _vote_row(Fields(item, plan.fields), plan)
    yield from count.report("")


def _vote_row(row: Fields, plan: VotePlan) -> Iterator[VoteRow | Problem]:
    subject = row.key("subject")
    rater = row.key("rater", required=not plan.anonymous)
    swapped = _swapped(row)
    at = _time(row, plan.zone)
    labels = _wide_labels(row, plan) if plan.columns else _long_labels(row, plan)
    if row.problems:
        yield from row.problems
        return
    if swapped:
        labels = [_unswapped(label, plan.scheme.checks[label.criterion]) for label in labels]
    yield VoteRow(row.record.line, subject, rater, at, tuple(labels), whole=bool(plan.columns))


def _wide_labels(row: Fields, plan: VotePlan) -> list[GivenLabel]:
    return [
        GivenLabel(
            column.check.key,
            column.part_key,
            _value(row, plan.rules, column.check, column.source),
        )
        for column in plan.columns
    ]


def _long_labels(row: Fields, plan: VotePlan) -> list[GivenLabel]:
    key = (row.text("criterion") or "").strip()
    check = plan.scheme.get(key)
    if check is None:
        keys = listed(tuple(plan.scheme.checks))
        message = (
            f"The rubric has no criterion {shown(key)}. Its keys are {keys}."
            if key
            else f"The row has no criterion. The rubric's keys are {keys}."
        )
        row.refuse(row.name("criterion"), "unknown_criterion" if key else "missing", message)
        return []
    part = _part(row, check)
    return [GivenLabel(check.key, part, _value(row, plan.rules, check, row.name("value")))]


def _part(row: Fields, check: CheckSpec) -> str:
    part = row.key("side", required=False)
    if check.unit == "side":
        part = part.upper()
    fault = part_fault(check, part)
    if fault:
        row.refuse(row.name("side"), "side", fault)
    return part


def part_fault(check: CheckSpec, part: str) -> str:
    """Why a label of this check cannot be about this part; '' if it can."""
    if check.unit == "subject" and part:
        return f"{check.key} is about the whole subject; leave the side empty, not {shown(part)}."
    if check.unit == "side" and part not in SIDES:
        given = f", not {shown(part)}" if part else ""
        return f"{check.key} is about one response: the side must be A or B{given}."
    if check.unit == "part" and not 0 < len(part) <= PART_LENGTH:
        return f"{check.key} is about one step or attempt: name it in the side (0, 1, …)."
    return ""


def _value(row: Fields, rules: ValueRules, check: CheckSpec, source: str) -> Code | None:
    try:
        return rules.read(check, json_text(row.record.fields.get(source)))
    except OutsideScale as error:
        row.refuse(source, "outside_scale", str(error), "--value RAW=CODE, RAW= for missing")
    except TypeError:
        message = "The value is a list or an object; it must be one text or number."
        row.refuse(source, "not_text", message)
    return None


def _unswapped(label: GivenLabel, check: CheckSpec) -> GivenLabel:
    """What the label says of the pair in its own order, when the rater saw B first."""
    if check.unit == "side":
        return label._replace(part_key=OTHER_SIDE[label.part_key])
    if check.kind == PREFERENCE and label.value is not None:
        return label._replace(value=check.mirrored(label.value))
    return label


def _swapped(row: Fields) -> bool:
    value = row.raw("swapped")
    text = "?" if isinstance(value, list | dict) else (json_text(value) or "").strip().casefold()
    if text not in TRUE | FALSE:
        message = f"{shown(value)} does not say whether A and B were swapped: write 1 or 0."
        row.refuse(row.name("swapped"), "bad_swapped", message)
    return text in TRUE


def _time(row: Fields, zone: tzinfo) -> datetime | None:
    value = row.raw("at")
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        if not isinstance(value, str):
            raise ValueError("not a text")
        time = datetime.fromisoformat(value.strip())
        return (time if time.tzinfo else time.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        message = f"{shown(value)} is not a time. Write 2026-05-19 13:11:45 or ISO 8601."
        row.refuse(row.name("at"), "bad_time", message)
        return None


def _columns(flags: Sequence[str], scheme: Scheme) -> tuple[Column, ...]:
    columns: dict[tuple[str, str], Column] = {}
    for flag in flags:
        column = _column(flag, scheme)
        if (column.check.key, column.part_key) in columns:
            raise FlagError("--column", flag, "this label has a column already.")
        columns[column.check.key, column.part_key] = column
    return tuple(columns.values())


def _column(flag: str, scheme: Scheme) -> Column:
    left, _, source = (part.strip() for part in flag.partition("="))
    key, _, part = (part.strip() for part in left.partition(":"))
    if not key or not source:
        raise FlagError("--column", flag, "write it as CRITERION[:PART]=COLUMN.")
    check = scheme.get(key)
    if check is None:
        keys = listed(tuple(scheme.checks))
        raise FlagError("--column", flag, f"the rubric has no {shown(key)}; it has {keys}.")
    fault = part_fault(check, part)
    if fault:
        raise FlagError("--column", flag, f"{fault} Write it as {key}:PART=COLUMN.")
    return Column(check, part, source)
