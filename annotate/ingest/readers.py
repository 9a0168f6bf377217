"""An open binary file → records with their lines, its format by its name: JSONL, CSV, Parquet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePath
from typing import Any, BinaryIO

from annotate.ingest.csv_cells import CsvRow, csv_rows
from annotate.ingest.lines import MAX_BYTES, Line, LongLine, encoding_problem, open_lines
from annotate.ingest.parquet import PARQUET_NAMES, ParquetRow, parquet_rows
from annotate.ingest.problems import Notice, Problem, listed, printable, shown
from annotate.ingest.strict_json import LONE_SURROGATE, json_object, nul_report

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
JSON_NAMES = (".jsonl", ".ndjson", ".json")
ENDINGS = (*JSON_NAMES, *DELIMITERS, *PARQUET_NAMES)


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a file.

    line: 1-based line on which it begins; of Parquet, which has no lines, the number of the row.
    fields: the row's own names and values; texts in a table, JSON values in JSONL and Parquet.
    columns: the columns of a table, None for JSONL, whose rows may differ in their fields.
    """

    line: int
    fields: Mapping[str, Any]
    columns: tuple[str, ...] | None = None


def records(
    stream: BinaryIO, name: str, *, repair: bool = False
) -> Generator[Record | Problem | Notice]:
    """Read a file, one record at a time, and never raise on what is in it.

    stream: open binary file, read once from where it stands; errors of reading it are raised.
    name: the file's name, whose ending tells the format.
    repair: remove U+0000 with a notice instead of refusing the row.

    A file in which nothing at all is found is a problem too: silence would look like success.
    """
    found = False
    for item in _read(stream, name, repair=repair):
        found = True
        yield item
    if not found:
        message = "The file holds no rows. Check that it is the one you meant."
        yield Problem(0, "", message, "empty_file", fatal=True)


def _read(stream: BinaryIO, name: str, *, repair: bool) -> Iterator[Record | Problem | Notice]:
    ending = PurePath(name).suffix.casefold()
    if ending not in ENDINGS:
        endings = ", ".join(ENDINGS)
        message = f"The file's name must end in one of {endings}, which tells its format."
        yield Problem(0, "", message, "format", fatal=True)
        return
    if ending in PARQUET_NAMES:
        for item in parquet_rows(stream, repair=repair):
            if isinstance(item, ParquetRow):
                yield Record(item.number, item.fields, item.columns)
            else:
                yield item
        return
    lines = open_lines(stream)
    if isinstance(lines, Problem):
        yield lines
    elif ending in DELIMITERS:
        yield from _table(lines, DELIMITERS[ending], repair=repair)
    else:
        yield from _jsonl(lines, may_be_array=ending == ".json", repair=repair)


def _jsonl(
    lines: Iterable[Line | LongLine], *, may_be_array: bool, repair: bool
) -> Iterator[Record | Problem | Notice]:
    for line in lines:
        if isinstance(line, LongLine):
            megabytes = MAX_BYTES // 1024 // 1024
            message = f"The line is longer than {megabytes} MB and was not read."
            yield Problem(line.number, "", message, "line_too_long")
            continue
        if not line.data.strip(b" \t\r"):
            continue
        if may_be_array and line.data.lstrip().startswith(b"["):
            message = "The file is one JSON list. Write JSONL: one object on each line."
            yield Problem(line.number, "", message, "json_list", fatal=True)
            return
        may_be_array = False
        yield from _jsonl_line(line, repair=repair)


def _jsonl_line(line: Line, *, repair: bool) -> Iterator[Record | Problem | Notice]:
    try:
        text = line.data.decode()
    except UnicodeDecodeError:
        yield encoding_problem(line.number, "", line.data)
        return
    fields, said = json_object(text, line.number, repair=repair)
    yield from said
    if fields is not None:
        yield Record(line.number, fields)


def _table(
    lines: Iterable[Line | LongLine], delimiter: str, *, repair: bool
) -> Iterator[Record | Problem | Notice]:
    rows = csv_rows(lines, delimiter)
    header = next((row for row in rows if not _is_blank(row)), None)
    if header is None:
        return
    problem = header if isinstance(header, Problem) else _header_problem(header)
    if problem:
        yield replace(problem, fatal=True)
        return
    assert isinstance(header, CsvRow)  # narrows the type: problems returned above
    columns = tuple(cell.strip() for cell in header.cells)
    for row in rows:
        if isinstance(row, Problem):
            yield row
        elif not _is_blank(row, len(columns)):
            yield from _row(row, columns, repair=repair)


def _is_blank(row: CsvRow | Problem, columns: int = 2) -> bool:
    # Blanks alone may be the value of a table that has one column.
    if isinstance(row, Problem) or row.has_quotes or len(row.cells) > 1:
        return False
    return row.cells[0] == "" or (columns > 1 and not row.cells[0].strip(" "))


def _header_problem(header: CsvRow) -> Problem | None:
    names = [cell.strip() for cell in header.cells]
    if header.bad:
        return encoding_problem(header.bad.number, "", header.bad.data)
    if any("\r" in name for name in names):
        message = "The lines of the file end in CR alone. Save it with LF or CR LF line ends."
        return Problem(header.line, "", message, "line_ends")
    if any("\0" in name for name in names):
        return Problem(header.line, "", "A column's name holds the character U+0000.", "nul")
    if "" in names:
        message = (
            f"Column {names.index('') + 1} of the header has no name. Name it or take it out "
            "(pandas writes such a column unless index=False)."
        )
        return Problem(header.line, "", message, "empty_column_name")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        message = f"The header has a column twice: {listed(twice)}. Rename one of each."
        return Problem(header.line, printable(twice[0][:100]), message, "repeated_column")
    return None


def _row(
    row: CsvRow, columns: tuple[str, ...], *, repair: bool
) -> Iterator[Record | Problem | Notice]:
    if row.bad:
        yield encoding_problem(row.bad.number, _bad_field(row, columns), row.bad.data)
        return
    if len(row.cells) != len(columns):
        word = "many" if len(row.cells) > len(columns) else "few"
        message = (
            f"The row has too {word} cells: {len(row.cells)} where the header has {len(columns)}. "
            f"Quote cells that hold the delimiter or a line end. It begins {shown(row.cells[0])}."
        )
        yield Problem(row.line, "", message, f"too_{word}_cells")
        return
    fields = dict(zip(columns, row.cells, strict=True))
    holding = [name for name, cell in fields.items() if "\0" in cell]
    for name in holding:
        yield nul_report(row.line, printable(name[:100]), repair=repair)
        fields[name] = fields[name].replace("\0", "")
    if repair or not holding:
        yield Record(row.line, fields, columns)


def _bad_field(row: CsvRow, columns: tuple[str, ...]) -> str:
    named = chain(columns, [""] * len(row.cells))
    bad = (
        name for name, cell in zip(named, row.cells, strict=False) if LONE_SURROGATE.search(cell)
    )
    return printable(next(bad, "")[:100])
