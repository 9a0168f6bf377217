"""YAML text to values that know their line and key path; problems are collected, not raised.

Pure: no Django, no I/O. Nothing is ever constructed from a tag: the text is composed into nodes
and read from there. That keeps the line of every value, and what the author typed where YAML 1.1
would turn it into something else (a bare `no` into false, `1:30` into 90).
"""

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import yaml

from rubrics.content import Problem, RubricError

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 12
MAX_PROBLEMS = 200

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_SCALAR_TAGS = frozenset(
    _TAG + name for name in ("str", "int", "float", "bool", "null", "timestamp", "value", "merge")
)
# Decimal numbers as people write them. YAML's own rule also takes 0x1F, 1_000 and 1:30.
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
# A leading zero makes YAML 1.1 read octal: 010 is 8 there, so it is no plain number here.
_OCTAL = re.compile(r"[-+]?0[0-9]+")
# Control characters other than tab and line feed, and halves of surrogate pairs.
# A key at the start of a line, list dashes before it: where in the document the reader was.
_KEY = re.compile(r"^[ \t-]*([A-Za-z_]\w*)[ \t]*:", re.MULTILINE)
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")

Choice = TypeVar("Choice", bound=str)


def quoted(text: str, limit: int = 40) -> str:
    """The author's words for an error message, cut to a readable length."""
    return f"“{text if len(text) <= limit else text[: limit - 1] + '…'}”"


class Item:
    """A YAML node with its key path. Reading methods give None and note a problem when unfit."""

    def __init__(self, node: yaml.Node, where: str, problems: list[Problem]) -> None:
        self.node = node
        self.where = where
        self.problems = problems
        self.line = node.start_mark.line + 1

    def problem(self, message: str) -> None:
        self.problems.append(Problem(self.line, self.where, message))

    def child(self, node: yaml.Node, name: object) -> "Item":
        return Item(node, f"{self.where}.{name}" if self.where else str(name), self.problems)

    @property
    def is_empty(self) -> bool:
        """Nothing written after the colon or dash."""
        return self._is("null") and self.node.value == ""

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.node, yaml.MappingNode)

    @property
    def is_sequence(self) -> bool:
        return isinstance(self.node, yaml.SequenceNode)

    def mapping(
        self, allowed: Sequence[str], refused: Mapping[str, str] | None = None
    ) -> dict[str, "Item"]:
        """Known keys and their values. `refused` gives keys known elsewhere and why not here."""
        if not isinstance(self.node, yaml.MappingNode) or self.node.tag != _TAG + "map":
            self.problem(f"must be a mapping with keys such as {', '.join(allowed[:3])}")
            return {}
        found: dict[str, Item] = {}
        for key_node, value_node in self.node.value:
            key = Item(key_node, self.where, self.problems)
            name = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else None
            if name is not None and name in found:
                key.problem(f"the key {name} is written twice (first in line {found[name].line})")
            elif name is not None and name in allowed:
                found[name] = self.child(value_node, name)
                found[name].line = key.line
            else:
                key.problem(_unknown_key(name, allowed, refused or {}))
        return found

    def sequence(self) -> list["Item"]:
        if not isinstance(self.node, yaml.SequenceNode) or self.node.tag != _TAG + "seq":
            self.problem("must be a list")
            return []
        return [self.child(node, n) for n, node in enumerate(self.node.value, start=1)]

    def text(self) -> str | None:
        """Free text without outer white space; '' where nothing is written."""
        written = self._scalar("a text")
        if written is None or self.is_empty:
            return written
        if self._is("bool", "null"):
            self.problem(self._misread(written))
            return None
        return written.strip()

    def code(self) -> str | None:
        """A short word that will be stored and compared: decimal numbers become their text."""
        written = self._scalar("a word or a number")
        if written is None or self.is_empty:
            return written
        plain_number = NUMBER.fullmatch(written) and not _OCTAL.fullmatch(written)
        if not self._is("str") and not (self._is("int", "float") and plain_number):
            self.problem(self._misread(written))
            return None
        return written.strip()

    def number(self) -> float | None:
        """A finite decimal number."""
        written = self.node.value if isinstance(self.node, yaml.ScalarNode) else ""
        if getattr(self.node, "style", None) or not NUMBER.fullmatch(written):
            self.problem(f"must be a finite number, such as 2 or 0.5; not {self._shown()}")
            return None
        value = float(written)
        if not math.isfinite(value):
            self.problem(f"must be a finite number, such as 2 or 0.5; not {self._shown()}")
            return None
        return value

    def whole(self, lowest: int, highest: int) -> int | None:
        written = self.node.value if isinstance(self.node, yaml.ScalarNode) else ""
        plain = not getattr(self.node, "style", None) and re.fullmatch(
            r"0|[1-9][0-9]{0,15}", written
        )
        if not plain or not lowest <= int(written) <= highest:
            self.problem(f"must be a whole number from {lowest} to {highest}; not {self._shown()}")
            return None
        return int(written)

    def flag(self) -> bool | None:
        if not self._is("bool"):
            self.problem(f"must be true or false; not {self._shown()}")
            return None
        return str(self.node.value).lower() in ("true", "yes", "on")

    def choice(self, options: Sequence[Choice]) -> Choice | None:
        written = self.code()
        if written is None:
            return None
        for option in options:
            if option == written:
                return option
        self.problem(f"must be one of {', '.join(options)}; not {quoted(written)}")
        return None

    def texts(self) -> tuple[str, ...] | None:
        """One text or a list of texts, none of them empty."""
        items = self.sequence() if self.is_sequence else [self]
        read = [item.text() for item in items]
        if "" in read or not read:
            self.problem("an empty text says nothing")
            return None
        return None if None in read else tuple(text for text in read if text)

    def _is(self, *tags: str) -> bool:
        return isinstance(self.node, yaml.ScalarNode) and self.node.tag in {_TAG + t for t in tags}

    def _scalar(self, wanted: str) -> str | None:
        if not isinstance(self.node, yaml.ScalarNode):
            self.problem(f"must be {wanted}, not a {'list' if self.is_sequence else 'mapping'}")
            return None
        if self.node.tag not in _SCALAR_TAGS:
            self.problem(f"the tag {quoted(self.node.tag)} is not accepted")
            return None
        written = str(self.node.value)
        if _FORBIDDEN.search(written):
            self.problem("holds a control character, which is not accepted")
            return None
        return written

    def _misread(self, written: str) -> str:
        meaning = {"bool": "a truth value", "null": "nothing at all", "timestamp": "a date"}
        name = self.node.tag.removeprefix(_TAG)
        read_as = meaning.get(name, "something other than the text")
        return f'YAML reads a bare {written} as {read_as}: quote it, "{written}"'

    def _shown(self) -> str:
        if isinstance(self.node, yaml.ScalarNode):
            return quoted(str(self.node.value)) if self.node.value else "nothing"
        return "a list" if self.is_sequence else "a mapping"


def _unknown_key(name: str | None, allowed: Sequence[str], refused: Mapping[str, str]) -> str:
    if name is None:
        return "a key must be a word, not a list or a mapping"
    if name in refused:
        return refused[name]
    close = difflib.get_close_matches(name[:60].lower(), allowed, n=1)
    hint = f"did you mean {close[0]}?" if close else f"known here: {', '.join(allowed)}"
    return f"unknown key {quoted(name)}: {hint}"


def compose(source: str | bytes) -> Item:
    """The root of the document. Raises RubricError where it is not one small YAML document."""
    text = _decoded(source)
    try:
        _refuse_aliases_and_depth(text)
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        raise RubricError((_malformed(error, text),)) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _refused(f"malformed YAML: {error.reason}", line) from error
    if node is None:
        raise _refused("an empty rubric: the document holds nothing")
    return Item(node, "", [])


def finish(problems: Sequence[Problem]) -> None:
    """Raise RubricError with all problems in line order (the first 200 of very many)."""
    if not problems:
        return
    ordered = sorted(problems, key=lambda problem: problem.line)
    shown = ordered[:MAX_PROBLEMS]
    if len(ordered) > MAX_PROBLEMS:
        more = len(ordered) - MAX_PROBLEMS
        shown.append(Problem(ordered[MAX_PROBLEMS].line, "", f"and {more} more problems from here"))
    raise RubricError(tuple(shown))


def _refused(message: str, line: int = 1, column: int | None = None) -> RubricError:
    return RubricError((Problem(line, "", message, column),))


def _decoded(source: str | bytes) -> str:
    size = len(source) if isinstance(source, bytes) else len(source.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise _refused(f"the document is over 1 MB ({size:,} bytes): a rubric is far smaller")
    if isinstance(source, str):
        text = source.removeprefix("\ufeff")
    else:
        wide = source[:2] in (b"\xff\xfe", b"\xfe\xff")
        try:
            text = source.decode("utf-16" if wide else "utf-8-sig")
        except UnicodeDecodeError as error:
            line = source.count(b"\n", 0, error.start) + 1
            raise _refused(f"not valid {'UTF-16' if wide else 'UTF-8'} text", line) from error
    text = text.replace("\r\n", "\n")
    if bad := _FORBIDDEN.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        code = f"U+{ord(bad.group()):04X}"
        raise _refused(f"holds the control character {code}, which is not accepted", line)
    return text


def _refuse_aliases_and_depth(text: str) -> None:
    """Aliases can blow a small document up; deep nesting exhausts the stack of the composer."""
    depth = 0
    aliases = []
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            message = f"the YAML alias *{event.anchor} is not accepted: write the text out"
            aliases.append(Problem(_line(event), "", message))
        if depth > MAX_DEPTH:
            raise _refused(f"nested over {MAX_DEPTH} levels deep", _line(event))
    finish(aliases)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _malformed(error: yaml.MarkedYAMLError, text: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    # What is never closed is noticed at the end of the document; where it was opened helps.
    if mark is not None and error.context_mark and not text[mark.index :].strip():
        mark = error.context_mark
    said = ", ".join(part for part in (error.context, error.problem) if part)
    if mark is None:
        return Problem(1, "", f"malformed YAML: {said}")
    keys = _KEY.findall(text[: mark.index])
    where = keys[-1] if keys else ""
    return Problem(mark.line + 1, where, f"malformed YAML: {said}", mark.column + 1)
