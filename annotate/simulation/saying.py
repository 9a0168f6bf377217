"""What a simulated rater says beside the labels: the rationale, flags, passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from annotate import evidence
from annotate.ballot import LEFT, RIGHT, Ballot, Order, seen_part
from annotate.simulation.raters import SimulatedRater
from annotate.simulation.truths import Cell, Truth
from annotate.simulation.weighing import is_against, lead

# A sentence or a line: long enough to say something, short enough to be read in a list.
_PASSAGE = re.compile(r"[^\n.!?]{20,160}")


def rationale(
    ballot: Ballot,
    truth: Truth,
    read: Mapping[Cell, str],
    rater: SimulatedRater,
    meant: int,
    order: Order,
) -> tuple[str, bool]:
    """Why, in words, with ids; and whether nothing in the rubric says it."""
    weights = truth.weights if rater.weights is None else rater.weights
    by_weight = sorted(ballot.criteria, key=lambda check: -weights.get(check.key, 1.0))
    ahead = {check.key: lead(check, read) for check in by_weight}
    if not meant:
        level = [key for key, by in ahead.items() if not by][:2]
        if level:
            return f"Nothing between them on {_cited(level)}; I would send either.", False
        return _balanced(ahead)
    side = seen_part("A" if meant > 0 else "B", order)
    if truth.disputed and (differing := [key for key, by in ahead.items() if by][:1]):
        # Both schools name the same check, and draw opposite conclusions from it.
        brief = "keeps to what matters there" if rater.school == "first" else "reads better for it"
        return f"{_cited(differing)} decides it for me: [{side}] {brief}.", False
    keys = [key for key, by in ahead.items() if by * meant > 0][:2]
    if not keys:
        return f"[{side}] reads as if written for the next person on the desk.", True
    extent = "clearly " if abs(meant) > 1 else ""
    return f"[{side}] is {extent}ahead on {_cited(keys)}.", False


def unclear(ballot: Ballot, truth: Truth, rater: SimulatedRater, dice: Random) -> frozenset[str]:
    """The checks that the rater marks as unclear: some of those on which the pair is doubtful."""
    doubtful = {key for key, _ in truth.doubtful}
    return frozenset(
        check.key
        for check in ballot.checks
        if dice.random() < rater.flags and check.key in doubtful
    )


def passages(
    ballot: Ballot,
    read: Mapping[Cell, str],
    rater: SimulatedRater,
    order: Order,
    text_of: Callable[[str], str],
    dice: Random,
) -> tuple[evidence.Passage, ...]:
    """Passages for labels against a response, in seen terms; `text_of` gives the readable text of a
    canonical side. Raters who find the same fault point at the same sentence."""
    found = []
    for check in ballot.checks:
        for side in ("A", "B"):
            wanted = dice.random() < rater.evidence
            if wanted and is_against(read.get((check.key, side), "")):
                found += _passage(check.key, side, order, text_of(side))
    return evidence.in_order(found, ballot)


def _passage(key: str, side: str, order: Order, text: str) -> list[evidence.Passage]:
    sentences = [match for match in _PASSAGE.finditer(text) if match[0].strip()]
    if not sentences:
        return []
    dice = Random(f"passage:{key}:{side}:{text}")  # noqa: S311
    start, end = dice.choice(sentences).span()
    return [evidence.Passage(key, seen_part(side, order), start, end, text[start:end])]


def _balanced(ahead: Mapping[str, float]) -> tuple[str, bool]:
    keys = list(ahead)[:2]
    if not keys:
        return f"I would send either of them, [{LEFT}] or [{RIGHT}].", True
    return f"{_cited(keys)} weigh each other up; I would send either.", False


def _cited(keys: list[str]) -> str:
    return " and ".join(f"[{key}]" for key in sorted(keys))
