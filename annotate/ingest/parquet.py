"""Parquet → records, by way of `parquet_child`: the process that may die of a hostile file.

A row becomes the object that a line of JSONL would hold, and goes through the same strict reader,
so that NaN, U+0000 and depth are refused alike. `line` is the number of the row.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from annotate.ingest.lines import BLOCK, LongLine, physical_lines
from annotate.ingest.parquet_child import MEMORY, too_much_memory
from annotate.ingest.problems import Notice, Problem, printable
from annotate.ingest.strict_json import json_object

PARQUET_NAMES = (".parquet", ".pq")
MAGIC, ENCRYPTED = b"PAR1", b"PARE"
# Measured: a footer takes up to ten times its size when it is read, before anything is checked.
MOST_FOOTER = 16 * 1024 * 1024
# Magic, length of the footer, magic: nothing smaller is a file.
LEAST = 12
CHILD = Path(__file__).with_name("parquet_child.py")
# None of ours: no key, no address of a database. One thread, and memory that counts as it is used.
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONUTF8": "1",
}
CUT_SHORT = "The file ends before its footer: it was cut short on its way. Copy or upload it again."


@dataclass(frozen=True, slots=True)
class ParquetRow:
    """The object of one row; `columns` are those of the file."""

    number: int
    fields: dict[str, Any]
    columns: tuple[str, ...]


def parquet_rows(
    stream: BinaryIO, *, repair: bool = False, memory: int = MEMORY
) -> Iterator[ParquetRow | Problem | Notice]:
    """The rows of a file, in order; what is wrong with one, or with the file, as problems.

    stream: open binary file, read from its beginning whatever was read of it before.
    memory: bytes of addresses that reading may take.
    """
    with _as_file(stream) as file:
        problem = _footer_problem(file)
        if problem:
            yield problem
            return
        with _reading(file, memory) as child:
            assert child.stdout is not None  # narrows the type: it is a pipe
            yield from _rows(child, child.stdout, memory, repair=repair)


@contextmanager
def _as_file(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The stream where it is a real file, else a copy that is one: a process takes no other."""
    try:
        stream.fileno()
    except (io.UnsupportedOperation, AttributeError):
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy)
            yield copy
    else:
        yield stream


def _footer_problem(file: BinaryIO) -> Problem | None:
    """What the first and the last bytes say, before anything believes them."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(len(MAGIC))
    if not size:
        return _fatal("empty_file", "The file is empty. Check that it is the one you meant.")
    if head == ENCRYPTED:
        return _encrypted()
    if head != MAGIC:
        message = (
            "The file's name ends as Parquet, but it does not begin as Parquet does. "
            "Give it the ending of what it is, or write it again."
        )
        return _fatal("format", message)
    if size < LEAST:
        return _fatal("parquet", CUT_SHORT)
    file.seek(-8, os.SEEK_END)
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] == ENCRYPTED:
        return _encrypted()
    if tail[4:] != MAGIC or length + LEAST > size:
        return _fatal("parquet", CUT_SHORT)
    if length > MOST_FOOTER:
        message = (
            f"The file's footer takes {length // 1024 // 1024} MB; "
            f"{MOST_FOOTER // 1024 // 1024} MB is the most. "
            "Write the file with fewer columns and larger row groups."
        )
        return _fatal("parquet_too_large", message)
    file.seek(0)
    return None


def _fatal(code: str, message: str, field: str = "") -> Problem:
    return Problem(0, field, message, code, fatal=True)


def _encrypted() -> Problem:
    return _fatal("parquet", "The file is encrypted. Write it without encryption.")


@contextmanager
def _reading(file: BinaryIO, memory: int) -> Iterator[subprocess.Popen[bytes]]:
    # S603: our own file under our own interpreter; what is hostile is its standard input.
    child = subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", str(CHILD), str(memory)],
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        cwd="/",
    )
    try:
        yield child
    finally:
        child.kill()
        if child.stdout:
            child.stdout.close()
        child.wait()


def _rows(
    child: subprocess.Popen[bytes], pipe: IO[bytes], memory: int, *, repair: bool
) -> Iterator[ParquetRow | Problem | Notice]:
    columns: tuple[str, ...] = ()
    number = 0
    for line in physical_lines(iter(lambda: pipe.read(BLOCK), b"")):
        if isinstance(line, LongLine):
            # The child writes none, so this is not its work any more.
            yield _lost(child, memory)
            return
        letter, text = line.data[:1], line.data[1:].decode()
        if letter == b"E" and line.ended:
            return
        if letter == b"C":
            columns = tuple(json.loads(text))
            if nul := [name for name in columns if "\0" in name]:
                message = "A column's name holds the character U+0000."
                yield _fatal("nul", message, printable(nul[0][:100]))
                return
        elif letter == b"F" and line.ended:
            said = json.loads(text)
            yield _fatal(said["code"], said["message"], printable(said["field"]))
            return
        elif letter == b"B":
            number += 1
            said = json.loads(text)
            yield Problem(number, printable(said["field"]), said["message"], said["code"])
        elif letter == b"R" and line.ended:
            number += 1
            yield from _row(text, number, columns, repair=repair)
    yield _lost(child, memory)


def _row(
    text: str, number: int, columns: tuple[str, ...], *, repair: bool
) -> Iterator[ParquetRow | Problem | Notice]:
    # In JSON a U+0000 is always written as an escape, and so is whatever the walk looks for.
    fields, said = json_object(text, number, repair=repair)
    yield from said
    if fields is not None:
        yield ParquetRow(number, fields, columns)


def _lost(child: subprocess.Popen[bytes], memory: int) -> Problem:
    """The reader ended without a word: out of memory or time, or the library broke on the file."""
    refusal = too_much_memory(memory)
    message = (
        "The file could not be read: it broke the library that reads Parquet, or took too much "
        "memory or time. Write it again, or import it as JSONL."
    )
    status = child.wait()
    return _fatal(refusal.code if status == 0 else "parquet", message)
