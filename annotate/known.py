"""What of a known answer still holds under another version of its rubric.

An answer is given under one version. A check that asks the very same in a later one, whatever it
is called there, keeps its answer; a check that was worded anew, split, merged or moved has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.gold import asked_under, question
from annotate.labelling import content_of
from annotate.models import GoldAnswer, GoldLabel, Subject
from rubrics.document import sources
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from annotate.querysets import SubjectQuerySet


@dataclass(frozen=True)
class Kept:
    """What is known of a pair under a version.

    `labels` is (key of that version, part) → code; `lost` are its keys without an answer, since
    `answered` is an earlier version that asked them otherwise.
    """

    subject: Subject
    labels: Mapping[tuple[str, str], str]
    answered: RubricVersion
    use: str
    lost: tuple[str, ...] = ()
    older: bool = False
    why: str = ""


def known_under(version: RubricVersion, subjects: SubjectQuerySet) -> dict[int, Kept]:
    """By subject, the newest answer that is not later than the version, as far as it holds.

    A subject whose answer holds nowhere is there without labels; one without answers is not.
    """
    keys = keys_kept(version)
    answers = GoldAnswer.objects.filter(version__in=keys, subject__in=subjects)
    newest: dict[int, GoldAnswer] = {}
    ordered = answers.order_by("version__number", "version__revision")
    for gold in ordered.select_related("subject", "version__rubric"):
        newest[gold.subject_id] = gold
    labels = _labels(newest.values())
    asked = tuple(check.key for check in asked_under(version) if check.kind != "preference")
    return {
        subject: _kept(gold, version, keys[gold.version_id], labels.get(gold.pk, ()), asked)
        for subject, gold in newest.items()
    }


def keys_kept(version: RubricVersion) -> dict[int, dict[str, str]]:
    """By id of this and each earlier version: its key → the key here, of what asks the same."""
    held = {check.key: check.key for check in asked_under(version)}
    found, newer = {version.pk: held}, version
    earlier = RubricVersion.objects.filter(rubric=version.rubric_id).released().newest_first()
    for older in earlier:
        if (older.number, older.revision) < (version.number, version.revision):
            held = _one_back(older, newer, held)
            found[older.pk], newer = held, older
    return found


def _one_back(
    older: RubricVersion, newer: RubricVersion, held: Mapping[str, str]
) -> dict[str, str]:
    before = {check.key: check for check in asked_under(older)}
    after = {check.key: check for check in asked_under(newer)}
    origin = sources(content_of(older.document), content_of(newer.document))
    found = {}
    for key, here in held.items():
        came_from = origin[key]
        if len(came_from) == 1 and came_from[0] in before:
            was = came_from[0]
            # The key is a name; what was asked is all the rest.
            if question(before[was])[1:] == question(after[key])[1:]:
                found[was] = here
    return found


def _labels(answers: Iterable[GoldAnswer]) -> dict[int, list[tuple[str, str, str]]]:
    rows = GoldLabel.objects.filter(gold__in=[gold.pk for gold in answers])
    found: dict[int, list[tuple[str, str, str]]] = {}
    ordered = rows.order_by("criterion__order", "part_key")
    for gold, *label in ordered.values_list("gold_id", "criterion__key", "part_key", "code"):
        found.setdefault(gold, []).append((label[0], label[1], label[2]))
    return found


def _kept(
    gold: GoldAnswer,
    version: RubricVersion,
    keys: Mapping[str, str],
    labels: Iterable[tuple[str, str, str]],
    asked: tuple[str, ...],
) -> Kept:
    held = {(keys[key], part): code for key, part, code in labels if key in keys}
    there = {key for key, _ in held}
    return Kept(
        subject=gold.subject,
        labels=held,
        answered=gold.version,
        use=gold.use,
        lost=tuple(key for key in asked if key not in there),
        older=gold.version_id != version.pk,
        why=gold.why,
    )
