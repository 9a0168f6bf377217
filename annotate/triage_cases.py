"""Votes on subjects that raters differ on → the cases that triage looks at. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from annotate.reliability import Bars, Level, Status
from annotate.triage import Case, CheckKind, Patterns, Voter
from rubrics.content import NA, PREFERENCE

S = TypeVar("S", bound=Hashable)
APPLICABILITY, VALUES = "applicability", "values"


@dataclass(frozen=True)
class Standing:
    """What one figure of a check comes to; `split` of its `shared` units hold a disagreement."""

    alpha: float | None
    status: Status
    shared: int
    split: int


@dataclass(frozen=True)
class SplitCheck:
    """A check with what its figures come to: an ordered one that allows N/A has two."""

    key: str
    kind: CheckKind
    level: Level
    scale: tuple[str, ...]
    figures: Mapping[str, Standing]

    def figure_of(self, given: Mapping[int, str]) -> str:
        """The figure that a split lies in: whether the check applies, or its values."""
        apart = NA in given.values() and APPLICABILITY in self.figures
        return APPLICABILITY if apart else VALUES


@dataclass(frozen=True)
class SplitVote:
    """One rater's whole vote; `labels` by (key, part), the preference among them with part ''."""

    rater: int
    labels: Mapping[tuple[str, str], str]
    cites: frozenset[str] = frozenset()
    unclear: frozenset[str] = frozenset()
    active_s: int | None = None


@dataclass(frozen=True)
class Around:
    """What holds for all cases of some votes.

    `scales` are those of the ordinal checks, `margins` those of the preference's codes, `gold` is
    (right, of) by rater and check. `persons` is false where one rater's rows may be several
    people's: then no pattern is looked for.
    """

    scales: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    margins: Mapping[str, int] = field(default_factory=dict)
    gold: Mapping[tuple[int, str], tuple[int, int]] = field(default_factory=dict)
    bars: Bars = field(default_factory=Bars)
    persons: bool = True


def labels_of(votes: Sequence[SplitVote], key: str, part: str) -> dict[int, str]:
    """The labels on a unit by rater."""
    place = (key, part)
    return {vote.rater: vote.labels[place] for vote in votes if place in vote.labels}


def cases_of(
    check: SplitCheck,
    units: Sequence[tuple[S, str]],
    votes: Mapping[S, Sequence[SplitVote]],
    names: Mapping[S, Mapping[int, str]],
    around: Around,
    characters: Mapping[S, int | None],
) -> dict[tuple[S, str], Case]:
    """The case of each of the (subject, part) on which raters differ: all there are of the check.

    `names` are the raters' handles on a subject, `characters` the length of its responses.
    """
    given = {(subject, part): labels_of(votes[subject], check.key, part) for subject, part in units}
    by_figure: dict[str, list[dict[int, str]]] = {}
    for labels in given.values():
        by_figure.setdefault(check.figure_of(labels), []).append(labels)
    patterns = {
        figure: Patterns(labels, check.level, check.scale) for figure, labels in by_figure.items()
    }
    found = {}
    for (subject, part), labels in given.items():
        figure = check.figure_of(labels)
        standing = check.figures[figure]
        found[subject, part] = Case(
            key=check.key,
            name="the preference" if check.kind == "preference" else check.key,
            kind=check.kind,
            part=part,
            level=check.level,
            voters=tuple(
                _voter(vote, names[subject][vote.rater], check.key, part, around)
                for vote in votes[subject]
            ),
            scale=check.scale,
            scales=around.scales,
            alpha=standing.alpha,
            status=standing.status,
            bar=around.bars.clear,
            shared=standing.shared,
            split=standing.split,
            repeats=patterns[figure].repeats(labels) if around.persons else None,
            characters=characters[subject],
        )
    return found


def _voter(vote: SplitVote, handle: str, key: str, part: str, around: Around) -> Voter:
    return Voter(
        handle=handle,
        value=vote.labels.get((key, part), ""),
        labels={place: code for place, code in vote.labels.items() if place[0] != PREFERENCE},
        margin=around.margins.get(vote.labels.get((PREFERENCE, ""), "")),
        cites=vote.cites,
        unclear=vote.unclear,
        active_s=vote.active_s,
        gold=around.gold.get((vote.rater, key)),
    )
