"""Evidence in a real browser: select in a response, attach to a check, see it, take it back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from annotate.actions.rounds import close_round
from annotate.actions.votes import submit_vote
from annotate.models import Assignment, Batch, Evidence, Part, Vote
from annotate.rendering import render
from annotate.rendering.readable import readable
from tests.ballots import SCALES, filled, first_of, make_label_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]
    Serious = Callable[[Page], list[str]]

pytestmark = pytest.mark.django_db(transaction=True)

LEFT = """The hose parted at the *crimp*. It leaked for hours.

| item | price |
|------|------:|
| hose | $5    |
| tap  | **$7** |

Formula $a_1$ stays. 😀 Flags 🇩🇪 wave.

```python
def leak():
    return True
```

שלום עולם, said the note.
"""
RIGHT = "The tap dripped. Nobody came.\n\nA second paragraph follows here."

# Selects the n-th place of some words in a response, whatever elements they cross.
SELECT = """([side, words, nth]) => {
  const root = document.querySelector(`#text-${side} > .prose`), nodes = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) {
    nodes.push([walker.currentNode, text.length]);
    text += walker.currentNode.data;
  }
  let at = -1;
  for (let n = 0; n <= nth; n += 1) at = text.indexOf(words, at + 1);
  if (at < 0) throw new Error(`no “${words}” in ${text}`);
  const place = (unit, end) => {
    const [node, from] = nodes.filter(([, from]) => end ? from < unit : from <= unit).at(-1);
    return [node, unit - from];
  };
  getSelection().setBaseAndExtent(...place(at, false), ...place(at + words.length, true));
  root.closest(".resp-text").focus();
}"""


@pytest.fixture
def batch(
    transactional_db: None,
    live_server: LiveServer,
    project: Project,
    expert: User,
    other_expert: User,
) -> Batch:
    return make_label_round(project, expert, other_expert, size=2)


@pytest.fixture
def mine(batch: Batch, expert: User) -> Assignment:
    """A pair with `LEFT` and `RIGHT` where they are named, which is B and A: the order is BA."""
    return with_texts(first_of(batch, expert, "BA"), LEFT, RIGHT)


def with_texts(assignment: Assignment, left: str, right: str) -> Assignment:
    for key, text in zip(assignment.seen_order, (left, right), strict=True):
        Part.objects.filter(subject=assignment.subject, key=key).update(text=text)
    return assignment


def path_of(assignment: Assignment) -> str:
    return f"/label/pair/{assignment.public_id}/"


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def select(page: Page, side: str, words: str, nth: int = 0) -> None:
    page.evaluate(SELECT, [side, words, nth])


def attached(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(page.locator("[name=evidence]").input_value() or "[]")
    return found


def brief(page: Page) -> list[tuple[str, str, str]]:
    return [(one["check"], one["side"], one["quote"]) for one in attached(page)]


def marks(page: Page, side: str = "Left") -> list[tuple[str, str]]:
    found = page.locator(f"#text-{side} mark.evidence").all()
    return [(mark.get_attribute("data-check") or "", mark.inner_text().strip()) for mark in found]


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_contain_text("Saved ")


def text_of(page: Page, side: str) -> str:
    """What the browser reads: `textContent` without drawings."""
    found: str = page.evaluate(
        """(side) => {
        const copy = document.querySelector(`#text-${side} > .prose`).cloneNode(true);
        for (const svg of copy.querySelectorAll("svg")) svg.remove(); return copy.textContent; }""",
        side,
    )
    return found


def finish(page: Page) -> None:
    """The answers that are still open, a preference, and off."""
    page.locator("#ballot .cell:not(:has(:checked)) [data-mark=pass]").evaluate_all(
        "(all) => { for (const radio of all) radio.click(); }"
    )
    if page.locator("#preference").is_enabled():
        press(page, "2")
        page.locator("#rationale").fill("[C1] decides.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")


def test_a_selection_and_the_fail_key_fail_the_check_with_that_passage(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    box = page.locator("#text-Left p").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 1, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 12, steps=6)
    page.mouse.up()
    page.keyboard.press("d")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    [(check, side, quote)] = brief(page)
    assert (check, side) == ("G1", "Left")
    assert quote
    assert LEFT.startswith(quote)
    assert marks(page) == [("G1", quote)]
    expect(page.locator("#label-G1-Left .evidence-count")).to_have_text(
        "G1, Left, passages attached: 1"
    )
    expect(page.locator("dialog[open]")).to_have_count(0)
    saved(page)
    page.reload()
    assert marks(page) == [("G1", quote)]
    finish(page)
    row = Evidence.objects.get()
    assert (row.criterion.key, row.part_key, row.start, row.end) == ("G1", "B", 0, len(quote))
    assert row.quote == quote


def test_the_fail_key_of_the_other_side_takes_no_passage(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    select(page, "Right", "dripped")
    press(page, "d")
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    assert brief(page) == []
    press(page, "k")
    assert brief(page) == [("G1", "Right", "dripped")]
    press(page, "u")
    assert brief(page) == []
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    expect(page.locator("#label-G1-Right :checked")).to_have_count(0)
    assert marks(page, "Right") == []


def test_the_key_of_evidence_attaches_whatever_the_label_and_takes_it_back(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    for _ in range(2):
        select(page, "Left", "leaked for hours")
        press(page, "q")
        assert brief(page) == [("G1", "Left", "leaked for hours")]
        expect(page.locator("#label-G1-Left :checked")).to_have_count(0)
        expect(page.locator("#text-Left mark")).to_have_class(re.compile("is-now"))
        select(page, "Left", "leaked for hours")
        press(page, "q")
        assert brief(page) == []
    press(page, "u")
    assert brief(page) == [("G1", "Left", "leaked for hours")]
    press(page, "f")
    assert "is-fail" not in (page.locator("#text-Left mark").get_attribute("class") or "")
    press(page, "d")
    expect(page.locator("#text-Left mark")).to_have_class(re.compile("is-fail is-now"))


def test_in_the_last_step_a_passage_goes_to_the_check_that_is_cited_last(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    press(page, "f j g f k f k 2")
    expect(page.locator("#rationale")).to_be_focused()
    select(page, "Right", "Nobody came")
    press(page, "q")
    assert brief(page) == []
    expect(page.locator("#say")).to_contain_text("Cite a check first")
    page.locator("#rationale").fill("[C2] and [C1] decide for [Left].")
    select(page, "Right", "Nobody came")
    press(page, "q")
    assert brief(page) == [("C1", "Right", "Nobody came")]
    page.locator("#rationale").press("Control+Enter")
    expect(page.locator("h1")).to_have_text("Pair 2 of 2")
    assert Evidence.objects.get().part_key == "A"
    assert Vote.objects.get().labels.get(criterion__key="C1", part_key="A").code == "no"


def test_a_finger_is_offered_the_same_beside_the_selection(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert, viewport={"width": 390, "height": 844}, has_touch=True)
    page.goto(path_of(mine))
    select(page, "Left", "crimp")
    bubble = page.get_by_role("group", name="Selected passage")
    expect(bubble.get_by_role("button")).to_have_text(["G1 fails D", "Attach to G1 Q"])
    for button in bubble.get_by_role("button").all():
        size = button.bounding_box()
        assert size is not None
        assert size["height"] >= 32
    bubble.get_by_role("button", name="Attach to G1").tap()
    assert brief(page) == [("G1", "Left", "crimp")]
    expect(bubble).to_be_hidden()
    place = page.locator("#text-Left mark").bounding_box()
    assert place is not None
    page.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    bubble.get_by_role("button", name="Remove from G1").tap()
    assert brief(page) == []
    select(page, "Left", "crimp")
    bubble.get_by_role("button", name="G1 fails").tap()
    assert brief(page) == [("G1", "Left", "crimp")]
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")
    press(page, "u")
    assert brief(page) == []
    expect(page.locator("#label-G1-Left :checked")).to_have_count(0)


def test_two_checks_on_one_passage_and_passages_that_overlap(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    select(page, "Left", "It leaked")
    press(page, "q ArrowDown")
    select(page, "Left", "It leaked")
    press(page, "q")
    assert marks(page) == [("G1 G2", "It leaked")]
    expect(page.locator("#text-Left mark")).to_have_attribute("data-starts", "G1 G2")
    select(page, "Left", "leaked for hours")
    press(page, "d")
    assert marks(page) == [("G1 G2", "It"), ("G1 G2", "leaked"), ("G2", "for hours")]
    assert [one["check"] for one in attached(page)] == ["G1", "G2", "G2"]
    saved(page)
    before = text_of(page, "Left")
    page.reload()
    assert text_of(page, "Left") == before
    assert marks(page) == [("G1 G2", "It"), ("G1 G2", "leaked"), ("G2", "for hours")]
    finish(page)
    assert Evidence.objects.count() == 3


@pytest.mark.parametrize(
    "words",
    [
        "hours.\n\n\nitem",  # from a paragraph into a table
        "$5\n\n\ntap\n$7",  # over rows
        "Formula  stays. 😀 Flags 🇩🇪",  # over a formula, with astral characters
        "leak():\n    return True",  # in code
        "שלום עולם",  # from right to left
        "wave.\ndef",  # from a paragraph into code
    ],
)
def test_a_passage_is_stored_where_it_stands_whatever_it_crosses(
    signed_in: OpenPage, mine: Assignment, expert: User, words: str
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    text = text_of(page, "Left")
    assert text == readable(render(LEFT))
    words = _spaced(words, text)
    select(page, "Left", words)
    press(page, "q")
    [one] = attached(page)
    assert (one["start"], one["end"]) == (text.index(words), text.index(words) + len(words))
    assert text_of(page, "Left") == text
    covered = "".join("".join(found.split()) for _, found in marks(page))
    assert covered == "".join(words.split())
    assert page.locator("tr > mark, table > mark, tbody > mark").count() == 0
    press(page, "d")
    saved(page)
    page.reload()
    assert page.locator("#evidence-error").count() == 0
    assert "".join("".join(found.split()) for _, found in marks(page)) == covered
    finish(page)
    row = Evidence.objects.get()
    assert (row.start, row.end, row.quote) == (one["start"], one["end"], words)


def _spaced(words: str, text: str) -> str:
    """The words with the blanks that stand between them in the text."""
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    found = re.search(pattern, text)
    assert found, (words, text)
    return found.group()


def test_a_sentence_is_picked_moved_and_extended_by_the_keyboard_alone(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    press(page, "q")
    chosen = "() => getSelection().toString()"
    assert page.evaluate(chosen) == "The hose parted at the crimp."
    expect(page.locator("#say")).to_contain_text("Picked in Left")
    press(page, "ArrowDown")
    assert page.evaluate(chosen) == "It leaked for hours."
    press(page, "ArrowUp Shift+ArrowRight")
    assert page.evaluate(chosen).startswith("The hose parted at the crimp. It")
    press(page, "q")
    [(check, side, quote)] = brief(page)
    assert (check, side) == ("G1", "Left")
    assert quote.startswith("The hose parted at the crimp. It")
    # The keys are back where they came from: down is the next check.
    press(page, "ArrowDown")
    expect(page.locator(".crit.now")).to_have_id("row-G2")
    press(page, "f q")
    assert page.evaluate(chosen) == "The tap dripped."
    press(page, "ArrowDown k")
    assert brief(page)[-1] == ("G2", "Right", "Nobody came.")
    expect(page.locator("#label-G2-Right :checked")).to_have_value("fail")
    press(page, "q Escape")
    assert page.evaluate(chosen) == ""


def test_badge_list_and_citation_lead_to_the_passage(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    long = "\n\n".join(f"Paragraph {n} says nothing much." for n in range(120))
    mine = with_texts(first_of(batch, expert, "AB"), f"{long}\n\nThe end is here.", RIGHT)
    page = signed_in(expert)
    page.goto(path_of(mine))
    select(page, "Left", "The end is here")
    press(page, "d")
    page.locator("#text-Left").evaluate("(pane) => { pane.scrollTop = 0; }")
    mark = page.locator("#text-Left mark")
    for lead in (
        page.locator("#label-G1-Left .evidence-count"),
        page.locator("[data-token=G1]"),
    ):
        expect(mark).not_to_be_in_viewport()
        lead.click()
        expect(mark).to_be_in_viewport()
        page.locator("#text-Left").evaluate("(pane) => { pane.scrollTop = 0; }")
    page.locator("#evidence summary").click()
    page.locator("#evidence-list .chip").click()
    expect(mark).to_be_in_viewport()
    page.get_by_role("button", name="Remove the evidence for G1 in Left").click()
    expect(mark).to_have_count(0)
    expect(page.locator("#evidence-total")).to_have_text("0")
    page.locator("#undo").click()
    expect(mark).to_have_count(1)


def test_nothing_moves_when_evidence_is_attached(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    boxes = ".crit, .cell, #preference, #send, .prose > *, #evidence"
    places = """(boxes) => [...document.querySelectorAll(boxes)].map((box) => {
        const { top, left, width, height } = box.getBoundingClientRect();
        return [top, left, width, height].map(Math.round).join();
    })"""
    before = page.evaluate(places, boxes)
    for words in ("hose parted", "leaked for", "Flags", "return"):
        select(page, "Left", words)
        press(page, "q")
    assert page.evaluate(places, boxes) == before
    press(page, "u u u u")
    assert page.evaluate(places, boxes) == before


def test_an_amendment_brings_the_evidence_back_and_a_closed_round_only_shows_it(
    signed_in: OpenPage, mine: Assignment, expert: User, batch: Batch
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    select(page, "Left", "leaked")
    press(page, "d")
    finish(page)
    page.goto(path_of(mine))
    assert marks(page) == [("G1", "leaked")]
    page.locator("#label-G1-Left input").first.focus()
    select(page, "Right", "dripped")
    press(page, "q")
    saved(page)
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    current = Vote.objects.get(current=True)
    assert current.revision == 2
    assert set(current.evidence.values_list("criterion__key", "part_key", "quote")) == {
        ("G1", "B", "leaked"),
        ("G1", "A", "dripped"),
    }
    close_round(batch=batch, acting_user=None)
    page.goto(path_of(mine))
    assert marks(page) == [("G1", "leaked")]
    page.locator("#evidence summary").click()
    expect(page.get_by_role("button", name="Remove the evidence")).to_have_count(0)
    select(page, "Left", "hose")
    press(page, "q")
    assert len(attached(page)) == 2
    expect(page.get_by_role("group", name="Selected passage")).to_be_hidden()


def test_a_draft_whose_passage_no_longer_fits_says_so_and_keeps_it(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    page = signed_in(expert)
    page.goto(path_of(mine))
    select(page, "Left", "leaked for hours")
    press(page, "d")
    saved(page)
    with_texts(mine, "Another text altogether. It is as long as the first one was.", RIGHT)
    page.reload()
    expect(page.locator("#evidence-error")).to_contain_text("“leaked for hours”, does not stand")
    assert brief(page) == [("G1", "Left", "leaked for hours")]
    assert marks(page) == []
    page.locator("#evidence summary").click()
    expect(page.locator("#evidence-list .is-stale")).to_contain_text("leaked for hours")
    page.get_by_role("button", name="Remove the evidence for G1").click()
    expect(page.locator("#evidence-error")).to_be_hidden()
    select(page, "Left", "Another text")
    press(page, "q")
    finish(page)
    assert Evidence.objects.get().quote == "Another text"


def test_a_selection_over_both_responses_or_too_long_is_told(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    mine = with_texts(first_of(batch, expert, "AB"), "word " * 800, RIGHT)
    page = signed_in(expert)
    page.goto(path_of(mine))
    page.keyboard.press("Control+a")
    press(page, "q")
    expect(page.locator("#say")).to_contain_text("Select within one response")
    select(page, "Left", ("word " * 800).strip())
    press(page, "q")
    expect(page.locator("#say")).to_contain_text("at most 2,000 characters")
    assert brief(page) == []


def test_a_hundred_thousand_characters_are_marked_in_a_moment(
    signed_in: OpenPage, batch: Batch, expert: User
) -> None:
    text = "".join(f"Sentence {n} 😀 of a **long** text. " for n in range(2_800))
    mine = with_texts(first_of(batch, expert, "AB"), text, "x" * 100_000)
    page = signed_in(expert)
    page.goto(path_of(mine))
    words = "Sentence 2790 😀 of a long text."
    select(page, "Left", words)
    took = page.evaluate(
        """() => { const began = performance.now();
        const press = new KeyboardEvent("keydown", { key: "q", bubbles: true });
        document.activeElement.dispatchEvent(press);
        return performance.now() - began; }"""
    )
    assert brief(page) == [("G1", "Left", words)]
    assert took < 400
    select(page, "Right", "x" * 2_000, 90_000)
    press(page, "k")
    saved(page)
    finish(page)
    assert {one.part_key: one.quote for one in Evidence.objects.all()} == {
        "A": words,
        "B": "x" * 2_000,
    }
    row = Evidence.objects.get(part_key="A")
    assert readable(render(text))[row.start : row.end] == words


def test_a_check_about_the_whole_pair_takes_a_passage_of_either_side(
    transactional_db: None, signed_in: OpenPage, project: Project, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert, rubric=SCALES)
    mine = with_texts(first_of(batch, expert, "AB"), LEFT, RIGHT)
    page = signed_in(expert)
    page.goto(path_of(mine))
    select(page, "Left", "crimp")
    press(page, "q")
    page.locator("#label-C3 input").first.focus()
    expect(page.locator(".crit.now")).to_have_id("row-C3")
    select(page, "Right", "dripped")
    press(page, "d")
    assert brief(page) == [("C1", "Left", "crimp"), ("C3", "Right", "dripped")]
    expect(page.locator("#label-C3 .evidence-count")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_badges_list_and_bubble_are_accessible(
    signed_in: OpenPage, mine: Assignment, expert: User, serious: Serious, scheme: str
) -> None:
    page = signed_in(expert, color_scheme=scheme)
    page.goto(path_of(mine))
    select(page, "Left", "hose parted")
    press(page, "d")
    select(page, "Left", "leaked")
    press(page, "q")
    page.locator("#evidence summary").click()
    select(page, "Right", "dripped")
    expect(page.get_by_role("group", name="Selected passage")).to_be_visible()
    assert serious(page) == []


def test_without_a_script_the_passages_are_marked_listed_and_removable(
    signed_in: OpenPage, mine: Assignment, expert: User
) -> None:
    live = signed_in(expert)
    live.goto(path_of(mine))
    select(live, "Left", "leaked")
    press(live, "d")
    saved(live)
    page = signed_in(expert, java_script_enabled=False)
    page.goto(path_of(mine))
    expect(page.locator("#text-Left mark.evidence.is-fail")).to_have_text("leaked")
    expect(page.locator("#label-G1-Left .evidence-count")).to_be_visible()
    page.locator("#evidence summary").click()
    page.get_by_role("button", name="Remove the evidence for G1 in Left").click()
    expect(page.locator("#text-Left mark")).to_have_count(0)
    expect(page.locator("#label-G1-Left :checked")).to_have_value("fail")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_pairs_own_page_shows_who_quoted_what_and_leads_to_it(
    signed_in: OpenPage,
    mine: Assignment,
    expert: User,
    lead: User,
    serious: Serious,
    width: int,
    scheme: str,
) -> None:
    rows = [
        {"check": "G1", "side": "Left", "start": start, "end": start + 1, "quote": letter}
        for start, letter in enumerate("The hose parted at the crimp.")
        if letter.strip()
    ]
    form = filled(evidence=json.dumps(rows), G1_Left="fail", preference="", rationale="")
    submit_vote(assignment=mine, form=form, submit_key=uuid4(), acting_user=expert)
    page = signed_in(lead, viewport={"width": width, "height": 700}, color_scheme=scheme)
    page.goto(f"/p/{mine.batch.project.slug}/subjects/{mine.subject.public_id}/")
    widths = "() => [document.documentElement.scrollWidth, innerWidth]"
    assert page.evaluate(widths) == [width, width]
    assert serious(page) == []
    mark = page.locator(".part mark.evidence").first
    expect(mark).to_have_attribute("data-starts", "G1 expert")
    page.get_by_role("list", name="Evidence of expert").get_by_role("link").first.click()
    expect(mark).to_be_in_viewport()
