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
from annotate.ballot import SEEN_SIDES, Answer, GateState
from annotate.labelling import answer_from, asked_in, ballot_of, content_of
from annotate.models import Assignment, Part
from annotate.own_vote import ROWS, fields_of, has_changed_since
from annotate.pages.evidence import ShownEvidence, shown_evidence, with_counts, with_marks
from annotate.pages.keys import PageKeys, page_keys
from annotate.pages.label_rows import Row, Step, Stop, rows_of, step_of, stops_of, target_of
from annotate.pages.own_time import far, time_left
from annotate.rendered import html_of
from annotate.rendering import word_count
from rubrics.document import PREFERENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from uuid import UUID

    from django.utils.safestring import SafeString

    from annotate.models import Vote
    from rubrics.document import Criterion

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
        gates=step_of(rows, "gate"),
        criteria=step_of(rows, "criterion"),
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
        errors=tuple(ErrorLink(target_of(name), text) for name, text in errors.items()),
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
