"""Where one rater stands apart from the others of a round, for that rater to read. Pure.

It says that most of the others answered otherwise, never who is right: that is for the meeting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rubrics.content import NA

# So much of a measured range counts as a step.
MEASURED_STEP = 0.1


@dataclass(frozen=True)
class Scale:
    """How the answers to a check lie to each other.

    `places` by code, empty where answers are alike or not and nothing else. Answers that are no
    more than a `step` apart are close. `signed`: which side of 0 an answer lies on is what counts.
    """

    places: Mapping[str, float] = field(default_factory=dict)
    step: float = 1.0
    signed: bool = False


def nominal() -> Scale:
    return Scale()


def ordered(codes: Sequence[str]) -> Scale:
    """A scale of ordered codes, one step from each to the next."""
    return Scale({code: float(place) for place, code in enumerate(codes)})


def preference(margins: Mapping[str, int]) -> Scale:
    """A preference by its margins (`decisions.margins_of`): the side counts, and the distance."""
    return Scale({code: float(margin) for code, margin in margins.items()}, signed=True)


def measured(bounds: tuple[float, float], values: Iterable[str]) -> Scale:
    """Numbers within bounds; `values` are those that were given, NA aside."""
    places = {value: float(value) for value in values if value != NA}
    return Scale(places, step=(bounds[1] - bounds[0]) * MEASURED_STEP)


def stands_apart(own: str, others: Sequence[str], scale: Scale) -> bool:
    """Whether more than half of the others share another answer.

    On a scale with places: lie more than a step away on one side of one's own and, where the scale
    is signed, on another side of 0. Whether a check applies is an answer like any other. Without
    others, and where they are split evenly, nobody stands apart. Raises KeyError on a code that a
    scale with places does not have.
    """
    most = len(others) / 2
    if not scale.places or NA in (own, *others):
        given = Counter(_coarse(code, scale) for code in others)
        elsewhere = [code for code, times in given.items() if times > most]
        if elsewhere and elsewhere[0] != _coarse(own, scale):
            return True
        if not scale.places or own == NA:
            return False
    there = [scale.places[code] for code in others if code != NA]
    here = scale.places[own]
    far = [place for place in there if abs(place - here) > scale.step]
    if scale.signed:
        far = [place for place in far if _sign(place) != _sign(here)]
    above = sum(place > here for place in far)
    return max(above, len(far) - above) > most


def told(others: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """What the others said, as counts: the most frequent first, then by the answer."""
    times = Counter(others)
    return tuple(sorted(times.items(), key=lambda one: (-one[1], one[0])))


def sentence(said: Sequence[tuple[str, int]]) -> str:
    """The counts in words, without a name: "Both others said fail."

    `said` are (answer in words, how many), as `told` orders them; not empty.
    """
    total = sum(times for _, times in said)
    (first, most), *rest = said
    if not rest:
        whom = {1: "The other", 2: "Both others"}.get(total, f"All {total} others")
        return f"{whom} said {first}."
    more = ", ".join(f"{times} {answer}" for answer, times in rest)
    return f"{most} of the {total} others said {first}, {more}."


def _coarse(code: str, scale: Scale) -> str:
    """On a scale with places only whether the check applies is compared as it stands."""
    return code if not scale.places or code == NA else ""


def _sign(place: float) -> int:
    return (place > 0) - (place < 0)
