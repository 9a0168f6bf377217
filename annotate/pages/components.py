"""Every part of the house in every state, on one page: what its templates are given.

The rows, stops and plots are built by the same functions as on the real pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from django import forms
from django.utils import timezone

from annotate import charts
from annotate.ballot import LEFT, RIGHT, Answer
from annotate.clearing import row
from annotate.labelling import ballot_of
from annotate.models import Batch
from annotate.pages.blocked import Block
from annotate.pages.home import LeadView
from annotate.pages.keys import PageKeys, page_keys
from annotate.pages.label import Progress
from annotate.pages.label_rows import Row, Stop, rows_of, stops_of
from annotate.pages.next_step import LastRound, Need, Standing, Step
from annotate.pages.own_rounds import OwnRound
from annotate.pages.own_time import Lately
from annotate.pages.report import Line
from annotate.pages.round_cards import Progress as RaterProgress
from annotate.pages.round_cards import RoundCard
from annotate.reliability import Bars, Reliability, Value
from annotate.verdicts import Verdict
from projects.models import Project, User
from rubrics.document import parse
from rubrics.models import Rubric, RubricVersion

COLOURS = (
    ("paper", "page ground"),
    ("page", "what is read"),
    ("sunken", "wells, table heads"),
    ("rule", "hairlines"),
    ("edge", "edges of controls"),
    ("ink", "text"),
    ("ink-2", "secondary text"),
    ("ink-3", "asides"),
    ("accent", "focus, selection, links"),
    ("accent-wash", "the current thing"),
    ("pass", "pass, and nothing else"),
    ("pass-wash", ""),
    ("fail", "fail, and nothing else"),
    ("fail-wash", ""),
)
TYPE = (
    ("h1", "Round 2", "page title, 30 on 36"),
    ("next", "Settle seven disagreements on C2.", "next step, 24 on 32"),
    ("h2", "Rater against rater", "section, 20 on 26"),
    ("reading", "The line was fitted on 14 November by the second plumber.", "reading, 17 on 26"),
    ("small-reading", "Rationales and responses in narrow panes.", "narrow reading, 16 on 24"),
    ("ui", "Interface", "14 on 20"),
    ("small", "Rows, captions, heads of tables", "13 on 18"),
    ("tiny", "Key caps, figures on axes", "12 on 16; nothing smaller exists"),
)
SPACES = ("2", "4", "8", "12", "16", "24", "32", "48", "64")
SHAPES = (
    ("disc", "sent"),
    ("ring", "to do"),
    ("half", "begun"),
    ("dashed", "skipped"),
    ("checked", "done"),
    ("checked-thin", "done, thin"),
    ("diamond", "failed"),
    ("dash", "retired"),
)
ICONS = ("check", "cross", "dash", "tri", "cloud", "off", "arrow", "warn", "clock")
MISSING = ("No field is chosen as “id”.", "No field is chosen as “response B”.")
SAVED = (
    ("saved", "Saved 14:32:07", "acknowledged by the server"),
    ("saving", "Saving…", "on its way"),
    ("failed", "Not saved: no connection", "kept here, sent again"),
    ("closed", "Closed", "votes no longer change"),
)
_HERE = "#main"
_RATERS = ("Chen Waverly", "Amara Lindqvist", "Bruno Castellan")
_RUBRIC = """
task: components
gates:
  - {id: G1, title: Amounts match the file, check: Every amount in the summary is in the file.}
criteria:
  - {id: C1, check: The first sentence gives cause and date of loss., allows_na: true}
  - {id: C2, check: Every open item in the file is listed.}
  - {id: C3, check: An owner is named for each open item., allows_na: true}
  - {id: C4, check: How clear is it?, level: ordinal, values: ["1", "2", "3", "4", "5"]}
preference: {scale: 5, check: Which would you rather have?}
"""
_ANSWERS = {
    ("G1", LEFT): "pass",
    ("G1", RIGHT): "fail",
    ("C1", LEFT): "na",
    ("C1", RIGHT): "yes",
    ("C4", LEFT): "4",
}
# (key, alpha, interval, minority units, units on which raters differ): one of every status.
_ALPHAS = (
    ("G1", 0.91, (0.81, 0.97), 22, 3),
    ("C1", 0.83, (0.62, 0.93), 19, 5),
    ("C2", 0.74, (0.55, 0.86), 17, 9),
    ("C3", 0.58, (0.41, 0.72), 21, 14),
    ("C4", 0.82, (0.47, 0.95), 4, 1),
    ("C5", None, None, 0, 0),
)
CITED = (("C2", True), (" fails on ", False), ("Left", True), (": no owner is named.", False))


class SampleForm(forms.Form):
    """One field of each kind; `filled` and `refused` show the same ones in other states."""

    name = forms.CharField(label="Name", help_text="What the others see.", max_length=40)
    note = forms.CharField(
        label="Change note",
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Say in the change note what changed and why."},
    )
    kind = forms.ChoiceField(label="Kind", choices=[("a", "Ambiguity"), ("s", "Slip")])
    sides = forms.ChoiceField(
        label="Keys",
        choices=[("two", "Both hands"), ("left", "Left hand alone")],
        widget=forms.RadioSelect,
    )
    together = forms.BooleanField(label="Scroll both responses together", required=False)
    fixed = forms.CharField(label="Version", disabled=True, required=False, initial="2, published")


@dataclass(frozen=True)
class Message:
    level_tag: str
    text: str

    def __str__(self) -> str:
        return self.text


MESSAGES = (
    Message("success", "The answer on CP-26-0942 is kept."),
    Message("warning", "Nobody was asked: a rater is asked once a day at most."),
    Message("error", "This file is no longer here. Upload it again."),
)


@dataclass(frozen=True)
class Components:
    keys: PageKeys
    rows: tuple[Row, ...]
    stops: tuple[tuple[Stop, ...], ...]
    axis: charts.Axis
    lines: tuple[Line, ...]
    progress: Progress
    project: Project
    rounds: tuple[RoundCard, ...]
    leads: tuple[LeadView, ...]
    own: tuple[OwnRound, ...]
    lately: Lately

    @property
    def groups(self) -> tuple[tuple[Line, ...], ...]:
        return (self.lines[:1], self.lines[1:])

    @property
    def messages(self) -> tuple[Message, ...]:
        return MESSAGES

    empty_form: SampleForm
    refused_form: SampleForm


def components() -> Components:
    keys = page_keys(User.Keys.TWO_HANDS)
    asked = [check for check in parse(_RUBRIC).rubric.criteria if check.kind != "automatic"]
    ballot = ballot_of(asked, ask_after_gate=True)
    rows = rows_of(asked, ballot, Answer(_ANSWERS), {}, closed=False, keys=keys)
    unclear = replace(rows[1], unclear=True)
    chosen = (Answer(), Answer(stop=2))
    axis = charts.axis([alpha for _, alpha, *_ in _ALPHAS], Bars())
    refused = SampleForm({"name": "x" * 41, "kind": "a", "sides": "left"}, auto_id="refused_%s")
    return Components(
        keys=keys,
        rows=(rows[0], unclear, *rows[2:]),
        stops=tuple(stops_of(ballot, answer, "AB", keys) for answer in chosen),
        axis=axis,
        lines=tuple(
            _line(key, alpha, interval, minority, split, axis)
            for key, alpha, interval, minority, split in _ALPHAS
        ),
        progress=Progress(17, 16, 40),
        project=Project(name="Components", slug="components"),
        rounds=(_round(2), _round(1, closed=True)),
        leads=tuple(_leads()),
        own=(
            OwnRound(_round(2).batch, 31, 40, "20 min", "2 min"),
            OwnRound(_round(1).batch, 40, 40),
        ),
        lately=Lately(today=12, week=48),
        empty_form=SampleForm(auto_id="empty_%s"),
        refused_form=refused,
    )


def _line(
    key: str,
    alpha: float | None,
    interval: tuple[float, float] | None,
    minority: int,
    split: int,
    axis: charts.Axis,
) -> Line:
    counts: tuple[tuple[Value, int], ...] = (("yes", 120 - minority), ("no", minority))
    measured = Reliability(
        criterion=key,
        level="nominal",
        alpha=alpha,
        reason=None if alpha is not None else "no_variation",
        interval=interval,
        interval_reason=None,
        units=40,
        ratings=120,
        units_total=40,
        ratings_total=120,
        agreement=1 - split / 60,
        counts=counts,
        pairable_counts=counts if minority else counts[:1],
        usual="yes",
        minority_units=minority,
        clusters=40,
    )
    found = row(
        key=key,
        kind="gate" if key.startswith("G") else "criterion",
        title="Open items",
        figure="values",
        level="nominal",
        scale=("yes", "no"),
        reliability=measured,
        split=split,
        bars=Bars(),
        counts=True,
    )
    return Line(
        row=found,
        plot=charts.plot(key, alpha, interval, found.status, axis),
        units_href=_HERE,
        pairable_href=_HERE,
        minority_href=_HERE,
        split_href=_HERE,
        own_href=_HERE,
        labels=(),
        strongest=(),
        aside="",
        is_next=False,
    )


def _round(number: int, *, closed: bool = False) -> RoundCard:
    """Rows that no table holds."""
    now = timezone.now()
    rubric = Rubric(name="Claim summaries", slug="summaries")
    batch = Batch(
        kind=Batch.Kind.CALIBRATION,
        number=number,
        version=RubricVersion(rubric=rubric, number=number),
        simulated=closed,
        created_at=now - timedelta(days=3 * (3 - number)),
        closed_at=now - timedelta(days=2) if closed else None,
    )
    if closed:
        then = now - timedelta(days=2)
        return RoundCard(
            batch, tuple(RaterProgress(n, name, 40, 40, then) for n, name in enumerate(_RATERS))
        )
    return RoundCard(
        batch,
        (
            RaterProgress(0, _RATERS[0], 40, 40, now),
            RaterProgress(1, _RATERS[1], 17, 40, now, asked=now),
            RaterProgress(2, _RATERS[2], 0, 40, None, can_ask=True),
        ),
    )


def _leads() -> Iterator[LeadView]:
    """A project whose round is open, and one with a measured round and something in its way."""
    step = Step(Need.RATERS, "Amara has 23 pairs left in round 2.", "See round 2", "", 2)
    last = LastRound(2, open=True, version=(1, 2))
    standing = Standing(84, 0, (1, 2), "Claim summaries, version 2", last, fresh=44)
    yield LeadView(step, standing, (_round(2),), (), None)
    closed = replace(standing, last=replace(last, open=False), fresh=4)
    verdict = Verdict(3, 5, "C3 broken; C4 not testable yet", "C3 is broken.", "disagreements")
    blocks = (
        Block("4 fresh pairs are left; a round takes 40."),
        Block("An import of pairs (claims.jsonl) failed.", "See what it says", _HERE),
    )
    yield LeadView(step, closed, (_round(1, closed=True),), blocks, verdict)
