"""Checks through the versions of a rubric: a line for each, whatever it was called on the way.

Pure. A rubric says of each check which checks of the version before it continues
(`rubrics.document.sources`); followed from the newest version back, that gives a line for every
check as it stands now, and one for every check that ended on the way. See docs/design/lineage.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rubrics.content import Criterion, Kind, Rubric
from rubrics.document import sources

Keys = tuple[str, ...]
_RANKS: tuple[tuple[Kind, ...], ...] = (("gate",), ("criterion", "automatic"), ("preference",))


@dataclass(frozen=True)
class Line:
    """One check through the versions. `cells` hold, for each version and oldest first, the keys
    that the line has there: none where it does not stand, several where they were merged later.

    Two lines share a cell where one check was split into both. `last` counts the version, from 0,
    in which the line stands last; `check` is the line as it reads there.
    """

    check: Criterion
    cells: tuple[Keys, ...]
    last: int

    @property
    def key(self) -> str:
        return self.check.key

    @property
    def ended(self) -> bool:
        return self.last < len(self.cells) - 1

    @property
    def first(self) -> int:
        return next(n for n, keys in enumerate(self.cells) if keys)

    @property
    def group(self) -> int:
        """0 for gates, 1 for what is scored or decided by code, 2 for the preference."""
        return next(n for n, kinds in enumerate(_RANKS) if self.check.kind in kinds)


def lines(versions: Sequence[Rubric]) -> tuple[Line, ...]:
    """A line for each check of the last version, in its order, and for each that ended before.

    `versions` are the documents, oldest first. Ended lines stand behind the others of their group,
    those that ended last first. Every check of every version is in some line; () for no versions.
    """
    steps = [sources(old, new) for old, new in pairwise(versions)]
    found: list[Line] = []
    for last in reversed(range(len(versions))):
        continued = _continued(steps[last]) if last < len(steps) else frozenset()
        found += [
            Line(check, _traced(check.key, last, steps), last)
            for check in versions[last].criteria
            if check.key not in continued
        ]
    return tuple(sorted(found, key=lambda line: line.group))


def _continued(step: Mapping[str, Keys]) -> frozenset[str]:
    return frozenset(key for keys in step.values() for key in keys)


def _traced(key: str, last: int, steps: Sequence[Mapping[str, Keys]]) -> tuple[Keys, ...]:
    """The cells of a line that ends as `key` in version `last`, followed back step by step."""
    cells: list[Keys] = [(key,)]
    for step in reversed(steps[:last]):
        cells.append(tuple(dict.fromkeys(old for new in cells[-1] for old in step[new])))
    cells.reverse()
    return (*cells, *[()] * (len(steps) - last))


def parts_of(old: Rubric, new: Rubric) -> dict[str, Keys]:
    """For each key of `old` the keys of `new` that continue it: several after a split."""
    found: dict[str, Keys] = {check.key: () for check in old.criteria}
    for key, origin in sources(old, new).items():
        for one in origin:
            found[one] = (*found[one], key)
    return found


def spans(lines: Sequence[Line], version: int) -> tuple[int, ...]:
    """How many rows each line's cell of a version covers: 0 where the line above covers it.

    Lines that stand together and hold the very same keys there share one cell. The empty cell is
    never shared: nothing was there for either.
    """
    found: list[int] = []
    for n, line in enumerate(lines):
        above = lines[n - 1] if n else None
        cell = line.cells[version]
        if above and cell and above.cells[version] == cell and above.group == line.group:
            start = max(k for k in range(n) if found[k])
            found[start] += 1
            found.append(0)
        else:
            found.append(1)
    return tuple(found)
