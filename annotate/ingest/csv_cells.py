"""Lines → rows of cells by RFC 4180, without the standard module and its process-wide limit.

Unlike `csv`, it knows on which line a quote was opened, keeps the line ends inside quotes as the
file has them, and never holds more than one record of MAX_BYTES.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from annotate.ingest.lines import MAX_BYTES, Line, LongLine, encoding_problem
from annotate.ingest.problems import Problem

# No spreadsheet has more columns; without a bound, a line of commas would fill the memory.
MOST_CELLS = 16_384
TOO_LONG = f"The row is longer than {MAX_BYTES // 1024 // 1024} MB and was not read."


@dataclass(frozen=True, slots=True)
class CsvRow:
    """Cells of one record that begins on `line`.

    bad: the first line of the record that is not UTF-8, if any; its cells then hold surrogates.
    has_quotes: a lone empty cell in quotes is a row, a blank line is none.
    """

    line: int
    cells: tuple[str, ...]
    bad: Line | None = None
    has_quotes: bool = False


def csv_rows(lines: Iterable[Line | LongLine], delimiter: str) -> Iterator[CsvRow | Problem]:
    """The records of the lines, in order, refused ones as problems."""
    record: _Record | None = None
    for line in lines:
        record = record or _Record(delimiter, line.number)
        if record.feed(line):
            yield record.row()
            record = None
    if record:
        yield record.unclosed()


@dataclass(slots=True)
class _Record:
    """A record that is being read: a state machine over physical lines."""

    delimiter: str
    begun_on: int
    cells: list[str] = field(default_factory=list)
    # The open quoted cell so far, as bytes: a text of many short lines would cost ten times that.
    held: bytearray = field(default_factory=bytearray)
    quoted: bool = False
    quote_line: int = 0
    size: int = 0
    is_long: bool = False
    is_wide: bool = False
    stray: bool = False
    bad: Line | None = None

    def feed(self, line: Line | LongLine) -> bool:
        """Take one line; true if the record ends with it."""
        if isinstance(line, LongLine):
            self._skip(line)
            return not self.quoted
        self.size += len(line.data) + 1
        if self.size > MAX_BYTES + 2:
            self.is_long = True
        done = (
            self._goes_on(line) if self.quoted and b'"' not in line.data else self._cells_of(line)
        )
        if self.is_long or len(self.cells) > MOST_CELLS:
            self._let_go()
        return done

    def _goes_on(self, line: Line) -> bool:
        # Most lines of long texts hold no quote; they cost a search and a copy.
        if not line.data.isascii():
            self._decoded(line)
        self.held += line.data + (b"\n" if line.ended else b"")
        return False

    def _skip(self, line: LongLine) -> None:
        # In RFC 4180 an odd number of quotes opens or closes a cell, doubled quotes being two.
        if line.quotes % 2:
            self.quoted = not self.quoted
            self.quote_line = line.number
        self.is_long = True
        self._let_go()

    def _let_go(self) -> None:
        self.is_wide = self.is_wide or len(self.cells) > MOST_CELLS
        self.cells, self.held = [], bytearray()

    def _cells_of(self, line: Line) -> bool:
        text = self._decoded(line)
        # A CR belongs to the line end only where the line end is not inside quotes.
        end = "\n" if line.ended else ""
        bare = text.removesuffix("\r")
        if not self.quoted and '"' not in bare:
            self.cells += bare.split(self.delimiter, MOST_CELLS)
            return True
        at = 0
        while True:
            if self.quoted:
                closing = _closing_quote(text, at)
                if closing < 0:
                    self.held += (_single(text[at:]) + end).encode(errors="surrogateescape")
                    return False
                at = self._close(_single(text[at:closing]), bare, closing + 1)
            elif bare.startswith('"', at):
                self.quoted, self.quote_line, at = True, line.number, at + 1
                continue
            else:
                stop = self._stop(bare, at)
                self.cells.append(bare[at:stop])
                at = stop
            if len(self.cells) > MOST_CELLS:
                self._let_go()
            if at >= len(bare):
                return True
            at += len(self.delimiter)

    def _close(self, rest: str, bare: str, at: int) -> int:
        self.quoted = False
        self.cells.append(self.held.decode(errors="surrogateescape") + rest)
        self.held = bytearray()
        stop = self._stop(bare, at)
        self.stray = self.stray or stop > at
        return stop

    def _stop(self, bare: str, at: int) -> int:
        stop = bare.find(self.delimiter, at)
        return len(bare) if stop < 0 else stop

    def _decoded(self, line: Line) -> str:
        try:
            return line.data.decode()
        except UnicodeDecodeError:
            # Quotes and delimiters are ASCII, so the record's extent is still known; the record
            # itself is refused.
            self.bad = self.bad or line
            return line.data.decode(errors="surrogateescape")

    def row(self) -> CsvRow | Problem:
        """The record, once it has ended, or why it is refused."""
        if self.is_long:
            return Problem(self.begun_on, "", TOO_LONG, "line_too_long")
        if self.is_wide:
            message = f"The row has more than {MOST_CELLS} cells. Check its quotes."
            return Problem(self.begun_on, "", message, "too_many_cells")
        if self.stray and self.bad:
            return encoding_problem(self.bad.number, "", self.bad.data)
        if self.stray:
            message = (
                "A cell goes on after its closing quote. "
                "Write a quote inside a quoted cell as two quotes."
            )
            return Problem(self.begun_on, "", message, "quote")
        return CsvRow(self.begun_on, tuple(self.cells), self.bad, has_quotes=self.quote_line > 0)

    def unclosed(self) -> Problem:
        """The problem of a file that ends inside quotes."""
        message = (
            f"A quote opens on line {self.quote_line} and is never closed. "
            "Close it, or write a quote inside a quoted cell as two quotes."
        )
        return Problem(self.quote_line, "", message, "unclosed_quote", fatal=True)


def _single(quoted: str) -> str:
    return quoted.replace('""', '"')


def _closing_quote(text: str, at: int) -> int:
    """Where the quote stands that ends a quoted cell; -1 if the cell goes on. '""' is a quote."""
    closing = text.find('"', at)
    while closing >= 0 and text.startswith('"', closing + 1):
        closing = text.find('"', closing + 2)
    return closing
