"""What the label page shows of one assignment: seen terms only.

Nothing here names a side A or B, a model, a rater, an external id, a slot's role or a vote of
anybody else; the template can show no more than these values hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from annotate import ballot as ballots
from annotate import practice
from annotate.ballot import LEFT, RIGHT, SEEN_SIDES, Answer, GateState
from annotate.keymap import cap
from annotate.labelling import answer_from, asked_in, ballot_of, content_of, field_name
from annotate.models import Assignment, Part
from annotate.own_vote import ROWS, fields_of, has_changed_since
from annotate.pages.evidence import ShownEvidence, shown_evidence, with_counts, with_marks
from annotate.pages.keys import PageKeys, page_keys
from annotate.pages.own_time import far, time_left
from annotate.rendered import html_of
from annotate.rendering import word_count
from rubrics.document import GATE_VALUES, NA, PREFERENCE, YES_NO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from uuid import UUID

    from django.utils.safestring import SafeString

    from annotate.ballot import Ballot, Check, Order
    from annotate.models import Vote
    from rubrics.document import Anchor, Criterion

# Pass lies inside, towards the question, N/A outside: the cells mirror the hands.
_PLACES = {
    LEFT: ("na", "fail", "pass"),
    RIGHT: ("pass", "fail", "na"),
    "": ("pass", "fail", "na"),
}
_SUFFIX_WORDS = {"": "better", "much": "much", "clear": "clearly", "slight": "slightly"}
_ROLES = {"system": "Instructions", "user": "Request", "assistant": "Reply", "tool": "Tool result"}
_GIST_LENGTH = 300
_MOST_TICKS = 80
_MOST_LINES = 40
_LINE_LENGTH = 80  # characters on a line of a passage, about
_LONG_HTML = 20_000


@dataclass(frozen=True)
class Side:
    name: str
    html: SafeString
    words: int

    @property
    def is_long(self) -> bool:
        """So long that a browser had better lay out only what is in view."""
        return len(self.html) > _LONG_HTML


@dataclass(frozen=True)
class Passage:
    title: str
    html: SafeString
    lines: int

    @property
    def is_long(self) -> bool:
        """So long that it is folded until somebody wants it."""
        return self.lines > _MOST_LINES


@dataclass(frozen=True)
class Prompt:
    """What both responses answer: the chat that led to them, and the context they draw on."""

    gist: str
    messages: tuple[Passage, ...]
    context: Passage
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
    # How many passages are attached to it.
    evidence: int = 0


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

    @property
    def errors(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.error]


@dataclass(frozen=True)
class Stop:
    number: int
    side: str
    word: str
    key: str
    chosen: bool


@dataclass(frozen=True)
class Step:
    rows: tuple[Row, ...]
    answered: int
    total: int

    @property
    def is_done(self) -> bool:
        return self.answered == self.total

    @property
    def is_here(self) -> bool:
        return any(row.is_now for row in self.rows)

    @property
    def unclear(self) -> str:
        """The checks marked as unclear, as the head of the step names them."""
        keys = [row.key for row in self.rows if row.unclear]
        return f"{', '.join(keys)} unclear" if keys else ""


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
    # At the rater's own pace; '' where that is not known yet.
    time_left: str = ""

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
    heading: str
    keys: PageKeys
    simulated: bool
    practice: bool
    progress: Progress
    prompt: Prompt
    sides: tuple[Side, ...]
    gates: Step
    criteria: Step
    stops: tuple[Stop, ...]
    preference_text: str
    rationale: str
    rationale_hint: str
    rewrite: str
    nothing_says_it: bool
    all_pass: bool
    state: GateState
    sentence: str
    sentences: Mapping[GateState, str]
    ask_after_gate: bool
    draft_revision: int
    sent_at: datetime | None
    # Entered after the vote and not sent again: it counts for nothing so far.
    changed_since: bool
    skip_reason: str
    closed: bool
    errors: tuple[ErrorLink, ...]
    preference_error: str
    rationale_error: str
    rewrite_error: str
    evidence: ShownEvidence
    # What the steps of a pair that nobody has touched look like depends on nothing else.
    untouched: tuple[object, ...] | None

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.gates.rows + self.criteria.rows

    @property
    def both_fail(self) -> bool:
        return self.state is GateState.BOTH_FAIL

    @property
    def rewrite_first(self) -> bool:
        """Whether the rewrite stands in the place of the rationale, as far as it has not one."""
        return self.both_fail and bool(self.rewrite or not self.rationale)

    @property
    def at_last(self) -> bool:
        """Whether the last step is the current one: no check is open."""
        return not (self.gates.is_here or self.criteria.is_here)

    @property
    def preference_off(self) -> bool:
        return self.closed or self.state.decides

    @property
    def tokens(self) -> tuple[str, ...]:
        return (*(row.key for row in self.rows), *SEEN_SIDES)


def label_page(
    assignment: Assignment,
    *,
    hands: str = "",
    fields: Mapping[str, Any] | None = None,
    errors: Mapping[str, str] | None = None,
) -> LabelPage:
    """The page of an assignment with its draft, or with `fields` as they were just sent.

    Where nothing can be sent any more, and where a vote never had a draft, it shows the vote.
    `hands` names the key set of the person, one of `User.Keys`.
    """
    keys = page_keys(hands)
    batch = assignment.batch
    errors = errors or {}
    asked = asked_in(batch)
    ballot = ballot_of(asked, ask_after_gate=batch.ask_after_gate)
    closed = batch.closed_at is not None or practice.is_told(assignment)
    vote = _vote_of(assignment)
    changed_since = has_changed_since(assignment, vote, ballot)
    if fields is None and vote and (closed or not assignment.draft_revision):
        fields = fields_of(vote, ballot, assignment.seen_order)
    elif fields is None:
        fields = assignment.draft
    answer = answer_from(fields, ballot)
    state = ballots.gate_state(ballot, answer)
    content = content_of(batch.version.document)
    untouched = None if fields or errors or closed else _frame(assignment, hands)
    if untouched:
        rows = _blank_rows(tuple(asked), ballot.ask_after_gate, hands)
    else:
        rows = rows_of(asked, ballot, answer, errors, closed=closed, keys=keys)
    prompt, sides = texts_of(assignment)
    html = {side.name: side.html for side in sides}
    evidence = shown_evidence(str(fields.get("evidence", "")), ballot, answer, html)
    rows = with_counts(rows, evidence)
    preference = next((check for check in asked if check.kind == PREFERENCE), None)
    return LabelPage(
        public_id=assignment.public_id,
        heading=f"{content.display_name} · {batch}",
        keys=keys,
        simulated=batch.simulated,
        practice=batch.is_practice,
        progress=_progress(assignment),
        prompt=prompt,
        sides=with_marks(sides, evidence),
        gates=_step(rows, "gate"),
        criteria=_step(rows, "criterion"),
        stops=stops_of(ballot, answer, assignment.seen_order, keys),
        preference_text=preference.text if preference else "",
        rationale=answer.rationale,
        rationale_hint=content.rationale,
        rewrite=answer.rewrite,
        nothing_says_it=answer.nothing_says_it,
        all_pass=bool(fields.get("all_pass")),
        state=state,
        sentence=ballots.sentence(ballot, answer),
        sentences=ballots.sentences(ballot),
        ask_after_gate=ballot.ask_after_gate,
        draft_revision=assignment.draft_revision,
        sent_at=vote.at if vote else None,
        changed_since=changed_since,
        skip_reason=_skip_reason(assignment),
        closed=closed,
        errors=tuple(ErrorLink(_target(name), text) for name, text in errors.items()),
        preference_error=errors.get("preference", ""),
        rationale_error=errors.get("rationale", ""),
        rewrite_error=errors.get("rewrite", ""),
        evidence=evidence,
        untouched=untouched,
    )


def _frame(assignment: Assignment, hands: str) -> tuple[object, ...]:
    batch = assignment.batch
    scope = None if batch.criteria_scope is None else tuple(batch.criteria_scope)
    kind = (batch.version.digest, scope, batch.ask_after_gate, batch.is_practice)
    return (*kind, assignment.seen_order, assignment.state, hands)


@lru_cache(maxsize=64)
def _blank_rows(
    asked: tuple[Criterion, ...],
    ask_after_gate: bool,  # noqa: FBT001 (a part of the key)
    hands: str,
) -> tuple[Row, ...]:
    ballot = ballot_of(asked, ask_after_gate=ask_after_gate)
    return rows_of(asked, ballot, Answer(), {}, closed=False, keys=page_keys(hands))


def _progress(assignment: Assignment) -> Progress:
    done, total = far(assignment.rater_id, assignment.batch_id)
    left = time_left(assignment.rater_id, assignment.batch, total - done)
    return Progress(assignment.position, done, total, left)


def _vote_of(assignment: Assignment) -> Vote | None:
    """The vote that stands, with its rows."""
    if assignment.state != Assignment.State.SUBMITTED:
        return None
    return assignment.votes.current().prefetch_related(*ROWS).first()


def _skip_reason(assignment: Assignment) -> str:
    """What was said when the pair was put off, as long as it has no vote."""
    return assignment.skip_reason if assignment.state == Assignment.State.SKIPPED else ""


def texts_of(assignment: Assignment) -> tuple[Prompt, tuple[Side, ...]]:
    """The prompt and the two responses where this rater sees them, rendered together."""
    of_pair = ("subject__pair__messages", "subject__pair__context")
    parts = Part.objects.filter(subject=assignment.subject_id).order_by()
    found = list(parts.values_list("key", "text", *of_pair))
    texts = {key: text for key, text, _, _ in found}
    _, _, messages, context = found[0]
    shown = [texts.get(side) or "" for side in assignment.seen_order]
    html = html_of([*shown, context, *(message["content"] for message in messages)])
    sides = tuple(
        Side(name, html[text], word_count(text))
        for name, text in zip(SEEN_SIDES, shown, strict=True)
    )
    prompt = Prompt(
        gist=gist_of(messages),
        messages=tuple(
            Passage(
                _ROLES.get(message["role"], message["role"]),
                html[message["content"]],
                lines_of(message["content"]),
            )
            for message in messages
        ),
        context=Passage("Context", html[context], lines_of(context)),
        context_words=word_count(context),
    )
    return prompt, sides


def lines_of(text: str) -> int:
    """About how many lines a text takes on the page, its blank ones included."""
    return sum(1 + len(line) // _LINE_LENGTH for line in text.splitlines())


def gist_of(messages: Sequence[Mapping[str, str]]) -> str:
    """The last request on one line."""
    requests = [message["content"] for message in messages if message["role"] == "user"]
    return " ".join(requests[-1].split())[:_GIST_LENGTH] if requests else ""


def rows_of(
    asked: Sequence[Criterion],
    ballot: Ballot,
    answer: Answer,
    errors: Mapping[str, str],
    *,
    closed: bool,
    keys: PageKeys,
) -> tuple[Row, ...]:
    content = {criterion.key: criterion for criterion in asked}
    state = ballots.gate_state(ballot, answer)
    criteria_off = not ballots.criteria_are_asked(ballot, state)
    rows: list[Row] = []
    for check in ballot.checks:
        off = closed or (criteria_off and check.kind == "criterion")
        cells = tuple(
            _cell(check, part, answer, errors, disabled=off, keys=keys) for part in check.parts
        )
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
    )


def _cell(
    check: Check,
    part: str,
    answer: Answer,
    errors: Mapping[str, str],
    *,
    disabled: bool,
    keys: PageKeys,
) -> Cell:
    name = field_name(check.key, part)
    value = answer.labels.get((check.key, part), "")
    marks = _marks(check)
    options = [
        Option(
            code=code,
            word=_word(code, marks),
            mark=marks.get(code, ""),
            key=_key(check, part, code, marks, keys),
            chosen=code == value,
        )
        for code in check.codes
    ]
    is_scale = set(marks.values()) != {"pass", "fail", "na"}
    if not is_scale:
        options.sort(key=lambda option: _PLACES[part].index(option.mark))
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


def _key(check: Check, part: str, code: str, marks: Mapping[str, str], keys: PageKeys) -> str:
    """The cap of the key that chooses a code; '' where none does."""
    if mark := marks.get(code):
        return cap(keys.chosen.cell_key(part, mark))
    return keys.chosen.digits_of(len(check.values))[check.values.index(code)]


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


def stops_of(ballot: Ballot, answer: Answer, order: Order, keys: PageKeys) -> tuple[Stop, ...]:
    """The preference from left to right as this rater sees it: mirrored with the responses."""
    stops = []
    digits = keys.chosen.digits_of(len(ballot.preference))
    for number, key in enumerate(digits, start=1):
        side, word = stop_words(ballots.preference_code(ballot, number, order), order)
        stops.append(Stop(number, side, word, key, number == answer.stop))
    return tuple(stops)


def stop_words(code: str, order: Order) -> tuple[str, str]:
    if code == "tie":
        return "Tie", "equal"
    suffix = code[1:].strip("_")
    return ballots.seen_part(code[0], order), _SUFFIX_WORDS.get(suffix, suffix.replace("_", " "))


def _target(name: str) -> str:
    """Where a field stands on the page."""
    return "#" + name.replace(":", "-").rstrip("-")
