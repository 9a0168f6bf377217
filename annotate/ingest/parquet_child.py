"""Parquet on standard input → its rows as JSON lines on standard output, in a process of its own.

Run as a file and never imported by the site: a footer can lie and the library that believes it is
written in C++, so what reads a stranger's file has a ceiling of memory and of time, no secrets in
its environment, and nothing to lose when it dies. It knows the standard library and pyarrow only.

Each line begins with a letter: `C` the columns, `R` a row, `B` why one row is refused, `F` why the
whole file is, `E` the end. NaN and U+0000 go through as JSON writes them; the reader refuses them.
"""

from __future__ import annotations

import json
import os
import resource
import struct
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, BinaryIO, NoReturn

MB = 1024 * 1024
# Measured: an empty process that has loaded the library has 220 MB of addresses.
MEMORY = 1024 * MB
CPU_S = 900
# What the footer declares, beyond which nothing is read.
MOST_ROWS = 5_000_000
MOST_COLUMNS = 1_000
MOST_DECLARED = 2048 * MB
# Texts shrink to a tenth, logs to a fiftieth; the fields of a bomb to a thousandth.
MOST_RATIO = 200
RATIO_COUNTS_FROM = 64 * MB
# What is stored once may stand in many rows, as the same rules above each prompt do.
MOST_REPEATED = 1000
# A row that says anything of its own takes a byte; rows that are all the same take none.
MOST_ROWS_OF_A_BYTE = 4
ROWS_COUNT_FROM = 100_000
# What has come out of it, whatever the footer declared; one row as in JSONL.
MOST_WRITTEN = 2048 * MB
MOST_OF_A_ROW = 16 * MB
DEPTH = 64
# Texts of a row group that may be held at a time for being repeated.
HELD_ONCE = 64 * MB
# Rows are taken in batches of about so much, at most so many.
BATCH_BYTES = 4 * MB
BATCH_ROWS = 4096
SHOWN = 60

REWRITE = "Write the file again, or import it as JSONL."


class Refused(Exception):
    """Why the whole file, or a row where a row is read, is not taken: code, field, message."""

    def __init__(self, code: str, message: str, field: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.field = code, message, field

    def as_json(self) -> dict[str, str]:
        return {"code": self.code, "field": self.field, "message": self.message}


def main(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = sys.stdout.buffer
    try:
        with os.fdopen(0, "rb", closefd=False) as stream:
            for letter, value in _lines(stream):
                out.write(letter + value + b"\n")
        out.write(b"E\n")
        out.flush()
    except BrokenPipeError:
        _leave(0)
    except Refused as refusal:
        _end(out, refusal)
    except MemoryError:
        _end(out, too_much_memory(memory))
    _leave(0)


def too_much_memory(memory: int) -> Refused:
    return Refused(
        "parquet_too_large",
        f"Reading the file takes more than {memory // MB} MB of memory: its pages or its values "
        "are larger than any real file has them. Write it with smaller pages, or import it as "
        "JSONL.",
    )


def _end(out: BinaryIO, refusal: Refused) -> None:
    try:
        out.write(b"F" + json.dumps(refusal.as_json()).encode() + b"\n")
        out.flush()
    except BrokenPipeError:
        pass


def _leave(status: int) -> NoReturn:
    # The library's threads and destructors have nothing to say any more, and may be out of memory.
    os._exit(status)


def _lines(stream: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    size = os.fstat(stream.fileno()).st_size
    try:
        options: dict[str, Any] = {
            "buffer_size": 64 * 1024,
            "pre_buffer": False,
            "arrow_extensions_enabled": False,
            "schema_depth_limit": DEPTH,
        }
        plain = pq.ParquetFile(pa.PythonFile(stream, mode="r"), **options)
        _refuse_a_bomb(plain.metadata, size)
        columns = _columns(plain.schema_arrow)
        yield b"C", json.dumps(columns).encode()
        once = _kept_once(plain)
        file = pq.ParquetFile(pa.PythonFile(stream, mode="r"), read_dictionary=once, **options)
        yield from _rows(file, columns, size)
    except pa.ArrowMemoryError:
        raise MemoryError from None
    except pa.ArrowNotImplementedError:
        message = (
            "The file stores its values in a way that is not read here (very long texts inside "
            "lists, or a rare encoding). Import it as JSONL."
        )
        raise Refused("parquet_type", message) from None
    except (pa.ArrowException, OSError, RecursionError) as error:
        # The library's own words may quote the file.
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        what = "".join(c if c.isprintable() else " " for c in said[:200])
        raise Refused("parquet", f"The file is damaged ({what}). {REWRITE}") from None


def _refuse_a_bomb(metadata: Any, size: int) -> None:
    if metadata.num_columns > MOST_COLUMNS:
        raise Refused(
            "parquet_too_large",
            f"The file has {metadata.num_columns:,} columns; {MOST_COLUMNS:,} is the most. "
            "Leave out those that are not needed.",
        )
    if metadata.num_rows > MOST_ROWS:
        raise Refused(
            "parquet_too_large",
            f"The file declares {metadata.num_rows:,} rows; {MOST_ROWS:,} is the most. Split it.",
        )
    if metadata.num_rows > max(ROWS_COUNT_FROM, MOST_ROWS_OF_A_BYTE * size):
        raise Refused(
            "parquet_bomb",
            f"The file declares {metadata.num_rows:,} rows in {size:,} bytes: they can hold "
            "nothing of their own. Import it as JSONL.",
        )
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    chunks = [group.column(n) for group in groups for n in range(group.num_columns)]
    sizes = [chunk.total_uncompressed_size for chunk in chunks]
    rows = [group.num_rows for group in groups]
    if min(sizes, default=0) < 0 or min(rows, default=0) < 0 or sum(rows) != metadata.num_rows:
        raise Refused("parquet", f"The file's footer contradicts itself. {REWRITE}")
    declared = sum(sizes)
    if declared > MOST_DECLARED:
        raise Refused(
            "parquet_too_large",
            f"Uncompressed, the file is {declared // MB:,} MB; {MOST_DECLARED // MB:,} MB is the "
            "most. Split it.",
        )
    if declared > RATIO_COUNTS_FROM and declared > MOST_RATIO * size:
        raise Refused(
            "parquet_bomb",
            f"The file unpacks to {declared // size:,} times its size; {MOST_RATIO} times is the "
            "most that is believed to be texts. Import it as JSONL.",
        )


def _columns(schema: Any) -> list[str]:
    twice = [name for name, count in Counter(schema.names).items() if count > 1]
    if twice:
        message = f"The file has a column twice: {_listed(twice)}. Rename one of each."
        raise Refused("repeated_column", message, twice[0][:100])
    if "" in schema.names:
        number = schema.names.index("") + 1
        message = f"Column {number} has no name. Name it or take it out."
        raise Refused("empty_column_name", message)
    for field in schema:
        _refuse_bytes(field.name, field.type)
    return list(schema.names)


def _refuse_bytes(name: str, kind: Any) -> None:
    """Bytes say nothing of the text they hold; what has no JSON is refused by name, too."""
    import pyarrow.types as pt

    what = ""
    if pt.is_binary(kind) or pt.is_large_binary(kind) or pt.is_fixed_size_binary(kind):
        what = "bytes, not text. Turn them into text (UTF-8) or leave the column out"
    elif pt.is_duration(kind) or pt.is_interval(kind):
        what = f"values of the type {kind}, which JSON does not have. Write them as text"
    if what:
        raise Refused("parquet_type", f"The column {_shown(name)} holds {what}.", name[:100])
    if pt.is_dictionary(kind):
        _refuse_bytes(name, kind.value_type)
    for n in range(getattr(kind, "num_fields", 0)):
        inner = kind.field(n)
        _refuse_bytes(f"{name}.{inner.name}", inner.type)
    if pt.is_struct(kind):
        names = [kind.field(n).name for n in range(kind.num_fields)]
        if len(set(names)) < len(names):
            message = f"An object in {_shown(name)} has a field twice. Rename one of each."
            raise Refused("repeated_key", message, name[:100])


def _kept_once(file: Any) -> list[str]:
    """Columns whose texts are held once however many rows have them: 50 KB of rules in each row.

    That holds all texts of a row group at a time, so only where those are few; where they are
    many, MOST_WRITTEN bounds how often they can be repeated.
    """
    import pyarrow.types as pt

    texts = {
        f.name for f in file.schema_arrow if pt.is_string(f.type) or pt.is_large_string(f.type)
    }
    sizes: Counter[str] = Counter()
    for n in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(n)
        for chunk in (group.column(m) for m in range(group.num_columns)):
            name = chunk.path_in_schema
            sizes[name] = max(sizes[name], chunk.total_uncompressed_size)
    once, held = [], 0
    for name, size in sorted(sizes.items(), key=lambda item: item[1]):
        held += size
        if name in texts and held <= HELD_ONCE:
            once.append(name)
    return once


def _rows(file: Any, columns: Sequence[str], size: int) -> Iterator[tuple[bytes, bytes]]:
    metadata = file.metadata
    declared = max(
        (
            metadata.row_group(n).total_byte_size // max(1, metadata.row_group(n).num_rows)
            for n in range(metadata.num_row_groups)
        ),
        default=0,
    )
    at_once = max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, declared)))
    number = written = 0
    for batch in file.iter_batches(batch_size=at_once, use_threads=False):
        cells = [_Cells(batch.column(n), name) for n, name in enumerate(columns)]
        for n in range(batch.num_rows):
            number += 1
            try:
                row = _row(columns, cells, n)
            except Refused as refusal:
                yield b"B", json.dumps({"row": number, **refusal.as_json()}).encode()
                continue
            written += len(row)
            if written > MOST_WRITTEN:
                message = (
                    f"The rows hold more than {MOST_WRITTEN // MB:,} MB of text, most of it the "
                    "same again. Split the file."
                )
                raise Refused("parquet_too_large", message)
            if written > max(RATIO_COUNTS_FROM, MOST_REPEATED * size):
                message = (
                    f"The rows hold more than {MOST_REPEATED:,} times the text that the file can "
                    "have of its own. Import it as JSONL."
                )
                raise Refused("parquet_bomb", message)
            yield b"R", row
    if number != metadata.num_rows:
        raise Refused("parquet", f"The file's footer contradicts its rows. {REWRITE}")


def _row(columns: Sequence[str], cells: Sequence[_Cells], n: int) -> bytes:
    fields = {name: cell.value(n) for name, cell in zip(columns, cells, strict=True)}
    if sum(len(v) for v in fields.values() if isinstance(v, str)) <= MOST_OF_A_ROW:
        row = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
        if len(row) <= MOST_OF_A_ROW:
            return row
    message = f"The row is longer than {MOST_OF_A_ROW // MB} MB and was not read."
    raise Refused("line_too_long", message)


class _Cells:
    """The values of one column in a batch, each turned into JSON's own kinds when asked for."""

    def __init__(self, array: Any, name: str) -> None:
        import pyarrow.types as pt

        if pt.is_timestamp(array.type):
            # Python's times have microseconds; a zone is only a way of writing, and may be unknown.
            import pyarrow as pa

            array = array.cast(pa.timestamp("us", "UTC" if array.type.tz else None), safe=False)
        self.name = name
        self.is_single = pt.is_float32(array.type) or pt.is_float16(array.type)
        self.known: dict[int, Any] = {}
        self.array, self.indices = array, None
        if pt.is_dictionary(array.type):
            # One text for all the rows that hold it, decoded when the first of them asks.
            self.array, self.indices = array.dictionary, array.indices.to_pylist()
            self.known[-1] = None

    def value(self, n: int) -> Any:
        if self.indices is not None:
            index = self.indices[n]
            n = -1 if index is None else index
            if n in self.known:
                return self.known[n]
        try:
            value = _plain(self.array[n].as_py(), is_single=self.is_single)
        except UnicodeDecodeError:
            message = "The text is not valid UTF-8. Write the column anew as text."
            raise Refused("encoding", message, self.name[:100]) from None
        except (ValueError, OverflowError, LookupError) as error:
            message = f"The value cannot be read ({type(error).__name__}). Write it as text."
            raise Refused("parquet_value", message, self.name[:100]) from None
        if self.indices is not None:
            self.known[n] = value
        return value


def _plain(value: Any, *, is_single: bool = False) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return _shortest(value) if is_single else value
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, dict):
        # Nothing tells a field that is absent from one that is null.
        return {key: _plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        if value and all(isinstance(one, tuple) and len(one) == 2 for one in value):
            return _of_a_map(value)
        return [_plain(inner) for inner in value]
    raise ValueError(type(value).__name__)


def _of_a_map(pairs: Sequence[tuple[Any, Any]]) -> dict[str, Any]:
    made = {str(_plain(key)): _plain(inner) for key, inner in pairs}
    if len(made) < len(pairs):
        raise Refused("repeated_key", "An object has a key twice. Keep one of them.")
    return made


def _shortest(value: float) -> float:
    """A number of 32 bits as people wrote it: 0.1 and not 0.10000000149011612."""
    if value != value or value in (float("inf"), float("-inf")):
        return value
    for digits in range(6, 10):
        short = float(f"{value:.{digits}g}")
        if struct.pack("f", short) == struct.pack("f", value):
            return short
    return value


def _shown(name: str) -> str:
    cut = name if len(name) <= SHOWN else name[:SHOWN] + "…"
    return '"' + "".join(c if c.isprintable() else "?" for c in cut) + '"'


def _listed(names: Sequence[str]) -> str:
    return ", ".join(_shown(name) for name in names[:20])


if __name__ == "__main__":
    main(int(sys.argv[1]))
