"""The dialogs of a meeting's acts: what each begins with, offers, leaves out and refuses."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from annotate.act_forms.merging import tick_of
from annotate.act_forms.parting import fails_field
from annotate.actions.edits import make_edit
from annotate.actions.meetings import start_meeting
from annotate.actions.sorting import sort_disagreement
from annotate.disagreements import Differing, differing
from annotate.models import Edit
from rubrics.actions import publish
from rubrics.content import Anchor
from rubrics.models import RubricVersion
from tests.annotate.test_meeting import act, at, edited
from tests.making import make_rubric_version, make_voted_round

if TYPE_CHECKING:
    from django.test import Client

    from annotate.models import Batch
    from projects.models import Project, User
    from rubrics.content import Criterion

RUBRIC = """
task: summaries
rubric_version: 1
gates:
  - {id: G1, title: Amounts match, check: Every amount is the one in the file.}
criteria:
  - id: C1
    title: Names the cause
    check: The first sentence names the cause of loss.
    help: A cause is what broke, not what got wet.
    weight: 1
    anchors:
      - {verdict: pass, text: A pipe parted at the crimp.}
      - {verdict: fail, text: The kitchen was flooded.}
      - {verdict: fail, text: It broke.}
  - id: C2
    title: Lists open items
    check: Every open item is listed.
    weight: 2
    anchors:
      - {verdict: pass, text: The quote is missing.}
      - {verdict: fail, text: Some items are open.}
preference: {scale: 5, check: Which one would you rather read?}
"""
FAILING = ("The kitchen was flooded.", "It broke.")


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User, lead: User) -> Batch:
    """Two raters on a pair: they differ on C1 of its A, and on the preference."""
    version = make_rubric_version(project, RUBRIC)
    answers = [
        [{"C1": "yes yes", "preference": "A_much"}, {"C1": "no yes", "preference": "B_much"}]
    ]
    made = make_voted_round(project, [expert, other_expert], answers, version=version)
    start_meeting(batch=made, minutes=60, acting_user=lead)
    return made


def on(batch: Batch, lead: User, key: str) -> Differing:
    return next(one for one in differing([batch], reader=lead).all if one.unit.key == key)


@pytest.fixture
def item(batch: Batch, lead: User) -> Differing:
    return on(batch, lead, "C1")


@pytest.fixture
def preferred(batch: Batch, lead: User) -> Differing:
    return on(batch, lead, "preference")


@pytest.fixture
def room(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def shown(room: Client, address: str, **given: Any) -> str:
    return unescape(room.get(address, given).content.decode())


def draft() -> dict[str, Criterion]:
    content = RubricVersion.objects.get(status="draft").content
    return {check.key: check for check in content.criteria}


def examples(check: Criterion, verdict: str) -> list[str]:
    return [anchor.text for anchor in check.anchors if anchor.verdict == verdict]


def checked(page: str, name: str) -> list[str]:
    """The values of the radios or ticks of a name that are chosen."""
    boxes = re.findall(rf'<input[^>]*name="{name}"[^>]*>', page)
    values = [re.search(r'value="([^"]*)"', box) for box in boxes if "checked" in box]
    return [value[1] for value in values if value]


# ---- Split


def test_a_split_lists_every_failing_example_and_begins_with_none_going_along(
    room: Client, batch: Batch, item: Differing
) -> None:
    page = shown(room, act(batch, item, "split"))
    assert "Which part do they fail?" in page
    for text in FAILING:
        assert f"“{text}”" in page
    parts = {"key": "C1", "text_1": "It names what broke.", "text_2": "It names when."}
    assert room.post(act(batch, item, "split"), parts).status_code == 302
    first, second = (draft()[key] for key in Edit.objects.get().keys)
    assert examples(first, "fail") == examples(second, "fail") == []
    assert examples(first, "pass") == examples(second, "pass") == ["A pipe parted at the crimp."]


def test_a_failing_example_goes_to_the_part_that_is_chosen_for_it(
    room: Client, batch: Batch, item: Differing
) -> None:
    given = {"key": "C1", "text_1": "It names what broke.", "text_2": "It names when."}
    given[fails_field(FAILING[1])] = "2"
    assert room.post(act(batch, item, "split"), given).status_code == 302
    first, second = (draft()[key] for key in Edit.objects.get().keys)
    assert (examples(first, "fail"), examples(second, "fail")) == ([], ["It broke."])


def test_an_example_that_was_added_a_minute_ago_is_listed_as_well(
    room: Client, batch: Batch, item: Differing, lead: User
) -> None:
    edited(batch, item, lead, "anchor", verdict="fail", text="Water came.", origin="real")
    assert "“Water came.”" in shown(room, act(batch, item, "split"))


def test_an_example_that_a_split_left_out_is_told_as_no_longer_in_the_draft(
    room: Client, batch: Batch, item: Differing, lead: User
) -> None:
    edited(batch, item, lead, "anchor", verdict="fail", text="Water came.", origin="real")
    parts = {"key": "C1", "text_1": "It names what broke.", "text_2": "It names when."}
    assert room.post(act(batch, item, "split"), parts).status_code == 302
    page = shown(room, at(batch, "meeting_unit", item))
    anchor = page[page.index("has an example that fails") :]
    assert "no longer in the draft" in anchor[: anchor.index("</li>")]


def test_an_example_that_went_along_is_told_as_standing(
    room: Client, batch: Batch, item: Differing, lead: User
) -> None:
    edited(batch, item, lead, "anchor", verdict="fail", text="Water came.", origin="real")
    parts = {"key": "C1", "text_1": "It names what broke.", "text_2": "It names when."}
    parts[fails_field("Water came.")] = "1"
    assert room.post(act(batch, item, "split"), parts).status_code == 302
    assert "no longer in the draft" not in shown(room, at(batch, "meeting_unit", item))


def test_no_example_goes_to_a_part_without_words(
    room: Client, batch: Batch, item: Differing
) -> None:
    given = {"key": "C1", "text_1": "It names what broke.", "text_2": "It names when."}
    given[fails_field(FAILING[0])] = "3"
    refused = room.post(act(batch, item, "split"), given)
    assert refused.status_code == 422
    page = refused.content.decode()
    assert "Check 3 has no words yet" in page
    assert "It names what broke." in page
    assert not Edit.objects.exists()


def test_the_first_part_begins_with_the_help_and_each_has_its_own(
    room: Client, batch: Batch, item: Differing
) -> None:
    page = shown(room, act(batch, item, "split"))
    assert page.count("A cause is what broke, not what got wet.") == 1
    given = {
        "key": "C1",
        "text_1": "It names what broke.",
        "help_1": "What broke.",
        "text_2": "It names when.",
        "help_2": "",
    }
    assert room.post(act(batch, item, "split"), given).status_code == 302
    first, second = (draft()[key] for key in Edit.objects.get().keys)
    assert (first.help, second.help) == ("What broke.", "")


def test_a_split_begins_with_two_parts_and_has_two_more_on_demand(
    room: Client, batch: Batch, item: Differing
) -> None:
    page = shown(room, act(batch, item, "split"))
    assert page.count("<details") == page.count('<details class="m-more">') == 2
    given = {"key": "C1", "text_3": "The third."}
    refused = room.post(act(batch, item, "split"), given).content.decode()
    assert refused.count('<details class="m-more" open>') == 1


# ---- Merge


def test_a_merge_offers_checks_of_the_same_kind_and_goes_on_at_the_first_not_ticked(
    room: Client, batch: Batch, item: Differing
) -> None:
    page = shown(room, act(batch, item, "merge"))
    boxes = re.findall(r'<input type="checkbox" name="keys" value="(\w+)"([^>]*)>', page)
    assert [(key, rest.strip()) for key, rest in boxes] == [("C1", "checked"), ("C2", "autofocus")]


def test_merging_across_kinds_is_a_clear_error_and_loses_nothing(
    room: Client, batch: Batch, item: Differing
) -> None:
    given = {"keys": ["G1", "C1"], "text": "Both at once."}
    refused = room.post(act(batch, item, "merge"), given)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "G1 is a gate and C1 a criterion: only checks of one kind can be merged." in page
    assert checked(page, "keys") == ["G1", "C1"]
    assert "Both at once." in page
    assert not Edit.objects.exists()


def test_a_merge_leaves_out_what_passes_unless_it_is_kept(
    room: Client, batch: Batch, item: Differing
) -> None:
    page = shown(room, act(batch, item, "merge"))
    for text in ("A pipe parted at the crimp.", "The quote is missing."):
        assert f"keep <q>{text}</q>" in page
    assert checked(page, "keep") == []
    check = batch.version.content.of_kind("criterion")[1]
    kept = tick_of(check, Anchor("pass", "The quote is missing."))
    given = {"keys": ["C1", "C2"], "keep": [kept], "text": "It is complete."}
    assert room.post(act(batch, item, "merge"), given).status_code == 302
    merged = draft()["C1"]
    assert examples(merged, "pass") == ["The quote is missing."]
    assert examples(merged, "fail") == [*FAILING, "Some items are open."]


# ---- On the preference


@pytest.mark.parametrize("name", ["anchor", "reword", "split", "automatic"])
def test_on_the_preference_no_check_is_chosen_for_anybody(
    room: Client, batch: Batch, preferred: Differing, name: str
) -> None:
    page = shown(room, act(batch, preferred, name))
    assert re.search(r'<select name="key"[^>]*autofocus', page)
    assert '<option value="" selected>Choose a check</option>' in page
    assert "<textarea" not in page
    assert 'role="alert"' not in page
    assert "Choose the check that this is about." in shown(
        room, act(batch, preferred, name), key=""
    )
    chosen = shown(room, act(batch, preferred, name), key="C2")
    assert '<option value="C2" selected>' in chosen
    assert "Every open item is listed." in chosen


def test_on_the_preference_nothing_is_written_without_a_check(
    room: Client, batch: Batch, preferred: Differing
) -> None:
    given = {"text": "What was typed stays."}
    refused = room.post(act(batch, preferred, "reword"), given)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "Choose the check that this is about." in page
    assert "What was typed stays." in page
    assert not RubricVersion.objects.filter(status="draft").exists()


def test_on_the_preference_the_procedure_comes_first_and_a_weight_can_change(
    room: Client, batch: Batch, preferred: Differing
) -> None:
    address = act(batch, preferred, "change")
    page = shown(room, address)
    assert re.findall(r'name="what" value="(\w+)"', page) == ["procedure", "weight", "scale"]
    assert checked(page, "what") == ["procedure"]
    assert "C2, Lists open items, weighs 2" in page
    refused = room.post(address, {"key": "preference", "what": "weight", "weight": "4"})
    assert refused.status_code == 422
    assert "Choose the criterion whose weight changes." in refused.content.decode()
    given = {"key": "preference", "what": "weight", "weighed": "C2", "weight": "4"}
    assert room.post(address, given).status_code == 302
    assert draft()["C2"].weight == 4
    assert (Edit.objects.get().kind, Edit.objects.get().keys) == ("weight", ["C2"])


def test_a_weight_that_somebody_changed_meanwhile_is_not_written_over(
    room: Client, batch: Batch, preferred: Differing, item: Differing, lead: User
) -> None:
    address = act(batch, preferred, "change")
    begun = re.search(r'name="begun_from" value="(\w+)"', shown(room, address))
    assert begun is not None
    edited(batch, item, lead, "weight", weight=3)
    given = {"key": "preference", "what": "weight", "weighed": "C1", "weight": "4"}
    refused = room.post(address, {**given, "begun_from": begun[1]})
    assert refused.status_code == 422
    assert draft()["C1"].weight == 3


def test_the_scale_of_the_preference_is_one_of_three(
    room: Client, batch: Batch, preferred: Differing
) -> None:
    address = act(batch, preferred, "change")
    page = shown(room, address)
    assert re.findall(r'name="points" value="(\d)"', page) == ["3", "5", "7"]
    assert checked(page, "points") == ["5"]
    assert 'name="values"' not in page
    given = {"key": "preference", "what": "scale", "points": "7"}
    assert room.post(address, given).status_code == 302
    assert len(draft()["preference"].values) == 7


# ---- Anchor and code


def test_with_no_passage_there_is_nothing_to_choose_from(
    room: Client, batch: Batch, item: Differing
) -> None:
    page = shown(room, act(batch, item, "anchor"))
    assert '<div class="m-passages" hidden>' in page
    assert "select a passage first" in page


@pytest.mark.parametrize(
    ("rule", "given", "kept"),
    [
        ("max_words", {"number": "150"}, 150),
        ("max_prompt_overlap", {"share": "0,3"}, 0.3),
        ("must_contain", {"lines": "cause\nof loss\n"}, ("cause", "of loss")),
        ("language", {"lines": "en, de"}, ("en", "de")),
        ("json_schema", {"schema": '{"type": "object"}'}, '{"type":"object"}'),
        ("json", {}, True),
    ],
)
def test_a_rule_takes_the_field_that_it_asks_for_and_no_other(
    room: Client, batch: Batch, item: Differing, rule: str, given: dict[str, str], kept: object
) -> None:
    others = {"number": "9", "share": "0.9", "lines": "never", "schema": "{}"}
    sent = {"key": "C1", "rule": rule, **others, **given}
    assert room.post(act(batch, item, "automatic"), sent).status_code == 302
    (moved,) = RubricVersion.objects.get(status="draft").content.of_kind("automatic")
    assert dict(moved.rule) == {rule: kept}


# ---- Votes on an older version


@pytest.fixture
def newer(batch: Batch, item: Differing, lead: User) -> None:
    """A second version that came after the votes."""
    edited(batch, item, lead, "reword", text="It names the cause.")
    second = RubricVersion.objects.get(status="draft")
    publish(version=second, change_note="Clearer.", acting_user=lead)


def test_that_the_votes_are_of_an_older_version_stands_on_the_first_page(
    room: Client, batch: Batch, newer: None
) -> None:
    page = shown(room, at(batch))
    assert "has come since: these votes speak of version 1" in page
    assert '/new-rubric/?rubric=summaries">To the editor</a>' in page


def test_votes_on_the_newest_version_say_nothing_of_versions(
    room: Client, batch: Batch, item: Differing
) -> None:
    assert "has come since" not in shown(room, at(batch))
    assert 'aria-disabled="true"' not in shown(room, at(batch, "meeting_unit", item))


def test_acts_of_an_older_version_are_disabled_and_lead_to_the_editor(
    room: Client, batch: Batch, item: Differing, newer: None
) -> None:
    page = shown(room, at(batch, "meeting_unit", item))
    acts = re.findall(r'<a class="btn" data-act href="[^"]*/(\w+)/"([^>]*)>', page)
    enabled = [name for name, rest in acts if 'aria-disabled="true"' not in rest]
    assert (len(acts), enabled) == (7, ["ruling"])
    dialog = shown(room, act(batch, item, "split"))
    assert "has come since" in dialog
    assert '/new-rubric/?rubric=summaries">To the editor</a>' in dialog


# ---- The decision as the change note


def decided(batch: Batch, item: Differing, lead: User, note: str) -> None:
    sort_disagreement(
        batch=batch, unit=item.unit, kind="ambiguity", note=note, suggestion=None, acting_user=lead
    )


def unsaid(batch: Batch, item: Differing, lead: User, note: str = "") -> Edit:
    return make_edit(
        batch=batch,
        unit=item.unit,
        ruling=None,
        kind="reword",
        detail={"key": "C1", "text": "It names the cause."},
        note=note,
        passage=None,
        acting_user=lead,
    )


def notes() -> dict[str, str]:
    return dict(RubricVersion.objects.get(number=2).change_notes)


def test_a_decision_that_is_written_after_the_act_becomes_its_change_note(
    batch: Batch, item: Differing, lead: User
) -> None:
    unsaid(batch, item, lead)
    assert notes() == {}
    decided(batch, item, lead, "A cause is\nwhat broke.")
    assert notes() == {"C1": "A cause is what broke."}
    decided(batch, item, lead, "A cause is what broke, and nothing else.")
    assert notes() == {"C1": "A cause is what broke, and nothing else."}


def test_a_decision_takes_the_place_of_no_other_note(
    batch: Batch, item: Differing, lead: User
) -> None:
    unsaid(batch, item, lead, note="Two read it two ways.")
    decided(batch, item, lead, "A cause is what broke.")
    assert notes() == {"C1": "Two read it two ways."}


def test_a_decision_after_the_publication_changes_no_note(
    batch: Batch, item: Differing, lead: User
) -> None:
    unsaid(batch, item, lead)
    publish(
        version=RubricVersion.objects.get(status="draft"), change_note="Clearer.", acting_user=lead
    )
    published = notes()
    decided(batch, item, lead, "A cause is what broke.")
    assert notes() == published
