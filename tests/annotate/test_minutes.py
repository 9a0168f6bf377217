"""Minutes: what each disagreement came to, under the meeting that decided it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

from annotate.actions.meetings import end_meeting, start_meeting
from annotate.actions.rulings import decide_ruling
from annotate.disagreements import differing
from annotate.models import Meeting, Ruling
from annotate.rendering import render
from annotate.rendering.readable import readable
from rubrics.actions import discard_draft
from rubrics.models import RubricVersion

# The room and its people are those of the meeting.
from tests.annotate.test_meeting import (  # noqa: F401
    act,
    at,
    batch,
    edited,
    item,
    meeting,
    reworded,
    room,
    sorted_as,
)
from tests.making import make_member

if TYPE_CHECKING:
    from django.test import Client

    from annotate.disagreements import Differing
    from annotate.models import Batch
    from projects.models import User

HOSTILE = "<b>*Not* bold</b> [a](http://x.invalid) `code` $x_1$ # no heading"


def text_of(room: Client, batch: Batch) -> str:  # noqa: F811
    response = room.get(at(batch, "minutes_file"))
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="minutes-round-1.md"'
    return response.content.decode()


def test_minutes_say_who_met_how_long_and_what_was_decided(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
    meeting: Meeting,  # noqa: F811
) -> None:
    sorted_as(batch, item, lead, "ambiguity", "A cause is what broke.")
    reworded(batch, item, lead, "It names what broke.")
    room.post(act(batch, item, "ruling"), {"question": "Is rust a cause?"})
    end_meeting(meeting=meeting, acting_user=lead)
    page = room.get(at(batch, "minutes")).content.decode()
    text = text_of(room, batch)
    for told in (page, text):
        assert "Led by lead, 1 of 60 minutes" in told
        assert "Raters of the round: Ann, Mia, Zoe" in told
        assert "2 yes, 1 no" in told
        assert "A cause is what broke." in told
        assert "It names what broke." in told
        assert "Is rust a cause? (not decided yet)" in told
    assert "- Kind: ambiguity, by lead" in text
    at_time = r"\d{1,2} \w+ \d{4}, \d\d:\d\d"
    assert re.search(rf"- Change: .*It names what broke\. \(by lead, {at_time}\)\n", text)
    assert re.search(rf"- Ruling: .* \(asked by lead, {at_time}\)\n", text)
    assert f"- Suggested: {item.suggestion.kind}." in text
    assert "Still open: 2" in text


def test_what_was_sorted_outside_a_meeting_stands_apart(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
    meeting: Meeting,  # noqa: F811
) -> None:
    end_meeting(meeting=meeting, acting_user=lead)
    sorted_as(batch, item, lead, "slip")
    start_meeting(batch=batch, minutes=60, acting_user=lead)
    text = text_of(room, batch)
    assert text.index("## Outside a meeting") > text.rindex("Led by")
    assert text.index("C1, Names the cause") > text.index("## Outside a meeting")


def test_words_of_people_stand_in_the_file_as_they_were_written(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
) -> None:
    sorted_as(batch, item, lead, "slip", HOSTILE)
    shown = render(text_of(room, batch))
    assert HOSTILE in readable(shown)
    assert "<b>" not in shown
    assert "<a " not in shown
    assert "&lt;b&gt;" in room.get(at(batch, "minutes")).content.decode()


def test_minutes_of_nothing_say_so(
    client: Client,
    batch: Batch,  # noqa: F811
    lead: User,
) -> None:
    client.force_login(lead)
    page = client.get(at(batch, "minutes")).content.decode()
    assert "3 disagreements are not sorted yet." in page
    assert "Nobody has sorted a disagreement" in page
    assert "Still open: 3" in text_of(client, batch)


def test_a_decided_ruling_says_who_decided_it_and_when(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
) -> None:
    room.post(act(batch, item, "ruling"), {"question": "Is rust a cause?"})
    owner = make_member(batch.project, "policy_owner", username="owner")
    decide_ruling(
        ruling=Ruling.objects.get(), decision="both", answer="Either will do.", acting_user=owner
    )
    text = text_of(room, batch)
    assert re.search(r"\(asked by lead, [^;]+; decided by owner, \d{1,2} \w+ \d{4}, ", text)


def test_what_went_with_a_discarded_draft_is_no_change_of_the_next(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
) -> None:
    reworded(batch, item, lead, "The first wording.")
    discard_draft(version=RubricVersion.objects.get(status="draft"), acting_user=lead)
    reworded(batch, item, lead, "The second wording.")
    for told in (
        text_of(room, batch),
        room.get(at(batch, "meeting_unit", item)).content.decode(),
    ):
        assert "The second wording." in told
        assert "The first wording." not in told


def test_a_change_that_was_written_over_says_so(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
) -> None:
    reworded(batch, item, lead, "The first wording.")
    reworded(batch, item, lead, "The second wording.")
    changes = [line for line in text_of(room, batch).splitlines() if "- Change:" in line]
    assert [line.endswith("changed since)") for line in changes] == [True, False]


def test_a_meeting_that_nobody_ended_is_over_by_itself_and_collects_nothing_more(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
    meeting: Meeting,  # noqa: F811
) -> None:
    began = timezone.now() - timedelta(hours=12, minutes=1)
    Meeting.objects.filter(pk=meeting.pk).update(started_at=began)
    sorted_as(batch, item, lead, "slip")
    text = text_of(room, batch)
    assert "60 minutes planned, ended by nobody" in text
    assert text.index("C1, Names the cause") > text.index("## Outside a meeting")
    # Its pages begin another one, under which the next is minuted.
    assert room.get(at(batch, "meeting_unit", item)).status_code == 302
    second = start_meeting(batch=batch, minutes=60, acting_user=lead)
    assert second != meeting
    meeting.refresh_from_db()
    assert meeting.ended_at == began + timedelta(hours=12)
    sorted_as(batch, item, lead, "ambiguity")
    assert "Outside a meeting" not in text_of(room, batch)


def test_a_meeting_runs_for_as_long_as_people_may_sit_there(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
    meeting: Meeting,  # noqa: F811
) -> None:
    Meeting.objects.filter(pk=meeting.pk).update(started_at=timezone.now() - timedelta(hours=11))
    assert room.get(at(batch, "meeting_unit", item)).status_code == 200
    assert start_meeting(batch=batch, minutes=60, acting_user=lead) == meeting


def test_what_was_decided_leads_and_what_was_sorted_without_a_word_is_one_table(
    room: Client,  # noqa: F811
    batch: Batch,  # noqa: F811
    item: Differing,  # noqa: F811
    lead: User,
) -> None:
    others = [one for one in differing([batch], reader=lead).all if one.unit != item.unit]
    for other in others:
        sorted_as(batch, other, lead, "legitimate")
    sorted_as(batch, item, lead, "ambiguity", "A cause is what broke.")
    page = room.get(at(batch, "minutes")).content.decode()
    decided, _, folded = page.partition('<details class="silent">')
    assert decided.count('<article class="entry">') == 1
    assert "A cause is what broke." in decided
    assert "2 sorted without a word: 2 legitimate" in folded
    for other in others:
        assert f"<td>{other.unit.external_id}</td>" in folded
    text = text_of(room, batch)
    assert text.count("\n### ") == 2
    for other in others:
        assert f"| {other.unit.external_id} |" in text
