"""A text cut at what it cites in brackets. Pure."""

from __future__ import annotations

from collections.abc import Container

from annotate.ballot import TOKEN


def pieces_of(text: str, known: Container[str]) -> tuple[tuple[str, bool], ...]:
    """(text, whether it is an id or a side that is known); other words in brackets are prose."""
    found: list[tuple[str, bool]] = []
    for n, piece in enumerate(TOKEN.split(text)):
        is_token = n % 2 == 1
        if is_token and piece not in known:
            found.append((f"[{piece}]", False))
        elif piece:
            found.append((piece, is_token))
    return tuple(found)
