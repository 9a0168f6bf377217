"""What a brought file looks like: its fields with values, and its first rows as they would be."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotate import ingest
from annotate.actions import kept_files
from annotate.actions.import_jobs import vote_file
from annotate.actions.uploads import DISCARDED, IMPORTS, PRUNED
from annotate.ingest.problems import Notice, Problem, printable
from annotate.ingest.readers import Record, records
from annotate.ingest.vote_rows import VoteRow, vote_rows
from annotate.models import Upload
from projects.models import Event, Job
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from annotate.ingest import SubjectRow
    from projects.models import Project

# So many rows are looked at before anything is chosen, and so many of them shown.
HEAD = 100
ROWS = 3
VOTES = 8
SAMPLES = 3
SAMPLE_LENGTH = 80
TEXT_LENGTH = 1500
COLUMNS = 200
PROBLEMS = 10
# Imports that are done, below the files that somebody may still go on with.
DONE = 6


@dataclass(frozen=True)
class Head:
    """The first rows of a file: what was read, and what was wrong with it."""

    rows: tuple[Record, ...] = ()
    problems: tuple[Problem, ...] = ()
    columns: tuple[str, ...] = ()
    hidden: int = 0

    def samples(self, column: str) -> list[str]:
        """A few different values of a field, short and printable."""
        found: dict[str, None] = {}
        for row in self.rows:
            value = row.fields.get(column)
            if value is not None and value != "":
                found.setdefault(_sample(value))
            if len(found) == SAMPLES:
                break
        return list(found)


@dataclass(frozen=True)
class PairRow:
    line: int
    id: str
    prompt: str
    context: str
    response_a: str
    response_b: str
    models: str


@dataclass(frozen=True)
class LabelRow:
    line: int
    subject: str
    rater: str
    labels: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FirstRows:
    """What the first rows would be; the first problems of all that there are, by line.

    refused: rows with a problem, of those that were looked at; 0 where the file as a whole has it.
    """

    pairs: tuple[PairRow, ...] = ()
    votes: tuple[LabelRow, ...] = ()
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    refused: int = 0
    looked_at: int = 0


@dataclass(frozen=True)
class Card:
    """An upload in the list: where it stands, in words."""

    upload: Upload
    state: str


def path_of(upload: Upload) -> Path:
    return kept_files.folder() / upload.path


def head_of(upload: Upload) -> Head:
    """The first rows. A file that has gone has none."""
    rows: list[Record] = []
    problems: list[Problem] = []
    if not upload.path:
        return Head()
    try:
        stream = path_of(upload).open("rb")
    except FileNotFoundError:
        return Head()
    with stream:
        for item in islice(records(stream, upload.file_name), HEAD):
            if isinstance(item, Record):
                rows.append(item)
            elif isinstance(item, Problem):
                problems.append(item)
    names = list(dict.fromkeys(name for row in rows for name in (row.columns or row.fields)))
    return Head(tuple(rows), tuple(problems), tuple(names[:COLUMNS]), max(0, len(names) - COLUMNS))


def first_rows(upload: Upload, head: Head, flags: dict[str, Any] | None) -> FirstRows:
    """The first rows under these flags, as pairs or votes, and why others are none.

    Without flags, only what is no row under any.
    """
    if not flags or not head.rows:
        return _first(head, ())
    if upload.kind == Upload.Kind.PAIRS:
        fields = ingest.field_map("pair", flags["map"], flags["as_text"])
        return _first(head, ingest.subjects(list(head.rows), fields))
    version = RubricVersion.objects.select_related("rubric__project").get(pk=flags["version"])
    return _first(head, vote_rows(list(head.rows), vote_file(version, path_of(upload), flags).plan))


def _first(head: Head, items: Iterable[SubjectRow | VoteRow | Problem | Notice]) -> FirstRows:
    pairs: list[PairRow] = []
    votes: list[LabelRow] = []
    problems: list[Problem] = list(head.problems)
    for item in items:
        # What a whole file never has, a hundred rows cannot say.
        if isinstance(item, Problem) and item.code != "missing_field":
            problems.append(item)
        elif isinstance(item, VoteRow):
            votes.append(_label_row(item))
        elif not isinstance(item, Notice | Problem):
            pairs.append(_pair_row(item))
    problems.sort(key=lambda problem: problem.line)
    lines = {problem.line for problem in problems if problem.line}
    return FirstRows(
        pairs=tuple(pairs[:ROWS]),
        votes=tuple(votes[:VOTES]),
        problems=tuple(problems[:PROBLEMS]),
        problem_count=len(problems),
        refused=0 if any(problem.fatal for problem in problems) else len(lines),
        looked_at=len(lines | {row.line for row in head.rows}),
    )


def _pair_row(row: SubjectRow) -> PairRow:
    texts = dict(row.parts)
    return PairRow(
        line=row.line,
        id=row.external_id,
        prompt=_cut("\n\n".join(content for _, content in row.messages)),
        context=_cut(row.context),
        response_a=_cut(texts.get("A", "")),
        response_b=_cut(texts.get("B", "")),
        models=" and ".join(name for name in (row.model_a, row.model_b) if name),
    )


def _label_row(row: VoteRow) -> LabelRow:
    labels = tuple(
        (f"{la.criterion} {la.part_key}".strip(), "missing" if la.value is None else str(la.value))
        for la in row.labels
    )
    return LabelRow(row.line, row.subject, row.rater, labels)


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_LENGTH else f"{text[:TEXT_LENGTH]} …"


def _sample(value: object) -> str:
    if isinstance(value, dict | list):
        value = repr(value)[: 4 * SAMPLE_LENGTH]
    text = printable(str(value)[: 2 * SAMPLE_LENGTH])
    return text if len(text) <= SAMPLE_LENGTH else f"{text[:SAMPLE_LENGTH]}…"


def cards(project: Project) -> list[Card]:
    """Every file that somebody may go on with, then the last few that were imported."""
    uploads = Upload.objects.filter(project=project).select_related("job", "created_by")
    imported = Q(job__kind__in=IMPORTS.values(), job__state=Job.State.DONE)
    unfinished = uploads.exclude(path="").exclude(pk__in=uploads.filter(imported))
    return [_card(upload) for upload in (*unfinished, *uploads.filter(imported)[:DONE])]


def gone_because(upload: Upload) -> str:
    """Why a file is not here any more, in words."""
    events = Event.objects.filter(project=upload.project, data__upload=str(upload.public_id))
    event = events.filter(verb__in=(DISCARDED, PRUNED)).select_related("actor").first()
    if event is None:
        return "It has gone from the server's disk. Upload it again."
    if event.verb == PRUNED:
        return "Nobody went on with it for a day, so it was deleted. Upload it again."
    when = date_format(localtime(event.at), "j F Y, H:i")
    return f"{event.actor} threw it away on {when}. Upload it again if it is wanted."


def _card(upload: Upload) -> Card:
    job = upload.job
    if job is None:
        return Card(upload, "not checked yet")
    words = "import" if job.kind in IMPORTS.values() else "check"
    state = {
        Job.State.PENDING: f"the {words} waits for a worker",
        Job.State.RUNNING: f"the {words} is under way",
        Job.State.DONE: "imported" if words == "import" else _checked(job),
        Job.State.FAILED: f"the {words} was refused",
    }[Job.State(job.state)]
    return Card(upload, state)


def _checked(job: Job) -> str:
    refused = (job.result or {}).get("rejected", 0)
    return f"checked, {refused:,} refused" if refused else "checked, ready to import"
