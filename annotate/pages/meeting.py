"""One disagreement on the whole screen: who said what, what it would move, what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils import timezone

from annotate.labelling import content_of
from annotate.meeting_time import Clock
from annotate.models import Disagreement
from annotate.pages.meeting_agenda import group_of, meeting_address
from annotate.pages.meeting_changes import changes_of
from annotate.pages.meeting_raters import handles_of, labels_on, raters_on
from annotate.pages.meeting_text import texts_of
from rubrics.content import PREFERENCE

if TYPE_CHECKING:
    from annotate.disagreements import Differing, Found, Group
    from annotate.models import Batch, Label, Meeting
    from annotate.pages.meeting_agenda import Agenda
    from annotate.pages.meeting_changes import Changes
    from annotate.pages.meeting_raters import Column, Raters
    from annotate.pages.meeting_text import Texts
    from rubrics.content import Criterion

# Less than this shows in no figure of two decimals.
_NOTHING = 0.005
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class KindChoice:
    value: str
    words: str
    cap: str
    chosen: bool
    suggested: bool


@dataclass(frozen=True)
class Act:
    """A thing to do about a disagreement; `key` as `aria-keyshortcuts` says it."""

    name: str
    words: str
    cap: str
    href: str = ""
    # Where the votes are of an older version: its dialog says why, and leads to the editor.
    disabled: bool = False

    @property
    def key(self) -> str:
        return self.cap.lower()


@dataclass(frozen=True)
class Influence:
    """“C2 0.58 → 0.81”, and under which condition; `after` is '' where nothing would move."""

    name: str
    before: str
    after: str
    words: str


# What each check takes is told in its dialog: a button is never missing where a hand expects it.
ACTS = (
    Act("anchor", "Add as anchor", "A"),
    Act("reword", "Reword", "W"),
    Act("split", "Split", "S"),
    Act("merge", "Merge", "M"),
    Act("automatic", "Check by code", "C"),
    Act("change", "Weight or scale", "G"),
    Act("ruling", "Open a ruling", "O"),
)


@dataclass(frozen=True)
class MeetingPage:
    batch: Batch
    item: Differing
    agenda_: Agenda
    clock: Clock
    check: Criterion
    title: str
    influence: Influence | None
    texts: Texts
    raters: Raters
    changes: Changes
    named: bool
    can_reveal: bool
    outdated: str = ""
    error: str = ""
    typed_kind: str | None = None
    typed_note: str | None = None

    @property
    def agenda(self) -> str:
        return self.agenda_.address(None)

    @property
    def address(self) -> str:
        return self.agenda_.address(self.item)

    @property
    def position(self) -> int:
        return self.agenda_.place(self.item)

    @property
    def total(self) -> int:
        return len(self.agenda_.items)

    @property
    def previous(self) -> str:
        return self._beside(-1)

    @property
    def following(self) -> str:
        return self._beside(1)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.raters.columns

    @property
    def kinds(self) -> list[KindChoice]:
        chosen = self.item.kind if self.typed_kind is None else self.typed_kind
        return [
            KindChoice(
                value,
                str(words).capitalize(),
                str(n),
                chosen=value == chosen,
                suggested=value == self.item.suggestion.kind,
            )
            for n, (value, words) in enumerate(Disagreement.Kind.choices, start=1)
        ]

    @property
    def why(self) -> str:
        suggestion = self.item.suggestion
        return f"Suggested: {suggestion.kind}. {suggestion.why}"

    @property
    def note(self) -> str:
        if self.typed_note is not None:
            return self.typed_note
        return self.item.row.note if self.item.row else ""

    @property
    def seen(self) -> str:
        """What a writer is held against: when it was sorted last."""
        return seen_of(self.item.row)

    @property
    def acts(self) -> list[Act]:
        place = meeting_address(self.batch, self.item)
        query = f"?check={self.agenda_.check}" if self.agenda_.check else ""
        return [
            replace(
                act,
                href=f"{place}{act.name}/{query}",
                disabled=bool(self.outdated) and act.name != "ruling",
            )
            for act in ACTS
        ]

    @property
    def names_address(self) -> str:
        return meeting_address(self.batch, self.item, "meeting_names")

    @property
    def naming(self) -> str:
        """Where the names show without a script, or no longer do."""
        return self.address if self.named else self.agenda_.address(self.item, names="1")

    @property
    def gaps_address(self) -> str:
        return meeting_address(self.batch, self.item, "meeting_gaps")

    def _beside(self, by: int) -> str:
        other = self.agenda_.beside(self.item, by)
        return self.agenda_.address(other) if other else ""


def meeting_page(
    found: Found,
    agenda: Agenda,
    meeting: Meeting,
    item: Differing,
    *,
    outdated: str,
    named: bool = False,
) -> MeetingPage:
    batch = agenda.batch
    labels = labels_on(batch, item.unit.subject)
    handles = handles_of(item, labels)
    raters = raters_on(item.unit, labels, handles)
    is_named = named and not found.anonymous
    if is_named:
        raters = _with_names(raters, labels)
    check = check_of(batch, item.unit.key)
    return MeetingPage(
        batch=batch,
        item=item,
        agenda_=agenda,
        clock=clock_of(meeting),
        check=check,
        title=title_of(check, item),
        influence=influence_of(group_of(agenda.groups, item.unit.key), item),
        texts=texts_of(item.unit, labels, handles, marks_all=check.kind == PREFERENCE),
        raters=raters,
        changes=changes_of(batch, item.row),
        named=is_named,
        can_reveal=not found.anonymous,
        outdated=outdated,
    )


def clock_of(meeting: Meeting) -> Clock:
    passed = (meeting.ended_at or timezone.now()) - meeting.started_at
    return Clock(max(0, int(passed.total_seconds())), meeting.minutes)


def check_of(batch: Batch, key: str) -> Criterion:
    """The check as raters read it: of the version that the batch pins."""
    content = content_of(batch.version.document)
    return next(check for check in content.criteria if check.key == key)


def title_of(check: Criterion, item: Differing) -> str:
    """What is talked about, in one line."""
    part = item.unit.part
    where = f", response {part}" if part in ("A", "B") else f", part {part}" if part else ""
    return f"{check_title(check)}: {item.unit.external_id}{where}"


def check_title(check: Criterion) -> str:
    what = "Preference" if check.kind == PREFERENCE else f"{check.key}, {check.heading}"
    return what.rstrip(".")


def influence_of(group: Group, item: Differing) -> Influence | None:
    """What settling the pairs to settle first comes to, or alpha without this one; None where the
    figure says nothing."""
    if group.alpha is None or item.applies:
        return None
    name = group.key if group.named else "Preference"
    before, settled = f"{group.alpha:.2f}", group.settled
    if settled is not None and item.unit.external_id in settled.subjects:
        more = len(settled.subjects) - 1
        return Influence(name, before, f"{settled.alpha:.2f}", _together(more))
    gain = item.influence or 0.0
    if gain < _NOTHING:
        return Influence(name, before, "", "leaving this pair out moves it little")
    return Influence(name, before, f"{group.alpha + gain:.2f}", "without this pair")


def seen_of(row: Disagreement | None) -> str:
    return row.sorted_at.isoformat() if row is not None and row.sorted_at is not None else ""


def real_names(found: Found, item: Differing, labels: Sequence[Label]) -> dict[str, str]:
    """Neutral name → name. Where raters are anonymous there is nothing to tell."""
    if found.anonymous:
        return {}
    handles = handles_of(item, labels)
    return {handles[label.vote_id]: label.vote.rater.name for label in labels}


def _with_names(raters: Raters, labels: Sequence[Label]) -> Raters:
    names = {label.vote_id: label.vote.rater.name for label in labels}
    columns = tuple(replace(column, real_name=names[column.vote.pk]) for column in raters.columns)
    return replace(raters, columns=columns)


def _together(more: int) -> str:
    if not more:
        return "if this pair is settled"
    words = _NUMBERS[more] if more < len(_NUMBERS) else str(more)
    return f"if this and {words} more are settled"
