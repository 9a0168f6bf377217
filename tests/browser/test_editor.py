"""The rubric editor in a real browser: both sides follow each other, and nothing is lost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from rubrics.models import RubricVersion
from tests.making import make_member
from tests.rubrics.making import make_draft, make_published, make_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Dialog, Locator, Page
    from pytest_django.live_server_helper import LiveServer

    from projects.models import Project, User

    OpenPage = Callable[..., Page]
    Serious = Callable[[Page], list[str]]

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "correct horse battery"
NEW = "/p/claims/new-rubric/"
EDIT = NEW + "?rubric=claim-letter"
VERSION = "/p/claims/rubrics/claim-letter/1/"
COMPARE = "/p/claims/rubrics/claim-letter/compare/"


@pytest.fixture(autouse=True)
def _live(transactional_db: None, live_server: LiveServer) -> None:
    """The pages stand on the test database."""


def yaml_of(page: Page) -> Locator:
    return page.locator("#source")


def holding(words: str) -> re.Pattern[str]:
    return re.compile(re.escape(words))


def settled(page: Page, words: str) -> None:
    """The answer to a change of the form has come, and it is in the YAML."""
    expect(yaml_of(page)).to_have_value(holding(words))


def test_typing_into_the_form_writes_the_yaml_and_keeps_the_caret(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead)
    page.goto(EDIT)
    page.locator("#check-0 > summary").click()
    field = page.locator("#f-check-0-check")
    field.focus()
    field.evaluate("field => field.setSelectionRange(5, 5)")

    page.keyboard.type(" single")

    settled(page, "check: Every single amount matches the claim file.")
    expect(field).to_be_focused()
    assert field.evaluate("field => field.selectionStart") == len("Every single")
    expect(page.locator("#editor-notices")).to_contain_text("comments")
    page.keyboard.press("Control+z")
    expect(field).not_to_have_value(holding("single"))


def test_typing_into_the_yaml_fills_the_form_and_the_preview_and_is_kept_as_typed(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead)
    page.goto(EDIT)
    mine = "# as agreed in May\n" + make_yaml(gate="Every figure is right there.").replace(
        "title: Amounts match", "title: Figures match"
    )

    yaml_of(page).fill(mine)

    expect(page.locator("#f-check-0-check")).to_have_value("Every figure is right there.")
    expect(page.locator("#editor-preview")).to_contain_text("Figures match")
    expect(page.locator("#sum-check-0")).to_contain_text("Figures match")
    expect(yaml_of(page)).to_have_value(mine)
    expect(yaml_of(page)).to_be_focused()


def test_going_to_the_other_side_at_once_loses_nothing(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead)
    page.goto(EDIT)
    page.locator("#f-name").fill("From the form")
    yaml_of(page).click()
    settled(page, "name: From the form")
    expect(yaml_of(page)).to_be_focused()

    yaml_of(page).fill(yaml_of(page).input_value().replace("Amounts match", "Sums match"))
    page.locator("#f-name").click()
    expect(page.locator("#f-check-0-title")).to_have_value("Sums match")
    page.locator("#f-task").fill("letters")
    settled(page, "task: letters")

    text = yaml_of(page).input_value()
    assert "name: From the form" in text
    assert "title: Sums match" in text
    expect(page.get_by_role("alert")).to_have_count(0)


def test_somebody_signed_out_meanwhile_keeps_what_they_wrote(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead)
    page.goto(EDIT)
    page.context.clear_cookies(name="sessionid")
    page.locator("#f-name").fill("Written long")

    page.get_by_role("button", name="Keep as a draft").click()

    dialog = page.locator("#sign-in")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Not now").click()
    expect(page.locator("#editor-state")).to_contain_text("signed out")
    expect(page.locator("#f-name")).to_have_value("Written long")
    assert page.url.endswith(EDIT)
    page.get_by_role("button", name="Keep as a draft").click()
    dialog.get_by_label("Username").fill("lead")
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/claim-letter/1/**")
    assert RubricVersion.objects.get().content.name == "Written long"


def sign_in_in_another_tab(page: Page, name: str) -> None:
    other = page.context.new_page()
    other.goto("/login/")
    other.get_by_label("Username").fill(name)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("button", name="Sign in")).to_have_count(0)
    other.close()


def test_signed_in_in_another_tab_the_editor_goes_on_and_keeps_the_draft(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead)
    page.goto(EDIT)
    page.context.clear_cookies(name="sessionid")
    page.locator("#f-name").fill("Written")
    expect(page.locator("#editor-state")).to_contain_text("You are signed out")
    expect(page.locator("#sign-in")).to_have_count(0)

    sign_in_in_another_tab(page, "lead")
    page.locator("#f-name").fill("Written long")
    settled(page, "name: Written long")
    page.get_by_role("button", name="Keep as a draft").click()

    page.wait_for_url("**/claim-letter/1/**")
    assert RubricVersion.objects.get().content.name == "Written long"


def test_nothing_is_kept_under_the_name_of_somebody_else(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    make_member(project, "lead", username="other_lead")
    page = signed_in(lead)
    page.goto(EDIT)
    page.context.clear_cookies(name="sessionid")
    sign_in_in_another_tab(page, "other_lead")
    page.locator("#f-name").fill("Written long")

    page.get_by_role("button", name="Keep as a draft").click()

    expect(page.locator("#sign-in")).to_contain_text("Somebody else is signed in")
    page.get_by_role("button", name="Leave it").click()
    expect(page.locator("#editor-state")).to_contain_text("Somebody else")
    expect(page.locator("#f-name")).to_have_value("Written long")
    assert RubricVersion.objects.get().content.name == "Claim letters"


@pytest.mark.parametrize("over", [True, False])
def test_publishing_while_signed_out_keeps_the_note(
    signed_in: OpenPage, project: Project, lead: User, over: bool
) -> None:
    make_draft(project)
    page = signed_in(lead)
    page.goto(VERSION if over else VERSION + "publish/")
    if over:
        page.get_by_role("link", name="Publish version 1").click()
    note = page.get_by_label("Change note")
    note.fill("Long thought about.")
    page.context.clear_cookies(name="sessionid")

    page.locator(".publish").get_by_role("button", name="Publish").click()

    dialog = page.locator("#sign-in")
    dialog.get_by_role("button", name="Not now").click()
    expect(page.locator(".publish")).to_contain_text("Nothing was published: you are signed out")
    expect(note).to_have_value("Long thought about.")
    page.locator(".publish").get_by_role("button", name="Publish").click()
    dialog.get_by_label("Username").fill("lead")
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/claim-letter/1/?revision=1")
    version = RubricVersion.objects.get()
    assert (version.status, version.change_note) == ("published", "Long thought about.")


def test_a_problem_stands_at_its_field_and_at_its_line(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead)
    page.goto(EDIT)
    page.locator("#check-1 > summary").click()

    page.locator("#f-check-1-weight").fill("heavy")

    expect(page.locator("#m-check-1-weight")).to_contain_text("must be a finite number")
    expect(page.locator("#f-check-1-weight")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#f-check-1-weight")).to_be_focused()
    said = page.locator("#yaml-problems li")
    expect(said).to_contain_text("weight: heavy")
    said.locator("a").click()
    expect(yaml_of(page)).to_be_focused()
    selected = yaml_of(page).evaluate("t => t.value.slice(t.selectionStart, t.selectionEnd)")
    assert selected.strip() == "weight: heavy"
    expect(page.locator("#yaml-lines .is-wrong")).to_have_count(1)


def test_the_count_of_problems_leads_to_the_first_of_them(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead, viewport={"width": 390, "height": 800})
    page.goto(EDIT)
    good = yaml_of(page).input_value()
    yaml_of(page).fill(good.replace("weight: 3", "weight: heavy"))
    link = page.get_by_role("link", name="1 to mend")

    link.click()

    expect(page.locator("#f-check-1-weight")).to_be_focused()
    expect(page.locator("#f-check-1-weight")).to_be_in_viewport()
    yaml_of(page).fill(good + "  - [\n")
    expect(page.locator("#editor-form")).to_have_js_property("inert", True)
    link.click()
    expect(yaml_of(page)).to_be_focused()


def test_the_preview_names_its_sides_and_shows_that_it_goes_on(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead, viewport={"width": 1280, "height": 800})
    page.goto(EDIT)
    preview = page.locator(".editor-preview")
    expect(preview.locator(".hands")).to_contain_text("Left")
    expect(preview.locator(".hands")).to_contain_text("Right")
    fade = "box => getComputedStyle(box, '::after').backgroundImage"
    assert "gradient" in preview.evaluate(fade)
    # Scrolled to its end, nothing of the rows lies under the fade.
    preview.evaluate("box => box.scrollTo(0, box.scrollHeight)")
    below = preview.evaluate(
        "box => box.getBoundingClientRect().bottom"
        " - box.querySelector('.rows-as-labelled').getBoundingClientRect().bottom"
    )
    assert below >= 30


def test_a_draft_is_thrown_away_without_scripts(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead, java_script_enabled=False)
    page.goto(VERSION)
    page.get_by_role("link", name="Throw the draft away").click()
    page.get_by_role("link", name="Keep it").click()
    assert RubricVersion.objects.exists()
    page.get_by_role("link", name="Throw the draft away").click()
    page.get_by_role("button", name="Throw it away").click()
    page.wait_for_url("**/rubrics/")
    assert not RubricVersion.objects.exists()


def test_the_form_waits_while_the_yaml_cannot_be_read(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead)
    page.goto(EDIT)
    good = yaml_of(page).input_value()

    yaml_of(page).fill(good + "\n  - [")
    expect(page.locator("#editor-form")).to_have_js_property("inert", True)
    expect(page.locator("#yaml-problems")).to_contain_text("malformed YAML")
    yaml_of(page).fill(good.replace("Amounts match", "Sums match"))

    expect(page.locator("#editor-form")).to_have_js_property("inert", False)
    expect(page.locator("#f-check-0-title")).to_have_value("Sums match")


def test_a_rubric_is_written_with_the_keyboard_alone(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    page = signed_in(lead)
    page.goto(NEW)
    page.locator("#f-task").focus()
    page.keyboard.type("letters")
    page.locator("#add-criterion").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#f-check-4-check")).to_be_focused()
    page.keyboard.type("The first paragraph states the decision.")
    settled(page, "The first paragraph states the decision.")
    page.locator('[value="fail:4"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator("#f-check-4-anchor-0-text")).to_be_focused()
    page.keyboard.type("Thank you for your letter.")
    page.locator("#check-3 > summary").press("Enter")
    page.locator('[value="up:3"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator("#check-2 > summary")).to_be_focused()

    page.keyboard.press("Control+s")
    page.wait_for_url("**/rubrics/letters/1/**")

    content = RubricVersion.objects.get().content
    assert [check.key for check in content.gates] == ["G1", "G2", "G4", "G3"]
    (criterion,) = content.of_kind("criterion")
    assert criterion.text == "The first paragraph states the decision."
    assert [(a.verdict, a.text) for a in criterion.anchors] == [
        ("fail", "Thank you for your letter.")
    ]


def test_a_removed_check_comes_back_with_undo(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead)
    page.goto(EDIT)
    page.locator("#check-1 > summary").click()
    page.get_by_role("button", name="Remove C1", exact=True).click()
    expect(yaml_of(page)).not_to_have_value(holding("id: C1"))

    page.get_by_role("button", name="Undo").click()

    settled(page, "id: C1")
    expect(page.locator("#sum-check-1")).to_contain_text("C1")


def test_leaving_with_unsaved_changes_asks(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead)
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    page.goto(EDIT)
    page.get_by_role("link", name="Leave").click()
    page.wait_for_url("**/rubrics/claim-letter/")
    assert asked == []
    page.goto(EDIT)
    page.locator("#f-name").fill("Other letters")
    settled(page, "name: Other letters")

    page.get_by_role("link", name="Leave").click()

    page.wait_for_url("**/rubrics/claim-letter/")
    assert asked == ["beforeunload"]


def test_the_editor_works_without_scripts(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    page = signed_in(lead, java_script_enabled=False)
    page.goto(EDIT)
    page.get_by_role("button", name="Add a criterion").click()
    page.locator("#f-check-3-check").fill("Names the adjuster.")
    page.locator("#editor-check").click()
    expect(yaml_of(page)).to_have_value(holding("check: Names the adjuster."))

    page.locator("#f-name").fill("From the form")
    yaml_of(page).fill(yaml_of(page).input_value().replace("Names the", "Gives the"))
    page.get_by_role("button", name="Keep as a draft").click()

    expect(page.get_by_role("alert")).to_contain_text("Both sides were changed")
    assert RubricVersion.objects.get().content.criteria[2].text != "Names the adjuster."
    page.get_by_role("button", name="Keep the YAML").click()
    page.get_by_role("button", name="Keep as a draft").click()
    kept = RubricVersion.objects.get().content
    assert "Gives the adjuster." in [check.text for check in kept.criteria]
    assert kept.name == "Claim letters"


def test_two_leads_do_not_write_over_each_other_unseen(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_draft(project)
    other = make_member(project, "lead", username="other_lead")
    mine, theirs = signed_in(lead), signed_in(other)
    mine.goto(EDIT)
    theirs.goto(EDIT)
    theirs.locator("#f-name").fill("Their letters")
    settled(theirs, "name: Their letters")
    theirs.get_by_role("button", name="Keep as a draft").click()
    theirs.wait_for_url("**/claim-letter/1/**")
    mine.locator("#f-name").fill("My letters")
    settled(mine, "name: My letters")

    mine.get_by_role("button", name="Keep as a draft").click()

    alert = mine.get_by_role("alert")
    expect(alert).to_contain_text("the draft was changed while you were here, by other_lead")
    expect(yaml_of(mine)).to_have_value(holding("name: My letters"))
    assert RubricVersion.objects.get().content.name == "Their letters"
    alert.get_by_text("What yours would change in it").click()
    expect(alert).to_contain_text("Name Their letters → My letters")
    mine.locator("#f-task").press("End")
    mine.keyboard.type("s")
    settled(mine, "task: claim-letters")
    expect(alert).to_contain_text("by other_lead")
    mine.keyboard.press("Backspace")
    settled(mine, "task: claim-letter\n")
    mine.get_by_role("button", name="Keep as a draft").click()
    mine.wait_for_url("**/claim-letter/1/**")
    assert RubricVersion.objects.get().content.name == "My letters"


def test_publishing_opens_over_the_draft_with_the_note_begun(
    signed_in: OpenPage, project: Project, lead: User
) -> None:
    make_published(project)
    make_draft(project, make_yaml(2, weight=2))
    page = signed_in(lead)
    page.goto("/p/claims/rubrics/claim-letter/2/")

    page.get_by_role("link", name="Publish version 2").click()

    dialog = page.get_by_role("dialog")
    note = dialog.get_by_label("C1", exact=True)
    expect(note).to_have_value("Weight 3 → 2: ")
    expect(note).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.get_by_role("link", name="Publish version 2").click()
    expect(note).to_be_focused()
    page.keyboard.type("it counts less.")
    dialog.get_by_role("button", name="Publish").dblclick()
    page.wait_for_url("**/claim-letter/2/?revision=1")
    version = RubricVersion.objects.get(number=2)
    assert (version.status, version.said) == ("published", "C1: Weight 3 → 2: it counts less.")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_pages_are_accessible_and_never_wider_than_the_screen(
    signed_in: OpenPage, serious: Serious, project: Project, lead: User, theme: str, width: int
) -> None:
    make_published(project)
    make_draft(project, make_yaml(2, weight=2, gate="Every figure is clear and concise."))
    page = signed_in(lead, viewport={"width": width, "height": 800}, color_scheme=theme)
    draft = "/p/claims/rubrics/claim-letter/2/"
    history = "/p/claims/rubrics/claim-letter/"
    for address in (EDIT, NEW, COMPARE, history, f"{draft}publish/", f"{draft}discard/"):
        page.goto(address)
        for check in page.locator("details.ec > summary").all()[:2]:
            check.click()
        assert serious(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
