"""Known right answers: what one asks, what it says, and which of them a version practises on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Q

from annotate.by_code import decided
from annotate.labelling import ballot_of, content_of
from annotate.models import GoldAnswer, Slot, Subject
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from annotate.ballot import Ballot
    from projects.models import Rater
    from rubrics.document import Criterion

# How many pairs a first practice has.
PRACTICE_PAIRS = 3


def asked_under(version: RubricVersion) -> list[Criterion]:
    """The checks and the preference that raters answer under a version."""
    return [check for check in content_of(version.document).criteria if check.kind != "automatic"]


def ballot_under(version: RubricVersion) -> Ballot:
    """What a known answer has to say: everything, since batches that ask less can leave it out."""
    return ballot_of(asked_under(version), ask_after_gate=True)


def labels_of(gold: GoldAnswer) -> dict[tuple[str, str], str]:
    """(key, canonical part) → code, the preference among them."""
    rows = gold.labels.order_by("criterion__order", "part_key")
    return {
        (key, part): code
        for key, part, code in rows.values_list("criterion__key", "part_key", "code")
    }


def told(gold: GoldAnswer) -> dict[str, Any]:
    """An answer as it is kept with whatever rests on it: the audit row, a practice vote."""
    return {
        "version": str(gold.version),
        "use": gold.use,
        "why": gold.why,
        "labels": [[*place, code] for place, code in labels_of(gold).items()],
    }


def plants_a_failure(labels: dict[tuple[str, str], str], version: RubricVersion) -> bool:
    """Whether a gate fails on any side: half of the hidden answers should hold such a one."""
    gates = {check.key for check in asked_under(version) if check.kind == "gate"}
    return any(code == "fail" for (key, _), code in labels.items() if key in gates)


def rests_on(subject_id: int, version: RubricVersion) -> bool:
    """Whether an answer on the pair under the version is, or would be, what a batch measures by.

    A round of a later version may rest on an earlier answer, as far as it holds (annotate.known).
    """
    slots = Slot.objects.filter(subject=subject_id, batch__version__rubric=version.rubric_id)
    later = Q(batch__version__number__gt=version.number) | Q(
        batch__version__number=version.number, batch__version__revision__gte=version.revision
    )
    return slots.filter(
        Q(role=Slot.Role.GOLD, batch__version=version) | (Q(role=Slot.Role.PROBE) & later)
    ).exists()


def practice_answers(version: RubricVersion) -> QuerySet[GoldAnswer]:
    """Practice pairs for a version, oldest first: its own, else those of the nearest earlier
    version of the rubric that asks the very same.
    """
    answers = GoldAnswer.objects.filter(
        use=GoldAnswer.Use.PRACTICE, version__rubric=version.rubric_id
    ).exclude(subject__content_hash="")
    shown = Subject.objects.visible().pairs().with_texts()
    answers = answers.filter(subject__in=shown).order_by("pk")
    held = RubricVersion.objects.filter(pk__in=answers.values("version")).newest_first()
    for candidate in held:
        earlier = (candidate.number, candidate.revision) < (version.number, version.revision)
        if candidate.pk == version.pk or (earlier and asks_the_same(candidate, version)):
            return answers.filter(version=candidate)
    return answers.none()


def asks_the_same(one: RubricVersion, other: RubricVersion) -> bool:
    """Whether an answer under one version answers the other: same checks, same words, same values.

    Titles, help, examples and weights may differ: they do not change what was asked.
    """
    return [question(check) for check in asked_under(one)] == [
        question(check) for check in asked_under(other)
    ]


def question(check: Criterion) -> tuple[object, ...]:
    """What a check asks, its key first: titles, help, examples and weights are no part of it."""
    return (
        check.key,
        check.kind,
        check.family,
        check.level,
        check.values,
        check.allows_na,
        check.text,
        check.bounds,
    )


def practice_for(rater: Rater, version: RubricVersion) -> list[int]:
    """The subjects of a first practice: at most three, none that this rater could remember, and
    none of which code would ask nobody."""
    known = Subject.objects.filter(project=rater.project_id).seen_by([rater])
    fresh = practice_answers(version).exclude(
        subject__content_hash__in=known.values("content_hash")
    )
    by_code = decided(Subject.objects.filter(project=rater.project_id), version)
    fresh = fresh.exclude(subject__in=by_code.order_by().values("pk"))
    by_content: dict[str, int] = {}
    for subject, content in fresh.values_list("subject_id", "subject__content_hash"):
        by_content.setdefault(content, subject)
    return list(by_content.values())[:PRACTICE_PAIRS]


def known_answer(subject_id: int, version: RubricVersion) -> GoldAnswer | None:
    """The practice answer on a subject that holds under a version."""
    answers = practice_answers(version).select_related("version__rubric")
    return answers.filter(subject=subject_id).first()
