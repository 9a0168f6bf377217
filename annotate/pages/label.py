"""What the label page shows of one assignment: seen terms only.

Nothing here names a side A or B, a model, a rater, an external id, a slot's role or a vote of
anybody else; the template can show no more than these values hold.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotate import ballot as ballots
from annotate.ballot import LEFT, RIGHT, SEEN_SIDES, GateState
from annotate.keymap import TWO_HANDS
from annotate.labelling import answer_from, asked_in, ballot_of, content_of, field_name
from annotate.models import Assignment
from annotate.rendered import html_of
from annotate.rendering import word_count
from rubrics.document import GATE_VALUES, NA, PREFERENCE, YES_NO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from uuid import UUID

    from django.utils.safestring import SafeString

    from annotate.ballot import Answer, Ballot, Check, Order
    from rubrics.document import Anchor, Criterion

# Pass lies inside, under the index fingers, N/A outside.
_KEYS = {
    LEFT: {"na": "S", "fail": "D", "pass": "F"},
    RIGHT: {"pass": "J", "fail": "K", "na": "L"},
    "": {"pass": "F", "fail": "D", "na": "S"},
}
_SUFFIX_WORDS = {"": "better", "much": "much", "clear": "clearly", "slight": "slightly"}
_ROLES = {"system": "Instructions", "user": "Request", "assistant": "Reply", "tool": "Tool result"}
_GIST_LENGTH = 300
_MOST_TICKS = 80


@dataclass(frozen=True)
class Side:
    name: str
    html: SafeString
    words: int


@dataclass(frozen=True)
class Passage:
    title: str
    html: SafeString


@dataclass(frozen=True)
class Prompt:
    """What both responses answer: the chat that led to them, and the context they draw on."""

    gist: str
    messages: tuple[Passage, ...]
    context: SafeString
    context_words: int


@dataclass(frozen=True)
class Option:
    code: str
    word: str
    mark: str  # pass, fail, na, or '' for a value of a longer scale
    key: str
    chosen: bool


@dataclass(frozen=True)
class Cell:
    """One answer: a check on one side ('' where it is asked once)."""

    id: str
    name: str
    side: str
    options: tuple[Option, ...]
    is_scale: bool
    bounds: tuple[float, float] | None
    value: str
    error: str
    disabled: bool


@dataclass(frozen=True)
class Row:
    key: str
    kind: str
    title: str
    text: str
    help: str
    anchors: tuple[Anchor, ...]
    cells: tuple[Cell, ...]
    unclear: bool
    is_tall: bool
    is_now: bool
    differs: bool

    @property
    def errors(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.error]


@dataclass(frozen=True)
class Stop:
    number: int
    side: str
    word: str
    chosen: bool


@dataclass(frozen=True)
class Step:
    rows: tuple[Row, ...]
    answered: int
    total: int

    @property
    def is_done(self) -> bool:
        return self.answered == self.total


@dataclass(frozen=True)
class Tick:
    x: str
    top: int
    is_done: bool


@dataclass(frozen=True)
class Progress:
    position: int
    done: int
    total: int

    @property
    def ticks(self) -> list[Tick]:
        """One stroke a pair, each tenth long, as on a ruler; none where they would run together."""
        if self.total > _MOST_TICKS:
            return []
        return [
            Tick(f"{100 * n / self.total:.2f}%", 6 if n % 10 == 0 else 13, n <= self.done)
            for n in range(self.total + 1)
        ]

    @property
    def here(self) -> str:
        return f"{100 * self.done / max(self.total, 1):.2f}%"


@dataclass(frozen=True)
class ErrorLink:
    href: str
    text: str


@dataclass(frozen=True)
class LabelPage:
    public_id: UUID
    batch_id: UUID
    heading: str
    simulated: bool
    progress: Progress
    prompt: Prompt
    sides: tuple[Side, ...]
    identical: bool
    gates: Step
    criteria: Step
    stops: tuple[Stop, ...]
    preference_text: str
    rationale: str
    rationale_hint: str
    nothing_says_it: bool
    all_pass: bool
    state: GateState
    sentence: str
    sentences: Mapping[GateState, str]
    ask_after_gate: bool
    draft_revision: int
    sent_at: datetime | None
    closed: bool
    errors: tuple[ErrorLink, ...]
    preference_error: str
    rationale_error: str

    @property
    def keys(self) -> str:
        """Which key does what, as the scripts of the page read it."""
        return json.dumps(dict(TWO_HANDS))

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.gates.rows + self.criteria.rows

    @property
    def preference_off(self) -> bool:
        return self.closed or self.state.decides

    @property
    def tokens(self) -> tuple[str, ...]:
        return (*(row.key for row in self.rows), *SEEN_SIDES)


def label_page(
    assignment: Assignment,
    *,
    fields: Mapping[str, Any] | None = None,
    errors: Mapping[str, str] | None = None,
) -> LabelPage:
    """The page of an assignment with its draft, or with `fields` as they were just sent."""
    batch = assignment.batch
    fields = assignment.draft if fields is None else fields
    errors = errors or {}
    asked = asked_in(batch)
    ballot = ballot_of(asked, ask_after_gate=batch.ask_after_gate)
    answer = answer_from(fields, ballot)
    state = ballots.gate_state(ballot, answer)
    closed = batch.closed_at is not None
    rows = _rows(asked, ballot, answer, errors, closed=closed)
    prompt, sides = _texts(assignment)
    preference = next((check for check in asked if check.kind == PREFERENCE), None)
    return LabelPage(
        public_id=assignment.public_id,
        batch_id=batch.public_id,
        heading=f"{batch.version.rubric.name} · {batch}",
        simulated=batch.simulated,
        progress=_progress(assignment),
        prompt=prompt,
        sides=sides,
        identical=sides[0].html == sides[1].html,
        gates=_step(rows, "gate"),
        criteria=_step(rows, "criterion"),
        stops=_stops(ballot, answer, assignment.seen_order),
        preference_text=preference.text if preference else "",
        rationale=answer.rationale,
        rationale_hint=content_of(batch.version.document).rationale,
        nothing_says_it=answer.nothing_says_it,
        all_pass=bool(fields.get("all_pass")),
        state=state,
        sentence=ballots.sentence(ballot, answer),
        sentences=ballots.sentences(ballot),
        ask_after_gate=ballot.ask_after_gate,
        draft_revision=assignment.draft_revision,
        sent_at=_sent_at(assignment),
        closed=closed,
        errors=tuple(ErrorLink(_target(name), text) for name, text in errors.items()),
        preference_error=errors.get("preference", ""),
        rationale_error=errors.get("rationale", ""),
    )


def draft_state(assignment: Assignment) -> dict[str, Any]:
    """What a saved draft comes to so far, in seen terms."""
    ballot = ballot_of(asked_in(assignment.batch), ask_after_gate=assignment.batch.ask_after_gate)
    answer = answer_from(assignment.draft, ballot)
    return {
        "gates": ballots.gate_state(ballot, answer).value,
        "sentence": ballots.sentence(ballot, answer),
        "complete": not ballots.problems(ballot, answer),
    }


def _progress(assignment: Assignment) -> Progress:
    own = Assignment.objects.filter(batch=assignment.batch_id, rater=assignment.rater_id).live()
    states = list(own.values_list("state", flat=True))
    return Progress(assignment.position, states.count(Assignment.State.SUBMITTED), len(states))


def _sent_at(assignment: Assignment) -> datetime | None:
    if assignment.state != Assignment.State.SUBMITTED:
        return None
    return assignment.votes.filter(current=True).values_list("at", flat=True).first()


def _texts(assignment: Assignment) -> tuple[Prompt, tuple[Side, ...]]:
    """The prompt and the two responses where this rater sees them, rendered together."""
    subject = assignment.subject
    texts = dict(subject.parts.values_list("key", "text"))
    shown = [texts.get(side) or "" for side in assignment.seen_order]
    messages = subject.pair.messages
    context = subject.pair.context
    html = html_of([*shown, context, *(message["content"] for message in messages)])
    sides = tuple(
        Side(name, html[text], word_count(text))
        for name, text in zip(SEEN_SIDES, shown, strict=True)
    )
    prompt = Prompt(
        gist=gist_of(messages),
        messages=tuple(
            Passage(_ROLES.get(message["role"], message["role"]), html[message["content"]])
            for message in messages
        ),
        context=html[context],
        context_words=word_count(context),
    )
    return prompt, sides


def gist_of(messages: Sequence[Mapping[str, str]]) -> str:
    """The last request on one line."""
    requests = [message["content"] for message in messages if message["role"] == "user"]
    return " ".join(requests[-1].split())[:_GIST_LENGTH] if requests else ""


def _rows(
    asked: Sequence[Criterion],
    ballot: Ballot,
    answer: Answer,
    errors: Mapping[str, str],
    *,
    closed: bool,
) -> tuple[Row, ...]:
    content = {criterion.key: criterion for criterion in asked}
    state = ballots.gate_state(ballot, answer)
    criteria_off = not ballots.criteria_are_asked(ballot, state)
    rows: list[Row] = []
    for check in ballot.checks:
        off = closed or (criteria_off and check.kind == "criterion")
        cells = tuple(_cell(check, part, answer, errors, disabled=off) for part in check.parts)
        is_open = not off and any(not cell.value for cell in cells)
        rows.append(
            _row(
                content[check.key],
                cells,
                unclear=check.key in answer.unclear,
                is_now=is_open and not any(row.is_now for row in rows),
            )
        )
    return tuple(rows)


def _row(criterion: Criterion, cells: tuple[Cell, ...], *, unclear: bool, is_now: bool) -> Row:
    values = {cell.value for cell in cells}
    return Row(
        key=criterion.key,
        kind=criterion.kind,
        title=criterion.heading,
        text=criterion.text,
        help=criterion.help,
        anchors=criterion.anchors,
        cells=cells,
        unclear=unclear,
        is_tall=len(cells) == 1 or any(cell.is_scale for cell in cells),
        is_now=is_now,
        differs=len(values) > 1 and "" not in values,
    )


def _cell(
    check: Check, part: str, answer: Answer, errors: Mapping[str, str], *, disabled: bool
) -> Cell:
    name = field_name(check.key, part)
    value = answer.labels.get((check.key, part), "")
    marks = _marks(check)
    options = [
        Option(
            code=code,
            word=_word(code, marks),
            mark=marks.get(code, ""),
            key=_KEYS[part].get(marks.get(code, ""), ""),
            chosen=code == value,
        )
        for code in check.codes
    ]
    is_scale = set(marks.values()) != {"pass", "fail", "na"}
    if not is_scale:
        # The order of the keys, so that the cells mirror the hands.
        places = list(_KEYS[part])
        places_of = {_KEYS[part][mark]: place for place, mark in enumerate(places)}
        options.sort(key=lambda option: places_of[option.key])
    return Cell(
        id=_target(name)[1:],
        name=name,
        side=part,
        options=tuple(options),
        is_scale=is_scale,
        bounds=check.bounds,
        value=value,
        error=errors.get(name, ""),
        disabled=disabled,
    )


def _marks(check: Check) -> dict[str, str]:
    """Code → the mark it is shown with; a scale of its own has marks for N/A only."""
    two = check.values if check.values in (GATE_VALUES, YES_NO) else ()
    return {**dict(zip(two, ("pass", "fail"), strict=False)), NA: "na"}


def _word(code: str, marks: Mapping[str, str]) -> str:
    return "N/A" if marks.get(code) == "na" else code.replace("_", " ")


def _step(rows: Sequence[Row], kind: str) -> Step:
    own = tuple(row for row in rows if row.kind == kind)
    cells = [cell for row in own for cell in row.cells]
    return Step(own, sum(1 for cell in cells if cell.value), len(cells))


def _stops(ballot: Ballot, answer: Answer, order: Order) -> tuple[Stop, ...]:
    """The preference from left to right as this rater sees it: mirrored with the responses."""
    stops = []
    for number in range(1, len(ballot.preference) + 1):
        side, word = _stop_words(ballots.preference_code(ballot, number, order), order)
        stops.append(Stop(number, side, word, number == answer.stop))
    return tuple(stops)


def _stop_words(code: str, order: Order) -> tuple[str, str]:
    if code == "tie":
        return "Tie", "equal"
    suffix = code[1:].strip("_")
    return ballots.seen_part(code[0], order), _SUFFIX_WORDS.get(suffix, suffix.replace("_", " "))


def _target(name: str) -> str:
    """Where a field stands on the page."""
    return "#" + name.replace(":", "-").rstrip("-")
