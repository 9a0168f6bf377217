"""Nothing moves, everything fits: places and sizes of the label page, measured in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from annotate.models import Batch, Vote
from tests.ballots import first_of, make_label_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from annotate.models import Assignment
    from projects.models import Project, User

    OpenPage = Callable[..., Page]
    Serious = Callable[[Page], list[str]]

pytestmark = pytest.mark.django_db(transaction=True)

DEMO = (Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "rubric.yaml").read_text()
# Every shift, those right after a key press included, which the usual figure leaves out. On a busy
# machine the page gets to a key late: the half second runs from then.
SHIFTS = """
    window.shifts = { all: 0, usual: 0, told: [] };
    let pressed = -Infinity;
    addEventListener("keydown", () => { pressed = performance.now(); }, true);
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
            window.shifts.all += entry.value;
            const ofKey = entry.hadRecentInput || entry.startTime - pressed < 500;
            if (!ofKey) window.shifts.usual += entry.value;
            for (const { node } of entry.sources) shifts.told.push(node?.id || node?.className);
        }
    }).observe({ type: "layout-shift", buffered: true });
"""
PLACES = """() => [
    ...document.querySelectorAll(".crit, .cell, .opt, .stop, #preference, #send, .resp-text"),
].map((box) => {
    const { x, y, width, height } = box.getBoundingClientRect();
    return [x, y, width, height];
})"""
OUT_OF_VIEW = """() => [
    ...document.querySelectorAll(
        ".opt, .stop, #rationale, .chips .chip, .why-foot .check, #evidence > summary, #send"
    ),
].filter((box) => {
    const { top, bottom, left, right } = box.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const there = document.elementFromPoint(x, y);
    const isSeen = box.contains(there) || there?.matches("label, summary") && there.contains(box);
    return top < 0 || bottom > innerHeight || !isSeen;
}).map((box) => box.id || box.title || box.textContent.trim())"""


@pytest.fixture
def batch(
    transactional_db: None,
    live_server: LiveServer,
    project: Project,
    expert: User,
    other_expert: User,
) -> Batch:
    return make_label_round(project, expert, other_expert, size=2, rubric=DEMO)


# On a phone one check is docked at a time: what must stay is the texts, the dock and its cells.
DOCKED = """() => [
    ...document.querySelectorAll(
        ".resp, .resp-text, .spine, .ledger, .crit.now, .crit.now .cell, .crit.now .opt"
    ),
].map((box) => {
    const { x, y, width, height } = box.getBoundingClientRect();
    return [x, y, width, height];
})"""


def path_of(assignment: Assignment) -> str:
    return f"/label/pair/{assignment.public_id}/"


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


@pytest.fixture
def shifts(signed_in: OpenPage, batch: Batch, expert: User) -> Callable[..., Page]:
    """A pair with every layout shift counted from the first paint on."""

    def opened(width: int, height: int = 800) -> Page:
        page = signed_in(expert, viewport={"width": width, "height": height})
        page.add_init_script(SHIFTS)
        page.goto(path_of(first_of(batch, expert, "AB")))
        expect(page.locator("#ballot")).to_have_attribute("data-ready", "")
        return page

    return opened


def settled(page: Page) -> dict[str, Any]:
    """The sums, once what was painted has been counted."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    return dict(page.evaluate("() => window.shifts"))


@pytest.mark.parametrize("width", [1280, 390])
def test_labelling_a_pair_shifts_nothing(shifts: Callable[..., Page], width: int) -> None:
    page = shifts(width)
    press(page, "g f j f k f j f j 2 c 2")
    expect(page.locator("#saved")).to_contain_text("Saved")
    told = settled(page)
    assert told["usual"] < 0.01, told
    if width == 1280:
        assert told["all"] < 0.01, told


def test_on_a_phone_an_answer_a_mark_and_the_anchors_move_nothing(
    shifts: Callable[..., Page],
) -> None:
    page = shifts(390, 844)
    before = page.evaluate(DOCKED)
    assert len(before) > 8
    for keys in ("f", "x", "a"):
        press(page, keys)
        assert page.evaluate(DOCKED) == before, keys
    panel = page.locator("#anchor-panel").bounding_box()
    spine = page.locator(".spine").bounding_box()
    assert panel is not None
    assert spine is not None
    # Over the texts, and not over the check that it belongs to.
    assert panel["y"] + panel["height"] <= spine["y"]
    for keys in ("a", "j", "d k", "u", "g"):
        press(page, keys)
        assert page.evaluate(DOCKED) == before, keys


@pytest.mark.parametrize(("width", "height"), [(640, 400), (844, 390), (390, 480)])
def test_on_a_low_screen_the_texts_fill_it_and_every_check_is_a_scroll_away(
    shifts: Callable[..., Page], width: int, height: int
) -> None:
    page = shifts(width, height)
    text = page.locator("#text-Left").bounding_box()
    assert text is not None
    assert text["height"] > height * 0.6
    assert text["y"] < 150
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    for box in page.locator(".opt, .stop, #send").all():
        box.scroll_into_view_if_needed()
        expect(box).to_be_in_viewport(ratio=1)
    press(page, "f j f")
    expect(page.locator(".crit.now")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("height", [800, 660, 600])
@pytest.mark.parametrize("keys", ["", "p", "g f j f j f j f j 2"])
def test_send_is_in_reach_at_any_height(
    shifts: Callable[..., Page], height: int, keys: str
) -> None:
    page = shifts(1280, height)
    press(page, keys)
    expect(page.locator("#send")).to_be_in_viewport(ratio=1)


def test_nothing_moves_when_gates_decide_when_both_fail_and_when_it_is_undone(
    shifts: Callable[..., Page],
) -> None:
    page = shifts(1280)
    before = page.evaluate(PLACES)
    for keys in (
        "d j g",
        "u u u",
        "d k g",
        "x",
        "w",
        "Escape r",
        "Escape a",
        "a",
        "u",
        "?",
        "Escape",
    ):
        press(page, keys)
        assert page.evaluate(PLACES) == before, keys
    told = settled(page)
    assert told["all"] < 0.01, told


def test_the_docked_row_keeps_its_height_from_check_to_check(shifts: Callable[..., Page]) -> None:
    page = shifts(390, 844)
    tops = set()
    for keys in ("", "f j", "f j", "x", "f j", "f j"):
        press(page, keys)
        tops.add(
            page.evaluate("() => document.querySelector('.spine').getBoundingClientRect().top")
        )
    assert len(tops) == 1
    texts = page.locator("#text-Left").bounding_box()
    assert texts is not None
    # The larger part of the screen is for reading.
    assert texts["height"] > 844 / 2
    for box in page.locator(".crit.now .opt").all():
        size = box.bounding_box()
        assert size is not None
        assert min(size["width"], size["height"]) >= 44


@pytest.mark.parametrize("keys", ["", "g", "g f j f j f j f j 2", "d j g f j f j f j f j"])
def test_every_answer_the_preference_and_the_button_are_in_view_at_660_px(
    shifts: Callable[..., Page], keys: str
) -> None:
    page = shifts(1280, 660)
    press(page, keys)
    assert page.evaluate(OUT_OF_VIEW) == []
    heights = "box => [box.scrollHeight, box.clientHeight]"
    whole, shown = page.locator(".spine").evaluate(heights)
    assert whole == shown


@pytest.mark.parametrize("state", ["practice", "sent"])
@pytest.mark.parametrize("height", [800, 660])
def test_a_note_of_one_line_hides_nothing(
    signed_in: OpenPage, batch: Batch, expert: User, state: str, height: int
) -> None:
    mine = first_of(batch, expert, "AB")
    page = signed_in(expert, viewport={"width": 1280, "height": height})
    if state == "practice":
        Batch.objects.filter(pk=batch.pk).update(kind=Batch.Kind.PRACTICE)
    page.goto(path_of(mine))
    if state == "sent":
        press(page, "g f j f j f j f j 2")
        page.keyboard.type("[C1] decides.")
        press(page, "Control+Enter")
        expect(page.locator("h1")).to_have_text("Pair 2 of 2")
        page.goto(path_of(mine))
    expect(page.locator("#ballot")).to_have_attribute("data-ready", "")
    expect(page.locator(".spine-note")).to_have_count(1)
    assert page.evaluate(OUT_OF_VIEW) == []


def test_a_refused_answer_shows_what_it_speaks_of(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    page = signed_in(expert, viewport={"width": 1280, "height": 660})
    page.goto(path_of(first_of(batch, expert, "AB")))
    press(page, "g f k f k f j f j 2")
    page.keyboard.type("No check is cited here.")
    press(page, "Control+Enter")
    expect(page.locator("#rationale")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#rationale")).to_be_focused()
    for box in page.locator("#rationale, .chips .chip, .why-foot .check, #evidence").all():
        expect(box).to_be_in_viewport(ratio=1)
        below, send = box.bounding_box(), page.locator("#send").bounding_box()
        assert below is not None
        assert send is not None
        assert below["y"] + below["height"] <= send["y"]


def test_with_the_file_open_every_cell_is_still_in_view(shifts: Callable[..., Page]) -> None:
    page = shifts(1280)
    page.keyboard.press("p")
    expect(page.locator(".file-body")).to_be_visible()
    hidden = [
        name
        for name in page.evaluate(OUT_OF_VIEW)
        if name == "send" or "Left:" in name or "Right:" in name
    ]
    assert hidden == []


# What an open box holds and a screen does not: to the left nothing can be scrolled to.
OFF_SIDE = """() => [
    ...document.querySelectorAll(".pop[open] *, dialog[open], .anchor-panel, .toast"),
]
    .filter((box) => {
        const { left, right, width } = box.getBoundingClientRect();
        return width > 1 && (left < 0 || right > innerWidth);
    }).map((box) => box.id || box.className)"""
STATES = {
    "fresh": "",
    "file open": "p",
    "anchors": "a",
    "decided": "d j g",
    "both fail": "d k g f j f j f j f j",
    "preference": "g f j f j f j f j 2",
    "unclear": "x",
    "keys": "?",
    "skip": "n",
    "evidence list": "evidence",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_state_scrolls_sideways_at_390_px_and_none_fails_axe(
    signed_in: OpenPage, batch: Batch, expert: User, serious: Serious, scheme: str
) -> None:
    page = signed_in(expert, viewport={"width": 390, "height": 844}, color_scheme=scheme)
    mine = first_of(batch, expert)
    for state, keys in STATES.items():
        page.goto(path_of(mine))
        if keys == "evidence":
            press(page, "g f j f j f j f j 2")
            page.locator("#evidence > summary").click()
        else:
            press(page, keys)
        assert page.evaluate("() => document.documentElement.scrollWidth") == 390, state
        assert page.evaluate(OFF_SIDE) == [], state
        assert serious(page) == [], state
        type(mine).objects.filter(pk=mine.pk).update(draft={})


def test_a_refused_answer_fits_the_phone_and_names_what_is_missing(
    signed_in: OpenPage, batch: Batch, expert: User, serious: Serious
) -> None:
    page = signed_in(expert, viewport={"width": 390, "height": 844}, java_script_enabled=False)
    page.goto(path_of(first_of(batch, expert)))
    page.locator("#send").click()
    expect(page.locator("#errors")).to_contain_text("G1 is not answered for Left.")
    assert page.locator("body").evaluate("box => box.scrollWidth") == 390


# ---- What is said, and what is seen of a state


def test_what_the_gate_key_set_and_what_was_undone_is_said(shifts: Callable[..., Page]) -> None:
    page = shifts(1280)
    say = page.locator("#say")
    press(page, "f g")
    expect(say).to_have_text("5 gate answers set to pass. Undo: U")
    expect(say).to_have_css("opacity", "1")
    expect(page.locator("[name=all_pass]")).to_have_value("1")
    press(page, "u")
    expect(say).to_have_text("Undone: 5 answers.")
    expect(page.locator("[name=all_pass]")).to_have_value("")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")
    press(page, "u")
    expect(say).to_have_text("Undone: G1 Left.")
    press(page, "x")
    expect(say).to_have_text("Marked: G1 is unclear.")
    press(page, "u")
    expect(say).to_have_text("Undone: G1 unclear.")


def test_an_unclear_check_is_seen_in_its_row_and_named_in_the_head_of_its_step(
    shifts: Callable[..., Page],
) -> None:
    page = shifts(1280)
    head = page.locator("[data-step=gate] .step-unclear")
    press(page, "x f j x")
    expect(head).to_have_text("G1, G2 unclear")
    expect(page.locator("#row-G1 .q")).not_to_have_css("background-image", "none")
    expect(page.locator("#row-G3 .q")).to_have_css("background-image", "none")
    expect(page.locator("#saved")).to_contain_text("Saved")
    page.reload()
    expect(head).to_have_text("G1, G2 unclear")


def test_where_both_fail_the_rewrite_takes_the_place_of_the_preference_and_gives_it_back(
    shifts: Callable[..., Page],
) -> None:
    page = shifts(1280)
    box, rationale = page.locator("#rewrite"), page.locator("#rationale")
    expect(box).to_be_hidden()
    press(page, "w")
    expect(page.locator("#say")).to_have_text("Only where both responses fail a gate.")
    press(page, "d k g")
    expect(box).to_be_visible()
    expect(rationale).not_to_be_visible()
    press(page, "w")
    page.keyboard.type("The hail of 04/11.\nNine roofs.")
    press(page, "Escape r")
    expect(rationale).to_be_focused()
    expect(box).to_be_hidden()
    press(page, "Escape w")
    expect(box).to_be_focused()
    # A gate that changes its mind: the text waits, and comes back with the state.
    press(page, "Escape ArrowUp ArrowUp ArrowUp ArrowUp ArrowUp ArrowUp ArrowUp")
    expect(page.locator(".crit.now")).to_have_id("row-G1")
    press(page, "j")
    expect(box).to_be_hidden()
    expect(rationale).to_be_visible()
    press(page, "ArrowUp ArrowUp ArrowUp")
    expect(page.locator(".crit.now")).to_have_id("row-G1")
    press(page, "k f j f j f j f j w Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert Vote.objects.get().rewrite == "The hail of 04/11.\nNine roofs."
