"""Which key does what on the label page. Pure.

A key is a `KeyboardEvent.key` in lower case. An action that a set leaves out has no key in it.
"""

from __future__ import annotations

from collections.abc import Mapping

# Pass lies inside, under the index fingers, N/A outside; a key names its side.
TWO_HANDS: Mapping[str, str] = {
    "left_pass": "f",
    "left_fail": "d",
    "left_na": "s",
    "right_pass": "j",
    "right_fail": "k",
    "right_na": "l",
    "gates_pass": "g",
    "anchors": "a",
    "unclear": "x",
    "evidence": "q",
    "prompt": "p",
    "rationale": "r",
    "nothing": "0",
    "undo": "u",
    "skip": "n",
    "left_up": "e",
    "left_down": "c",
    "right_up": "i",
    "right_down": ",",
    "together": "y",
    "source": "v",
    "difference": "b",
    "find": "/",
    "keys": "?",
}
