"""When two texts, two prompts or two subjects count as the same."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable

Messages = tuple[tuple[str, str], ...]
"""Chat turns as (role, content)."""


def plain(text: str) -> str:
    """The text in NFC without outer white space: two responses alike in this are identical."""
    return unicodedata.normalize("NFC", text).strip()


def folded(text: str) -> str:
    """The text in NFC, casefolded, white space collapsed: how prompts are compared."""
    folded_once = unicodedata.normalize("NFC", text).casefold()
    # Casefolding can leave a text that is not composed.
    return " ".join(unicodedata.normalize("NFC", folded_once).split())


def group_key(messages: Messages, context: str = "") -> str:
    """64 hex digits, equal where every turn and the context are equal once folded.

    The context counts: one instruction over a hundred claim files is a hundred tasks, not one.
    """
    turns = [[role, folded(content)] for role, content in messages]
    return _digest([*turns, ["context", folded(context)]] if context.strip() else turns)


def text_group_key(texts: Iterable[str | None]) -> str:
    """The group of a subject that has no prompt: that of its texts, in order."""
    return _digest([["", folded(text or "")] for text in texts])


def content_hash(
    messages: Messages, context: str, texts: Iterable[str | None], *, in_any_order: bool
) -> str:
    """64 hex digits, equal for subjects that show a rater the same texts.

    in_any_order: the two responses of a pair may be swapped without changing it.
    """
    shown = [plain(text or "") for text in texts]
    if in_any_order:
        shown.sort()
    return _digest([[[r, plain(content)] for r, content in messages], plain(context), shown])


def _digest(value: object) -> str:
    # The byte in front would change with the rules above, so that old hashes cannot pass for new.
    # Escapes keep the bytes defined for any text.
    return hashlib.sha256(b"\x01" + json.dumps(value).encode("ascii")).hexdigest()
