"""Raters without their names: a number each, the same for a whole meeting. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256


def numbered(raters: Iterable[int], seed: str) -> dict[int, int]:
    """Rater → 1, 2, …: shuffled by the seed, so that no order of names or rows shows through.

    The same raters under the same seed always come to the same numbers.
    """
    shuffled = sorted(set(raters), key=lambda pk: sha256(f"{seed}:{pk}".encode()).digest())
    return {pk: n for n, pk in enumerate(shuffled, start=1)}


def blind_name(number: int) -> str:
    return f"Rater {number}"
