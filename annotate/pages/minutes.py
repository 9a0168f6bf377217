"""The minutes of a batch: every meeting about it, and what each disagreement came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.dateformat import format as as_words

from annotate.minutes import Change, Entry, Minutes, Session
from annotate.models import Batch, Edit, Meeting, Ruling
from annotate.pages.meeting import check_of, check_title, title_of
from annotate.pages.meeting_agenda import meeting_address
from annotate.pages.meeting_changes import CHANGED_SINCE, draft_href, told
from rubrics.models import RubricVersion
from rubrics.words import label_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from annotate.disagreements import Differing
    from annotate.meetings import Room
    from projects.models import User

_VOTES_OF = {"calibration": "round", "imported": "import"}


@dataclass(frozen=True)
class MinutesPage:
    """`hrefs` leads from the title of an entry to its disagreement, while a meeting runs; `drafts`
    are the versions that these meetings have changed, as they are called, and where they stand."""

    minutes: Minutes
    runs: bool
    hrefs: Mapping[str, str]
    drafts: tuple[tuple[str, str], ...] = ()


def minutes_page(room: Room, reader: User) -> MinutesPage:
    batch, found = room.batch, room.found(reader)
    meetings = list(Meeting.objects.filter(batch=batch).select_related("started_by").order_by("id"))
    edits: dict[int, list[Edit]] = {}
    asked = Edit.disagreements.through.objects.filter(disagreement__batch=batch)
    rows = Edit.objects.standing().with_document().filter(pk__in=asked.values("edit"))
    for edit in rows.select_related("made_by").prefetch_related("disagreements").order_by("id"):
        for row in edit.disagreements.all():
            edits.setdefault(row.pk, []).append(edit)
    handled = [
        one
        for one in found.all
        if one.row and (one.row.sorted_at or one.row.ruling_id or edits.get(one.row.pk))
    ]
    rulings = (
        Ruling.objects.filter(disagreements__batch=batch)
        .select_related("opened_by", "decided_by")
        .in_bulk()
    )
    entries = {one.unit: _entry(batch, one, edits, rulings) for one in handled}
    placed: dict[int | None, list[Differing]] = {}
    for one in handled:
        placed.setdefault(_meeting_of(one, meetings, edits), []).append(one)
    sessions = [
        _session(meeting, [entries[one.unit] for one in placed.get(meeting.pk, [])])
        for meeting in meetings
    ]
    if None in placed:
        outside = tuple(entries[one.unit] for one in placed[None])
        sessions.append(Session("Outside a meeting", entries=outside))
    raters = (
        ()
        if batch.anonymous_raters
        else tuple(batch.raters.order_by("name").values_list("name", flat=True))
    )
    version = batch.version
    return MinutesPage(
        minutes=Minutes(
            heading=f"Minutes: {batch}",
            rubric=f"{version.rubric.name}, version {version.number}",
            raters=raters,
            votes_of=f"the {_VOTES_OF.get(batch.kind, 'batch')}",
            sessions=tuple(sessions),
            open=sum(group.open for group in found.groups),
        ),
        runs=any(not meeting.ended_at and not meeting.was_forgotten for meeting in meetings),
        hrefs={_title(batch, one): meeting_address(batch, one) for one in handled},
        drafts=_drafts(batch, edits),
    )


def _drafts(batch: Batch, edits: Mapping[int, Sequence[Edit]]) -> tuple[tuple[str, str], ...]:
    numbers = sorted({edit.number for own in edits.values() for edit in own})
    if not numbers:
        return ()
    drafts = RubricVersion.objects.drafts().filter(rubric=batch.version.rubric_id)
    draft = set(drafts.values_list("number", flat=True))
    return tuple(
        (f"Draft of version {n}" if n in draft else f"Version {n}", draft_href(batch, n))
        for n in numbers
    )


def _session(meeting: Meeting, entries: Iterable[Entry]) -> Session:
    return Session(
        when=_moment(meeting.started_at),
        led=_by(meeting.started_by),
        lasted=_lasted(meeting),
        entries=tuple(entries),
    )


def _lasted(meeting: Meeting) -> str:
    """How long of what was planned; of a meeting that nobody ended nobody knows."""
    if meeting.was_forgotten:
        return f"{meeting.minutes} minutes planned, ended by nobody"
    ended = meeting.ended_at or timezone.now()
    minutes = max(1, round((ended - meeting.started_at).total_seconds() / 60))
    planned = f"{minutes} of {meeting.minutes} minutes"
    return planned if meeting.ended_at else f"{planned} so far"


def _meeting_of(
    one: Differing, meetings: Sequence[Meeting], edits: Mapping[int, Sequence[Edit]]
) -> int | None:
    """The meeting in whose time something was decided last; None outside of all."""
    assert one.row is not None
    own = edits.get(one.row.pk, ())
    at = one.row.sorted_at or (own[-1].made_at if own else None)
    if at is None and one.row.ruling is not None:
        at = one.row.ruling.opened_at
    for meeting in meetings:
        if at is not None and meeting.started_at <= at <= meeting.over_at:
            return meeting.pk
    return None


def _entry(
    batch: Batch,
    one: Differing,
    edits: Mapping[int, Sequence[Edit]],
    rulings: Mapping[int, Ruling],
) -> Entry:
    row = one.row
    assert row is not None
    times = Counter(label_words(code) for _, code in one.values)
    ruling = rulings.get(row.ruling_id) if row.ruling_id else None
    return Entry(
        title=_title(batch, one),
        check=check_title(check_of(batch, one.unit.key)),
        pair=one.unit.external_id,
        part=one.unit.part,
        labels=", ".join(f"{count} {words}" for words, count in times.most_common()),
        kind=row.get_kind_display() if row.kind else "",
        suggested=row.get_suggested_display() if row.suggested else "",
        why=row.suggested_why,
        note=row.note,
        by=str(row.sorted_by) if row.sorted_by else "",
        at=_moment(row.sorted_at) if row.sorted_at else "",
        changes=tuple(_change(edit) for edit in edits.get(row.pk, ())),
        ruling=_ruling(ruling) if ruling else "",
        ruled=_ruled(ruling) if ruling else "",
    )


def _change(edit: Edit) -> Change:
    line = told(edit)
    return Change(
        line.keys,
        line.what,
        line.text,
        by=_by(edit.made_by),
        at=_moment(edit.made_at),
        since="" if edit.is_there else CHANGED_SINCE,
    )


def _ruling(ruling: Ruling) -> str:
    said = ruling.get_decision_display() if ruling.decision else "not decided yet"
    return f"{ruling.question} ({said})"


def _ruled(ruling: Ruling) -> str:
    asked = f"asked by {_by(ruling.opened_by)}, {_moment(ruling.opened_at)}"
    if ruling.decided_at is None:
        return asked
    return f"{asked}; decided by {_by(ruling.decided_by)}, {_moment(ruling.decided_at)}"


def _by(user: User | None) -> str:
    return str(user or "the command line")


def _title(batch: Batch, one: Differing) -> str:
    return title_of(check_of(batch, one.unit.key), one)


def _moment(at: datetime) -> str:
    return as_words(timezone.localtime(at), "j F Y, H:i")
