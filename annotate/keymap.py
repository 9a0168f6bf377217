"""Which key does what on the label page, for two hands and for one. Pure.

A key is a `KeyboardEvent.key` in lower case; `shift+` before it asks for Shift as well. A sign
that needs Shift on some keyboards (`?`, `/`) is written as the sign.

One-hand sets keep to letters that lie on that hand's side of QWERTY, QWERTZ and AZERTY alike:
without `y`, `z` and `m` for the left hand, `y` and `z` for the right. What is seldom wanted has
Shift, which one hand reaches with the letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LEFT_HAND_KEYS = frozenset("qwertasdfgxcvb1234567")
RIGHT_HAND_KEYS = frozenset("uiophjklnm,./?4567890") | {"enter"}

# What the page keeps for itself: to go from control to control and to leave.
RESERVED = frozenset({"escape", "tab", "arrowup", "arrowdown", "arrowleft", "arrowright", " "})

# The keys of the cells: with two hands a key names its side, with one it does not.
SIDED = ("left_pass", "left_fail", "left_na", "right_pass", "right_fail", "right_na")
SIDELESS = ("pass", "fail", "na")
# What every set has a key for, whatever the hands.
COMMON = (
    "gates_pass",
    "anchors",
    "unclear",
    "evidence",
    "prompt",
    "rationale",
    "rewrite",
    "nothing",
    "send",
    "undo",
    "skip",
    "previous",
    "next",
    "left_up",
    "left_down",
    "right_up",
    "right_down",
    "together",
    "source",
    "difference",
    "find",
    "keys",
)
# For these a set may have no key left: the page has buttons, too.
OPTIONAL = ("previous_difference", "next_difference")


@dataclass(frozen=True)
class KeySet:
    """Action → key, and the row of digits that a scale's values take.

    Without regard to the set, a number pad counts 1 to 9 from the left, and Enter sends.
    """

    keys: Mapping[str, str]
    digits: str = "123456789"
    # The last value has the last digit, instead of the first value the first.
    digits_end: bool = False

    @property
    def one_hand(self) -> bool:
        return "pass" in self.keys

    def digits_of(self, count: int) -> tuple[str, ...]:
        """A key for each of `count` values from the left; '' beyond the row of digits."""
        none = ("",) * (count - len(self.digits))
        if self.digits_end:
            return (*none, *self.digits[max(0, len(self.digits) - count) :])
        return (*self.digits[:count], *none)

    def cell_key(self, side: str, mark: str) -> str:
        """The key that gives `mark` (pass, fail, na) to the cell of a side.

        A check without a side takes the keys of the left hand.
        """
        return self.keys[mark if self.one_hand else f"{side or 'Left'}_{mark}".lower()]


# Pass lies inside, under the index fingers, N/A outside: the hands mirror the cells.
TWO_HANDS = KeySet(
    {
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
        "rewrite": "w",
        "nothing": "0",
        "send": "enter",
        "undo": "u",
        "skip": "n",
        "previous": "h",
        "next": "m",
        "left_up": "e",
        "left_down": "c",
        "right_up": "i",
        "right_down": ",",
        "together": "y",
        "source": "v",
        "difference": "b",
        "previous_difference": "shift+e",
        "next_difference": "shift+c",
        "find": "/",
        "keys": "?",
    },
)

# The cells as with two hands; two columns of the upper and the lower row scroll: E C and R V.
# Enter is out of reach, so Q sends: a corner, where no finger rests.
LEFT_HAND = KeySet(
    {
        "pass": "f",
        "fail": "d",
        "na": "s",
        "gates_pass": "g",
        "anchors": "a",
        "unclear": "x",
        "evidence": "w",
        "prompt": "t",
        "rationale": "shift+r",
        "rewrite": "shift+w",
        "nothing": "shift+x",
        "send": "q",
        "undo": "b",
        "skip": "shift+s",
        "previous": "shift+b",
        "next": "shift+g",
        "left_up": "e",
        "left_down": "c",
        "right_up": "r",
        "right_down": "v",
        "together": "shift+t",
        "source": "shift+v",
        "difference": "shift+d",
        "previous_difference": "shift+e",
        "next_difference": "shift+c",
        "find": "shift+f",
        "keys": "shift+q",
    },
)

# The digits 1 to 5 lie under the other hand, so the row ends with the last value: five stops are
# 6 7 8 9 0, right above this hand and in the order of the page, and seven are 4 to 0.
RIGHT_HAND = KeySet(
    {
        "pass": "j",
        "fail": "k",
        "na": "l",
        "gates_pass": "h",
        "anchors": "o",
        "unclear": "shift+u",
        "evidence": "shift+k",
        "prompt": "p",
        "rationale": "shift+j",
        "rewrite": "shift+h",
        "nothing": "shift+o",
        "send": "enter",
        "undo": ".",
        "skip": "n",
        "previous": "shift+p",
        "next": "shift+n",
        "left_up": "u",
        "left_down": "m",
        "right_up": "i",
        "right_down": ",",
        "together": "shift+m",
        "source": "shift+i",
        "difference": "shift+l",
        "find": "/",
        "keys": "?",
    },
    digits="1234567890",
    digits_end=True,
)

# By the names of `User.Keys`.
SETS: Mapping[str, KeySet] = {
    "two_hands": TWO_HANDS,
    "left_hand": LEFT_HAND,
    "right_hand": RIGHT_HAND,
}


def cap(key: str) -> str:
    """A key as its cap shows it: `F`, `Enter`, `⇧R` with Shift."""
    name = key.removeprefix("shift+")
    name = name.upper() if len(name) == 1 else name.capitalize()
    return f"⇧{name}" if key.startswith("shift+") else name


def shortcut(key: str) -> str:
    """A key as `aria-keyshortcuts` writes it: `F`, `Enter`, `Shift+R`."""
    return cap(key).replace("⇧", "Shift+")


@dataclass(frozen=True)
class Line:
    """Keys that belong together, as their caps show them, and what they do."""

    caps: tuple[str, ...]
    words: str


# Section → its lines: what they do, and the actions, or the caps of keys that are no action's.
_FIXED: Mapping[str, tuple[str, ...]] = {
    "↑↓": ("↑", "↓"),
    "ctrl": ("Ctrl", "Enter"),
    "esc": ("Esc",),
}
_ANSWER = "pass or yes, fail or no, N/A"
_SECTIONS: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    (
        "Answers",
        (
            (f"Left: {_ANSWER}", ("left_pass", "left_fail", "left_na")),
            (f"Right: {_ANSWER}", ("right_pass", "right_fail", "right_na")),
            (f"Left, then Right: {_ANSWER}", ("pass", "fail", "na")),
            ("The remaining gates pass, on both sides", ("gates_pass",)),
            ("A stop of the preference, or a value of a longer scale", ("digits",)),
            ("Attach the selected passage as evidence", ("evidence",)),
        ),
    ),
    (
        "Checks",
        (
            ("Another check", ("↑↓",)),
            ("Its wording and anchors", ("anchors",)),
            ("This check is unclear", ("unclear",)),
        ),
    ),
    (
        "Rationale",
        (
            ("Write the rationale; c2 typed in it cites C2", ("rationale",)),
            ("Write what the answer should have been, where both fail", ("rewrite",)),
            ("Leave the text", ("esc",)),
            ("Nothing in the rubric says it", ("nothing",)),
        ),
    ),
    (
        "Reading",
        (
            ("Prompt and context", ("prompt",)),
            ("Scroll Left up, down", ("left_up", "left_down")),
            ("Scroll Right up, down", ("right_up", "right_down")),
            ("Scroll both together, or each alone", ("together",)),
            ("Source, or as it renders", ("source",)),
            ("Difference between the two", ("difference",)),
            ("The difference before, the one after", ("previous_difference", "next_difference")),
            ("Find in the texts", ("find",)),
        ),
    ),
    (
        "Pair",
        (
            ("Send and open the next", ("send",)),
            ("The same while typing", ("ctrl",)),
            ("Undo the last change", ("undo",)),
            ("Skip: put the pair off to the end", ("skip",)),
            ("The pair that was sent before this one, the one after it", ("previous", "next")),
            ("These keys", ("keys",)),
        ),
    ),
)


def sections(keys: KeySet) -> list[tuple[str, list[Line]]]:
    """What the dialog of the label page lists, section by section: only what the set has."""
    return [
        (title, [line for words, names in lines if (line := _line(keys, words, names)).caps])
        for title, lines in _SECTIONS
    ]


def _line(keys: KeySet, words: str, names: tuple[str, ...]) -> Line:
    if names == ("digits",):
        five = keys.digits_of(5)
        return Line((five[0], "…", five[-1]), words)
    if names[0] in _FIXED:
        return Line(_FIXED[names[0]], words)
    return Line(tuple(cap(keys.keys[name]) for name in names if name in keys.keys), words)


def table() -> list[tuple[str, ...]]:
    """The same lines for every set side by side, as docs/labelling.md has them."""
    return [
        (words, *(_cell(_line(keys, words, names)) for keys in SETS.values()))
        for _, lines in _SECTIONS
        for words, names in lines
    ]


def _cell(line: Line) -> str:
    return " ".join(cap if cap == "…" else f"`{cap}`" for cap in line.caps) or "–"
