"""The rows of the rounds table: a check a row, and its cell in each version that rounds tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotate import charts
from annotate.clearing import Row
from annotate.history import History, Tried
from annotate.lineage import Keys, Line, lines, spans
from annotate.pages.figures import figure, interval_words
from annotate.pages.unit_filters import units_href
from annotate.ratings import OUTCOME
from annotate.what_changed import Step, Told, joined, quoted
from rubrics.content import Criterion
from rubrics.words import counted_noun

# Gates; criteria and what code decides; preference and outcome.
GROUPS = 3


@dataclass(frozen=True)
class Column:
    """A version and its rounds; `place` counts it among all versions of the history."""

    place: int
    tried: Tried

    @property
    def number(self) -> int:
        return self.tried.version.number

    @property
    def rounds(self) -> list[int]:
        return [batch.number or 0 for batch in self.tried.rounds]

    @property
    def head(self) -> str:
        rounds = self.rounds
        if not rounds:
            return "No round yet"
        if len(rounds) == 1:
            return f"Round {rounds[0]}"
        return f"Rounds {', '.join(map(str, rounds[:-1]))} and {rounds[-1]}"

    @property
    def called(self) -> str:
        return f"{self.head}, version {self.number}"


@dataclass(frozen=True)
class Figure:
    """How well raters agreed on one check in one version."""

    key: str
    row: Row
    plot: charts.Plot
    href: str

    @property
    def alpha(self) -> str | None:
        return figure(self.row.reliability.alpha)

    @property
    def interval(self) -> str:
        return interval_words(self.row.reliability)

    @property
    def why(self) -> str:
        """What must be said where there is no alpha to believe, or where volume does not wait."""
        if self.row.is_waived:
            return quoted(self.row.waived)
        return self.row.words if self.row.reliability.alpha is None else ""


@dataclass(frozen=True)
class Change:
    """What was done to a check before a column; `path` is its drawing where it was split or
    merged, `asked` counts the disagreements that asked for it."""

    told: Told
    note: str
    asked: int
    trail: str
    probes: str
    rows: int
    path: str

    @property
    def unchanged(self) -> bool:
        return not self.told.heads and not self.probes

    @property
    def details(self) -> tuple[str, ...]:
        """What is told, unless the note says it in the same words."""
        return tuple(one for one in self.told.details if one not in self.note)


@dataclass(frozen=True)
class Cell:
    """A check in one column; `rows` is 0 where the cell above covers it. What was planted stands
    with the change before a column, in the first column with its figures."""

    column: Column
    keys: Keys
    figures: tuple[Figure, ...]
    by_code: bool
    was: str = ""
    planted: str = ""
    rows: int = 1
    change: Change | None = None

    @property
    def alphas(self) -> str:
        return " / ".join(one.alpha or "undefined" for one in self.figures)


@dataclass(frozen=True)
class TableRow:
    """`key` is the check's own, '' for the preference and the outcome, which are known by name."""

    key: str
    name: str
    ended: bool
    cells: tuple[Cell, ...]
    strips: charts.Strips | None

    @property
    def figures(self) -> list[tuple[Column, Figure]]:
        return [(cell.column, one) for cell in self.cells for one in cell.figures]

    @property
    def joined(self) -> bool:
        """Whether a cell above reaches into this row."""
        return any(cell.rows == 0 for cell in self.cells)

    @property
    def long(self) -> bool:
        return len(self.key) > 3


class Layout:
    """The lines of a history laid out as rows, cell by cell; it has a column at least."""

    def __init__(self, history: History, columns: Sequence[Column], scale: charts.Axis) -> None:
        self.history = history
        self.columns = columns
        self.scale = scale
        documents = [one.document for one in history.versions]
        # Lines count versions from the first that was tried.
        self.first = first = columns[0].place
        self.lines = lines(documents[first:])
        self.spans = {c.place: spans(self.lines, c.place - first) for c in columns}
        self.between = {
            place: Step(documents[place - 1], documents[place], history.places)
            for place in range(first + 1, len(documents))
        }
        self.checks = [{check.key: check for check in one.criteria} for one in documents]
        self.numbers = [one.version.number for one in history.versions]

    def groups(self) -> tuple[tuple[TableRow, ...], ...]:
        rows = [(line.group, self._row(n, line)) for n, line in enumerate(self.lines)]
        if outcome := self._outcome():
            rows.append((GROUPS - 1, outcome))
        groups = (tuple(row for group, row in rows if group == n) for n in range(GROUPS))
        return tuple(group for group in groups if group)

    def _row(self, n: int, line: Line) -> TableRow:
        cells = tuple(self._cell(n, k, column) for k, column in enumerate(self.columns))
        is_check = line.check.kind != "preference"
        return TableRow(
            key=line.key if is_check else "",
            name=line.check.heading if is_check else "Preference",
            ended=line.ended,
            cells=cells,
            strips=_strips(line.key, cells),
        )

    def _cell(self, n: int, k: int, column: Column) -> Cell:
        line = self.lines[n]
        keys = line.cells[column.place - self.first]
        checks = [self.checks[column.place][key] for key in keys]
        found = self._figures(column, keys)
        return Cell(
            column=column,
            keys=keys,
            figures=found,
            by_code=bool(checks) and all(check.kind == "automatic" for check in checks),
            was=self._was(line, column, checks),
            planted="" if k else self._probes(column, [line]),
            rows=self.spans[column.place][n],
            change=self._change(n, self.columns[k - 1], column) if k else None,
        )

    def _figures(self, column: Column, keys: Keys) -> tuple[Figure, ...]:
        measured = column.tried.measured
        if measured is None:
            return ()
        batch = measured.batches[-1]
        return tuple(
            Figure(
                key=key,
                row=row,
                plot=charts.plot(
                    row.name,
                    row.reliability.alpha,
                    row.reliability.interval,
                    row.status,
                    self.scale,
                ),
                href=units_href(
                    batch, pooled=measured.pooled, criterion=row.code, labels="several"
                ),
            )
            for key in keys
            for row in measured.rows
            if row.key == key and (row.figure == "values" or row.counts)
        )

    def _was(self, line: Line, column: Column, checks: Sequence[Criterion]) -> str:
        """How the line read then, where it was another check."""
        if len(checks) != 1:
            return ""
        renamed = checks[0].key != line.key
        reworded = checks[0].heading != line.check.heading
        if not (renamed or (reworded and self._is_shared(line, column))):
            return ""
        return f"then {checks[0].key}: {quoted(checks[0].heading)}"

    def _is_shared(self, line: Line, column: Column) -> bool:
        place = column.place - self.first
        return sum(one.cells[place] == line.cells[place] for one in self.lines) > 1

    def _change(self, n: int, before: Column, column: Column) -> Change:
        span = self.spans[before.place]
        rows = span[n]
        # A covered cell says what the one above it says: on a phone each row is a card of its own.
        start = max(k for k in range(n + 1) if span[k])
        covered = self.lines[start : start + span[start]]
        told = [self._told(line, before, column) for line in covered]
        keys = [line.cells[column.place - self.first] for line in covered]
        starts = [k for k, one in enumerate(keys) if k == 0 or one != keys[k - 1]]
        names = ["/".join(keys[k]) for k in starts]
        whole = joined([told[k] for k in starts], names)
        return Change(
            told=whole,
            note=self._note(before, column, [key for one in keys for key in one]),
            asked=self._asked(before, column, covered),
            trail=self._trail(before, column, covered),
            probes=self._probes(column, covered),
            rows=rows,
            path=self._path(before, covered, starts),
        )

    def _path(self, before: Column, covered: Sequence[Line], starts: Sequence[int]) -> str:
        if len(starts) > 1:
            return charts.fork(starts, len(covered))
        merged = len(covered[0].cells[before.place - self.first])
        return charts.junction(merged) if merged > 1 else ""

    def _told(self, line: Line, before: Column, column: Column) -> Told:
        """Every step from one column to the next: versions that no round tried have no column."""
        steps = [
            self.between[place].told(*line.cells[place - 1 - self.first : place + 1 - self.first])
            for place in range(before.place + 1, column.place + 1)
        ]
        return joined([one for one in steps if one.heads] or [Told()])

    def _note(self, before: Column, column: Column, keys: Sequence[str]) -> str:
        """What whoever published the change wrote about it."""
        said = [
            note
            for place in range(before.place + 1, column.place + 1)
            for key in dict.fromkeys(keys)
            if (note := self._written(place, key))
        ]
        return "\n".join(dict.fromkeys(said))

    def _written(self, place: int, key: str) -> str:
        note = str(self.history.versions[place].version.change_notes.get(key, ""))
        return "" if self.between[place].is_begun(key, note) else note

    def _asked(self, before: Column, column: Column, covered: Sequence[Line]) -> int:
        """The disagreements that asked for a change of these lines."""
        found: set[int] = set()
        for place in range(before.place + 1, column.place + 1):
            keys = {key for line in covered for key in line.cells[place - self.first]}
            number = self.numbers[place]
            found |= {
                one.disagreement
                for one in self.history.asked
                if one.number == number and one.keys & keys
            }
        return len(found)

    def _trail(self, before: Column, column: Column, covered: Sequence[Line]) -> str:
        """'0.66, then 0.88 / 0.81': a split or a merger in one line of text."""
        then, since = before.place - self.first, column.place - self.first
        keys_old = covered[0].cells[then]
        # All that they became, rows that stand elsewhere among them.
        parts = [line.cells[since] for line in self.lines if set(line.cells[then]) & set(keys_old)]
        keys_new = tuple(dict.fromkeys(key for keys in parts for key in keys))
        if max(len(keys_old), len(keys_new)) < 2 or not keys_old or not keys_new:
            return ""
        was = " / ".join(self._short(before, key) for key in keys_old)
        now = " / ".join(self._short(column, key) for key in keys_new)
        return f"{was}, then {now}"

    def _short(self, column: Column, key: str) -> str:
        """A check's alpha in a column, or why it has none."""
        if self.checks[column.place][key].kind == "automatic":
            return f"{key} by code"
        found = [one for one in self._figures(column, (key,)) if one.row.figure == "values"]
        if not found:
            return f"{key} no round"
        return f"{key} {found[0].alpha or 'undefined'}"

    def _probes(self, column: Column, covered: Sequence[Line]) -> str:
        """The failures planted in these checks: no figure counts them."""
        keys = {key for line in covered for key in line.cells[column.place - self.first]}
        planted = sum(self.history.probes.get((column.number, key), 0) for key in keys)
        return f"{counted_noun(planted, 'planted failure')}, reported apart" if planted else ""

    def _outcome(self) -> TableRow | None:
        """What votes come to, gates included: no check of the rubric, so nothing of it changes."""
        cells = tuple(
            Cell(column, (OUTCOME,), self._figures(column, (OUTCOME,)), by_code=False)
            for column in self.columns
        )
        strips = _strips(OUTCOME, cells)
        ended = not cells[-1].figures and cells[-1].column.tried.measured is not None
        return TableRow("", "Outcome", ended, cells, strips) if strips else None


def _strips(name: str, cells: Sequence[Cell]) -> charts.Strips | None:
    plots = [(cell.column.called, one.plot) for cell in cells for one in cell.figures]
    return charts.strips(name.capitalize(), plots) if plots else None
