"""Every part of the house in every state, on one page: what its templates are given.

The rows, stops and plots are built by the same functions as on the real pages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from django import forms

from annotate import charts
from annotate.ballot import LEFT, RIGHT, Answer
from annotate.labelling import ballot_of
from annotate.pages.keys import PageKeys, page_keys
from annotate.pages.label import Progress, Row, Stop, rows_of, stops_of
from annotate.reliability import Bars, Status
from projects.models import User
from rubrics.document import parse

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
_ALPHAS = (
    ("G1", 0.91, (0.81, 0.97), Status.CLEARS),
    ("C1", 0.83, (0.62, 0.93), Status.CLEARS_THIN),
    ("C2", 0.74, (0.55, 0.86), Status.TENTATIVE),
    ("C3", 0.58, (0.41, 0.72), Status.BROKEN),
    ("C4", 0.82, (0.47, 0.95), Status.NOT_TESTABLE),
    ("C5", None, None, Status.UNDEFINED),
)


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
class PlotRow:
    plot: charts.Plot
    alpha: str
    interval: str
    status: str


@dataclass(frozen=True)
class Components:
    keys: PageKeys
    rows: tuple[Row, ...]
    stops: tuple[tuple[Stop, ...], ...]
    axis: charts.Axis
    plots: tuple[PlotRow, ...]
    progress: Progress
    empty_form: SampleForm
    refused_form: SampleForm


def components() -> Components:
    keys = page_keys(User.Keys.TWO_HANDS)
    asked = [check for check in parse(_RUBRIC).rubric.criteria if check.kind != "automatic"]
    ballot = ballot_of(asked, ask_after_gate=True)
    rows = rows_of(asked, ballot, Answer(_ANSWERS), {}, closed=False, keys=keys)
    unclear = replace(rows[1], unclear=True)
    chosen = (Answer(), Answer(stop=2))
    axis = charts.axis([alpha for _, alpha, _, _ in _ALPHAS], Bars())
    refused = SampleForm({"name": "x" * 41, "kind": "a", "sides": "left"}, auto_id="refused_%s")
    return Components(
        keys=keys,
        rows=(rows[0], unclear, *rows[2:]),
        stops=tuple(stops_of(ballot, answer, "AB", keys) for answer in chosen),
        axis=axis,
        plots=tuple(
            PlotRow(
                charts.plot(name, alpha, interval, status, axis),
                "undefined" if alpha is None else f"{alpha:.2f}",
                "none" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}",
                str(status),
            )
            for name, alpha, interval, status in _ALPHAS
        ),
        progress=Progress(17, 16, 40),
        empty_form=SampleForm(auto_id="empty_%s"),
        refused_form=refused,
    )
