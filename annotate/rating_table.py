"""A file of `unit, rater, value[, criterion]` → the ratings of each criterion, ready to measure.

Pure. Any rating of anything by anyone fits: no project, no rubric.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pandas as pd

from annotate.ingest.fields import Fields
from annotate.ingest.mapping import FieldMap, missing_column_problem
from annotate.ingest.problems import Notice, Problem, listed, shown
from annotate.ingest.readers import Record
from annotate.ingest.strict_json import json_text
from annotate.ingest.value_rules import CheckSpec, as_number
from annotate.reliability.coding import Level

TARGETS = ("unit", "rater", "value", "criterion")
REQUIRED = ("unit", "rater", "value")


@dataclass
class RatingTable:
    """Ratings by criterion in order of appearance, and what is wrong with the file.

    `replaced` counts ratings that a later row of the same unit, rater and criterion took the place
    of: the latest row is the one that stands.
    """

    ratings: dict[str, dict[tuple[str, str], str | None]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    replaced: int = 0

    def frame(self, criterion: str) -> pd.DataFrame:
        """The columns `unit`, `rater`, `value`; a missing value is None."""
        rows = [(*place, value) for place, value in self.ratings[criterion].items()]
        return pd.DataFrame(rows, columns=["unit", "rater", "value"]).astype(object)


def rating_table(
    read: Iterable[Record | Problem | Notice],
    fields: FieldMap,
    *,
    level: Level,
    scale: Sequence[str] = (),
    only: Sequence[str] = (),
) -> RatingTable:
    """Read all rows. A blank value is a missing rating; a blank criterion is a problem.

    read: what `readers.records` gives. scale: the allowed values in their order; without it any
    text at nominal level, any number at the others. Without a column for the criterion, all
    ratings are of one that is named like the column of the values. only: the criteria to read,
    all where none is named; what other rows hold is not looked at. Naming one that is not there is
    a problem.
    """
    table = RatingTable()
    check = CheckSpec(fields.sources_of("value")[0], "criterion", level, tuple(scale))
    with_criterion: bool | None = None
    others: dict[str, None] = {}
    for item in read:
        if isinstance(item, Notice):
            table.notices.append(item)
        elif isinstance(item, Problem):
            table.problems.append(item)
        else:
            if with_criterion is None:
                missing = _missing(item, fields)
                if missing:
                    table.problems.append(missing)
                    return table
                with_criterion = fields.sources_of("criterion")[0] in item.fields
            row = Fields(item, fields)
            criterion = row.key("criterion") if with_criterion else check.key
            if only and criterion not in only:
                others.setdefault(criterion)
                continue
            _take(table, row, check, criterion)
    absent = [name for name in only if name not in table.ratings]
    if absent and not table.problems:
        table.problems.append(_absent(absent, list(others)))
    return table


def _missing(first: Record, fields: FieldMap) -> Problem | None:
    columns = first.columns or tuple(first.fields)
    missing = fields.missing_columns(columns, REQUIRED)
    return missing_column_problem(missing, columns) if missing else None


def _absent(names: list[str], others: list[str]) -> Problem:
    message = f"No row is of the criterion {listed(names)}. The file has {listed(others)}."
    return Problem(0, "", message, "unknown_criterion", fatal=True)


def _take(table: RatingTable, row: Fields, check: CheckSpec, criterion: str) -> None:
    unit, rater = row.key("unit"), row.key("rater")
    value = _value(row, check)
    if row.problems:
        table.problems += row.problems
        return
    given = table.ratings.setdefault(criterion, {})
    table.replaced += (unit, rater) in given
    given[unit, rater] = value


def _value(row: Fields, check: CheckSpec) -> str | None:
    raw = row.raw("value")
    if isinstance(raw, list | dict):
        row.refuse(row.name("value"), "not_text", "The value must be one text or number.")
        return None
    text = (json_text(raw) or "").strip()
    if text and (fault := value_fault(text, check)):
        row.refuse(row.name("value"), "outside_scale", fault)
    return text or None


def value_fault(text: str, check: CheckSpec) -> str:
    """Why a value cannot be measured at this level and on this scale; '' if it can."""
    if check.values:
        if check.level == "interval" and as_number(text) is None:
            return f"The value {shown(text)} is not a number, as the interval level needs."
        on_scale = check.level != "interval" and check.code(text) is not None
        if on_scale or _equals_one_of(text, check.values):
            return ""
        return f"The value {shown(text)} is not on the scale: {listed(check.values)}."
    if check.level == "nominal" or as_number(text) is not None:
        return ""
    if check.level == "ordinal":
        return (
            f"The value {shown(text)} is not a number, so its place is unknown. "
            "Give the values in their order: --scale poor,fair,good."
        )
    return f"The value {shown(text)} is not a number, as the interval level needs."


def _equals_one_of(text: str, values: Sequence[str]) -> bool:
    number = as_number(text)
    return number is not None and any(as_number(value) == number for value in values)
