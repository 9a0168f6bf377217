"""A whole round without a database: every rater on every pair, with what was planted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from annotate.ballot import Ballot, CanonicalAnswer, Order, canonical
from annotate.simulation.filling import Situation, filled
from annotate.simulation.kinds import Kind
from annotate.simulation.raters import SimulatedRater
from annotate.simulation.truths import SimulatedPair

# (rater, pair, check, side); the preference is ("preference", "").
Place = tuple[str, str, str, str]


@dataclass(frozen=True)
class SimulatedVote:
    """A vote as it was sent (`fields`) and as it would be stored (`answer`)."""

    rater: str
    pair: str
    position: int
    order: Order
    fields: Mapping[str, Any]
    answer: CanonicalAnswer
    active_s: int


@dataclass(frozen=True)
class Simulated:
    """The votes, rater by rater in the order of their queues, and the planted deviations."""

    votes: tuple[SimulatedVote, ...]
    planted: Mapping[Place, Kind]

    def kinds(self, pair: str, key: str, side: str = "") -> frozenset[Kind]:
        """The kinds of the deviations that raters have on one unit: what its disagreement is of."""
        raters = {vote.rater for vote in self.votes}
        places = ((rater, pair, key, side) for rater in raters)
        return frozenset(self.planted[place] for place in places if place in self.planted)

    def labels(self, key: str) -> dict[tuple[str, str], dict[str, str]]:
        """Every rater's label on a check, by (pair, side)."""
        found: dict[tuple[str, str], dict[str, str]] = {}
        for vote in self.votes:
            for label in vote.answer.labels:
                if label.key == key:
                    found.setdefault((vote.pair, label.part), {})[vote.rater] = label.code
        return found


def simulate(
    ballot: Ballot,
    pairs: Sequence[SimulatedPair],
    raters: Mapping[str, SimulatedRater],
    *,
    seed: int,
) -> Simulated:
    """Each rater answers each pair, in a queue and with sides drawn from the seed.

    What a rater does with a pair rests on the seed, the two names and the pair's place in the
    queue, so that another rater more or less changes nobody else's votes.
    """
    votes: list[SimulatedVote] = []
    planted: dict[Place, Kind] = {}
    for name, rater in raters.items():
        for vote, kinds in _votes(ballot, pairs, name, rater, seed):
            votes.append(vote)
            planted.update({(name, vote.pair, *cell): kind for cell, kind in kinds.items()})
    return Simulated(tuple(votes), planted)


def _votes(
    ballot: Ballot, pairs: Sequence[SimulatedPair], name: str, rater: SimulatedRater, seed: int
) -> Iterator[tuple[SimulatedVote, Mapping[tuple[str, str], Kind]]]:
    queue = Random(f"queue:{seed}:{name}").sample(list(pairs), len(pairs))  # noqa: S311
    for position, pair in enumerate(queue, 1):
        dice = Random(f"vote:{seed}:{name}:{pair.id}")  # noqa: S311
        order: Order = dice.choice(("AB", "BA"))
        at = Situation(position, len(queue), pair.words)
        found = filled(ballot, pair.truth, rater, order, dice, at)
        answer = canonical(ballot, found.answer, order)
        vote = SimulatedVote(name, pair.id, position, order, found.fields, answer, found.active_s)
        yield vote, found.planted
