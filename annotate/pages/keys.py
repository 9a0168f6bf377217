"""The keys of a person as the label page shows them: every cap on it comes from here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from annotate import keymap
from projects.models import User

if TYPE_CHECKING:
    from collections.abc import Mapping

    from annotate.keymap import KeySet, Line


@dataclass(frozen=True)
class PageKeys:
    """`caps` and `shortcuts` by action: what is printed, and what `aria-keyshortcuts` says."""

    hands: str
    chosen: KeySet
    # Action → key, as the scripts read it.
    json: str
    caps: Mapping[str, str]
    shortcuts: Mapping[str, str]
    sections: tuple[tuple[str, tuple[Line, ...]], ...]
    # What a person may choose: value and words.
    choices: tuple[tuple[str, str], ...]

    @property
    def one_hand(self) -> bool:
        return self.chosen.one_hand


@lru_cache
def page_keys(hands: str) -> PageKeys:
    """The set of a name; an unknown name has both hands."""
    chosen = keymap.SETS.get(hands, keymap.TWO_HANDS)
    return PageKeys(
        hands=hands,
        chosen=chosen,
        json=json.dumps(dict(chosen.keys)),
        caps={action: keymap.cap(key) for action, key in chosen.keys.items()},
        shortcuts={action: keymap.shortcut(key) for action, key in chosen.keys.items()},
        sections=tuple((title, tuple(lines)) for title, lines in keymap.sections(chosen)),
        choices=tuple((str(value), str(words)) for value, words in User.Keys.choices),
    )
