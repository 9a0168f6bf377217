"""Bytes of a file → its physical lines as UTF-8 bytes, with memory bounded by MAX_BYTES.

Lines end at LF only (CR LF is a line that ends in CR); U+2028, U+2029 and U+0085 are text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from annotate.ingest.problems import Problem

MAX_BYTES = 16 * 1024 * 1024
BLOCK = 64 * 1024

SAVE_AS_UTF8 = 'Save the file as UTF-8 (in Excel: "CSV UTF-8") and import it again.'
# Beginnings of files that are no text at all, by what they are.
CONTAINERS = {
    b"PK\x03\x04": "a spreadsheet or a ZIP archive",
    b"\x1f\x8b": "compressed with gzip",
    b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
}


class Line(NamedTuple):
    """A line without its LF. `ended` is false for a last line that has none."""

    number: int
    data: bytes
    ended: bool


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line above MAX_BYTES, which was read past but not kept; `quotes` counts its '"'."""

    number: int
    quotes: int


class _Growing:
    """The line that is being read: never more than MAX_BYTES (and one CR) of it are held."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.parts: list[bytes] = []
        self.size = 0
        self.quotes = 0

    @property
    def is_long(self) -> bool:
        return self.size > MAX_BYTES + 1

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        self.parts.append(piece)
        if self.is_long:
            self.quotes += sum(part.count(b'"') for part in self.parts)
            self.parts = []

    def line(self, *, ended: bool) -> Line | LongLine:
        data = b"".join(self.parts)
        if self.is_long or len(data.removesuffix(b"\r")) > MAX_BYTES:
            return LongLine(self.number, self.quotes + data.count(b'"'))
        return Line(self.number, data, ended)


def physical_lines(blocks: Iterable[bytes]) -> Iterator[Line | LongLine]:
    """Lines of a stream of UTF-8 blocks (each far below MAX_BYTES), numbered from 1."""
    growing = _Growing(1)
    for block in blocks:
        *ends, rest = block.split(b"\n")
        if ends:
            growing.add(ends[0])
            yield growing.line(ended=True)
            for number, piece in enumerate(ends[1:], growing.number + 1):
                yield Line(number, piece, ended=True)
            growing = _Growing(growing.number + len(ends))
        growing.add(rest)
    if growing.size:
        yield growing.line(ended=False)


def open_lines(stream: BinaryIO) -> Iterator[Line | LongLine] | Problem:
    """Lines of an open file in UTF-8 (with or without mark) or UTF-16 (with mark).

    Bytes that are no UTF-8 are left as they are: whoever decodes a line reports them.
    """
    head = _head(stream)
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return Problem(1, "", f"The file is in UTF-32. {SAVE_AS_UTF8}", "encoding", fatal=True)
    if head.startswith(codecs.BOM_UTF16_LE):
        return physical_lines(_from_utf16(_blocks(head[2:], stream), "utf-16-le"))
    if head.startswith(codecs.BOM_UTF16_BE):
        return physical_lines(_from_utf16(_blocks(head[2:], stream), "utf-16-be"))
    if head.startswith(b"PAR1"):
        message = "The file is Parquet. Give it a name that ends in .parquet."
        return Problem(0, "", message, "not_text_file", fatal=True)
    for magic, what in CONTAINERS.items():
        if head.startswith(magic):
            message = f"The file is {what}, not text. Save it as JSONL or CSV in UTF-8."
            return Problem(1, "", message, "not_text_file", fatal=True)
    if _is_unmarked_utf16(head):
        message = f"The file looks like UTF-16 without a byte-order mark. {SAVE_AS_UTF8}"
        return Problem(1, "", message, "encoding", fatal=True)
    return physical_lines(_blocks(head.removeprefix(codecs.BOM_UTF8), stream))


def encoding_problem(line: int, field: str, data: bytes) -> Problem:
    """The problem of a line whose bytes are not UTF-8: which byte, and what to do."""
    try:
        data.decode()
        byte = ""
    except UnicodeDecodeError as error:
        byte = f" (byte 0x{data[error.start]:02X} at position {error.start + 1} of the line)"
    message = (
        f"The line is not valid UTF-8{byte}; "
        f"the file was perhaps saved as Windows-1252. {SAVE_AS_UTF8}"
    )
    return Problem(line, field, message, "encoding")


def _head(stream: BinaryIO) -> bytes:
    head = b""
    while len(head) < BLOCK and (more := stream.read(BLOCK - len(head))):
        head += more
    return head


def _blocks(head: bytes, stream: BinaryIO) -> Iterator[bytes]:
    yield head
    while block := stream.read(BLOCK):
        yield block


def _from_utf16(blocks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    # A lone surrogate becomes bytes that are no UTF-8, and so does half a code unit at the end:
    # both are then reported by line like any other text that cannot be decoded.
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", "surrogatepass")
    try:
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        yield b"\xff"


def _is_unmarked_utf16(head: bytes) -> bool:
    # Latin text in UTF-16 has NUL for every other byte.
    even, odd = head[:64:2], head[1:64:2]
    return any(half.count(0) * 2 > len(half) for half in (even, odd) if len(half) > 1)
