"""The meeting: one disagreement at a time, sorted, acted on and minuted."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.actions.edits import make_edit, take_back
from annotate.actions.meetings import MeetingRefused, end_meeting, start_meeting
from annotate.actions.sorting import SortingRefused, sort_disagreement
from annotate.disagreements import Differing, differing, unit_code
from annotate.evidence import Passage
from annotate.models import AnchorSource, Assignment, Disagreement, Edit, Evidence, Meeting, Vote
from projects.models import Event, Rater
from rubrics.actions import RubricRefused, publish
from rubrics.edits import EditError
from rubrics.models import RubricVersion
from tests.making import make_member, make_rubric_version, make_voted_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from annotate.models import Batch
    from projects.models import Project, User

RUBRIC = """
task: summaries
rubric_version: 1
gates:
  - id: G1
    title: Amounts match
    check: Every amount is the one in the file.
criteria:
  - id: C1
    title: Names the cause
    check: The first sentence names the cause of loss.
    help: A cause is what broke, not what got wet.
    weight: 1
  - id: C2
    title: Lists open items
    check: Every open item is listed.
    weight: 2
preference:
  scale: 5
  check: Which one would you rather read?
"""
WORDS = "[C1] decides: [Left] names it."


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User, third_expert: User) -> Batch:
    """Three raters on three pairs; they differ on C1 of the first pair's A, and on its preference
    and the second pair's."""
    for user, name in ((expert, "Zoe"), (other_expert, "Mia"), (third_expert, "Ann")):
        user.first_name = name
        user.save()
    alike = {"C1": "yes", "preference": "tie"}
    answers = [
        [
            {"C1": "yes yes", "preference": "A_slight", "rationale": WORDS},
            {"C1": "yes yes", "preference": "A_slight"},
            {"C1": "no yes", "preference": "B_much", "unclear:C1": "1"},
        ],
        [{"preference": "A_much"}, {"preference": "A_much"}, {"preference": "tie"}],
        [alike, alike, alike],
    ]
    version = make_rubric_version(project, RUBRIC)
    return make_voted_round(project, [expert, other_expert, third_expert], answers, version=version)


@pytest.fixture
def meeting(batch: Batch, lead: User) -> Meeting:
    return start_meeting(batch=batch, minutes=60, acting_user=lead)


@pytest.fixture
def item(batch: Batch, lead: User) -> Differing:
    """The disagreement on C1."""
    return next(one for one in differing([batch], reader=lead).all if one.unit.key == "C1")


@pytest.fixture
def room(client: Client, lead: User, meeting: Meeting) -> Client:
    client.force_login(lead)
    return client


def at(batch: Batch, name: str = "meeting", item: Differing | None = None, *more: object) -> str:
    places = [batch.project.slug, batch.public_id, *([unit_code(item.unit)] if item else []), *more]
    return reverse(f"annotate:{name}", args=places)


def sorted_as(batch: Batch, item: Differing, lead: User, kind: str, note: str = "") -> Disagreement:
    return sort_disagreement(
        batch=batch,
        unit=item.unit,
        kind=kind,
        note=note,
        suggestion=item.suggestion,
        acting_user=lead,
    )


def edited(batch: Batch, item: Differing, lead: User, kind: str, **detail: Any) -> Edit:
    return make_edit(
        batch=batch,
        unit=item.unit,
        ruling=None,
        kind=kind,
        detail={"key": item.unit.key, **detail},
        note="They read it two ways.",
        passage=None,
        acting_user=lead,
    )


def reworded(batch: Batch, item: Differing, lead: User, text: str = "It names the cause.") -> Edit:
    return edited(batch, item, lead, "reword", text=text)


# ---- Sorting


def test_a_kind_is_kept_with_its_suggestion_and_who_and_when(
    batch: Batch, item: Differing, lead: User
) -> None:
    row = sorted_as(batch, item, lead, "slip", "A slip: the file is plain.")
    assert (row.kind, row.note, row.sorted_by) == ("slip", "A slip: the file is plain.", lead)
    assert row.sorted_at is not None
    assert (row.suggested, row.suggested_why) == (item.suggestion.kind, item.suggestion.why)
    event = Event.objects.get(verb="disagreement.sorted")
    assert (event.actor, event.data["kind"], event.data["key"]) == (lead, "slip", "C1")


def test_sorting_the_same_again_changes_nothing(batch: Batch, item: Differing, lead: User) -> None:
    first = sorted_as(batch, item, lead, "slip", "Plain.")
    again = sorted_as(batch, item, lead, "slip", " Plain.\r\n")
    assert (again.pk, again.sorted_at) == (first.pk, first.sorted_at)
    assert Event.objects.filter(verb="disagreement.sorted").count() == 1


def test_whoever_sorts_last_is_right(
    batch: Batch, item: Differing, lead: User, project: Project
) -> None:
    sorted_as(batch, item, lead, "slip")
    other = make_member(project, "lead", username="other_lead")
    row = sorted_as(batch, item, other, "legitimate")
    assert (row.kind, row.sorted_by) == ("legitimate", other)
    assert Disagreement.objects.count() == 1


def test_nothing_is_sorted_where_raters_agree_or_a_kind_is_unknown(
    batch: Batch, item: Differing, lead: User
) -> None:
    with pytest.raises(SortingRefused, match="no kind"):
        sorted_as(batch, item, lead, "mood")
    agreed = type(item)(
        **{**vars(item), "unit": type(item.unit)(**{**vars(item.unit), "part": "B"})}
    )
    with pytest.raises(SortingRefused, match="do not differ"):
        sorted_as(batch, agreed, lead, "slip")
    assert not Disagreement.objects.exists()


# ---- Meetings


def test_a_second_start_joins_the_meeting_that_runs(batch: Batch, lead: User) -> None:
    first = start_meeting(batch=batch, minutes=60, acting_user=lead)
    assert start_meeting(batch=batch, minutes=30, acting_user=lead) == first
    end_meeting(meeting=first, acting_user=lead)
    ended = end_meeting(meeting=first, acting_user=lead).ended_at
    assert ended is not None
    assert start_meeting(batch=batch, minutes=30, acting_user=lead) != first
    assert Event.objects.filter(verb="meeting.ended").count() == 1


@pytest.mark.parametrize("minutes", [0, -5, 4, 241])
def test_a_meeting_has_a_length(batch: Batch, lead: User, minutes: int) -> None:
    with pytest.raises(MeetingRefused):
        start_meeting(batch=batch, minutes=minutes, acting_user=lead)
    assert not Meeting.objects.exists()


# ---- Changes of the next version


def test_a_change_goes_into_the_draft_with_the_disagreement_that_asked(
    batch: Batch, item: Differing, lead: User
) -> None:
    edit = reworded(batch, item, lead)
    draft = RubricVersion.objects.get(status="draft")
    assert draft.number == edit.number == 2
    assert draft.criteria.get(key="C1").text == "It names the cause."
    row = edit.disagreements.get()
    assert (row.subject_id, row.criterion.key, row.part_key) == (item.unit.subject, "C1", "A")
    assert (edit.made_by, edit.keys, edit.after_digest) == (lead, ["C1"], draft.digest)
    assert row.kind == ""


def test_a_change_taken_back_leaves_the_draft_as_it_was(
    batch: Batch, item: Differing, lead: User
) -> None:
    first = reworded(batch, item, lead)
    before = RubricVersion.objects.get(status="draft").document
    second = edited(batch, item, lead, "weight", weight=3)
    take_back(edit=second, acting_user=lead)
    assert RubricVersion.objects.get(status="draft").document == before
    take_back(edit=second, acting_user=lead)
    take_back(edit=first, acting_user=lead)
    assert not RubricVersion.objects.filter(status="draft").exists()
    assert not Edit.objects.exists()
    assert Event.objects.filter(verb="edit.taken_back").count() == 2


def test_only_the_newest_change_can_be_taken_back(
    batch: Batch, item: Differing, lead: User
) -> None:
    first = reworded(batch, item, lead)
    edited(batch, item, lead, "weight", weight=3)
    with pytest.raises(RubricRefused, match="changed since"):
        take_back(edit=first, acting_user=lead)
    assert Edit.objects.count() == 2


def test_a_refused_change_writes_nothing(batch: Batch, item: Differing, lead: User) -> None:
    with pytest.raises(EditError, match="two checks or more"):
        edited(batch, item, lead, "split", parts=[{"text": "Only one."}])
    with pytest.raises(EditError, match="one kind"):
        edited(batch, item, lead, "merge", keys=["G1", "C1"], text="Both.")
    assert not RubricVersion.objects.filter(status="draft").exists()
    assert not Edit.objects.exists()
    assert not Disagreement.objects.exists()


def test_an_anchor_knows_the_passage_that_it_was_taken_from(
    batch: Batch, item: Differing, lead: User
) -> None:
    text = f"Response A of {item.unit.external_id}."
    quote, start = "Response A", 0
    edit = make_edit(
        batch=batch,
        unit=item.unit,
        ruling=None,
        kind="anchor",
        detail={"key": "C1", "verdict": "fail", "text": quote, "origin": "real", "note": ""},
        note="",
        passage=Passage("C1", "A", start, start + len(quote), quote),
        acting_user=lead,
    )
    source = AnchorSource.objects.get()
    assert (source.subject_id, source.part_key) == (item.unit.subject, "A")
    assert text[source.start : source.end] == quote
    anchor = RubricVersion.objects.get(status="draft").criteria.get(key="C1").anchors.get()
    assert (anchor.text, anchor.verdict, anchor.origin) == (quote, "fail", "real")
    take_back(edit=edit, acting_user=lead)
    assert not AnchorSource.objects.exists()


def test_a_passage_that_is_not_in_the_response_becomes_no_anchor(
    batch: Batch, item: Differing, lead: User
) -> None:
    with pytest.raises(EditError, match="no longer stands"):
        make_edit(
            batch=batch,
            unit=item.unit,
            ruling=None,
            kind="anchor",
            detail={"key": "C1", "verdict": "fail", "text": "Never said"},
            note="",
            passage=Passage("C1", "A", 0, 10, "Never said"),
            acting_user=lead,
        )
    assert not AnchorSource.objects.exists()
    assert not RubricVersion.objects.filter(status="draft").exists()


# ---- The page


def test_the_page_begins_with_a_sentence_and_a_button(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    page = client.get(at(batch)).content.decode()
    assert "3 disagreements to settle." in page
    assert "Start the meeting" in page
    response = client.post(at(batch), {"minutes": "45"})
    assert response.status_code == 302
    assert Meeting.objects.get().minutes == 45
    assert "disagreement 1 of 3" in client.get(response["Location"]).content.decode()


def test_a_meeting_of_no_length_is_refused_with_what_was_typed(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    response = client.post(at(batch), {"minutes": "900"})
    assert response.status_code == 422
    assert "from 5 to 240 minutes" in response.content.decode()
    assert 'value="900"' in response.content.decode()
    assert not Meeting.objects.exists()


def test_each_rater_stands_beside_the_others_with_label_reason_and_order(
    room: Client, batch: Batch, item: Differing
) -> None:
    page = room.get(at(batch, "meeting_unit", item)).content.decode()
    assert page.count('class="rater"') == 3
    assert page.count("verdict-pass") == 2
    assert page.count("verdict-fail") == 1
    orders = Vote.objects.filter(subject=item.unit.subject).values_list("order", flat=True)
    saw = {"AB": "Saw A on the left", "BA": "Saw B on the left"}
    for order in orders:
        assert saw[order] in page
    assert "Prefers <b>B much</b>" in page
    assert "Flagged the check as unclear." in page
    assert "C1, Names the cause" in page
    assert f"Response A of {item.unit.external_id}." in page
    assert "A cause is what broke" in page
    assert f"Suggested: {item.suggestion.kind}." in page


def test_no_name_is_in_the_page_until_somebody_asks(
    room: Client, batch: Batch, item: Differing, expert: User
) -> None:
    names = {"Zoe", "Mia", "Ann"}
    shown = room.get(at(batch, "meeting_unit", item)).content.decode()
    gaps = room.get(at(batch, "meeting_gaps", item)).content.decode()
    raters = Rater.objects.filter(batches=batch)
    for page in (shown, gaps):
        assert not [name for name in names if name in page]
        assert not [user.username for user in (expert,) if user.username in page]
    assert {rater.name for rater in raters} == names
    answer = room.get(at(batch, "meeting_names", item)).json()["names"]
    assert set(answer.values()) == names
    assert set(answer) == {"Rater 1", "Rater 2", "Rater 3"}
    named = room.get(at(batch, "meeting_unit", item), {"names": "1"}).content.decode()
    assert all(name in named for name in names)


def test_a_rater_has_one_number_throughout_the_meeting(
    room: Client, batch: Batch, lead: User
) -> None:
    answers = [
        room.get(at(batch, "meeting_names", one)).json()["names"]
        for one in differing([batch], reader=lead).all
    ]
    assert len(answers) == 3
    assert all(answer == answers[0] for answer in answers)


def test_anonymous_raters_stay_anonymous(room: Client, batch: Batch, item: Differing) -> None:
    type(batch).objects.filter(pk=batch.pk).update(anonymous_raters=True)
    page = room.get(at(batch, "meeting_unit", item), {"names": "1"}).content.decode()
    assert "Rater 1" in page
    assert 'id="names"' not in page
    assert not [name for name in ("Zoe", "Mia", "Ann") if name in page]
    assert room.get(at(batch, "meeting_names", item)).json() == {"names": {}}
    minutes = room.get(at(batch, "minutes")).content.decode()
    assert not [name for name in ("Zoe", "Mia", "Ann") if name in minutes]


def test_settling_goes_on_to_the_next_open_one(
    room: Client, batch: Batch, item: Differing, lead: User
) -> None:
    given = {"kind": "slip", "note": "So it is.", "action": "settle"}
    response = room.post(at(batch, "meeting_unit", item), given)
    assert response.status_code == 302
    assert unit_code(item.unit) not in response["Location"]
    row = Disagreement.objects.get()
    assert (row.kind, row.note) == ("slip", "So it is.")
    again = room.post(at(batch, "meeting_unit", item), given)
    assert again["Location"] == response["Location"]
    for one in differing([batch], reader=lead).all:
        last = room.post(at(batch, "meeting_unit", one), {**given, "note": "All."})
    assert last["Location"] == at(batch)
    assert "All 3 are sorted" in room.get(at(batch)).content.decode()


def test_settling_without_a_kind_keeps_what_was_written(
    room: Client, batch: Batch, item: Differing
) -> None:
    given = {"note": "We decided much.", "action": "settle"}
    response = room.post(at(batch, "meeting_unit", item), given)
    assert response.status_code == 422
    page = response.content.decode()
    assert "Choose a kind first" in page
    assert "We decided much." in page
    assert not Disagreement.objects.exists()


def test_a_settled_one_keeps_its_place_until_the_meeting_ends(
    room: Client, batch: Batch, item: Differing, lead: User, meeting: Meeting
) -> None:
    sorted_as(batch, item, lead, "slip")
    assert "of 3" in room.get(at(batch, "meeting_unit", item)).content.decode()
    end_meeting(meeting=meeting, acting_user=lead)
    start_meeting(batch=batch, minutes=60, acting_user=lead)
    assert "2 disagreements to settle." in room.get(at(batch)).content.decode()


def test_the_list_can_keep_to_one_check(room: Client, batch: Batch, item: Differing) -> None:
    page = room.get(at(batch, "meeting_unit", item), {"check": "C1"}).content.decode()
    assert "disagreement 1 of 1" in page
    assert room.get(at(batch), {"check": "C9"}).status_code == 404


def test_another_leads_words_are_told_before_they_are_gone(
    room: Client, batch: Batch, item: Differing, project: Project
) -> None:
    other = make_member(project, "lead", username="other_lead")
    sorted_as(batch, item, other, "legitimate", "Both read the file well.")
    given = {"kind": "slip", "note": "A slip.", "seen": "", "action": "keep"}
    answer = room.post(
        at(batch, "meeting_unit", item), given, headers={"accept": "application/json"}
    ).json()
    assert "other_lead had set legitimate" in answer["said"]
    assert "Both read the file well." in answer["said"]
    row = Disagreement.objects.get()
    assert (row.kind, row.note) == ("slip", "A slip.")
    given["seen"] = answer["seen"]
    again = room.post(
        at(batch, "meeting_unit", item), given, headers={"accept": "application/json"}
    ).json()
    assert again["said"] == ""


def test_an_address_that_names_no_disagreement_is_not_found(room: Client, batch: Batch) -> None:
    for code in ("nonsense", "x.C1.A", f"{batch.public_id}.C1.A"):
        places = [batch.project.slug, batch.public_id, code]
        assert room.get(reverse("annotate:meeting_unit", args=places)).status_code == 404


def test_without_a_meeting_a_disagreement_leads_to_its_start(
    client: Client, batch: Batch, item: Differing, lead: User
) -> None:
    client.force_login(lead)
    response = client.get(at(batch, "meeting_unit", item))
    assert (response.status_code, response["Location"]) == (302, at(batch))


def test_whoever_still_rates_sees_no_meeting(
    client: Client, project: Project, expert: User, other_expert: User, lead: User
) -> None:
    rating_lead = make_member(project, "lead", "expert", username="rating_lead")
    version = make_rubric_version(project, RUBRIC)
    answers = [[{"C1": "yes"}, {"C1": "no"}, {"C1": "no"}]]
    raters = [expert, other_expert, rating_lead]
    batch = make_voted_round(project, raters, answers, version=version, close=False)
    for user in (rating_lead, lead):
        client.force_login(user)
        assert client.get(at(batch)).status_code == 403
        assert client.post(at(batch), {"minutes": "60"}).status_code == 403
    assert not Meeting.objects.exists()


# ---- The dialogs


def act(batch: Batch, item: Differing, name: str) -> str:
    return at(batch, "meeting_act", item, name)


FORMS: dict[str, dict[str, Any]] = {
    "anchor": {"key": "C1", "source": "own", "text": "A pipe.", "verdict": "pass"},
    "reword": {"key": "C1", "text": "It names the cause."},
    "split": {"key": "C1", "text_1": "It names what broke.", "text_2": "It names when."},
    "merge": {"keys": ["C1", "C2"], "text": "It is complete."},
    "automatic": {"key": "C1", "rule": "max_words", "number": "150"},
    "add": {"kind_": "criterion", "text": "It is dated.", "weight": "1"},
    "change": {"key": "C1", "what": "weight", "weight": "2.5"},
}


@pytest.mark.parametrize("name", FORMS)
def test_each_act_puts_its_change_into_the_draft(
    room: Client, batch: Batch, item: Differing, name: str
) -> None:
    assert room.get(act(batch, item, name)).status_code == 200
    response = room.post(act(batch, item, name), {**FORMS[name], "why": "Asked for."})
    assert (response.status_code, response["Location"]) == (302, at(batch, "meeting_unit", item))
    edit = Edit.objects.get()
    assert edit.note == "Asked for."
    assert edit.kind == ("weight" if name == "change" else name)
    page = room.get(at(batch, "meeting_unit", item)).content.decode()
    assert "In the draft of version 2" in page
    back = re.search(r'action="([^"]*take-back/)"', page)
    assert back is not None
    assert room.post(back[1])["Location"] == at(batch, "meeting_unit", item)
    assert not Edit.objects.exists()
    assert room.post(back[1]).status_code == 302


@pytest.mark.parametrize(
    ("what", "given", "kind"),
    [
        ("scale", {"values": "no\npartly\nyes"}, "scale"),
        (
            "procedure",
            {"text": "Which one would you send?", "rationale": "Cite a check."},
            "procedure",
        ),
    ],
)
def test_scale_and_procedure_change_from_one_dialog(
    room: Client, batch: Batch, item: Differing, what: str, given: dict[str, str], kind: str
) -> None:
    response = room.post(act(batch, item, "change"), {"key": "C1", "what": what, **given})
    assert response.status_code == 302
    assert Edit.objects.get().kind == kind


def test_a_dialog_comes_and_goes_as_a_fragment(room: Client, batch: Batch, item: Differing) -> None:
    htmx = {"hx-request": "true"}
    shown = room.get(act(batch, item, "reword"), headers=htmx).content.decode()
    assert "<html" not in shown
    assert "The first sentence names the cause of loss." in shown
    done = room.post(act(batch, item, "reword"), FORMS["reword"], headers=htmx).content.decode()
    assert "In the draft of version 2 now" in done
    assert "It names the cause." in done
    assert 'hx-swap-oob="true"' in done
    assert "take-back/" in done


def test_a_dialog_begins_with_what_the_draft_says(
    room: Client, batch: Batch, item: Differing, lead: User
) -> None:
    edited(
        batch, item, lead, "split", parts=[{"text": "Names what broke."}, {"text": "Names when."}]
    )
    page = room.get(act(batch, item, "reword")).content.decode()
    assert "Names what broke." in page
    assert "into the draft of version 2" in page
    second = Edit.objects.get().keys[1]
    other = room.get(act(batch, item, "reword"), {"key": second}).content.decode()
    assert ">\nNames when.</textarea>" in other


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("split", {"key": "C1", "text_1": "Only this."}, "two checks or more"),
        ("merge", {"keys": ["G1", "C1"], "text": "Both."}, "only checks of one kind"),
        ("merge", {"keys": ["C1"], "text": "Both."}, "Choose two checks"),
        ("reword", {"key": "C1", "text": "", "help": "Kept."}, "Word the check"),
        ("anchor", {"key": "C1", "source": "own", "text": "Kept."}, "passes or fails"),
        ("anchor", {"key": "C1", "source": "own", "verdict": "pass"}, "Write the example"),
        ("anchor", {"key": "C1", "source": "selected", "verdict": "pass"}, "Nothing is selected"),
        (
            "anchor",
            {"key": "C1", "source": "selected", "selected": "[[[", "verdict": "pass"},
            "Nothing",
        ),
        ("automatic", {"key": "C1", "rule": "max_words", "number": ""}, "Say what the code"),
        ("change", {"key": "C1", "what": "weight", "weight": "much"}, "A weight is a number"),
        ("change", {"key": "C1", "what": "scale", "values": "yes"}, "two answers or more"),
    ],
)
def test_what_cannot_be_done_says_so_and_loses_nothing(
    room: Client, batch: Batch, item: Differing, name: str, given: dict[str, Any], said: str
) -> None:
    given = {**given, "why": "What was typed stays."}
    response = room.post(act(batch, item, name), given, headers={"hx-request": "true"})
    page = response.content.decode()
    assert response.status_code == 422
    assert said in page
    for value in given.values():
        if isinstance(value, str) and value.endswith("."):
            assert value in page
    assert not RubricVersion.objects.filter(status="draft").exists()
    assert not Edit.objects.exists()


@pytest.mark.parametrize("schema", ["[" * 3_000, '{"items":' * 90 + "{}" + "}" * 90])
def test_a_schema_nested_without_end_is_refused_and_kept_as_typed(
    room: Client, batch: Batch, item: Differing, schema: str
) -> None:
    given = {"key": "C1", "rule": "json_schema", "schema": schema}
    response = room.post(act(batch, item, "automatic"), given, headers={"hx-request": "true"})
    assert response.status_code == 422
    page = unescape(response.content.decode())
    assert "the schema" in page
    assert schema in page
    assert not Edit.objects.exists()


def test_a_selected_passage_becomes_an_anchor_with_its_place(
    room: Client, batch: Batch, item: Differing
) -> None:
    quote = f"Response A of {item.unit.external_id}."
    selected = json.dumps({"part": "A", "start": 0, "end": len(quote), "quote": quote})
    given = {"key": "C1", "source": "selected", "selected": selected, "verdict": "fail"}
    assert room.post(act(batch, item, "anchor"), given).status_code == 302
    assert AnchorSource.objects.get().subject_id == item.unit.subject


def test_a_raters_evidence_is_offered_by_number(
    room: Client, batch: Batch, item: Differing
) -> None:
    vote = Vote.objects.filter(subject=item.unit.subject, current=True)[0]
    criterion = batch.version.criteria.get(key="C1")
    Evidence.objects.create(
        vote=vote, criterion=criterion, part_key="A", start=0, end=10, quote="Response A"
    )
    page = room.get(act(batch, item, "anchor")).content.decode()
    assert re.search(r'value="1"[^>]*>\s*1\. “Response A” response A, Rater \d', page)
    shown = room.get(at(batch, "meeting_unit", item)).content.decode()
    assert re.search(r"marked by Rater \d", shown)
    assert 'class="evidence' in shown
    given = {"key": "C1", "source": "1", "verdict": "pass"}
    assert room.post(act(batch, item, "anchor"), given).status_code == 302
    assert Edit.objects.get().detail["text"] == "Response A"


def test_votes_on_an_older_version_change_nothing(
    room: Client, batch: Batch, item: Differing, lead: User
) -> None:
    reworded(batch, item, lead)
    draft = RubricVersion.objects.get(status="draft")
    notes = {"C1": "Reworded."}
    publish(version=draft, change_note="Clearer.", notes=notes, acting_user=lead)
    page = room.get(act(batch, item, "reword")).content.decode()
    assert "has come since" in page
    response = room.post(act(batch, item, "change"), FORMS["change"])
    assert response.status_code == 422
    assert "not the newest published one" in response.content.decode()


def test_a_ruling_is_opened_from_the_meeting(room: Client, batch: Batch, item: Differing) -> None:
    given = {"question": "Is a seepage a cause?"}
    assert room.post(act(batch, item, "ruling"), given).status_code == 302
    row = Disagreement.objects.select_related("ruling").get()
    assert row.ruling is not None
    assert row.ruling.question == "Is a seepage a cause?"
    page = room.get(at(batch, "meeting_unit", item)).content.decode()
    assert "Is a seepage a cause?" in page
    assert room.post(act(batch, item, "ruling"), {"question": " "}).status_code == 422


def test_no_such_act_is_not_found(room: Client, batch: Batch, item: Differing) -> None:
    assert room.get(act(batch, item, "burn")).status_code == 404


# ---- How much it asks of the database


@pytest.mark.parametrize("size", [2, 12])
def test_a_disagreement_takes_the_same_queries_whatever_the_size(
    client: Client,
    project: Project,
    expert: User,
    other_expert: User,
    lead: User,
    size: int,
    django_assert_max_num_queries: Callable[..., Any],
) -> None:
    version = make_rubric_version(project, RUBRIC)
    answers = [[{"C1": "yes"}, {"C1": "no", "C2": "no"}]] * size
    batch = make_voted_round(project, [expert, other_expert], answers, version=version)
    start_meeting(batch=batch, minutes=60, acting_user=lead)
    item = next(one for one in differing([batch], reader=lead).all if one.unit.key == "C1")
    reworded(batch, item, lead)
    client.force_login(lead)
    for address in (at(batch), at(batch, "meeting_unit", item)):
        client.get(address)
        with django_assert_max_num_queries(11):
            assert client.get(address).status_code == 200


def test_assignments_are_untouched_by_a_meeting(
    room: Client, batch: Batch, item: Differing
) -> None:
    before = list(Assignment.objects.values_list("pk", "state", "draft_revision"))
    votes = list(Vote.objects.values_list("pk", "revision"))
    room.post(at(batch, "meeting_unit", item), {"kind": "slip", "note": "", "action": "settle"})
    assert list(Assignment.objects.values_list("pk", "state", "draft_revision")) == before
    assert list(Vote.objects.values_list("pk", "revision")) == votes


def test_a_double_click_splits_no_check_twice(batch: Batch, item: Differing, lead: User) -> None:
    parts = [{"text": "Names what broke."}, {"text": "Names when."}]
    first = edited(batch, item, lead, "split", parts=parts)
    assert edited(batch, item, lead, "split", parts=parts) == first
    draft = RubricVersion.objects.get(status="draft")
    assert draft.criteria.filter(kind="criterion").count() == 3
    assert Event.objects.filter(verb="edit.made").count() == 1


def test_nobody_writes_over_words_that_they_have_not_seen(
    room: Client, batch: Batch, item: Differing, lead: User
) -> None:
    page = room.get(act(batch, item, "reword")).content.decode()
    begun = re.search(r'name="begun_from" value="(\w+)"', page)
    assert begun is not None
    reworded(batch, item, lead, "It says what broke, and when.")
    given = {"key": "C1", "text": "My own words.", "begun_from": begun[1]}
    refused = room.post(act(batch, item, "reword"), given)
    told = refused.content.decode()
    assert refused.status_code == 422
    assert "Somebody changed this in the draft" in told
    assert "It says what broke, and when." in told
    assert "My own words." in told
    again = re.search(r'name="begun_from" value="(\w+)"', told)
    assert again is not None
    given["begun_from"] = again[1]
    assert room.post(act(batch, item, "reword"), given).status_code == 302
    assert RubricVersion.objects.get(status="draft").criteria.get(key="C1").text == "My own words."


@pytest.mark.parametrize("name", [*FORMS, "ruling"])
def test_a_double_click_is_no_conflict_with_ones_own_change(
    room: Client, batch: Batch, item: Differing, lead: User, name: str
) -> None:
    edited(batch, item, lead, "weight", weight=3)
    page = room.get(act(batch, item, name)).content.decode()
    begun = re.search(r'name="begun_from" value="(\w+)"', page)
    assert begun is not None
    given = {**FORMS.get(name, {"question": "Is rust a cause?"}), "begun_from": begun[1]}
    for _ in range(2):
        response = room.post(act(batch, item, name), given)
        assert (response.status_code, response["Location"]) == (
            302,
            at(batch, "meeting_unit", item),
        )
    assert Event.objects.filter(verb="edit.made").count() == (1 if name == "ruling" else 2)
    assert Event.objects.filter(verb="ruling.opened").count() == (1 if name == "ruling" else 0)


def test_a_second_press_after_somebody_elses_change_is_a_conflict(
    room: Client, batch: Batch, item: Differing, project: Project
) -> None:
    page = room.get(act(batch, item, "reword")).content.decode()
    begun = re.search(r'name="begun_from" value="(\w+)"', page)
    assert begun is not None
    given = {"key": "C1", "text": "It names the cause.", "begun_from": begun[1]}
    assert room.post(act(batch, item, "reword"), given).status_code == 302
    reworded(batch, item, make_member(project, "lead", username="second"), "It says what broke.")
    refused = room.post(act(batch, item, "reword"), given)
    assert refused.status_code == 422
    assert "Somebody changed this in the draft" in refused.content.decode()


@pytest.mark.parametrize(
    "tampered",
    [
        {"part": "\0"},
        {"part": "\ud800"},
        {"part": "C"},
        {"part": ""},
        {"part": None},
        {"quote": "Response\0"},
        {"quote": "\ud800"},
        {"start": -1},
        {"end": 10**30},
        {"start": 0.5},
        {"start": True},
    ],
)
def test_a_selection_that_no_page_has_made_is_none(
    room: Client, batch: Batch, item: Differing, tampered: dict[str, Any]
) -> None:
    whole = {"part": "A", "start": 0, "end": 10, "quote": "Response A", **tampered}
    given = {"key": "C1", "source": "selected", "selected": json.dumps(whole), "verdict": "fail"}
    response = room.post(act(batch, item, "anchor"), given)
    assert response.status_code == 422
    assert "Nothing is selected" in response.content.decode()
    assert not Edit.objects.exists()
