"""How long a simulated rater takes for a pair: made-up seconds, of the size that people take."""

from __future__ import annotations

from random import Random

from annotate.simulation.raters import SimulatedRater

# 240 words a minute is careful reading of prose.
WORDS_A_SECOND = 4.0
SECONDS_A_LABEL = 2.0
SECONDS_TO_SAY_WHY = 15.0
# Nobody reads as fast as these: the share of the reading time that a hasty vote takes.
HASTY = (0.15, 0.35)
_SPREAD = 0.2


def seconds(
    rater: SimulatedRater, place: float, *, words: int, labels: int, slipped: bool, dice: Random
) -> int:
    """Active seconds on a pair of so many words, at least one."""
    reading = words / WORDS_A_SECOND
    # Drawn in any case, so that one rater's haste leaves the later draws where they were.
    hasty, share, noise = dice.random(), dice.uniform(*HASTY), dice.lognormvariate(0.0, _SPREAD)
    if slipped and hasty < rater.hasty:
        return max(1, round(reading * share))
    whole = reading + labels * SECONDS_A_LABEL + SECONDS_TO_SAY_WHY
    return max(1, round(whole * noise * (1 - rater.hurry * place) / rater.pace))
