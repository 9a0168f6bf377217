"""Known answers for leads: the list of a project, and the form of one pair. Sides are A and B."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.db.models.fields.json import KT
from django.urls import reverse

from annotate.access import still_rated_by
from annotate.actions.gold import ORDER, Known
from annotate.assignment import fresh
from annotate.ballot import SEEN_SIDES, Answer, Ballot, preference_code, side_of, stop_of
from annotate.citing import pieces_of
from annotate.gold import (
    PRACTICE_PAIRS,
    asked_under,
    ballot_under,
    labels_of,
    plants_a_failure,
    practice_answers,
    rests_on,
)
from annotate.known import Kept, known_under
from annotate.labelling import answer_from, fields_from
from annotate.models import Assignment, GoldAnswer, GoldLabel, Subject, Vote
from annotate.pages.keys import page_keys
from annotate.pages.label_rows import Row, Stop, rows_of, stops_of
from annotate.practice import practised_counts
from projects.models import Event
from rubrics.content import PREFERENCE
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from projects.models import Project, User

# Pairs that the list offers to be answered; the rest is found by its id.
OFFERED = 12


# ---- The list


@dataclass(frozen=True)
class GoldRow:
    gold: GoldAnswer
    plants: bool
    why: tuple[tuple[str, bool], ...]
    # The last time that another answer took the place of the first.
    changed: Event | None = None


@dataclass(frozen=True)
class GoldGroup:
    """The known answers under one version, and what is missing there."""

    version: RubricVersion
    rows: tuple[GoldRow, ...]
    # The version whose practice pairs raters of this one get; itself, an earlier one, or none.
    practises_on: RubricVersion | None
    practice: int
    practised: int

    @property
    def hidden(self) -> tuple[GoldRow, ...]:
        return tuple(row for row in self.rows if row.gold.use == GoldAnswer.Use.HIDDEN)

    @property
    def probes(self) -> tuple[GoldRow, ...]:
        return tuple(row for row in self.rows if row.gold.use == GoldAnswer.Use.PROBE)

    @property
    def planted(self) -> int:
        return sum(row.plants for row in self.hidden)

    @property
    def lacks(self) -> list[str]:
        """What is still to be done, one sentence each."""
        said = []
        if self.hidden and 2 * self.planted < len(self.hidden):
            verb = "does" if self.planted == 1 else "do"
            said.append(
                "Half of the hidden ones should hold a planted gate failure: "
                f"{self.planted} of {len(self.hidden)} {verb}."
            )
        if self.practice < PRACTICE_PAIRS:
            said.append(
                f"{PRACTICE_PAIRS} practice pairs are needed, {self.practice or 'none'} there"
                f"{' so far' if self.practice else ' yet'}."
            )
        return said


@dataclass(frozen=True)
class GoldList:
    groups: tuple[GoldGroup, ...]
    # Pairs that nobody has seen: the best ones to answer.
    fresh: tuple[Subject, ...]
    # Some are left out, since their reader still rates.
    rates: bool


def gold_list(project: Project, reader: User) -> GoldList:
    secret = still_rated_by(reader)
    shown = GoldAnswer.objects.filter(version__rubric__project=project)
    shown = shown.exclude(subject__in=secret)
    rows = shown.select_related("subject", "created_by", "version__rubric").order_by("pk")
    by_version: dict[int, list[GoldAnswer]] = defaultdict(list)
    for gold in rows:
        by_version[gold.version_id].append(gold)
    versions = _versions(project, by_version)
    practised = practised_counts([version.pk for version in versions])
    labels = _labels(shown)
    changes = _changes(project)
    return GoldList(
        groups=tuple(
            _group(version, by_version[version.pk], labels, changes, practised.get(version.pk, 0))
            for version in versions
        ),
        fresh=tuple(fresh(project, list(project.raters.all())).order_by("pk")[:OFFERED]),
        rates=bool(secret),
    )


def answerable(project: Project) -> QuerySet[RubricVersion]:
    """The versions to answer under: each number's latest revision, published, for pairs."""
    versions = RubricVersion.objects.of_project(project).published().judging_pairs()
    return versions.latest_revisions().select_related("rubric").newest_first()


def _versions(project: Project, held: Iterable[int]) -> list[RubricVersion]:
    """Those with answers, and the one of each rubric that is published last."""
    newest: dict[int, RubricVersion] = {}
    for version in answerable(project):
        newest.setdefault(version.rubric_id, version)
    wanted = {*held, *(version.pk for version in newest.values())}
    versions = RubricVersion.objects.filter(pk__in=wanted).select_related("rubric")
    return list(versions.order_by("rubric__name", "-number", "-revision"))


def _group(
    version: RubricVersion,
    answers: Sequence[GoldAnswer],
    labels: Mapping[int, dict[tuple[str, str], str]],
    changes: Mapping[tuple[str, str], Event],
    practised: int,
) -> GoldGroup:
    used = list(practice_answers(version).select_related("version__rubric"))
    return GoldGroup(
        version=version,
        rows=tuple(_row(gold, version, labels.get(gold.pk, {}), changes) for gold in answers),
        practises_on=used[0].version if used else None,
        practice=min(len(used), PRACTICE_PAIRS),
        practised=practised,
    )


def _row(
    gold: GoldAnswer,
    version: RubricVersion,
    labels: dict[tuple[str, str], str],
    changes: Mapping[tuple[str, str], Event],
) -> GoldRow:
    known = {key for key, _ in labels} | {"A", "B"}
    return GoldRow(
        gold,
        plants_a_failure(labels, version),
        pieces_of(gold.why, known),
        _last_change(gold, version, changes),
    )


def _changes(project: Project, subject: Subject | None = None) -> dict[tuple[str, str], Event]:
    """(version, pair) → the last change of its answer that the audit holds."""
    events = Event.objects.filter(project=project, verb="gold.changed")
    events = events.annotate(pair=KT("data__subject")).select_related("actor").defer("data")
    if subject is not None:
        events = events.filter(data__subject=str(subject.public_id))
    return {(event.target, event.pair): event for event in events.order_by("pk")}


def _last_change(
    gold: GoldAnswer, version: RubricVersion, changes: Mapping[tuple[str, str], Event]
) -> Event | None:
    """None where it stands as it was first set; one from before it was withdrawn is not its own."""
    found = changes.get((str(version), str(gold.subject.public_id)))
    return found if found is not None and found.at >= gold.created_at else None


def _labels(answers: QuerySet[GoldAnswer]) -> dict[int, dict[tuple[str, str], str]]:
    rows = GoldLabel.objects.filter(gold__in=answers)
    found: dict[int, dict[tuple[str, str], str]] = defaultdict(dict)
    for gold, key, part, code in rows.values_list("gold", "criterion__key", "part_key", "code"):
        found[gold][key, part] = code
    return found


# ---- The form


@dataclass(frozen=True)
class Choice:
    value: str
    word: str
    help: str
    chosen: bool


USES = {
    GoldAnswer.Use.HIDDEN: (
        "Hidden among the pairs of a batch",
        "A rater meets it like any other pair; it measures how right they are.",
    ),
    GoldAnswer.Use.PROBE: (
        "Probe, planted in a calibration round",
        "A lead plants it in a round on purpose; what raters caught is reported apart.",
    ),
    GoldAnswer.Use.PRACTICE: (
        "Practice, with feedback",
        "A rater answers it before their first round and then sees your answer beside theirs.",
    ),
}


@dataclass(frozen=True)
class GoldForm:
    version: RubricVersion
    versions: tuple[RubricVersion, ...]
    gates: tuple[Row, ...]
    criteria: tuple[Row, ...]
    stops: tuple[Stop, ...]
    preference_text: str
    why: str
    uses: tuple[Choice, ...]
    standing: GoldAnswer | None
    changed: Event | None
    # Raters meet it in a batch: it stays as it is.
    fixed: bool
    # Where the form is filled from an earlier version: which, and what it says nothing of.
    carried: Kept | None
    # Raters who have voted on the pair under this rubric version, and who have practised on it.
    voted: int
    practised: int
    errors: Mapping[str, str]

    @property
    def error_links(self) -> list[tuple[str, str]]:
        return [(_target(name), text) for name, text in self.errors.items()]


@dataclass(frozen=True)
class Withdrawal:
    """What is asked before an answer is withdrawn, and where the yes is sent."""

    title: str
    text: str
    action: str


def withdrawal(subject: Subject, version: RubricVersion) -> Withdrawal:
    form = reverse("annotate:subject_gold", args=[subject.project.slug, subject.public_id])
    return Withdrawal(
        f"Withdraw the answer on {subject.external_id}?",
        "The pair is then like any other one: it may be drawn for a round, and nobody practises "
        "on it. The audit keeps the answer.",
        f"{form}?{urlencode({'version': str(version)})}",
    )


def gold_form(
    subject: Subject,
    version: RubricVersion,
    *,
    fields: Mapping[str, Any] | None = None,
    errors: Mapping[str, str] | None = None,
) -> GoldForm:
    """The form with the answer that stands, or with `fields` as they were just sent."""
    errors = errors or {}
    standing = GoldAnswer.objects.filter(subject=subject, version=version).first()
    ballot = ballot_under(version)
    carried = None
    if fields is None:
        answer = _answer_of(standing, ballot) if standing else Answer()
        why, use = (standing.why, standing.use) if standing else ("", "")
        if standing is None and (carried := _carried(subject, version)):
            answer, use = _filled(carried.labels, ballot), carried.use
    else:
        answer = answer_from(fields_from(fields, ballot), ballot)
        why, use = str(fields.get("why", "")), str(fields.get("use", ""))
        if "preference" in errors:
            answer = Answer(labels=answer.labels)
    keys = page_keys("")
    asked = asked_under(version)
    rows = rows_of(asked, ballot, answer, errors, closed=False, keys=keys)
    rows = tuple(_in_one_order(row, ballot) for row in rows)
    preference = next((check for check in asked if check.kind == PREFERENCE), None)
    return GoldForm(
        version=version,
        versions=tuple(answerable(subject.project)),
        gates=tuple(row for row in rows if row.kind == "gate"),
        criteria=tuple(row for row in rows if row.kind == "criterion"),
        stops=stops_of(ballot, answer, ORDER, keys),
        preference_text=preference.text if preference else "",
        why=why,
        uses=tuple(Choice(value, *words, value == use) for value, words in USES.items()),
        standing=standing,
        changed=_last_change(standing, version, _changes(subject.project, subject))
        if standing
        else None,
        fixed=rests_on(subject.pk, version),
        carried=carried,
        voted=_voted(subject, version),
        practised=_practised(subject, version),
        errors=errors,
    )


def _in_one_order(row: Row, ballot: Ballot) -> Row:
    """The label page mirrors A and B under two hands; here both columns read alike."""
    check = ballot.check(row.key)
    codes = check.codes if check else ()
    cells = tuple(
        replace(cell, options=tuple(sorted(cell.options, key=lambda one: codes.index(one.code))))
        for cell in row.cells
    )
    return replace(row, cells=cells)


def known_from(fields: Mapping[str, Any], version: RubricVersion) -> Known:
    """The answer that a form holds, in canonical terms."""
    ballot = ballot_under(version)
    answer = answer_from(fields_from(fields, ballot), ballot)
    labels = {(key, side_of(part, ORDER)): code for (key, part), code in answer.labels.items()}
    stop = answer.stop
    known = stop is not None and 1 <= stop <= len(ballot.preference)
    return Known(
        labels=labels,
        preference=preference_code(ballot, stop, ORDER) if known and stop else "",
        why=str(fields.get("why", "")),
        use=str(fields.get("use", "")),
    )


def _carried(subject: Subject, version: RubricVersion) -> Kept | None:
    """What an earlier version says of the pair, as far as this one asks the same."""
    kept = known_under(version, Subject.objects.filter(pk=subject.pk)).get(subject.pk)
    return kept if kept is not None and kept.labels else None


def _answer_of(gold: GoldAnswer, ballot: Ballot) -> Answer:
    """A kept answer as a filled ballot."""
    return _filled(labels_of(gold), ballot)


def _filled(labels: Mapping[tuple[str, str], str], ballot: Ballot) -> Answer:
    """Canonical labels as a filled ballot, A on the left."""
    kept = dict(labels)
    seen = dict(zip("AB", SEEN_SIDES, strict=True))
    code = kept.pop((PREFERENCE, ""), "")
    return Answer(
        labels={(key, seen.get(part, part)): value for (key, part), value in kept.items()},
        stop=stop_of(ballot, code, ORDER) if code in ballot.preference else None,
    )


def _voted(subject: Subject, version: RubricVersion) -> int:
    votes = Vote.objects.current().filter(
        subject=subject,
        batch__version__rubric=version.rubric_id,
        batch__version__number=version.number,
    )
    return votes.exclude(batch__kind="practice").values("rater").distinct().count()


def _practised(subject: Subject, version: RubricVersion) -> int:
    return (
        Assignment.objects.of_practice(version.rubric_id)
        .filter(subject=subject)
        .submitted()
        .count()
    )


def _target(name: str) -> str:
    return "#" + name.replace(":", "-").rstrip("-")
