"""How few key presses a pair of the demo takes, for both hands and for each one alone.

Every key that goes down counts, a modifier too. The expert knows the answers beforehand.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from annotate.keymap import SETS, KeySet
from annotate.models import Batch, Vote
from tests.ballots import SCALES, first_of, make_label_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from annotate.models import Assignment
    from projects.models import Project, User

    OpenPage = Callable[..., Page]

pytestmark = pytest.mark.django_db(transaction=True)

DEMO = (Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "rubric.yaml").read_text()
CRITERIA = ("C1", "C2", "C3", "C4")
hands = pytest.mark.parametrize("hands", SETS)


class Typist:
    """An expert at the keyboard, who counts every key that goes down."""

    def __init__(self, page: Page, keys: KeySet) -> None:
        self.page, self.keys, self.presses = page, keys, 0

    def press(self, *names: str) -> None:
        """Keys one after the other; `Control+Enter` is two."""
        for name in names:
            self.page.keyboard.press(name)
            self.presses += name.count("+") + 1

    def do(self, *actions: str) -> None:
        for action in actions:
            key = self.keys.keys[action]
            shifted = key.startswith("shift+")
            last = key.removeprefix("shift+")
            self.press(f"Shift+{last.upper()}" if shifted else "Enter" if last == "enter" else last)

    def answer(self, side: str, mark: str) -> None:
        self.press(self.keys.cell_key(side, mark))

    def stop(self, number: int) -> None:
        self.press(self.keys.digits_of(5)[number - 1])

    def send(self) -> None:
        """From within a text: as every set can, or, with the left hand, out of it and then sent."""
        if self.keys.keys["send"] == "enter":
            self.press("Control+Enter")
        else:
            self.press("Escape")
            self.do("send")


@pytest.fixture
def batch(
    transactional_db: None,
    live_server: LiveServer,
    project: Project,
    expert: User,
    other_expert: User,
) -> Batch:
    return make_label_round(project, expert, other_expert, size=2, rubric=DEMO)


@pytest.fixture
def typist(signed_in: OpenPage, batch: Batch, expert: User) -> Callable[[str], Typist]:
    def sit_down(hands: str) -> Typist:
        expert.keys = hands
        expert.save()
        page = signed_in(expert)
        page.goto(path_of(first_of(batch, expert, "AB")))
        return Typist(page, SETS[hands])

    return sit_down


def path_of(assignment: Assignment) -> str:
    return f"/label/pair/{assignment.public_id}/"


def labels_of(vote: Vote) -> dict[tuple[str, str], str]:
    rows = vote.labels.values_list("criterion__key", "part_key", "code")
    return {(key, part): code for key, part, code in rows}


def is_sent(typist: Typist) -> None:
    expect(typist.page.locator("h1")).to_have_text("Pair 2 of 2")


# ---- The numbers


@hands
def test_a_pair_whose_gates_all_pass_takes_fourteen_keys(
    typist: Callable[[str], Typist], hands: str
) -> None:
    someone = typist(hands)
    someone.do("gates_pass")
    for key in CRITERIA:
        someone.answer("Left", "pass")
        someone.answer("Right", "fail" if key == "C2" else "pass")
    someone.stop(2)
    # The focus is in the rationale by now; c2 cites.
    someone.press("c", "2")
    someone.send()
    is_sent(someone)
    assert someone.presses == 14
    vote = Vote.objects.get()
    assert vote.cites == ["C2"]
    labels = labels_of(vote)
    assert labels["preference", ""] == "A_slight"
    assert {labels[key, part] for key in ("G1", "G2", "G3") for part in "AB"} == {"pass"}
    assert {labels[key, "A"] for key in CRITERIA} == {"yes"}
    assert [labels[key, "B"] for key in CRITERIA] == ["yes", "no", "yes", "yes"]
    assert vote.detail["all_pass"] is True


@hands
def test_a_pair_that_a_gate_decides_takes_three_keys_and_nine_with_a_rationale_that_cites(
    typist: Callable[[str], Typist], batch: Batch, expert: User, hands: str
) -> None:
    Batch.objects.filter(pk=batch.pk).update(ask_after_gate=False)
    someone = typist(hands)
    someone.answer("Left", "fail")
    someone.do("gates_pass", "send")
    is_sent(someone)
    assert someone.presses == 3
    vote = Vote.objects.get()
    assert (vote.cites, vote.rationale) == (["G1"], "")
    assert {key for key, _ in labels_of(vote)} == {"G1", "G2", "G3"}
    # A rationale is not asked then; whoever writes one all the same cites in it.
    someone.page.goto(path_of(first_of(batch, expert)))
    someone.presses = 0
    someone.do("rationale")
    someone.press("g", "1")
    someone.send()
    is_sent(someone)
    # Shift counts where the left or the right hand needs it to reach the rationale.
    assert 3 + someone.presses == (8 if hands == "two_hands" else 9)
    assert Vote.objects.get(current=True).rationale.startswith("[G1]")


@hands
def test_the_last_gate_decides_on_the_right_with_seven_keys(
    typist: Callable[[str], Typist], batch: Batch, hands: str
) -> None:
    Batch.objects.filter(pk=batch.pk).update(ask_after_gate=False)
    someone = typist(hands)
    for _ in range(2):
        someone.answer("Left", "pass")
        someone.answer("Right", "pass")
    someone.answer("Left", "pass")
    someone.answer("Right", "fail")
    someone.do("send")
    is_sent(someone)
    assert someone.presses == 7
    assert labels_of(Vote.objects.get())["G3", "B"] == "fail"


# ---- One hand


@pytest.mark.parametrize("hands", ["left_hand", "right_hand"])
def test_with_one_hand_a_row_is_answered_left_then_right(
    typist: Callable[[str], Typist], hands: str
) -> None:
    someone = typist(hands)
    page, row = someone.page, someone.page.locator(".crit.now")
    someone.answer("Left", "fail")
    expect(row).to_have_id("row-G1")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    expect(page.locator("#label-G1-Right :checked")).to_have_count(0)
    someone.answer("Right", "pass")
    expect(row).to_have_id("row-G2")
    # Back in an answered row it is Left again, then Right, and then the next open one.
    someone.press("ArrowUp")
    someone.answer("Left", "pass")
    expect(row).to_have_id("row-G1")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")
    someone.answer("Right", "fail")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")
    expect(page.locator("#label-G1-Right :checked")).to_have_value("fail")
    expect(row).to_have_id("row-G2")


def test_the_other_hands_keys_do_nothing(typist: Callable[[str], Typist]) -> None:
    someone = typist("left_hand")
    someone.press("j", "k", "l", "u", "n", "p", "Shift+F")
    expect(someone.page.locator(".cell :checked")).to_have_count(0)
    expect(someone.page.locator("#prompt")).not_to_have_attribute("open", "")


def test_the_keys_of_the_cell_that_waits_are_the_ones_that_show(
    typist: Callable[[str], Typist],
) -> None:
    someone = typist("left_hand")
    left, right = (someone.page.locator(f"#label-G1-{side} .opt-key") for side in ("Left", "Right"))
    expect(left.first).to_be_visible()
    expect(right.first).to_be_hidden()
    someone.answer("Left", "pass")
    expect(left.first).to_be_hidden()
    expect(right.first).to_be_visible()


def test_values_of_a_longer_scale_end_at_the_right_of_the_row_of_digits(
    transactional_db: None, signed_in: OpenPage, project: Project, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert, rubric=SCALES)
    expert.keys = "right_hand"
    expert.save()
    page = signed_in(expert)
    page.goto(path_of(first_of(batch, expert, "AB")))
    page.keyboard.press("9")
    expect(page.locator("#label-C1-Left :checked")).to_have_value("4")
    # A number pad counts from 1, and its 4 is the fourth.
    page.evaluate(
        """() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
            { key: "2", code: "Numpad2", location: 3, bubbles: true }))"""
    )
    expect(page.locator("#label-C1-Right :checked")).to_have_value("2")


# ---- The list of keys


def test_another_set_is_chosen_in_the_list_of_keys_and_nothing_entered_is_lost(
    typist: Callable[[str], Typist], expert: User
) -> None:
    someone = typist("two_hands")
    page = someone.page
    someone.press("d")
    someone.do("keys")
    page.get_by_label("Your keys").select_option("right_hand")
    page.get_by_role("button", name="Use these keys").click()
    expect(page.locator("#ballot")).to_have_attribute("data-one-hand", "")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    page.keyboard.press("j")
    expect(page.locator("#label-G1-Right :checked")).to_have_value("pass")
    expert.refresh_from_db()
    assert expert.keys == "right_hand"


def test_without_a_script_the_list_opens_at_its_address_and_chooses_too(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert, java_script_enabled=False)
    page.goto(path_of(first_of(batch, expert)))
    expect(page.locator("#keys")).to_be_hidden()
    page.get_by_role("link", name="Keys").click()
    expect(page.locator("#keys")).to_be_visible()
    page.get_by_label("Your keys").select_option("left_hand")
    page.get_by_role("button", name="Use these keys").click()
    expect(page.locator("#keys")).to_be_hidden()
    expert.refresh_from_db()
    assert expert.keys == "left_hand"
