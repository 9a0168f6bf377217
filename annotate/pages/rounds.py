"""The rounds of a project by rubric version: who is how far, and what has cleared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from annotate.calibration import Measured, measure_pools, pools_of
from annotate.clearing import waived
from annotate.pages.overview import all_rounds
from annotate.pages.round_cards import RoundCard, round_cards

if TYPE_CHECKING:
    from annotate.models import Waiver
    from projects.models import Project, User
    from rubrics.models import RubricVersion


@dataclass(frozen=True)
class VersionRounds:
    """The rounds that tried one version; real and simulated raters stand apart."""

    version: RubricVersion
    simulated: bool
    rounds: tuple[RoundCard, ...]
    cleared: int
    checks: int
    # What volume does not wait for though it has not cleared.
    waivers: tuple[Waiver, ...] = ()
    # The first of its rubric and its raters on the page: the link to all of their rounds is here.
    leads: bool = False

    @property
    def closed(self) -> bool:
        return any(card.batch.closed_at for card in self.rounds)

    @property
    def marks(self) -> list[bool]:
        return [n < self.cleared for n in range(self.checks)]


def round_groups(project: Project, reader: User) -> list[VersionRounds]:
    """The version tried last first, its newest round first."""
    cards = round_cards(all_rounds(project), reader)
    closed = [card.batch for card in cards if card.batch.closed_at]
    pools = measure_pools(pools_of(closed))
    measured = {batch.pk: pool for pool in pools for batch in pool.batches}
    groups: dict[tuple[int, int, bool], list[RoundCard]] = {}
    for card in cards:
        version = card.batch.version
        place = (version.rubric_id, version.number, card.batch.simulated)
        groups.setdefault(place, []).append(card)
    found = [_group(cards, measured) for cards in groups.values()]
    linked: set[tuple[int, bool]] = set()
    for n, group in enumerate(found):
        whose = (group.version.rubric_id, group.simulated)
        if group.closed and whose not in linked:
            linked.add(whose)
            found[n] = replace(group, leads=True)
    return found


def _group(cards: list[RoundCard], measured: dict[int, Measured]) -> VersionRounds:
    newest = cards[0].batch
    found = next((measured[card.batch.pk] for card in cards if card.batch.pk in measured), None)
    if found is None:
        return VersionRounds(newest.version, newest.simulated, tuple(cards), 0, 0)
    given = tuple(found.waivers[key] for key in waived(found.rows) if key in found.waivers)
    return VersionRounds(newest.version, newest.simulated, tuple(cards), *found.cleared, given)
