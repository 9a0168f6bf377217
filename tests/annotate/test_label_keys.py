"""The keys of the label page are those of the person, wherever one is shown."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from annotate import keymap
from annotate.actions.rounds import close_round
from annotate.models import Assignment, Batch
from projects.models import Event, User
from tests.ballots import SCALES, first_of, make_label_round

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


@pytest.fixture
def mine(batch: Batch, expert: User, client: Client) -> Assignment:
    client.force_login(expert)
    return first_of(batch, expert, "AB")


def url_of(assignment: Assignment) -> str:
    return reverse("annotate:label_pair", args=[assignment.public_id])


def page_of(client: Client, assignment: Assignment, hands: str = "two_hands") -> str:
    User.objects.filter(username="expert").update(keys=hands)
    return client.get(url_of(assignment)).content.decode()


def cell_of(page: str, name: str) -> str:
    start = page.index(f'id="label-{name}"')
    return page[start : page.index("</fieldset>", start)]


def caps_of(html: str) -> list[str]:
    return re.findall(r'class="opt-key"[^>]*>([^<]+)<', html)


@pytest.mark.parametrize("hands", keymap.SETS)
def test_the_scripts_get_the_keys_of_the_person(
    client: Client, mine: Assignment, hands: str
) -> None:
    found = re.search(r'data-keys="([^"]+)"', page_of(client, mine, hands))
    assert found is not None
    assert json.loads(unescape(found[1])) == dict(keymap.SETS[hands].keys)


@pytest.mark.parametrize(
    ("hands", "left", "right", "stops"),
    [
        ("two_hands", ["S", "D", "F"], ["J", "K", "L"], "12345"),
        ("left_hand", ["S", "D", "F"], ["F", "D", "S"], "12345"),
        ("right_hand", ["L", "K", "J"], ["J", "K", "L"], "67890"),
    ],
)
def test_the_cells_and_the_stops_carry_their_keys(
    client: Client, mine: Assignment, hands: str, left: list[str], right: list[str], stops: str
) -> None:
    page = page_of(client, mine, hands)
    assert caps_of(cell_of(page, "C2-Left")) == left
    assert caps_of(cell_of(page, "C2-Right")) == right
    told = re.findall(r'aria-keyshortcuts="([^"]+)"', cell_of(page, "C2-Left"))
    assert told == left
    scale = page[page.index('id="preference"') : page.index('class="why-box"')]
    assert "".join(caps_of(scale)) == stops
    assert "".join(re.findall(r'aria-keyshortcuts="(.)"', scale)) == stops


@pytest.mark.parametrize("hands", keymap.SETS)
def test_every_cap_and_every_shortcut_on_the_page_is_one_of_the_set(
    client: Client, mine: Assignment, hands: str
) -> None:
    keys = keymap.SETS[hands]
    page = page_of(client, mine, hands)
    actions = {keymap.cap(key) for key in keys.keys.values()}
    fixed = {"↑", "↓", "Ctrl", "Enter", "Esc", keys.digits_of(5)[0], keys.digits_of(5)[-1]}
    assert set(map(unescape, re.findall(r"<kbd>([^<]*)</kbd>", page))) <= actions | fixed
    shortcuts = {keymap.shortcut(key) for key in keys.keys.values()} | set(keys.digits_of(5))
    told = {unescape(one) for one in re.findall(r'aria-keyshortcuts="([^"]*)"', page)}
    assert told <= shortcuts
    assert {keymap.shortcut(keys.keys["undo"]), keymap.shortcut(keys.keys["gates_pass"])} <= told


def test_a_longer_scale_shows_the_digit_only_where_it_is_another_than_the_value(
    client: Client, project: Project, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert, rubric=SCALES)
    client.force_login(expert)
    mine = first_of(batch, expert, "AB")
    assert caps_of(cell_of(page_of(client, mine), "C1-Left")) == []
    right = page_of(client, mine, "right_hand")
    assert caps_of(cell_of(right, "C1-Left")) == ["6", "7", "8", "9", "0"]


# ---- Choosing a set on the page, which needs no script


def test_the_list_of_keys_chooses_another_set_and_loses_nothing(
    client: Client, mine: Assignment, expert: User
) -> None:
    form = {"action": "keys", "keys": "right_hand", "label:G1:Left": "fail", "rationale": "So far"}
    sent = client.post(url_of(mine), form)
    assert (sent.status_code, sent["Location"]) == (303, f"{url_of(mine)}#ballot")
    expert.refresh_from_db()
    mine.refresh_from_db()
    assert expert.keys == "right_hand"
    assert mine.draft == {"label:G1:Left": "fail", "rationale": "So far"}
    event = Event.objects.get(verb="account.keys_chosen")
    assert (event.actor, event.target, event.data) == (expert, "expert", {"keys": "right_hand"})
    client.post(url_of(mine), form)
    assert Event.objects.filter(verb="account.keys_chosen").count() == 1


def test_a_set_that_does_not_exist_is_refused(
    client: Client, mine: Assignment, expert: User
) -> None:
    for keys in ("three_hands", ""):
        assert client.post(url_of(mine), {"action": "keys", "keys": keys}).status_code == 400
    expert.refresh_from_db()
    assert expert.keys == "two_hands"


def test_in_a_closed_round_the_keys_can_still_be_chosen(
    client: Client, batch: Batch, mine: Assignment, expert: User
) -> None:
    close_round(batch=batch, acting_user=None)
    form = {"action": "keys", "keys": "left_hand", "label:G1:Left": "fail"}
    assert client.post(url_of(mine), form)["Location"] == f"{url_of(mine)}#ballot"
    expert.refresh_from_db()
    mine.refresh_from_db()
    assert expert.keys == "left_hand"
    assert mine.draft == {}
