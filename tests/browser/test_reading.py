"""Reading without strain, in a real browser: source, difference, find, scrolling, pictures."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from annotate.models import Part, Vote
from tests.browser.labelling import path_of, press
from tests.browser.reading import assignment_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Request, Route
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]
    Serious = Callable[[Page], list[str]]

pytestmark = pytest.mark.django_db(transaction=True)

PARAGRAPHS = "\n\n".join(
    f"Paragraph {n} says that the roof was patched in week {n}." for n in range(40)
)
LEFT = f"# First\n\n{PARAGRAPHS}\n\n# Second\n\nIt cost $18,240.50 in all. **The end.**"
RIGHT = LEFT.replace("18,240.50", "18,420.50").replace("week 3.", "week three.")
HIDDEN_PROSE = "#text-Left > .prose"
TOPS = """() =>
    [...document.querySelectorAll(".crit, .resp > header :is(a, button), #send")]
    .filter((box) => !box.hidden).map((box) => box.getBoundingClientRect().toJSON())"""
SCROLLED = "(side) => Math.round(document.getElementById(`text-${side}`).scrollTop)"
WIDTHS = "() => [document.documentElement.scrollWidth, innerWidth]"
PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ADDRESS = "https://pictures.invalid/chart.png?reader=1"


@pytest.fixture
def open_pair(
    transactional_db: None,
    signed_in: OpenPage,
    live_server: LiveServer,
    project: Project,
    expert: User,
) -> Callable[..., Page]:
    def open_page(
        left: str = LEFT,
        right: str = RIGHT,
        *,
        context: str = "",
        show: str = "",
        **options: object,
    ) -> Page:
        assignment = assignment_with(project, expert, left, right, context=context)
        page = signed_in(expert, **options)
        page.goto(path_of(assignment) + show)
        return page

    return open_page


# ---- Source and difference


def test_source_is_a_key_away_and_back_is_the_same_place(open_pair: Callable[..., Page]) -> None:
    page = open_pair()
    page.evaluate("() => document.getElementById('text-Left').scrollTop = 500")
    before = page.evaluate(TOPS)
    press(page, "v")
    for side in ("Left", "Right"):
        expect(page.locator(f"#text-{side} > .view-source")).to_contain_text("**The end.**")
        expect(page.locator(f"#text-{side} > .prose")).to_be_hidden()
    # Evidence counts places in the rendered text, so that stays.
    assert "The end." in page.locator(HIDDEN_PROSE).inner_html()
    assert page.evaluate(SCROLLED, "Left") > 200
    assert page.evaluate(TOPS) == before
    press(page, "v")
    expect(page.locator(HIDDEN_PROSE)).to_be_visible()
    assert page.evaluate(SCROLLED, "Left") == 500
    assert page.evaluate(TOPS) == before


def test_each_pane_has_a_switch_of_its_own(open_pair: Callable[..., Page]) -> None:
    page = open_pair()
    switch = page.locator("[data-switch=source][data-side=Right]")
    switch.click()
    expect(page.locator("#text-Right > .view-source")).to_be_visible()
    expect(page.locator(HIDDEN_PROSE)).to_be_visible()
    expect(switch).to_have_attribute("aria-pressed", "true")
    switch.press(" ")
    expect(page.locator("#text-Right > .prose")).to_be_visible()


def test_the_difference_marks_what_the_other_side_lacks_and_leads_from_one_to_the_next(
    open_pair: Callable[..., Page],
) -> None:
    page = open_pair()
    before = page.evaluate(TOPS)
    press(page, "b")
    expect(page.locator("#differences-say")).to_have_text("2 differences, 99% alike")
    assert page.evaluate(TOPS) == before
    left, right = page.locator("#text-Left .only-here"), page.locator("#text-Right .only-here")
    assert left.all_inner_texts() == ["3", "18,240.50"]
    assert right.all_inner_texts() == ["three", "18,420.50"]
    press(page, "Shift+C Shift+C")
    expect(page.locator("#differences-say")).to_have_text("Difference 2 of 2")
    for mark in (left, right):
        expect(mark.nth(1)).to_be_in_viewport()
        expect(mark.nth(1)).to_have_class("only-here is-here")
    press(page, "b")
    expect(page.locator("#differences")).to_be_hidden()
    expect(page.locator(HIDDEN_PROSE)).to_be_visible()


def test_a_folded_stretch_opens_on_both_sides(open_pair: Callable[..., Page]) -> None:
    page = open_pair()
    press(page, "b")
    folds = page.locator(".same")
    expect(folds).to_have_count(2)
    folds.first.locator("summary").click()
    expect(page.locator(".same[open]")).to_have_count(2)


def test_texts_of_another_wording_show_what_only_each_side_says(
    open_pair: Callable[..., Page],
) -> None:
    page = open_pair(
        "Paid $4,150 in May. " + "A sofa was torn. " * 90,
        "Mitigation cost $4,510, then a dog came. " + "Pell looked on. " * 90,
    )
    switch = page.locator("[data-switch=difference]")
    expect(switch).to_have_text("Difference", use_inner_text=True)
    before = page.evaluate(TOPS)
    press(page, "b")
    expect(page.locator("#differences-say")).to_contain_text("What only one side says: ")
    # The switch says which of the two views it is, in the same place.
    expect(switch.locator(".by-side")).to_be_visible()
    expect(switch.locator(".by-words")).to_be_hidden()
    assert page.evaluate(TOPS) == before
    expect(page.locator("#text-Left .own-number")).to_have_text("4,150")
    expect(page.locator("#text-Right .own-number")).to_have_text("4,510")
    # One key leads through the left ones, then through the right ones.
    total = page.locator(".view-difference [data-n]").count()
    press(page, "Shift+C Shift+C")
    expect(page.locator("#differences-say")).to_contain_text(f"Only on one side, 2 of {total}")
    expect(page.locator(".view-difference .is-here")).to_have_count(1)
    page.locator("#difference-previous").click(click_count=2)
    expect(page.locator("#text-Right .is-here")).to_have_count(1)
    press(page, "b")
    expect(page.locator(HIDDEN_PROSE)).to_be_visible()


def test_without_a_script_the_switches_are_links(open_pair: Callable[..., Page]) -> None:
    page = open_pair(java_script_enabled=False)
    page.get_by_role("link", name="Source").first.click()
    expect(page.locator("#text-Right > .view-source")).to_contain_text("**The end.**")
    page.get_by_role("link", name="Difference").click()
    expect(page.locator("#text-Left .only-here").first).to_have_text("3")
    expect(page.locator("#differences-say")).to_have_text("2 differences, 99% alike")
    page.get_by_role("link", name="Difference").click()
    expect(page.locator(HIDDEN_PROSE)).to_be_visible()


def test_a_page_opened_in_a_view_goes_on_from_there(open_pair: Callable[..., Page]) -> None:
    page = open_pair(show="?show=difference")
    expect(page.locator("[data-switch=difference]")).to_have_attribute("aria-pressed", "true")
    press(page, "Shift+C")
    expect(page.locator("#differences-say")).to_have_text("Difference 1 of 2")
    press(page, "b")
    expect(page.locator(HIDDEN_PROSE)).to_be_visible()
    expect(page.locator(".view:visible")).to_have_count(0)


def test_signed_out_the_switch_says_so_and_the_text_stays(
    open_pair: Callable[..., Page], expected_errors: list[str]
) -> None:
    page = open_pair()
    page.context.clear_cookies(name="sessionid")
    press(page, "v")
    expect(page.locator("#say")).to_contain_text("You are signed out")
    expect(page.locator(HIDDEN_PROSE)).to_be_visible()


# ---- Find


def test_find_counts_on_each_side_steps_and_leaves_the_text_alone(
    open_pair: Callable[..., Page],
) -> None:
    page = open_pair(context="The roof was patched in week 7, says the file.")
    before = page.locator("#text-Left").inner_html()
    press(page, "/")
    page.keyboard.type("PATCHED in week 7")
    expect(page.locator("#find-counts")).to_have_text("Left 1, Right 1, prompt 1")
    press(page, "Enter")
    expect(page.locator("#find-counts")).to_have_text("2 of 3, Right")
    press(page, "Enter")
    expect(page.locator("#find-counts")).to_have_text("3 of 3, prompt")
    expect(page.locator(".file-body")).to_be_visible()
    press(page, "Shift+Enter")
    expect(page.locator("#find-counts")).to_have_text("2 of 3, Right")
    assert page.evaluate("() => CSS.highlights.get('found').size") == 3
    press(page, "Escape")
    expect(page.locator("#finder")).to_be_hidden()
    assert page.evaluate("() => CSS.highlights.size") == 0
    assert page.locator("#text-Left").inner_html() == before
    assert not Vote.objects.exists()
    press(page, "f")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("pass")


def test_find_brings_a_far_hit_into_view_and_reads_across_markup(
    open_pair: Callable[..., Page],
) -> None:
    page = open_pair()
    press(page, "/")
    page.keyboard.type("in all. the end")
    expect(page.locator("#find-counts")).to_have_text("Left 1, Right 1, prompt 0")
    assert page.evaluate(SCROLLED, "Left") > 500
    page.locator("#find").fill("[no such (thing*")
    expect(page.locator("#find-counts")).to_have_text("not found")


# ---- Together


def test_both_panes_scroll_together_once_asked_and_the_browser_remembers(
    open_pair: Callable[..., Page],
) -> None:
    page = open_pair(right=RIGHT + "\n\n" + PARAGRAPHS)
    scroll = "(top) => document.getElementById('text-Left').scrollTop = top"
    page.evaluate(scroll, 700)
    page.wait_for_function("() => document.getElementById('text-Left').scrollTop === 700")
    assert page.evaluate(SCROLLED, "Right") == 0
    press(page, "y")
    expect(page.locator("#together")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(SCROLLED, "Right") > 0
    page.evaluate(scroll, 100_000)
    at_end = """() => { const pane = document.getElementById("text-Right");
        return Math.abs(pane.scrollTop + pane.clientHeight - pane.scrollHeight) < 3; }"""
    page.wait_for_function(at_end)
    page.evaluate(scroll, 0)
    page.wait_for_function("() => document.getElementById('text-Right').scrollTop < 2")
    # The same heading stands at the same height, whatever lies between.
    page.reload()
    expect(page.locator("#together")).to_have_attribute("aria-pressed", "true")
    press(page, "y")
    page.evaluate(scroll, 300)
    page.wait_for_function("() => document.getElementById('text-Left').scrollTop === 300")
    assert page.evaluate(SCROLLED, "Right") < 2


def test_what_follows_does_not_lead(open_pair: Callable[..., Page]) -> None:
    """No feedback: one push moves each pane once, and both come to rest."""
    page = open_pair(right=RIGHT + "\n\n" + PARAGRAPHS)
    press(page, "y")
    moved = page.evaluate(
        """async () => {
            const seen = [];
            const see = (side, { scrollTop }) => seen.push(`${side} ${Math.round(scrollTop)}`);
            for (const side of ["Left", "Right"]) {
                const pane = document.getElementById(`text-${side}`);
                pane.addEventListener("scroll", () => see(side, pane));
            }
            document.getElementById("text-Right").scrollTop = 613;
            for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
            return seen;
        }"""
    )
    assert len(moved) == 2
    assert "Right 613" in moved


# ---- The prompt and its context


LONG_CONTEXT = "\n\n".join(
    f"Entry {n}: the adjuster noted ${n},950.10 for item {n}." for n in range(90)
)


def test_a_long_context_is_folded_until_it_is_wanted(open_pair: Callable[..., Page]) -> None:
    page = open_pair(context=LONG_CONTEXT)
    press(page, "p")
    more = page.get_by_role("button", name="Show all, about 179 lines")
    height = page.locator(".fold.is-folded").evaluate("(fold) => fold.clientHeight")
    assert height < 300
    more.click()
    expect(page.locator(".fold.is-folded")).to_have_count(0)
    page.get_by_role("button", name="Show less").click()
    expect(page.locator(".fold.is-folded")).to_have_count(1)


def test_a_find_and_the_browsers_own_reach_what_is_folded_away(
    open_pair: Callable[..., Page],
) -> None:
    page = open_pair(context=LONG_CONTEXT)
    press(page, "/")
    page.keyboard.type("$77,950.10")
    press(page, "Enter")
    expect(page.locator(".file-part", has_text="Entry 77")).to_be_in_viewport()
    assert page.evaluate(
        """() => { const mark = [...CSS.highlights.get("found-here")][0].getBoundingClientRect(),
            box = document.querySelector(".file-body").getBoundingClientRect();
            return mark.top >= box.top && mark.bottom <= box.bottom; }"""
    )


def test_words_selected_in_a_response_are_shown_where_the_context_has_them(
    open_pair: Callable[..., Page],
) -> None:
    page = open_pair("It names $77,950.10 for item 77 and more.", context=LONG_CONTEXT)
    select = """(words) => {
        const text = document.querySelector("#text-Left p").firstChild;
        const at = text.data.indexOf(words);
        getSelection().setBaseAndExtent(text, at, text, at + words.length);
    }"""
    before = page.evaluate(TOPS)
    page.evaluate(select, "$77,950.10 for item 77")
    expect(page.locator("#quoted-hint .quoted-found")).to_be_visible()
    # It says so and moves nothing; the key of the prompt leads there.
    assert page.evaluate(TOPS) == before
    press(page, "p")
    page.wait_for_function(
        """() => { const mark = [...CSS.highlights.get("quoted")][0].getBoundingClientRect(),
            box = document.querySelector(".file-body").getBoundingClientRect();
            return mark.height > 0 && mark.top >= box.top && mark.bottom <= box.bottom; }"""
    )
    page.evaluate(select, "names")
    expect(page.locator("#quoted-hint .quoted-found")).to_be_hidden()


# ---- Pictures


def asked_for(page: Page) -> list[str]:
    """Requests to anywhere else than the server; a picture is answered with one."""
    asked: list[str] = []

    def answer(route: Route, request: Request) -> None:
        assert "referer" not in request.headers
        asked.append(request.url)
        route.fulfill(body=PICTURE, content_type="image/png")

    page.route(re.compile("^https:"), answer)
    return asked


def test_re_01_a_picture_is_fetched_once_it_is_pressed_and_not_before(
    open_pair: Callable[..., Page],
) -> None:
    page = open_pair("Words.", show="?show=source")
    asked = asked_for(page)
    text = f"Before.\n\n![A chart of losses]({ADDRESS})\n\n![x](data:image/png;base64,AA)\n\nAfter."
    Part.objects.filter(key="A").update(text=text)
    page.goto(page.url.split("?")[0])
    link = page.locator("#text-Left .image-load")
    expect(link).to_have_text("Load the image from pictures.invalid")
    words = page.locator(HIDDEN_PROSE).evaluate("(prose) => prose.textContent")
    page.wait_for_load_state("networkidle")
    assert asked == []
    link.focus()
    press(page, "Enter")
    picture = page.get_by_role("img", name="A chart of losses")
    expect(picture).to_have_js_property("complete", True)
    expect(picture).to_have_js_property("naturalWidth", 1)
    assert asked == [ADDRESS]
    box = picture.bounding_box()
    assert box is not None
    assert box["height"] <= 230
    assert page.evaluate(WIDTHS) == [1280, 1280]
    # The readable text, in which evidence counts, is as it was.
    assert page.locator(HIDDEN_PROSE).evaluate("(prose) => prose.textContent") == words
    # Enter pressed the link, and sent nothing.
    assert not Vote.objects.exists()


def test_without_a_script_a_picture_opens_beside_the_page(open_pair: Callable[..., Page]) -> None:
    page = open_pair(f"![A chart]({ADDRESS})", java_script_enabled=False)
    link = page.locator("#text-Left .image-load")
    expect(link).to_have_attribute("href", ADDRESS)
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("rel", "noopener noreferrer nofollow")


def test_a_picture_that_does_not_load_is_said_so(
    open_pair: Callable[..., Page], expected_errors: list[str]
) -> None:
    expected_errors.append("ERR_FAILED")
    page = open_pair(f"![A chart]({ADDRESS})")
    page.route(re.compile("^https:"), lambda route: route.abort())
    page.locator("#text-Left .image-load").click()
    expect(page.locator("#text-Left [data-picture=failed]")).to_be_visible()
    expect(page.locator("#text-Left .image-shown")).to_have_count(0)


# ---- For everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1920, 390])
def test_every_view_is_accessible_and_as_wide_as_the_screen(
    open_pair: Callable[..., Page], serious: Serious, width: int, scheme: str
) -> None:
    page = open_pair(
        f"{LEFT}\n\n![A chart]({ADDRESS})",
        context=LONG_CONTEXT,
        viewport={"width": width, "height": 844},
        color_scheme=scheme,
    )
    press(page, "v")
    expect(page.locator("#text-Left > .view-source")).to_be_visible()
    assert serious(page) == []
    assert page.evaluate(WIDTHS) == [width, width]
    press(page, "b")
    expect(page.locator("#differences")).to_be_visible()
    press(page, "Shift+C")
    expect(page.locator("#text-Left .is-here")).to_be_visible()
    assert serious(page) == []
    press(page, "b p /")
    page.keyboard.type("item")
    assert serious(page) == []
    assert page.evaluate(WIDTHS) == [width, width]
