"""Teams to fill a round with: each shows one thing that goes wrong, `mixed` shows them all."""

from __future__ import annotations

from dataclasses import dataclass, replace

from annotate.ballot import Ballot
from annotate.simulation.raters import SimulatedRater
from annotate.simulation.truths import Recipe

PROFILES = {
    "truthful": "nobody errs",
    "careful": "a slip now and then",
    "unclear": "the first criterion is read in two ways",
    "split": "own weights, and two schools that prefer opposite sides",
    "strict": "one rater fails what is not clear, another passes it",
    "tired": "slips grow towards the end of the queue, and the time shrinks",
    "mixed": "some of each",
}
DEFAULT_PROFILE = "mixed"


@dataclass(frozen=True)
class Profile:
    """Raters, dealt to the seats of a round in turn, and how their pairs are drawn."""

    team: tuple[SimulatedRater, ...]
    recipe: Recipe

    def rater(self, seat: int) -> SimulatedRater:
        return self.team[seat % len(self.team)]


def profile(name: str, ballot: Ballot) -> Profile:
    """The profile of this name for the checks of a ballot. Raises KeyError for another name."""
    if name not in PROFILES:
        raise KeyError(name)
    # Heavier first, so that whoever weighs the other way round prefers the other side.
    weights = {check.key: float(3 - 2 * (n % 2)) for n, check in enumerate(ballot.criteria)}
    turned = {key: 4 - weight for key, weight in weights.items()}
    unclear = next((check.key for check in (*ballot.criteria, *ballot.gates)), "")
    other_way = frozenset({unclear})
    doubt = {unclear: 0.25}
    careful = SimulatedRater(slip=0.015, stop_slip=0.03, hasty=0.3, flags=0.2)
    team: tuple[SimulatedRater, ...] = (careful,)
    match name:
        case "truthful":
            return Profile((SimulatedRater(),), Recipe(weights=weights))
        case "unclear":
            team = (careful, replace(careful, reads_other_way=other_way))
            return Profile(team, Recipe(doubtful=doubt, weights=weights))
        case "split":
            team = (careful, replace(careful, weights=turned), replace(careful, school="second"))
            return Profile(team, Recipe(correlation=0.2, disputed=0.15, weights=weights))
        case "strict":
            team = (careful, replace(careful, severity=0.1), replace(careful, severity=-0.1))
            return Profile(team, Recipe(weights=weights))
        case "tired":
            return Profile((replace(careful, tiring=0.12, hurry=0.5),), Recipe(weights=weights))
        case "mixed":
            team = (
                careful,
                replace(careful, reads_other_way=other_way, weights=turned),
                replace(careful, school="second", severity=0.04, tiring=0.04, hurry=0.3),
            )
            return Profile(team, Recipe(doubtful=doubt, disputed=0.1, weights=weights))
    return Profile((careful,), Recipe(weights=weights))
