"""A job's result, whatever work made it, as facts and tables that a page can show."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

# More rows than anyone reads; the count above them says how many there are.
SHOWN = 200


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    total: int


@dataclass(frozen=True)
class Report:
    facts: tuple[tuple[str, object], ...] = ()
    tables: tuple[Table, ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.facts or self.tables)


def report_of(
    result: object, names: Mapping[str, str] | None = None, unsaid: Collection[str] = ()
) -> Report:
    """Figures and words become facts, lists become tables; one level of nesting is flattened.

    names: what people call an entry, where its own name in words will not do; unsaid: entries
    that are left out.
    """
    if result is None:
        return Report()
    if not isinstance(result, Mapping):
        result = {"result": result}
    result = {key: value for key, value in result.items() if key not in unsaid}
    facts: list[tuple[str, object]] = []
    tables: list[Table] = []
    for name, value in _flat(result, names or {}):
        if not isinstance(value, list):
            facts.append((name, value))
        elif value:
            tables.append(table_of(name, value, names or {}, unsaid))
    return Report(tuple(facts), tuple(tables))


def table_of(
    title: str,
    entries: Sequence[object],
    names: Mapping[str, str],
    unsaid: Collection[str] = (),
) -> Table:
    """One row per entry; the columns are the entries' keys in the order in which they appear."""
    rows = [entry if isinstance(entry, Mapping) else {"": entry} for entry in entries[:SHOWN]]
    columns = tuple(dict.fromkeys(str(key) for row in rows for key in row if key not in unsaid))
    cells = tuple(tuple(row.get(column, "") for column in columns) for row in rows)
    heads = tuple(names.get(column, column) for column in columns)
    return Table(title, heads, cells, len(entries))


def _flat(result: Mapping[str, object], names: Mapping[str, str]) -> list[tuple[str, object]]:
    flat: list[tuple[str, object]] = []
    for key, value in result.items():
        name = names.get(key) or _words(key)
        if isinstance(value, Mapping):
            flat += [(f"{name}: {_words(inner)}", content) for inner, content in value.items()]
        else:
            flat.append((name, value))
    return flat


def _words(key: object) -> str:
    return str(key).replace("_", " ")
