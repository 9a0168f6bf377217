"""The editor of a rubric: one YAML text, and the form that shows it.

The text is the only state. What is sent holds the text, the form, and what both looked like when
the page was made; so it is known which side somebody changed, with scripts and without.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rubrics import (
    document,
    hints,
    outline_form,
    outline_places,
    outline_reader,
    outline_rubric,
    outline_steps,
    outline_writer,
)
from rubrics.content import RubricError
from rubrics.editor_fields import CheckForm, Field, Said, check_forms, field_groups
from rubrics.preview import Preview, preview_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rubrics.content import Problem
    from rubrics.outline import Outline

# A form of more fields than this is slow to type in; the text is not.
MAX_FIELDS = 6_000
KEEP = {"keep-form": "form", "keep-yaml": "yaml"}


@dataclass(frozen=True)
class Received:
    """What somebody sent, brought together. `clash`: both sides were changed and one must give."""

    source: str
    typed: Outline | None = None
    clash: bool = False
    rewritten: bool = False
    focus: str = ""
    # What writing the YAML anew has left out since it was last written by hand.
    dropped: tuple[str, ...] = ()


def receive(sent: Mapping[str, str]) -> Received:
    source = sent.get("source", "").replace("\r\n", "\n")
    action = sent.get("action", "")
    typed = outline_form.from_fields(sent)
    form_was, yaml_was = sent.get("form_was", ""), sent.get("yaml_was", "")
    form_changed = bool(form_was) and typed is not None and outline_form.seal(typed) != form_was
    yaml_changed = outline_form.seal_text(source) != yaml_was
    if form_changed and yaml_changed and action not in KEEP:
        return Received(source, typed, clash=True)
    follow_form = form_changed and KEEP.get(action, "form") == "form"
    now = typed if follow_form else _read(source)
    if now is None:
        return Received(source)
    stepped, focus = outline_steps.take(now, action)
    told = tuple(filter(None, sent.get("dropped", "").splitlines()))
    if stepped is not now or follow_form:
        dropped = tuple(dict.fromkeys((*told, *_dropped(source))))
        return Received(outline_writer.write(stepped), rewritten=True, focus=focus, dropped=dropped)
    return Received(source, dropped=() if yaml_changed else told)


def _dropped(source: str) -> Iterator[str]:
    """What a form cannot hold, by its lines: problems that are gone once the same is written anew.
    An example in the short form is none of them, since it stands under another name then.
    """
    wrong, read = _problems(source), _read(source)
    if not wrong or read is None:
        return
    left = {_sense(problem) for problem in _problems(outline_writer.write(read))}
    lines = source.split("\n")
    for problem in wrong:
        if _sense(problem) not in left and "_example" not in problem.where:
            line = lines[problem.line - 1].strip()[:80]
            yield f"{line} ({problem.where})" if problem.where else line


def _sense(problem: Problem) -> tuple[str, str]:
    return problem.where, re.sub(r"line \d+", "", problem.message)


def _read(source: str) -> Outline | None:
    try:
        return outline_reader.read(source)
    except RubricError:
        return None


@dataclass(frozen=True)
class Placed:
    """A problem of the document: its line there, and the field of the form it stands at."""

    line: int
    message: str
    where: str
    text: str
    place: str = ""


@dataclass(frozen=True)
class Editor:
    """Everything the page shows. `outline` is None where the text cannot be read as YAML."""

    source: str
    outline: Outline | None
    problems: tuple[Placed, ...] = ()
    said: tuple[Said, ...] = ()
    preview: Preview | None = None
    focus: str = ""
    rewritten: bool = False
    clash: bool = False
    dropped: tuple[str, ...] = ()
    form_was: str = ""
    yaml_was: str = ""
    groups: Mapping[str, tuple[Field, ...]] = field(default_factory=dict)
    checks: Mapping[str, tuple[CheckForm, ...]] = field(default_factory=dict)

    @property
    def too_large(self) -> bool:
        return self.outline is not None and not self.groups

    @property
    def hint_count(self) -> int:
        return len(self.said)

    @property
    def to_mend(self) -> str:
        """The field or check of the first problem; '' where it stands in the YAML alone."""
        return self.problems[0].place if self.problems and self.groups else ""

    @property
    def mend_at(self) -> str:
        """The same as the id of an element."""
        is_check = re.fullmatch(r"check-[0-9]+", self.to_mend)
        return self.to_mend if is_check else f"f-{self.to_mend}" if self.to_mend else "source"


def opened(source: str, *, ids_before: tuple[str, ...] = ()) -> Editor:
    return shown(Received(source), ids_before=ids_before)


def shown(received: Received, *, ids_before: tuple[str, ...] = ()) -> Editor:
    """The editor after `received`; `ids_before` are ids of the version before, for lineage."""
    source = received.source
    found = _problems(source)
    read = received.typed if received.clash else _read(source)
    if read is None:
        return Editor(source, None, _placed(source, found), yaml_was=outline_form.seal_text(source))
    problems = _placed(source, found, _read(source))
    rubric = outline_rubric.as_far_as_it_goes(read)
    messages = _messages(problems)
    advice = (Said(f"check-{hint.n}-{hint.field}", hint) for hint in hints.hints(rubric))
    # What is wrong is mended first; advice on the same field would only be noise.
    told = tuple(said for said in advice if said.place not in messages)
    fits = len(outline_form.fields_of(read)) <= MAX_FIELDS
    return Editor(
        source,
        read,
        problems,
        told,
        preview_of(rubric),
        received.focus,
        received.rewritten,
        received.clash,
        received.dropped,
        # Where both were changed nothing is settled: both still count as changed.
        form_was="both" if received.clash else outline_form.seal(read),
        yaml_was="both" if received.clash else outline_form.seal_text(source),
        groups=field_groups(read, messages) if fits else {},
        checks=check_forms(read, messages, told, ids_before, received.focus) if fits else {},
    )


def _problems(source: str) -> tuple[Problem, ...]:
    try:
        document.parse(source)
    except RubricError as refusal:
        return refusal.problems
    return ()


def _placed(
    source: str, problems: tuple[Problem, ...], read: Outline | None = None
) -> tuple[Placed, ...]:
    lines = source.split("\n")
    return tuple(
        Placed(
            problem.line,
            problem.message,
            problem.where,
            lines[problem.line - 1].strip()[:200] if problem.line <= len(lines) else "",
            outline_places.place(read, problem) if read else "",
        )
        for problem in problems
    )


def _messages(problems: tuple[Placed, ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for problem in problems:
        found.setdefault(problem.place, []).append(problem.message)
    return {place: tuple(messages) for place, messages in found.items()}
