"""The meeting by keyboard alone: begun, sorted, acted on, names shown and hidden, settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.disagreements import Differing, differing, unit_code
from annotate.models import (
    AnchorSource,
    Disagreement,
    Edit,
    Evidence,
    Meeting,
    Part,
    Vote,
)
from rubrics.models import RubricVersion
from tests.annotate.test_meeting import RUBRIC, WORDS
from tests.making import make_rubric_version, make_voted_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import FloatRect, Page
    from pytest_django.live_server_helper import LiveServer

    from annotate.models import Batch
    from projects.models import Project, User

    OpenPage = Callable[..., Page]
    Serious = Callable[[Page], list[str]]

pytestmark = pytest.mark.django_db(transaction=True)

A = "A pipe parted 😀 at the crimp. It leaked for hours.\n\n- the hose is *new*\n- the tap is old"
B = "The tap dripped. Nobody came."
WIDTHS = "() => [document.documentElement.scrollWidth, innerWidth]"
# What moved since `watch` without a hand on it; a key pressed is no excuse here.
WATCH = """() => { window.moved = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.moved += entry.value;
}).observe({ type: "layout-shift" }); }"""


@pytest.fixture
def batch(
    transactional_db: None,
    live_server: LiveServer,
    project: Project,
    lead: User,
    expert: User,
    other_expert: User,
    third_expert: User,
) -> Batch:
    for user, name in ((expert, "Zoe"), (other_expert, "Mia"), (third_expert, "Ann")):
        user.first_name = name
        user.save()
    answers = [
        [
            {"C1": "yes yes", "rationale": WORDS},
            {"C1": "yes yes"},
            {"C1": "no yes", "unclear:C1": "1"},
        ],
        [{"C2": "yes no"}, {"C2": "yes no"}, {"C2": "no no"}],
    ]
    version = make_rubric_version(project, RUBRIC)
    made = make_voted_round(project, [expert, other_expert, third_expert], answers, version=version)
    for key, text in (("A", A), ("B", B)):
        Part.objects.filter(subject__project=project, key=key).update(text=text)
    vote = Vote.objects.filter(batch=made, unclear=["C1"])[0]
    Evidence.objects.create(
        vote=vote,
        criterion=version.criteria.get(key="C1"),
        part_key="A",
        start=0,
        end=6,
        quote="A pipe",
    )
    return made


@pytest.fixture
def item(batch: Batch, lead: User) -> Differing:
    return next(one for one in differing([batch], reader=lead).all if one.unit.key == "C1")


def start_of(batch: Batch) -> str:
    return reverse("annotate:meeting", args=[batch.project.slug, batch.public_id])


def address(batch: Batch, item: Differing) -> str:
    return reverse(
        "annotate:meeting_unit", args=[batch.project.slug, batch.public_id, unit_code(item.unit)]
    )


@pytest.fixture
def room(signed_in: OpenPage, batch: Batch, item: Differing, lead: User) -> Page:
    """The meeting begun by Enter, at the disagreement on C1."""
    page = signed_in(lead)
    page.goto(f"{start_of(batch)}?check=C1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="C1, Names the cause")).to_be_visible()
    page.wait_for_load_state()
    return page


def sent(page: Page, key: str, end: str = "/") -> None:
    """A key whose work is one request."""
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.keyboard.press(key)


def test_a_disagreement_is_settled_by_keyboard_alone(
    room: Page, batch: Batch, item: Differing
) -> None:
    assert Meeting.objects.get().minutes == 60
    sent(room, "2")
    row = Disagreement.objects.get()
    assert (row.kind, row.note) == ("ambiguity", "")
    room.keyboard.press("d")
    room.keyboard.type("A cause is what broke, 1 to 4 and J are letters here.")
    room.keyboard.press("Control+Enter")
    expect(room.get_by_text("All 1 are sorted")).to_be_visible()
    row.refresh_from_db()
    assert row.note == "A cause is what broke, 1 to 4 and J are letters here."


def test_settling_without_a_kind_asks_for_one(room: Page) -> None:
    room.keyboard.press("Control+Enter")
    expect(room.get_by_role("status")).to_contain_text("Choose a kind first")
    assert not Disagreement.objects.exists()


def test_what_was_set_stands_after_a_reload(room: Page) -> None:
    sent(room, "4")
    room.keyboard.press("d")
    room.keyboard.type("Both read it well.")
    sent(room, "Escape")
    room.reload()
    expect(room.get_by_role("radio", name="Legitimate")).to_be_checked()
    expect(room.get_by_label("Decision")).to_have_value("Both read it well.")


def test_a_sentence_selected_by_keys_becomes_an_anchor_and_is_taken_back(
    room: Page, item: Differing
) -> None:
    room.keyboard.press("]")
    room.keyboard.press("}")
    room.keyboard.press("a")
    dialog = room.get_by_role("dialog", name="Add as anchor")
    expect(dialog).to_be_visible()
    chosen = dialog.get_by_role("radio", name="as you have selected it")
    expect(chosen).to_be_checked()
    room.keyboard.press("Control+Enter")
    expect(dialog.get_by_text("Say whether it passes or fails.")).to_be_visible()
    expect(chosen).to_be_checked()
    dialog.get_by_role("radio", name="fails").focus()
    room.keyboard.press("Space")
    sent(room, "Control+Enter")
    done = room.get_by_role("dialog", name="In the draft of version 2 now")
    expect(done).to_contain_text("has an example that fails")
    source = AnchorSource.objects.get()
    quote = "A pipe parted 😀 at the crimp. It leaked for hours."
    assert (source.start, source.end, source.part_key) == (0, len(quote), "A")
    assert Edit.objects.get().detail["text"] == quote
    room.keyboard.press("Escape")
    changes = room.get_by_role("region", name="In the draft of version 2")
    expect(changes).to_contain_text(quote)
    room.keyboard.press("t")
    room.keyboard.press("Enter")
    expect(room.get_by_role("status")).to_contain_text("Taken back")
    expect(changes).to_be_hidden()
    assert not Edit.objects.exists()
    assert not RubricVersion.objects.filter(status="draft").exists()


def test_a_raters_evidence_is_chosen_by_its_number(room: Page) -> None:
    room.keyboard.press("a")
    dialog = room.get_by_role("dialog", name="Add as anchor")
    expect(dialog).to_be_visible()
    room.keyboard.press("1")
    dialog.get_by_role("radio", name="passes").focus()
    room.keyboard.press("Space")
    sent(room, "Control+Enter")
    expect(room.get_by_role("dialog", name="In the draft of version 2 now")).to_be_visible()
    assert Edit.objects.get().detail["text"] == "A pipe"


def test_a_split_into_one_is_refused_and_nothing_typed_is_lost(room: Page) -> None:
    room.keyboard.press("s")
    dialog = room.get_by_role("dialog", name="Split")
    expect(dialog).to_be_visible()
    room.keyboard.type("It names what broke.")
    room.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("two checks or more")
    expect(dialog.get_by_label("Check 1")).to_have_value("It names what broke.")
    assert not Edit.objects.exists()
    dialog.get_by_label("Check 2").focus()
    room.keyboard.type("It says when.")
    sent(room, "Control+Enter")
    done = room.get_by_role("dialog", name="In the draft of version 2 now")
    expect(done).to_contain_text("split from C1")
    assert Edit.objects.get().keys[0] == "C1"
    assert len(Edit.objects.get().keys) == 2


def test_names_come_with_a_key_and_go_with_it(room: Page) -> None:
    names = ("Zoe", "Mia", "Ann")
    assert not [name for name in names if name in room.content()]
    room.keyboard.press("v")
    for name in names:
        expect(room.get_by_text(name, exact=True)).to_be_visible()
    room.keyboard.press("v")
    for name in names:
        expect(room.get_by_text(name, exact=True)).to_have_count(0)
    assert not [name for name in names if name in room.content()]


def test_keys_go_on_and_back_and_tell_themselves(
    signed_in: OpenPage, batch: Batch, lead: User
) -> None:
    page = signed_in(lead)
    page.goto(start_of(batch))
    page.keyboard.press("Enter")
    expect(page.get_by_text("disagreement 1 of 2")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("disagreement 2 of 2")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("k")
    expect(page.get_by_text("disagreement 1 of 2")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    expect(page.get_by_text("disagreement 1 of 2")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("l")
    expect(page.get_by_role("dialog", name="Rubric gaps")).to_contain_text("C1 unclear")
    page.keyboard.press("Escape")
    page.keyboard.press("f")


def test_the_timer_moves_and_says_when_the_time_is_over(
    room: Page, batch: Batch, item: Differing
) -> None:
    timer = room.locator("#timer")
    before = timer.inner_text()
    expect(timer).not_to_have_text(before, timeout=5000)
    meeting = Meeting.objects.get()
    Meeting.objects.filter(pk=meeting.pk).update(minutes=5)
    from datetime import timedelta

    Meeting.objects.update(started_at=meeting.started_at - timedelta(minutes=9))
    room.goto(address(batch, item))
    expect(room.locator("#timer")).to_contain_text("4 min over of 5 min")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1440, 900), (390, 844)])
def test_the_meeting_is_accessible_and_nothing_moves_when_a_dialog_opens(
    room: Page, batch: Batch, item: Differing, serious: Serious, width: int, height: int
) -> None:
    room.set_viewport_size({"width": width, "height": height})
    room.goto(address(batch, item))
    for scheme in ("light", "dark"):
        room.emulate_media(color_scheme=scheme)
        assert serious(room) == []
    content, screen = room.evaluate(WIDTHS)
    assert content <= screen
    room.evaluate(WATCH)
    for key, name in (
        ("a", "Add as anchor"),
        ("w", "Reword"),
        ("s", "Split"),
        ("m", "Merge"),
        ("c", "Check by code"),
        ("g", "Weight, scale or procedure"),
        ("o", "Open a ruling"),
        ("l", "Rubric gaps"),
    ):
        room.keyboard.press(key)
        dialog = room.get_by_role("dialog", name=name)
        # A busy machine takes its time.
        expect(dialog).to_be_visible(timeout=20_000)
        assert serious(room) == [], name
        assert dialog.evaluate("(box) => box.scrollWidth <= box.clientWidth"), name
        room.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
    assert room.evaluate("() => window.moved") < 0.01


def test_without_a_script_a_disagreement_is_settled_as_well(
    signed_in: OpenPage, batch: Batch, item: Differing, lead: User
) -> None:
    page = signed_in(lead, java_script_enabled=False)
    page.goto(f"{start_of(batch)}?check=C1")
    page.get_by_role("button", name="Start the meeting").click()
    page.get_by_role("button", name="Reword").click()
    page.get_by_label("The check").fill("It names what broke.")
    page.get_by_role("button", name="Put it into the draft").click()
    expect(page.get_by_role("region", name="In the draft of version 2")).to_be_visible()
    page.get_by_role("button", name="Names").click()
    expect(page.get_by_text("Zoe")).to_be_visible()
    page.get_by_role("radio", name="Slip").check()
    page.get_by_label("Decision").fill("Plain.")
    page.get_by_role("button", name="Settle, next").click()
    expect(page.get_by_text("All 1 are sorted")).to_be_visible()
    assert Disagreement.objects.get().note == "Plain."


def test_the_list_of_a_running_meeting_ends_it_by_keyboard(
    room: Page, batch: Batch, serious: Serious
) -> None:
    room.goto(start_of(batch))
    for scheme in ("light", "dark"):
        room.emulate_media(color_scheme=scheme)
        assert serious(room) == []
    room.set_viewport_size({"width": 390, "height": 844})
    content, screen = room.evaluate(WIDTHS)
    assert content <= screen
    room.get_by_role("button", name="End the meeting").focus()
    room.keyboard.press("Enter")
    expect(room.get_by_role("heading", name="Minutes: Round 1")).to_be_visible()
    assert Meeting.objects.get().ended_at is not None


def meeting_on(
    page: Page, project: Project, raters: list[User], answers: list[dict[str, str]], rubric: str
) -> None:
    """The meeting about one more round, of one pair, at its first disagreement."""
    version = make_rubric_version(project, rubric)
    made = make_voted_round(project, raters, [answers], version=version)
    Part.objects.filter(subject__project=project).update(text="The tap dripped. " * 40)
    page.goto(start_of(made))
    page.keyboard.press("Enter")
    page.wait_for_url("**/meeting/*.*.*/**")


@pytest.fixture
def raters(expert: User, other_expert: User, third_expert: User) -> list[User]:
    return [expert, other_expert, third_expert]


def test_both_responses_of_a_pair_are_seen_at_once(
    room: Page, project: Project, raters: list[User], serious: Serious
) -> None:
    answers = [{"preference": "A_much"}, {"preference": "A_much"}, {"preference": "tie"}]
    meeting_on(room, project, raters, answers, RUBRIC.replace("summaries", "pairs"))
    expect(room.get_by_role("heading", name="Preference: ")).to_be_visible()

    def places() -> list[FloatRect]:
        boxes = [room.locator(f"#text-{part}").bounding_box() for part in "AB"]
        return [box for box in boxes if box is not None]

    for width, height in ((1280, 800), (1440, 900)):
        room.set_viewport_size({"width": width, "height": height})
        first, second = places()
        assert first["y"] == second["y"]
        assert first["x"] + first["width"] < second["x"]
        for scheme in ("light", "dark"):
            room.emulate_media(color_scheme=scheme)
            assert serious(room) == []
    room.set_viewport_size({"width": 390, "height": 844})
    first, second = places()
    assert first["y"] + first["height"] <= second["y"]
    content, screen = room.evaluate(WIDTHS)
    assert content <= screen


def test_ten_checks_of_three_raters_fit_beside_each_other(
    room: Page, project: Project, raters: list[User]
) -> None:
    gates = "".join(f"  - {{id: G{n}, check: Gate {n}.}}\n" for n in range(1, 3))
    checks = "".join(f"  - {{id: C{n}, check: Check {n}., weight: 1}}\n" for n in range(1, 9))
    scale = "preference:\n  scale: 5\n  check: Which?\n"
    rubric = f"task: many\nrubric_version: 1\ngates:\n{gates}criteria:\n{checks}{scale}"
    answers = [{"C4": "yes yes"}, {"C4": "yes yes"}, {"C4": "no yes"}]
    meeting_on(room, project, raters, answers, rubric)
    tables = room.locator(".rater .scroll-x")
    expect(tables).to_have_count(3)
    for table in tables.all():
        assert table.locator("thead th").count() == 10
        assert table.evaluate("(box) => box.scrollWidth <= box.clientWidth")
        heads = table.locator("thead th").all()
        assert all(
            head.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth") for head in heads
        )


def test_a_long_reason_is_read_in_whole_and_moves_no_button(room: Page) -> None:
    kind = room.locator("#sorting .row").first
    before = kind.bounding_box()
    why = room.locator(".m-why")
    why.evaluate("(line) => { line.textContent = 'Two raters differ the same way. '.repeat(20); }")
    assert why.evaluate("(line) => line.scrollHeight <= line.clientHeight")
    assert kind.bounding_box() == before


def test_a_decision_says_who_reads_it(room: Page) -> None:
    expect(room.get_by_label("Decision")).to_have_accessible_description(
        "Raters read this later: no names."
    )


def sign_in_over(page: Page) -> None:
    over = page.get_by_role("dialog", name="Signed out")
    over.get_by_label("Username").fill("lead")
    over.get_by_label("Password").fill("correct horse battery")
    page.keyboard.press("Enter")
    expect(over).to_be_hidden()


def test_whoever_was_signed_out_loses_nothing(room: Page, batch: Batch, lead: User) -> None:
    room.keyboard.press("w")
    dialog = room.get_by_role("dialog", name="Reword")
    expect(dialog).to_be_visible()
    dialog.get_by_label("The check").fill("It names what broke.")
    room.context.clear_cookies(name="sessionid")
    room.keyboard.press("Control+Enter")
    sign_in_over(room)
    expect(dialog.get_by_role("alert")).to_contain_text("You are signed out")
    expect(dialog.get_by_label("The check")).to_have_value("It names what broke.")
    assert not Edit.objects.exists()
    dialog.get_by_label("The check").focus()
    sent(room, "Control+Enter")
    expect(room.get_by_role("dialog", name="In the draft of version 2 now")).to_be_visible()
    room.keyboard.press("Escape")
    room.context.clear_cookies(name="sessionid")
    room.keyboard.press("l")
    sign_in_over(room)
    expect(room.get_by_role("dialog", name="Rubric gaps")).to_be_visible()
    room.keyboard.press("Escape")
    sent(room, "3")
    room.keyboard.press("Control+Enter")
    expect(room.get_by_text("All 1 are sorted")).to_be_visible()
    assert Disagreement.objects.get().kind == "weighting"


def test_a_key_right_after_a_dialog_is_a_key_of_the_page(room: Page) -> None:
    room.keyboard.press("w")
    expect(room.get_by_role("dialog", name="Reword")).to_be_visible()
    # Both in one turn of the page: nothing is drawn between them, as on a busy machine.
    room.evaluate(
        """() => {
          const field = document.activeElement;
          document.getElementById("act").close();
          field.dispatchEvent(new KeyboardEvent("keydown", { key: "m", bubbles: true }));
        }"""
    )
    expect(room.get_by_role("dialog", name="Merge")).to_be_visible()
