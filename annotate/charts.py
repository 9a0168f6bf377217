"""The only drawer of charts: values → geometry that a template writes as SVG.

Pure. Places are percentages of the drawing's width, so that a chart fits any column without a
script; looks are classes (the policy forbids style attributes), and every number that is drawn
stands in the table beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor

from annotate.reliability import Bars, Status
from rubrics.words import bar_words

# Room left and right of the scale, so that a dot on its end is drawn whole.
MARGIN = 3.0
STEP = 0.2
LOWEST = -1.0
# Closer to a bar than this, a tick goes without its figure.
_NEAR = 0.13
HEAT = (0.80, 0.90, 0.95, 0.98)


@dataclass(frozen=True)
class Axis:
    """The scale all rows of a report share: from `low` to 1."""

    low: float
    bars: Bars

    def place(self, value: float) -> str:
        """The horizontal place of a value, values off the scale at its end."""
        share = (min(max(value, self.low), 1.0) - self.low) / (1.0 - self.low)
        return f"{MARGIN + share * (100 - 2 * MARGIN):.2f}%"

    @property
    def clear(self) -> str:
        return self.place(self.bars.clear)

    @property
    def tentative(self) -> str:
        return self.place(self.bars.tentative)

    @property
    def clear_words(self) -> str:
        return bar_words(self.bars.clear)

    @property
    def tentative_words(self) -> str:
        return bar_words(self.bars.tentative)

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """(place, figure) of each tick; the figure is empty where a bar's would touch it."""
        steps = round((1.0 - self.low) / STEP)
        values = [round(self.low + n * STEP, 1) for n in range(steps + 1)]
        return [(self.place(value), self._figure(value)) for value in values]

    def _figure(self, value: float) -> str:
        bars = (self.bars.clear, self.bars.tentative)
        near = _NEAR * (1.0 - self.low)
        if value != 1.0 and any(abs(value - bar) < near for bar in bars):
            return ""
        return f"{value:g}".replace("-", "−")


@dataclass(frozen=True)
class Plot:
    """One row's drawing: its dot, the ends of its interval and how they look."""

    name: str
    says: str
    dot: str | None
    span: tuple[str, str] | None
    caps: tuple[str, ...]
    shape: str


def axis(alphas: Iterable[float | None], bars: Bars) -> Axis:
    """From 0, or from as far below it as the lowest alpha asks for."""
    lowest = min((alpha for alpha in alphas if alpha is not None), default=0.0)
    low = 0.0 if lowest >= 0 else max(floor(lowest / STEP) * STEP, LOWEST)
    return Axis(round(low, 1), bars)


def plot(
    name: str,
    alpha: float | None,
    interval: tuple[float, float] | None,
    status: Status,
    scale: Axis,
) -> Plot:
    """A row's dot and interval. An interval that leaves the scale has no cap at that end."""
    span = None
    caps: tuple[str, ...] = ()
    if interval is not None and alpha is not None:
        span = (scale.place(interval[0]), scale.place(interval[1]))
        caps = tuple(scale.place(end) for end in interval if scale.low <= end <= 1.0)
    dot = None if alpha is None else scale.place(alpha)
    return Plot(name, _says(alpha, interval), dot, span, caps, _SHAPES[status])


def heat(agreement: float | None) -> int:
    """The step of the heat scale, 0 to 4, that a share of agreement takes."""
    return sum(agreement >= step for step in HEAT) if agreement is not None else 0


_SHAPES = {
    Status.CLEARS: "clears",
    Status.CLEARS_THIN: "dot",
    Status.TENTATIVE: "dot",
    Status.BROKEN: "broken",
    Status.NOT_TESTABLE: "hollow",
    Status.UNDEFINED: "none",
}


def _says(alpha: float | None, interval: tuple[float, float] | None) -> str:
    if alpha is None:
        return "undefined"
    if interval is None:
        return f"alpha {alpha:.2f}, without an interval"
    return f"alpha {alpha:.2f}, interval {interval[0]:.2f} to {interval[1]:.2f}"


# The height of a strip in a drawing of several, in rem: that of the line of figures beside it.
STRIP = 1.5


@dataclass(frozen=True)
class Strips:
    """One check through several versions: a strip for each, the oldest on top.

    `strips` are (place from the top, plot); `height` is a length that a drawing takes as it is.
    """

    name: str
    says: str
    height: str
    strips: tuple[tuple[str, Plot], ...]


def strips(name: str, plots: Sequence[tuple[str, Plot]]) -> Strips:
    """`plots` are (what the strip is called, its plot), the oldest first."""
    share = 100 / len(plots) if plots else 0.0
    return Strips(
        name=name,
        says="; ".join(f"{called}: {plot.says}" for called, plot in plots),
        height=f"{STRIP * len(plots):g}rem",
        strips=tuple((f"{(n + 0.5) * share:.2f}%", plot) for n, (_, plot) in enumerate(plots)),
    )


def fork(starts: Sequence[int], rows: int) -> str:
    """The path, in a box of 20 by 100, from one row to those at `starts` of so many `rows`."""
    first, *rest = (_height(start, rows) for start in starts)
    stems = "".join(f"M7 {first:g}V{y:g}H20" for y in rest)
    return f"M0 {first:g}H20{stems}" + "".join(_arrow(y, rows) for y in (first, *rest))


def junction(figures: int) -> str:
    """The path, in the same box, that leads from so many figures, one above the other, to one."""
    first, *rest = (_height(n, figures) for n in range(figures))
    stems = "".join(f"M0 {y:g}H11V{first:g}" for y in rest)
    return f"M0 {first:g}H20{stems}{_arrow(first, figures)}"


def _height(place: int, of: int) -> float:
    # A row's figure stands in its upper third.
    return round((place + 0.3) / of * 100, 1)


def _arrow(y: float, rows: int) -> str:
    # The box is stretched over all rows: heads keep their height.
    half = 5 / rows
    return f"M16 {y - half:g} 20 {y:g} 16 {y + half:g}"
