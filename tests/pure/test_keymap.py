"""The key sets of the label page: nothing twice, nothing missing, all within the hand's reach."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate import keymap
from annotate.keymap import COMMON, LEFT_HAND, RIGHT_HAND, SETS, SIDED, SIDELESS, TWO_HANDS, KeySet

DOCS = Path(__file__).resolve().parents[2] / "docs" / "labelling.md"
ONE_HAND = {"left_hand": keymap.LEFT_HAND_KEYS, "right_hand": keymap.RIGHT_HAND_KEYS}

any_set = pytest.mark.parametrize("keys", SETS.values(), ids=SETS)
sets = st.sampled_from(list(SETS.values()))


@given(sets, st.data())
def test_no_two_actions_share_a_key(keys: KeySet, data: st.DataObject) -> None:
    one, other = data.draw(st.lists(st.sampled_from(sorted(keys.keys)), min_size=2, max_size=2))
    assert (keys.keys[one] == keys.keys[other]) == (one == other)


@any_set
def test_every_action_has_a_key_in_every_set(keys: KeySet) -> None:
    always = set(keys.keys) - set(keymap.OPTIONAL)
    assert always == {*COMMON, *(SIDELESS if keys.one_hand else SIDED)}


@given(sets, st.integers(1, 9))
def test_no_action_takes_the_key_of_a_stop_or_of_a_value(keys: KeySet, count: int) -> None:
    assert not set(keys.keys.values()) & set(keys.digits_of(count))


@any_set
def test_no_action_takes_what_moves_about_the_page(keys: KeySet) -> None:
    assert not set(keys.keys.values()) & keymap.RESERVED
    # Enter sends, whatever the set; nothing else may have it.
    assert {action for action, key in keys.keys.items() if key == "enter"} <= {"send"}


@pytest.mark.parametrize("name", ONE_HAND)
def test_one_hand_reaches_every_key_of_its_set_and_every_stop(name: str) -> None:
    reach = ONE_HAND[name]
    assert {key.removeprefix("shift+") for key in SETS[name].keys.values()} <= reach
    # Preferences have 3, 5 or 7 stops.
    for count in (3, 5, 7):
        assert set(SETS[name].digits_of(count)) <= reach


@pytest.mark.parametrize("name", ONE_HAND)
def test_one_hand_answers_a_gate_a_criterion_and_the_preference_without_shift(name: str) -> None:
    for action in (*SIDELESS, "gates_pass", "anchors", "prompt", "undo", "send"):
        assert not SETS[name].keys[action].startswith("shift+")


@given(sets, st.integers(1, 24))
def test_each_value_has_a_key_of_its_own_as_far_as_the_row_of_digits_reaches(
    keys: KeySet, count: int
) -> None:
    given_keys = keys.digits_of(count)
    assert len(given_keys) == count
    named = [key for key in given_keys if key]
    assert len(named) == len(set(named)) == min(count, len(keys.digits))
    assert named == sorted(named, key=keys.digits.index)


def test_the_digits_begin_left_or_end_right() -> None:
    assert TWO_HANDS.digits_of(5) == LEFT_HAND.digits_of(5) == ("1", "2", "3", "4", "5")
    assert RIGHT_HAND.digits_of(5) == ("6", "7", "8", "9", "0")
    assert RIGHT_HAND.digits_of(7) == ("4", "5", "6", "7", "8", "9", "0")


def test_a_key_names_its_side_with_two_hands_and_none_with_one() -> None:
    assert (TWO_HANDS.cell_key("Left", "pass"), TWO_HANDS.cell_key("Right", "pass")) == ("f", "j")
    assert TWO_HANDS.cell_key("", "na") == "s"
    for side in ("Left", "Right", ""):
        assert RIGHT_HAND.cell_key(side, "fail") == "k"


@pytest.mark.parametrize(
    ("key", "cap", "shortcut"),
    [
        ("f", "F", "F"),
        ("?", "?", "?"),
        (",", ",", ","),
        ("enter", "Enter", "Enter"),
        ("shift+r", "⇧R", "Shift+R"),
    ],
)
def test_a_key_as_its_cap_shows_it_and_as_readers_are_told(
    key: str, cap: str, shortcut: str
) -> None:
    assert (keymap.cap(key), keymap.shortcut(key)) == (cap, shortcut)


@any_set
def test_the_list_of_keys_names_every_action_once(keys: KeySet) -> None:
    listed = [cap for _, lines in keymap.sections(keys) for line in lines for cap in line.caps]
    for key in keys.keys.values():
        # Enter stands there twice: alone, and with Ctrl from within a text.
        assert listed.count(keymap.cap(key)) == (2 if key == "enter" else 1), key


def test_the_documented_table_is_the_keymap() -> None:
    rows = re.findall(r"^\| (.+) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    written = [tuple(cell.strip() for cell in row.split(" | ")) for row in rows]
    assert [row for row in written if "`" in "".join(row[1:])] == keymap.table()
