"""Versions as the pages show them: the procedure in order, and what changed on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from projects.models import Event
from rubrics import document, redline, wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from projects.models import User
    from rubrics.document import Anchor, Change, Criterion
    from rubrics.models import Rubric, RubricVersion


@dataclass(frozen=True)
class ReadCheck:
    """A check on a reading page. `scale` is drawn where the answer is neither pass nor yes/no."""

    check: Criterion
    answers: str
    scale: tuple[str, ...]
    passes: tuple[Anchor, ...]
    fails: tuple[Anchor, ...]
    rule: tuple[str, ...]
    lineage: str

    @property
    def lacks_anchor(self) -> bool:
        return self.check.kind in ("gate", "criterion") and not (self.passes and self.fails)


@dataclass(frozen=True)
class Step:
    """One step of the procedure, numbered as it is done."""

    number: int
    kind: str
    title: str
    checks: tuple[ReadCheck, ...]


@dataclass(frozen=True)
class HistoryLine:
    version: RubricVersion
    contents: str
    redline: redline.Redline | None


@dataclass(frozen=True)
class Summary:
    """A rubric on one line: the version in force, the drafts to come, what is asked."""

    rubric: Rubric
    current: RubricVersion | None
    drafts: tuple[RubricVersion, ...]
    contents: str


def summary(rubric: Rubric, versions: Sequence[RubricVersion]) -> Summary:
    """`versions` are those the reader may see, newest first, at least one."""
    drafts = tuple(version for version in versions if version.status == version.Status.DRAFT)
    released = [version for version in versions if version not in drafts]
    newest = released[0] if released else drafts[0]
    return Summary(
        rubric=rubric,
        current=released[0] if released else None,
        drafts=drafts,
        contents=wording.contents(newest.content),
    )


def procedure(rubric: document.Rubric) -> tuple[Step, ...]:
    """What experts answer, step by step; a step without checks is left out."""
    titles: tuple[tuple[document.Kind, str], ...] = (
        ("gate", "Gates"),
        ("criterion", "Criteria"),
        ("preference", "Preference"),
    )
    present = [(kind, title) for kind, title in titles if rubric.of_kind(kind)]
    return tuple(
        Step(number, kind, title, tuple(map(as_read, rubric.of_kind(kind))))
        for number, (kind, title) in enumerate(present, start=1)
    )


def automatic(rubric: document.Rubric) -> tuple[ReadCheck, ...]:
    return tuple(map(as_read, rubric.of_kind("automatic")))


def as_read(check: Criterion) -> ReadCheck:
    return ReadCheck(
        check=check,
        answers=wording.answer_words(check),
        scale=_scale(check),
        passes=tuple(anchor for anchor in check.anchors if anchor.verdict == "pass"),
        fails=tuple(anchor for anchor in check.anchors if anchor.verdict == "fail"),
        rule=wording.rule_words(check),
        lineage=wording.lineage_words(check),
    )


def _scale(check: Criterion) -> tuple[str, ...]:
    if check.kind == "preference":
        return tuple(map(wording.stop, check.values))
    if check.kind == "criterion" and not wording.is_yes_no(check):
        return check.values
    return ()


def changes(version: RubricVersion, *, for_raters: bool = False) -> redline.Redline | None:
    """Against the version this one was made from; None for a first version. For raters without
    what code decides.
    """
    if version.parent is None:
        return None
    return redline.redline(*_both(version.parent, version, for_raters=for_raters))


def told_changes(version: RubricVersion, *, for_raters: bool = False) -> tuple[Change, ...]:
    """The same as plain changes, for a note."""
    if version.parent is None:
        return ()
    return redline.told_changes(*_both(version.parent, version, for_raters=for_raters))


def _both(
    before: RubricVersion, after: RubricVersion, *, for_raters: bool
) -> tuple[document.Rubric, document.Rubric]:
    if for_raters:
        return before.content.for_raters, after.content.for_raters
    return before.content, after.content


@dataclass(frozen=True)
class TheirDraft:
    """A draft that was kept meanwhile, and what ours would change in it. `is_own`: the reader kept
    it, in another tab or before going back to a page that shows the older text."""

    version: RubricVersion
    by: str
    is_own: bool
    at: datetime
    redline: redline.Redline | None


def their_draft(version: RubricVersion, ours: document.Rubric | None, reader: User) -> TheirDraft:
    drafted = Event.objects.filter(
        project=version.rubric.project_id, verb="rubric.drafted", data__digest=version.digest
    )
    event = drafted.select_related("actor").first()
    return TheirDraft(
        version=version,
        by=str(event.actor) if event and event.actor else "",
        is_own=event is not None and event.actor == reader,
        at=version.created_at,
        redline=redline.redline(version.content, ours) if ours else None,
    )


def history(
    versions: Iterable[RubricVersion], *, for_raters: bool = False
) -> tuple[HistoryLine, ...]:
    return tuple(
        HistoryLine(
            version, wording.contents(version.content), changes(version, for_raters=for_raters)
        )
        for version in versions
    )
