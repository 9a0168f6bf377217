"""What of a known answer still holds under another version of its rubric.

An answer is given under one version. A check that asks the very same in a later one, whatever it
is called there, keeps its answer; a check that was worded anew, split, merged or moved has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    return known_under_each([version], subjects)[version.pk]


def known_under_each(
    versions: Iterable[RubricVersion], subjects: SubjectQuerySet
) -> dict[int, dict[int, Kept]]:
    """The same under several versions of one rubric, at least one, by id of the version: in as
    many queries as for one.
    """
    versions = list(versions)
    released = _released(versions[0])
    keys = {version.pk: _keys_kept(version, released) for version in versions}
    answers = GoldAnswer.objects.filter(
        version__in={older for held in keys.values() for older in held}, subject__in=subjects
    )
    ordered = answers.order_by("version__number", "version__revision")
    given = list(ordered.select_related("subject", "version__rubric"))
    labels = _labels(given)
    found: dict[int, dict[int, Kept]] = {}
    for version in versions:
        held = keys[version.pk]
        asked = tuple(check.key for check in asked_under(version) if check.kind != "preference")
        newest = {gold.subject_id: gold for gold in given if gold.version_id in held}
        found[version.pk] = {
            subject: _kept(gold, version, held[gold.version_id], labels.get(gold.pk, ()), asked)
            for subject, gold in newest.items()
        }
    return found


def keys_kept(version: RubricVersion) -> dict[int, dict[str, str]]:
    """By id of this and each earlier version: its key → the key here, of what asks the same."""
    return _keys_kept(version, _released(version))


def _released(version: RubricVersion) -> list[RubricVersion]:
    """The versions of its rubric, the newest first."""
    return list(RubricVersion.objects.filter(rubric=version.rubric_id).released().newest_first())


def _keys_kept(
    version: RubricVersion, released: Sequence[RubricVersion]
) -> dict[int, dict[str, str]]:
    held = {check.key: check.key for check in asked_under(version)}
    found, newer = {version.pk: held}, version
    for older in released:
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
