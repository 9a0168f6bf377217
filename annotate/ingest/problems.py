"""What is wrong with a file, and where: one shape for errors, one like it for warnings.

Everything quoted from a file is data. It is shown cut short and with every character that is
not plainly printable written as an escape, so that neither a terminal nor a page can act on it.
"""

from __future__ import annotations

from dataclasses import dataclass

SHOWN_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """A reason why a row, or with `fatal` the whole file, cannot be taken.

    line: 1-based line of the file on which the row begins, 0 for the file as a whole.
    field: the file's own name of the field, '' for the row as a whole.
    message: a sentence that says what to do.
    code: a stable word for programs.
    fatal: nothing after this was read; no row of the file can be relied on.
    flag: what does it in a command; a page has its own ways.
    """

    line: int
    field: str
    message: str
    code: str
    fatal: bool = False
    flag: str = ""

    @property
    def for_commands(self) -> str:
        """The message, with the flag where there is one."""
        return with_flag(self.message, self.flag)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to know about a row, or a file (line 0), that is taken all the same."""

    line: int
    field: str
    message: str
    code: str
    flag: str = ""

    @property
    def for_commands(self) -> str:
        """The message, with the flag where there is one."""
        return with_flag(self.message, self.flag)


def with_flag(message: str, flag: str) -> str:
    """A sentence that ends with the flag of a command, in brackets before its full stop."""
    return f"{message.removesuffix('.')} ({flag})." if flag else message


def shown(value: object) -> str:
    """A value of the file as a message may quote it: in double quotes, short, printable."""
    text = value if isinstance(value, str) else repr(value)
    cut = text if len(text) <= SHOWN_LENGTH else text[:SHOWN_LENGTH] + "…"
    return f'"{printable(cut)}"'


def printable(text: str) -> str:
    """The text with every character that is not plainly printable written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def listed(names: tuple[str, ...] | list[str], most: int = 30) -> str:
    """Names of fields, columns or values in a row for a message."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(printable(name[:SHOWN_LENGTH]) for name in names[:most]) + more
