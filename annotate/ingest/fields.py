"""One record through the field map: values of the right type, or problems with their fields."""

from __future__ import annotations

import unicodedata
from typing import Any

from annotate.ingest.mapping import FieldMap
from annotate.ingest.problems import SHOWN_LENGTH, Problem, printable, shown
from annotate.ingest.readers import Record
from annotate.ingest.strict_json import json_text

ID_LENGTH = 200
BLANK_LINE = "\n\n"

KINDS_OF_VALUE = {
    bool: "a true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}

WORDS = {
    "response_a": "response A",
    "response_b": "response B",
    "model_a": "model of A",
    "model_b": "model of B",
    "subject": "pair's id",
}


def words_of(target: str) -> str:
    """What the import page calls a target."""
    return WORDS.get(target, target)


class Fields:
    """Reads targets of one record and gathers what is wrong with it in `problems`."""

    def __init__(self, record: Record, field_map: FieldMap) -> None:
        self.record = record
        self.map = field_map
        self.problems: list[Problem] = []

    def refuse(self, field: str, code: str, message: str, flag: str = "") -> None:
        """Add a problem; `field` is the file's own name of it."""
        line, name = self.record.line, printable(field[:200])
        self.problems.append(Problem(line, name, message, code, flag=flag))

    def raw(self, target: str) -> Any:
        """The value of a target's first source as the file has it, None if it has none."""
        sources = self.map.sources_of(target)
        return self.record.fields.get(sources[0]) if sources else None

    def name(self, target: str) -> str:
        """The file's own name of a target, for problems."""
        return ",".join(self.map.sources_of(target)) or target

    def text(self, target: str) -> str | None:
        """The text of a target, several sources joined by a blank line; None if missing.

        With several sources, empty and missing ones are left out.
        """
        sources = self.map.sources_of(target)
        if len(sources) < 2:
            return self._text(target, sources[0]) if sources else None
        texts = [self._text(target, source) for source in sources]
        return BLANK_LINE.join(text for text in texts if text)

    def required_text(self, target: str) -> str:
        """The text of a target; a problem and '' if it is missing."""
        before = len(self.problems)
        text = self.text(target)
        if text is None and len(self.problems) == before:
            self._refuse_missing(target)
        return text or ""

    def name_text(self, target: str, most: int = ID_LENGTH) -> str:
        """A short text such as a model's name, '' if missing."""
        text = (self.text(target) or "").strip()
        if len(text) > most:
            message = f"The text has {len(text)} characters; {most} is the most."
            self.refuse(self.name(target), "too_long", message)
        return text

    def key(self, target: str, *, required: bool = True) -> str:
        """An id: text or an integer as its text, 1 to 200 characters; '' after a problem."""
        value, name = self.raw(target), self.name(target)
        if value is None or value == "":
            if required:
                self._refuse_missing(target)
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int):
            message = (
                f"The {words_of(target)} is {_what(value)}; it must be a text or a whole number."
            )
            self.refuse(name, "bad_id", message)
            return ""
        text = str(value).strip()
        if problem := _id_fault(text):
            self.refuse(name, "bad_id", f"The {words_of(target)} {shown(text)} {problem}")
            return ""
        return text

    def _text(self, target: str, source: str) -> str | None:
        value = self.record.fields.get(source)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool | int | float):
            text = json_text(value) or ""
            if self.map.is_as_text(target, source):
                return text
            message = (
                f"The field holds {_what(value)}, not text: {text[:SHOWN_LENGTH]}. "
                "Quote it, or take this field as text."
            )
            flag = f"--as-text {printable(source[:SHOWN_LENGTH])}"
        else:
            message = f"The field holds {_what(value)}, not text. Write it as one text."
            flag = ""
        self.refuse(source, "not_text", message, flag)
        return None

    def _refuse_missing(self, target: str) -> None:
        message = f"The row has no {words_of(target)}. Add it, or choose another field for it."
        self.refuse(self.name(target), "missing", message, f"--map {target}=FIELD")


def _id_fault(text: str) -> str:
    if not text:
        return "is blank."
    if len(text) > ID_LENGTH:
        return f"has {len(text)} characters; {ID_LENGTH} is the most."
    if any(unicodedata.category(c) == "Cc" for c in text):
        return "holds a control character. Take it out."
    return ""


def _what(value: object) -> str:
    return next(
        (words for kind, words in KINDS_OF_VALUE.items() if isinstance(value, kind)), "nothing"
    )
