"""How much of a meeting is left, in words and as a ruler. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

# A meeting that nobody ended is over then: three times as long as one may be planned.
LASTS_AT_MOST = timedelta(hours=12)
# A stroke a minute on a ruler of at most so many; longer meetings have one for each two, or five.
_MOST_STROKES = 90
_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Stroke:
    """A line of the ruler: its place as a percentage, where it begins, whether its time is over."""

    x: str
    top: int
    is_done: bool


@dataclass(frozen=True)
class Clock:
    """`passed` is in seconds since the start, `minutes` what was planned."""

    passed: int
    minutes: int

    @property
    def left(self) -> str:
        """“38:40 left”; past the end, whole minutes over: nobody is hurried by seconds."""
        left = self.minutes * 60 - self.passed
        if left > 0:
            return f"{left // 60}:{left % 60:02d} left"
        over = -left // 60
        return f"{over} min over" if over else "Time is up"

    @property
    def here(self) -> str:
        """The place of the pointer, at the end once the time is over."""
        return f"{min(100.0, 100 * self.passed / (self.minutes * 60)):.2f}%"

    @property
    def strokes(self) -> list[Stroke]:
        """Every tenth is long, every fifth between; the first and the last are long, too."""
        step = next((one for one in _STEPS if self.minutes / one <= _MOST_STROKES), _STEPS[-1])
        places = sorted({*range(0, self.minutes + 1, step), self.minutes})
        return [
            Stroke(
                f"{100 * minute / self.minutes:.2f}%",
                self._top(minute, step),
                minute * 60 <= self.passed,
            )
            for minute in places
        ]

    def _top(self, minute: int, step: int) -> int:
        if minute in (0, self.minutes) or minute % (10 * step) == 0:
            return 6
        return 10 if minute % (5 * step) == 0 else 13
