from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from django.db import transaction
from django.utils import timezone

from annotate import decisions
from annotate.actions import imports
from annotate.actions.imports import (
    ImportRefused,
    Progress,
    Refused,
    Report,
    no_progress,
    nobody_is_told,
)
from annotate.actions.measure_jobs import start_measuring
from annotate.actions.raters import give_pseudonyms
from annotate.decisions import VoteView
from annotate.ingest.problems import Notice, Problem, shown
from annotate.ingest.readers import records
from annotate.ingest.value_rules import CheckSpec, Scheme
from annotate.ingest.vote_history import RatedSubject, Revision, votes
from annotate.ingest.vote_rows import GivenLabel, VotePlan, VoteRow, vote_rows
from annotate.models import Batch, Import, Label, Part, Subject, Vote
from projects.models import Rater
from rubrics.content import PREFERENCE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from projects.models import User
    from rubrics.models import Criterion, RubricVersion

# How imported votes break the order of the procedure; they are kept as given, and counted.
AGAINST_A_GATE = "preferring_against_a_gate"
BOTH_FAIL = "preferring_where_both_fail"
NAME_LENGTH = 120
_Gates: TypeAlias = "Mapping[tuple[str, decisions.Side], decisions.Answer]"
UNITS = {"side": "side", "subject": "subject", "text": "subject"}


def scheme_of(version: RubricVersion) -> Scheme:
    """The checks of a version as the readers of ratings files know them."""
    return Scheme.of(_spec(criterion) for criterion in version.criteria.asked())


def _spec(criterion: Criterion) -> CheckSpec:
    unit = UNITS.get(criterion.family, "part")
    return CheckSpec(
        key=criterion.key,
        kind=criterion.kind,
        level=criterion.level,  # type: ignore[arg-type]  # the database holds the three levels only
        values=tuple(criterion.values),
        allows_na=criterion.allows_na,
        unit=unit,  # type: ignore[arg-type]  # one of the three units above
        bounds=tuple(criterion.bounds) if criterion.bounds else None,
    )


@dataclass(frozen=True)
class VoteFile:
    """A ratings file and how it is to be read."""

    file: Path
    file_name: str
    name: str
    version: RubricVersion
    plan: VotePlan
    create_subjects: bool = False
    repair: bool = False
    # As given on the command line, kept in the report.
    flags: Mapping[str, Any] = field(default_factory=dict)


def import_votes(
    *,
    source: VoteFile,
    acting_user: User | None,
    partial: bool = False,
    progress: Progress = no_progress,
    refused: Refused = nobody_is_told,
) -> tuple[Batch, Report]:
    """Bring existing ratings in as a closed batch with a name.

    Votes are kept as given: one that breaks the order of the procedure is flagged, not refused.
    The same file again under the same name changes nothing. Raises ImportRefused, with the
    report, when nothing was imported.
    """
    if len(source.name) > NAME_LENGTH:
        raise ImportRefused(f"The name of imported votes has at most {NAME_LENGTH} characters.")
    imports.sweep_lost(source.version.rubric.project)
    if (standing := _standing(source)) is not None:
        return _unchanged(standing, source)
    report = Report(source.file_name, flags=source.flags, refused=refused)
    subjects: dict[str, int] = {}
    rated = _read(source, subjects, report, progress)
    if report.problems and not partial:
        rows = "1 row is" if report.rejected == 1 else f"{report.rejected} rows are"
        raise ImportRefused(f"Nothing was imported: {rows} refused.", report)
    if report.fatal:
        raise ImportRefused("Nothing was imported: the file cannot be read to its end.", report)
    if not rated:
        raise ImportRefused("Nothing was imported: the file holds no ratings.", report)
    origin = imports.begin(
        project=source.version.rubric.project,
        kind="votes",
        file=source.file,
        name=source.file_name,
        acting_user=acting_user,
    )
    try:
        if _standing(source) is not None:
            raise _taken(source)
        batch = _stage(origin, source, rated, subjects, report, acting_user, progress)
        with transaction.atomic():
            batch.closed_at = timezone.now()
            batch.save(update_fields=["closed_at"])
            imports.appear(origin, report, acting_user=acting_user)
            start_measuring(batch=batch, acting_user=acting_user)
    except BaseException:
        imports.abandon(origin)
        raise
    return batch, report


def check_votes(
    *, source: VoteFile, progress: Progress = no_progress, refused: Refused = nobody_is_told
) -> Report:
    """What `import_votes` would do with the file now; nothing is written."""
    if len(source.name) > NAME_LENGTH:
        raise ImportRefused(f"The name of imported votes has at most {NAME_LENGTH} characters.")
    if (standing := _standing(source)) is not None:
        return _unchanged(standing, source)[1]
    report = Report(source.file_name, flags=source.flags, refused=refused)
    rated = _read(source, {}, report, progress)
    report.extra = {
        "votes": len(rated),
        "raters": len({vote.rater for vote in rated}),
        "relabelled": sum(len(vote.revisions) - 1 for vote in rated),
    }
    return report


def _standing(source: VoteFile) -> Batch | None:
    batches = Batch.objects.visible().of_project(source.version.rubric.project).imported()
    return batches.filter(name=source.name).select_related("origin").first()


def _unchanged(batch: Batch, source: VoteFile) -> tuple[Batch, Report]:
    """Nothing to do for the same file under the same flags; refused for any other."""
    origin = batch.origin
    if (
        origin is None
        or batch.version_id != source.version.pk
        or origin.report.get("flags", {}) != source.flags
        or origin.file_sha256 != imports.digest_of(source.file)
    ):
        raise _taken(source)
    return batch, Report(source.file_name, unchanged=origin.report["created"])


def _taken(source: VoteFile) -> ImportRefused:
    return ImportRefused(
        f"There are imported votes “{source.name}” already, of another file, rubric version or "
        "reading. Choose another name."
    )


def _read(
    source: VoteFile, subjects: dict[str, int], report: Report, progress: Progress
) -> list[RatedSubject]:
    """Every vote of the file with its history; problems and notices go into the report.

    `subjects` is filled with the ids of the subjects that the file names and that stand here.
    """
    with source.file.open("rb") as stream:
        read = records(stream, source.file_name, repair=source.repair)
        rows = _rows(vote_rows(read, source.plan), report)
        found = []
        for item in votes(_of_known_subjects(rows, source, subjects, report, progress)):
            if isinstance(item, Notice):
                report.notice(item)
            else:
                found.append(item)
    return found


def _rows(items: Iterable[VoteRow | Problem | Notice], report: Report) -> Iterator[VoteRow]:
    for item in items:
        if isinstance(item, Problem):
            report.reject(item)
        elif isinstance(item, Notice):
            report.notice(item)
        else:
            yield item


def _of_known_subjects(
    rows: Iterable[VoteRow],
    source: VoteFile,
    subjects: dict[str, int],
    report: Report,
    progress: Progress,
) -> Iterator[VoteRow]:
    for chunk in imports.chunks(rows):
        _look_up({row.subject for row in chunk} - subjects.keys(), source, subjects)
        for row in chunk:
            if row.subject in subjects or source.create_subjects:
                report.created += 1
                yield row
            else:
                report.reject(_unknown(row, source.version.subject_kind))
        progress(report.rows, None)


def _look_up(names: Collection[str], source: VoteFile, subjects: dict[str, int]) -> None:
    standing = Subject.objects.of_project(source.version.rubric.project).visible()
    rows = standing.filter(kind=source.version.subject_kind, external_id__in=names)
    subjects.update(rows.values_list("external_id", "id"))


def _unknown(row: VoteRow, kind: str) -> Problem:
    return Problem(
        row.line,
        "subject",
        f"There is no {kind} {shown(row.subject)} here. Import it first, or have it made "
        "without its text.",
        "unknown_subject",
        flag="--create-subjects",
    )


def _stage(
    origin: Import,
    source: VoteFile,
    rated: Sequence[RatedSubject],
    subjects: dict[str, int],
    report: Report,
    acting_user: User | None,
    progress: Progress,
) -> Batch:
    with transaction.atomic():
        batch = Batch.objects.create(
            project=origin.project,
            version=source.version,
            kind=Batch.Kind.IMPORTED,
            name=source.name,
            anonymous_raters=source.plan.anonymous,
            origin=origin,
            created_by=acting_user,
        )
        raters = _raters(batch, rated)
        batch.raters.set(raters.values())
    # Another import may have brought some in while this file was read; none can from here on.
    unknown = {vote.subject for vote in rated} - subjects.keys()
    for names in imports.chunks(sorted(unknown)):
        _look_up(names, source, subjects)
    missing = [name for name in dict.fromkeys(v.subject for v in rated) if name not in subjects]
    for names in imports.chunks(missing):
        with transaction.atomic():
            imports.renew(origin)
            subjects.update(_made(origin, source, names))
    writer = _Writer(batch, subjects, raters)
    done = 0
    for chunk in imports.chunks(rated):
        with transaction.atomic():
            imports.renew(origin)
            writer.write(chunk)
        done += len(chunk)
        progress(done, len(rated))
    report.extra = {
        "votes": len(rated),
        "revisions": writer.revisions,
        "relabelled": writer.revisions - len(rated),
        "subjects_made": len(missing),
        "raters": len(raters),
        AGAINST_A_GATE: writer.breaches[AGAINST_A_GATE],
        BOTH_FAIL: writer.breaches[BOTH_FAIL],
    }
    return batch


def _raters(batch: Batch, rated: Sequence[RatedSubject]) -> dict[str, Rater]:
    """Imported raters by their name in the file; anonymous ones belong to this import alone."""
    found: dict[str, Rater] = {}
    for n, name in enumerate(dict.fromkeys(vote.rater for vote in rated), start=1):
        found[name], _ = Rater.objects.get_or_create(
            project=batch.project,
            kind=Rater.Kind.IMPORTED,
            name=f"{batch.name}: slot {n}" if batch.anonymous_raters else name,
        )
    give_pseudonyms(found.values())
    return found


def _made(origin: Import, source: VoteFile, names: Sequence[str]) -> dict[str, int]:
    """Subjects without texts, so that ratings of texts that may not be shared have a place."""
    kind = source.version.subject_kind
    made = Subject.objects.bulk_create(
        Subject(project=origin.project, kind=kind, external_id=name, origin=origin)
        for name in names
    )
    keys = {"pair": ("A", "B"), "answer": ("",)}.get(kind, ())
    Part.objects.bulk_create(Part(subject=subject, key=key) for subject in made for key in keys)
    return {subject.external_id: subject.pk for subject in made}


class _Writer:
    """Writes votes and labels, and counts what it wrote."""

    def __init__(
        self, batch: Batch, subjects: Mapping[str, int], raters: Mapping[str, Rater]
    ) -> None:
        self.batch, self.subjects, self.raters = batch, subjects, raters
        self.criteria = {criterion.key: criterion for criterion in batch.version.criteria.all()}
        preference = next((c for c in self.criteria.values() if c.kind == "preference"), None)
        self.margins = decisions.margins_of(preference.values) if preference else {}
        self.revisions = 0
        self.breaches: Counter[str] = Counter()

    def write(self, rated: Sequence[RatedSubject]) -> None:
        pairs = [
            (self._vote(vote, number, revision), revision)
            for vote in rated
            for number, revision in enumerate(vote.revisions, start=1)
        ]
        Vote.objects.bulk_create(vote for vote, _ in pairs)
        Label.objects.bulk_create(
            self._label(vote, label) for vote, revision in pairs for label in revision.labels
        )
        self.revisions += len(pairs)

    def _vote(self, rated: RatedSubject, number: int, revision: Revision) -> Vote:
        current = number == len(rated.revisions)
        breach = self._breach(revision)
        if current and breach:
            self.breaches[breach] += 1
        return Vote(
            batch=self.batch,
            subject_id=self.subjects[rated.subject],
            rater=self.raters[rated.rater],
            revision=number,
            current=current,
            at=revision.at,
            detail={"line": revision.line, **({"breaks_the_order": breach} if breach else {})},
        )

    def _label(self, vote: Vote, given: GivenLabel) -> Label:
        criterion = self.criteria[given.criterion]
        label = Label(vote=vote, criterion=criterion, part_key=given.part_key)
        if isinstance(given.value, str):
            label.code = given.value
        else:
            label.number = given.value
        return label

    def _breach(self, revision: Revision) -> str:
        """How a preference breaks the order of the procedure: the word for it, or ''.

        A preference for the side that the gates decide for was asked too early, and agrees.
        """
        values = {(label.criterion, label.part_key): label.value for label in revision.labels}
        gates = {
            place: cast("decisions.Answer", value)
            for place, value in values.items()
            if self.criteria[place[0]].kind == "gate"
        }
        margin = self.margins.get(str(values.get((PREFERENCE, ""))))
        by_gate = decisions.outcome(VoteView("", cast("_Gates", gates), None))
        preferred = decisions.outcome(VoteView("", {}, margin))
        if by_gate is None or preferred is None or by_gate == preferred:
            return ""
        return BOTH_FAIL if by_gate == "both_fail" else AGAINST_A_GATE
