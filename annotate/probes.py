"""Probe pairs as they lie in the database: what is known of them, where they were met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.by_code import left_to_people
from annotate.gold import asked_under
from annotate.known import Kept, known_under
from annotate.models import GoldAnswer, Label, Slot, Subject
from annotate.probing import Tally, Unit, failing, tallies

if TYPE_CHECKING:
    from uuid import UUID

    from annotate.models import Batch
    from annotate.querysets import SubjectQuerySet
    from projects.models import Project, Rater
    from rubrics.models import RubricVersion


@dataclass(frozen=True)
class Probe:
    """A pair that can be planted under a version: `fails` are (key, part) known to fail there."""

    subject: Subject
    kept: Kept
    fails: tuple[tuple[str, str], ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The checks that it fails."""
        return tuple(dict.fromkeys(key for key, _ in self.fails))


@dataclass(frozen=True)
class Met:
    """One probed part of a pair, with what is known of it and the code that each rater gave."""

    batch: Batch
    subject: int
    external_id: str
    public_id: UUID
    key: str
    part: str
    right: str
    planted: bool
    given: Mapping[int, str]

    def failed(self, code: str) -> dict[int, bool]:
        return {rater: given == code for rater, given in self.given.items()}


def failing_codes(version: RubricVersion) -> dict[str, str]:
    """By check, the code by which it fails; without those that know no failure."""
    codes = {check.key: failing(check.kind, check.values) for check in asked_under(version)}
    return {key: code for key, code in codes.items() if code}


def probes_for(version: RubricVersion, raters: Iterable[Rater] = ()) -> list[Probe]:
    """The pairs that can be planted in a round of a version: known as probes, whole, in nobody's
    memory of these raters, and not decided by code. By id of the pair.
    """
    kept = GoldAnswer.objects.filter(use=GoldAnswer.Use.PROBE, version__rubric=version.rubric_id)
    if not kept.exists():
        return []
    pairs = left_to_people(usable(version.rubric.project, raters), version)
    found = known_under(version, pairs.filter(gold_answers__use=GoldAnswer.Use.PROBE).distinct())
    codes = failing_codes(version)
    probes = [
        probe_of(kept, codes)
        for kept in found.values()
        if kept.use == GoldAnswer.Use.PROBE and kept.labels
    ]
    by_content = {probe.subject.content_hash: probe for probe in reversed(probes)}
    return sorted(by_content.values(), key=lambda probe: probe.subject.external_id)


def usable(project: Project, raters: Iterable[Rater] = ()) -> SubjectQuerySet:
    """Pairs that can be shown and that none of the raters can remember, by content as ever.

    An anchor shows its pair to everybody.
    """
    pairs = Subject.objects.of_project(project).visible().pairs()
    known = pairs.seen_by(list(raters)) | pairs.filter(anchored__isnull=False)
    shown = pairs.settled().with_texts().exclude(content_hash="")
    return shown.exclude(content_hash__in=known.values("content_hash"))


def probe_of(kept: Kept, codes: Mapping[str, str]) -> Probe:
    fails = tuple(
        place for place, code in kept.labels.items() if code and code == codes.get(place[0])
    )
    return Probe(kept.subject, kept, fails)


def ready(probes: Iterable[Probe]) -> dict[str, int]:
    """By check, how many of these pairs fail it."""
    found: dict[str, int] = {}
    for probe in probes:
        for key in probe.keys:
            found[key] = found.get(key, 0) + 1
    return found


def met(batches: Sequence[Batch], *, secret: Iterable[int] = ()) -> list[Met]:
    """Every probed part in these batches under every check that can fail, in rubric order.

    Without the pairs in `secret`: those that the reader still rates elsewhere.
    """
    slots = Slot.objects.filter(batch__in=list(batches), role=Slot.Role.PROBE)
    rows = slots.exclude(subject__in=list(secret)).order_by().distinct()
    places = set(rows.values_list("batch_id", "subject_id"))
    if not places:
        return []
    given = _given(batches)
    found: list[Met] = []
    for version, asked_in in _by_version(batches).items():
        codes = failing_codes(version)
        subjects = {subject for batch, subject in places if batch in asked_in}
        known = known_under(version, Subject.objects.filter(pk__in=subjects))
        for batch_id, subject in sorted(places):
            if batch_id in asked_in and subject in known:
                found += _met(asked_in[batch_id], known[subject], codes, given)
    order = {key: n for n, key in enumerate(failing_codes(batches[-1].version))}
    return sorted(
        found,
        key=lambda one: (order.get(one.key, len(order)), one.batch.pk, one.external_id, one.part),
    )


def tally(found: Iterable[Met], version: RubricVersion) -> tuple[Tally, ...]:
    codes = failing_codes(version)
    return tallies(
        Unit(one.subject, one.key, one.part, one.planted, one.failed(codes[one.key]))
        for one in found
        if one.key in codes
    )


def _by_version(batches: Sequence[Batch]) -> dict[RubricVersion, dict[int, Batch]]:
    """Revisions of a version apart: each round keeps the answers that it was laid out with."""
    found: dict[RubricVersion, dict[int, Batch]] = {}
    for batch in batches:
        found.setdefault(batch.version, {})[batch.pk] = batch
    return found


def _met(
    batch: Batch,
    kept: Kept,
    codes: Mapping[str, str],
    given: Mapping[tuple[int, int, str, str], Mapping[int, str]],
) -> Iterable[Met]:
    subject = kept.subject
    for (key, part), right in kept.labels.items():
        if key in codes:
            yield Met(
                batch=batch,
                subject=subject.pk,
                external_id=subject.external_id,
                public_id=subject.public_id,
                key=key,
                part=part,
                right=right,
                planted=right == codes[key],
                given=given.get((batch.pk, subject.pk, key, part), {}),
            )


def _given(batches: Sequence[Batch]) -> dict[tuple[int, int, str, str], dict[int, str]]:
    """(batch, subject, key, part) → the code that each rater gave when asked."""
    rows = Label.objects.of_current_votes(*batches).filter(
        vote__assignment__slot__role=Slot.Role.PROBE, how__in=("asked", "after_gate")
    )
    found: dict[tuple[int, int, str, str], dict[int, str]] = {}
    for batch, subject, key, part, rater, code in rows.values_list(
        "vote__batch_id",
        "vote__subject_id",
        "criterion__key",
        "part_key",
        "vote__rater_id",
        "code",
    ):
        found.setdefault((batch, subject, key, part), {})[rater] = code
    return found
