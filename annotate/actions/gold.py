"""Known right answers, set and withdrawn by leads. docs/gold.md; docs/design/practice.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from django.db import transaction

from annotate import ballot as ballots
from annotate.access import STILL_RATING, still_rated_by
from annotate.ballot import MAX_RATIONALE, Answer
from annotate.gold import ballot_under, known_answer, labels_of, rests_on, told
from annotate.labelling import storable
from annotate.models import Assignment, Batch, GoldAnswer, GoldLabel, Subject
from projects.audit import record
from rubrics.models import RubricVersion
from rubrics.words import number_words

if TYPE_CHECKING:
    from annotate.ballot import Ballot
    from projects.models import User

Place = tuple[str, str]
Done = Literal["created", "updated", "unchanged"]
# Sides are canonical here: what a lead fills in as A is A.
ORDER: ballots.Order = "AB"
IN_A_BATCH = (
    "Raters meet this pair among those of a batch: what their accuracy rests on stays as it is."
)


@dataclass
class GoldRefused(Exception):
    """The answer cannot be kept: field name → what to do ('' for the answer as a whole)."""

    problems: dict[str, str]

    def __str__(self) -> str:
        return " ".join(self.problems.values())


@dataclass(frozen=True)
class Known:
    """A known answer: (key, part) → code, the preference's code or '', why, and for what."""

    labels: Mapping[Place, str]
    preference: str = ""
    why: str = ""
    use: str = GoldAnswer.Use.HIDDEN


def set_gold(
    *, subject: Subject, version: RubricVersion, known: Known, acting_user: User | None
) -> Done:
    """Keep the known answer on a pair under a version; the same answer again changes nothing.

    Another answer takes the place of the one that stands, which the audit row keeps whole. Raters
    who have practised on the pair keep what they were told.
    """
    with transaction.atomic():
        subject = _held(subject, acting_user)
        _refuse_version(version, subject)
        known = replace(known, why=storable(known.why).replace("\r\n", "\n").strip())
        answer = _answer(ballot_under(version), known)
        canonical = _canonical(ballot_under(version), answer, known)
        previous = _standing(subject, version)
        if previous is not None and _says_the_same(previous, canonical):
            return "unchanged"
        _refuse_in_a_batch(subject, version)
        before = told(previous) if previous else None
        gold, _ = GoldAnswer.objects.update_or_create(
            subject=subject,
            version=version,
            defaults={"why": canonical.why, "use": canonical.use},
            create_defaults={
                "why": canonical.why,
                "use": canonical.use,
                "created_by": acting_user,
            },
        )
        _write_labels(gold, canonical)
        _free_practice(subject, version)
        record(
            "gold.changed" if before else "gold.set",
            project=subject.project,
            actor=acting_user,
            # Not the pair's name: a lead who rates reads what was done lately.
            target=version,
            subject=str(subject.public_id),
            answer=told(gold),
            before=before,
        )
    return "updated" if before else "created"


def withdraw_gold(*, subject: Subject, version: RubricVersion, acting_user: User | None) -> None:
    """The pair is no longer known; withdrawing what is not there changes nothing."""
    with transaction.atomic():
        subject = _held(subject, acting_user)
        gold = _standing(subject, version)
        if gold is None:
            return
        _refuse_in_a_batch(subject, version)
        before = told(gold)
        gold.delete()
        _free_practice(subject, version)
        record(
            "gold.withdrawn",
            project=subject.project,
            actor=acting_user,
            target=version,
            subject=str(subject.public_id),
            before=before,
        )


def _held(subject: Subject, acting_user: User | None) -> Subject:
    """The pair's row, held to the end: two leads who answer it do so one after the other."""
    held = Subject.objects.select_for_update(of=("self",), no_key=True).select_related("project")
    found = held.get(pk=subject.pk)
    if acting_user is not None and found.pk in still_rated_by(acting_user):
        raise GoldRefused({"": STILL_RATING})
    return found


def _refuse_version(version: RubricVersion, subject: Subject) -> None:
    if version.rubric.project_id != subject.project_id:
        raise GoldRefused({"": f"{version} is not a rubric of {subject.project}."})
    if version.status != RubricVersion.Status.PUBLISHED:
        raise GoldRefused({"": f"{version} is not published; an answer needs checks that stay."})
    if subject.kind != Subject.Kind.PAIR or version.subject_kind != "pair":
        raise GoldRefused({"": "Known answers are for pairs, under a rubric that judges pairs."})
    if not Subject.objects.filter(pk=subject.pk).visible().with_texts().exists():
        raise GoldRefused({"": "The texts of this pair are not here, so that nobody can read it."})


def _standing(subject: Subject, version: RubricVersion) -> GoldAnswer | None:
    rows = GoldAnswer.objects.select_related("version__rubric")
    return rows.filter(subject=subject, version=version).first()


def _refuse_in_a_batch(subject: Subject, version: RubricVersion) -> None:
    if rests_on(subject.pk, version):
        raise GoldRefused({"": IN_A_BATCH})


def _answer(ballot: Ballot, known: Known) -> Answer:
    """The answer in the terms of the ballot, with A on the left."""
    labels = {
        (key, ballots.seen_part(part, ORDER)): code for (key, part), code in known.labels.items()
    }
    scale = ballot.preference
    if known.preference and known.preference not in scale:
        takes = f"Choose one of {', '.join(scale)}." if scale else "This rubric asks for none."
        raise GoldRefused({"preference": f"“{known.preference}” is no preference here. {takes}"})
    stop = ballots.stop_of(ballot, known.preference, ORDER) if known.preference else None
    return Answer(labels=labels, stop=stop)


def _canonical(ballot: Ballot, answer: Answer, known: Known) -> Known:
    """The same answer as it is stored. Refused like a vote that is not whole."""
    why = ballots.seen_text(known.why, ORDER)
    found = ballots.problems(ballot, answer)
    # A vote's rationale cites; that a known answer says why is enough.
    found.pop("rationale", None)
    state = ballots.gate_state(ballot, answer)
    if state.decides and answer.stop is not None:
        keys = ", ".join(ballots.failed_gates(ballot, answer))
        found["preference"] = f"No preference where a gate decides ({keys}): leave it out."
    if not why:
        found["why"] = "Say why this is the right answer: raters read it, and so do other leads."
    elif len(why) > MAX_RATIONALE:
        found["why"] = f"Keep it under {MAX_RATIONALE:,} characters."
    elif unknown := ballots.unknown_citations(ballot, why):
        ids = ", ".join(check.key for check in ballot.checks)
        found["why"] = f"{unknown[0]} is not in this rubric. Cite one of {ids}, A or B."
    if known.use not in GoldAnswer.Use.values:
        *uses, last = GoldAnswer.Use.values
        found["use"] = f"Choose what it is for: {', '.join(uses)} or {last}."
    if found:
        raise GoldRefused({name: _in_sides(text) for name, text in found.items()})
    # Only the labels are taken from it; the citation that a vote needs is no part of them.
    whole = replace(answer, rationale="-", nothing_says_it=True)
    labels = ballots.canonical(ballot, whole, ORDER).labels
    return Known(
        labels={(label.key, label.part): _code(ballot, label) for label in labels},
        why=ballots.canonical_text(why, ORDER),
        use=known.use,
    )


def _code(ballot: Ballot, label: ballots.CanonicalLabel) -> str:
    """A measured value as one text, however it was typed: 7, 7.0 and 07 are the same answer."""
    check = ballot.check(label.key)
    number = ballots.number_of(label.code) if check and check.bounds else None
    return label.code if number is None else number_words(number)


def _in_sides(text: str) -> str:
    """What raters read as Left and Right is A and B to whoever knows the answer."""
    return text.replace(" for Left.", " for A.").replace(" for Right.", " for B.")


def _says_the_same(gold: GoldAnswer, known: Known) -> bool:
    return (gold.why, gold.use) == (known.why, known.use) and labels_of(gold) == known.labels


def _write_labels(gold: GoldAnswer, known: Known) -> None:
    gold.labels.all().delete()
    criteria = {criterion.key: criterion for criterion in gold.version.criteria.all()}
    GoldLabel.objects.bulk_create(
        GoldLabel(gold=gold, criterion=criteria[key], part_key=part, code=code)
        for (key, part), code in known.labels.items()
    )


def _free_practice(subject: Subject, version: RubricVersion) -> None:
    """Nobody is left with a practice pair whose answer is no longer known."""
    waiting = Assignment.objects.filter(
        subject=subject,
        batch__kind=Batch.Kind.PRACTICE,
        batch__version__rubric=version.rubric_id,
    ).open()
    for row in waiting.select_related("batch__version__rubric"):
        if known_answer(subject.pk, row.batch.version) is None:
            # Whoever sends at this moment holds the row: it is submitted by then, and stays.
            Assignment.objects.filter(pk=row.pk).open().update(state=Assignment.State.EXPIRED)
