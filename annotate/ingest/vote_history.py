"""Rows of labels → votes with their history: one vote of a rater on a subject, latest current."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotate.ingest.problems import Notice, shown
from annotate.ingest.vote_rows import GivenLabel, VoteRow


@dataclass(frozen=True, slots=True)
class Revision:
    """A vote as it stood: no missing labels. `line` and `at` are those of its last row."""

    line: int
    at: datetime | None
    labels: tuple[GivenLabel, ...]


@dataclass(frozen=True, slots=True)
class RatedSubject:
    """All that one rater said about one subject; at least one revision, the last is current."""

    subject: str
    rater: str
    revisions: tuple[Revision, ...]

    @property
    def current(self) -> Revision:
        return self.revisions[-1]


def votes(rows: Iterable[VoteRow]) -> Iterator[RatedSubject | Notice]:
    """Gather rows into votes, in the order in which (subject, rater) first occur.

    Rows of one vote are taken by time, then by place in the file; if any has no time, by place.
    A row of the wide form is a revision that replaces the one before as a whole, its missing
    labels too. Rows of the long form build up one vote; a row for a (criterion, part) that this
    revision already had begins the next revision, which keeps the other labels. A later missing
    value takes the earlier one away.

    Rows without a rater (anonymous files without slots) are given slots: the n-th row for a
    subject, in long form for a (subject, criterion, part), goes to "unnamed n".

    Memory grows with the number of rows: a vote may be amended on the last line.
    """
    gathered: dict[tuple[str, str], list[VoteRow]] = {}
    nth: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        gathered.setdefault((row.subject, row.rater or _slot(row, nth)), []).append(row)
    for (subject, rater), said in gathered.items():
        ordered = in_time(said)
        if len({row.at is None for row in said}) > 1:
            yield _mixed_times(said[0], rater)
        revisions = _whole(ordered) if said[0].whole else _built_up(ordered)
        first = next((n for n, revision in enumerate(revisions) if revision.labels), None)
        if first is None:
            message = (
                f"Every value of rater {shown(rater)} on {shown(subject)} is missing: no vote."
            )
            yield Notice(said[0].line, "", message, "no_labels")
        else:
            yield RatedSubject(subject, rater, tuple(revisions[first:]))


def in_time(rows: Sequence[VoteRow]) -> list[VoteRow]:
    """Rows of one vote by time, then as given; as given if any has no time."""
    timed = [(row.at, n) for n, row in enumerate(rows) if row.at is not None]
    return [rows[n] for _, n in sorted(timed)] if len(timed) == len(rows) else list(rows)


def _slot(row: VoteRow, nth: Counter[tuple[str, ...]]) -> str:
    keys = [""] if row.whole else [f"{label.criterion}:{label.part_key}" for label in row.labels]
    unit = (row.subject, *keys)
    nth[unit] += 1
    return f"unnamed {nth[unit]}"


def _whole(rows: Sequence[VoteRow]) -> list[Revision]:
    return [_revision(row, {(la.criterion, la.part_key): la for la in row.labels}) for row in rows]


def _built_up(rows: Sequence[VoteRow]) -> list[Revision]:
    revisions: list[Revision] = []
    labels: dict[tuple[str, str], GivenLabel] = {}
    asked: set[tuple[str, str]] = set()
    last: VoteRow | None = None
    for row in rows:
        units = {(label.criterion, label.part_key) for label in row.labels}
        if last and asked & units:
            revisions.append(_revision(last, labels))
            asked = set()
        asked |= units
        labels.update(((label.criterion, label.part_key), label) for label in row.labels)
        last = row
    return [*revisions, _revision(last, labels)] if last else revisions


def _revision(row: VoteRow, labels: dict[tuple[str, str], GivenLabel]) -> Revision:
    present = tuple(label for label in labels.values() if label.value is not None)
    return Revision(row.line, row.at, present)


def _mixed_times(row: VoteRow, rater: str) -> Notice:
    message = (
        f"Some rows of rater {shown(rater)} on {shown(row.subject)} have a time and some do not; "
        "they were taken in the order of the file."
    )
    return Notice(row.line, "", message, "mixed_times")
