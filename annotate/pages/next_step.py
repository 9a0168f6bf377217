"""What a lead does next in a project: one sentence and one button, from plain counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from annotate.clearing import ROUND_SIZE
from rubrics.words import counted_noun

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def in_words(number: int) -> str:
    """A small number as a sentence writes it."""
    return _NUMBERS[number - 1] if 0 < number <= len(_NUMBERS) else str(number)


class Need(StrEnum):
    """Whom the project waits for."""

    YOU = "you"
    RATERS = "raters"


@dataclass(frozen=True)
class Left:
    """How many pairs of an open round a rater still has to vote on."""

    name: str
    pairs: int
    begun: bool = True


@dataclass(frozen=True)
class LastRound:
    """The round to speak of: its raters' remaining work where it is open."""

    number: int
    open: bool
    # The rubric and the number of its version: a new revision of it is no new version.
    version: tuple[int, int]
    left: tuple[Left, ...] = ()
    # What its figures come to, once they are measured, with the button that goes with it and where
    # that leads, and whether more pairs are asked for.
    says: str = ""
    action: str = ""
    href: str = ""
    wants_round: bool = False


@dataclass(frozen=True)
class Standing:
    """Where a project stands: what it holds, and its newest round, if any."""

    pairs: int
    drafts: int
    # The version published last, as above, and in words ("Claim summaries, version 2").
    version: tuple[int, int] | None = None
    version_name: str = ""
    last: LastRound | None = None
    # The most pairs that no round has had yet.
    fresh: int = 0

    @property
    def untried(self) -> int | None:
        """The number of the version published last, where the round to speak of tried another."""
        if self.version is None or self.last is None or self.last.version == self.version:
            return None
        return self.version[1]


@dataclass(frozen=True)
class Step:
    need: Need
    sentence: str
    action: str
    # A URL name; its arguments are the project's slug and, where there is one, the round.
    route: str
    number: int | None = None
    # Another address than that of the route, where the step leads beyond the page of its round.
    href: str = ""


def next_step(standing: Standing) -> Step:
    """The first thing that keeps the project from going on, in the order of the road."""
    last = standing.last
    if last is not None and last.open:
        return _open_round(last)
    if standing.version is None:
        return _no_version(standing.drafts)
    if last is None:
        return _first_round(standing)
    if standing.version != last.version:
        untried = f"{standing.version_name} is published and no round has tried it yet."
        return _start_round(standing, untried, "Start one on fresh pairs.")
    if last.says and last.wants_round:
        return _start_round(standing, last.says)
    if last.says:
        action = last.action or f"Read round {last.number}"
        return Step(Need.YOU, last.says, action, "annotate:round", last.number, last.href)
    return Step(
        Need.YOU,
        f"Round {last.number} is closed. Read what it says about every check; "
        "then revise the rubric, or start another round.",
        f"Read round {last.number}",
        "annotate:round",
        last.number,
    )


def _open_round(last: LastRound) -> Step:
    waiting = [rater for rater in last.left if rater.pairs]
    if not waiting:
        sentence = f"Everyone has finished round {last.number}. Close it, and its report opens."
        return Step(Need.YOU, sentence, f"Go to round {last.number}", "annotate:round", last.number)
    idle = sum(not rater.begun for rater in waiting)
    many = in_words(len(waiting))
    if idle == len(last.left):
        whom = f"{many} raters" if len(waiting) > 1 else waiting[0].name
        sentence = f"Nobody has begun round {last.number} yet; it waits for {whom}."
    elif len(waiting) == 1:
        left = counted_noun(waiting[0].pairs, "pair")
        sentence = (
            f"{waiting[0].name} has {left} left in round {last.number}; then you can close it."
        )
    elif idle:
        not_begun = f"{in_words(idle)} {'has' if idle == 1 else 'have'} not begun"
        sentence = (
            f"{many.capitalize()} raters have pairs left in round {last.number} ({not_begun}); "
            "you can close it when they have finished."
        )
    else:
        sentence = (
            f"{many.capitalize()} raters are still labelling round {last.number}; "
            "you can close it when they have finished."
        )
    return Step(Need.RATERS, sentence, f"See round {last.number}", "annotate:round", last.number)


def _no_version(drafts: int) -> Step:
    sentence = (
        "The rubric is still a draft. Read it as an expert would, then publish it."
        if drafts
        else "Nothing can be labelled before a rubric is published. Write one, or import it."
    )
    return Step(Need.YOU, sentence, "Open the rubrics", "rubrics:rubrics")


def _first_round(standing: Standing) -> Step:
    if standing.pairs:
        here = "1 pair is here" if standing.pairs == 1 else f"{standing.pairs:,} pairs are here"
        return _start_round(
            standing, f"{standing.version_name} is published and {here}.", "Start the first round."
        )
    return Step(
        Need.YOU,
        f"{standing.version_name} is published, but there are no pairs yet. "
        f"Import them; a round takes {ROUND_SIZE}.",
        "Import pairs",
        "annotate:import_new",
    )


def _start_round(standing: Standing, why: str, asks: str = "") -> Step:
    """A round, or first the pairs that one takes where too few are left that nobody has had."""
    if standing.fresh >= ROUND_SIZE:
        sentence = f"{why} {asks}".strip()
        return Step(Need.YOU, sentence, "Start a round", "annotate:round_new")
    left = f"{standing.fresh or 'none'} {'is' if standing.fresh == 1 else 'are'} left"
    return Step(
        Need.YOU,
        f"{why} A round takes {ROUND_SIZE} fresh pairs and {left}: import more first.",
        "Import pairs",
        "annotate:import_new",
    )
