"""Raters without their names: a number each, for a whole meeting or on one subject. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from uuid import UUID


def numbered(raters: Iterable[int], seed: str) -> dict[int, int]:
    """Rater → 1, 2, …: shuffled by the seed, so that no order of names or rows shows through.

    The same raters under the same seed always come to the same numbers.
    """
    shuffled = sorted(set(raters), key=lambda pk: sha256(f"{seed}:{pk}".encode()).digest())
    return {pk: n for n, pk in enumerate(shuffled, start=1)}


def numbered_on(raters: Iterable[int], batch: UUID, subject: int) -> dict[int, int]:
    """Numbers that hold on one subject of a batch: nobody can be followed to the next one."""
    return numbered(raters, f"{batch} {subject}")


def blind_name(number: int) -> str:
    return f"Rater {number}"
