"""The probe pairs that a round could plant, and how many of them a check asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.access import still_rated_by
from annotate.calibration import measured_under
from annotate.clearing import required
from annotate.models import Subject
from annotate.probes import Probe, probes_for, ready, usable
from projects.models import Rater, Role
from rubrics.words import counted_noun, listed, value_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotate.clearing import Row
    from projects.models import Project, User
    from rubrics.models import RubricVersion


@dataclass(frozen=True)
class Offer:
    """The pairs under one version: `says` is what the checks lack and what is ready for it.

    `chosen` are those to begin with, where somebody came to plant for one check; `seen` those that
    an expert of the project has had before; `to_tick`: that some of them are ready for what is
    said.
    """

    version: RubricVersion
    probes: tuple[Probe, ...] = ()
    says: tuple[str, ...] = ()
    chosen: tuple[int, ...] = ()
    seen: frozenset[int] = frozenset()
    to_tick: bool = False

    @property
    def labels(self) -> dict[int, str]:
        """By id of the pair, what it is good for."""
        return {
            probe.subject.pk: label_of(probe, seen=probe.subject.pk in self.seen)
            for probe in self.probes
        }


def offer_of(version: RubricVersion, reader: User, *, check: str = "") -> Offer:
    """Without the pairs that the reader still rates: what is known of them is not theirs yet."""
    secret = set(still_rated_by(reader))
    probes = [probe for probe in probes_for(version) if probe.subject.pk not in secret]
    free = _fresh_to_experts(version.rubric.project, probes)
    fresh = [probe for probe in probes if probe.subject.pk in free]
    measured = measured_under(version) or measured_under(version, simulated=True)
    rows = required(measured.rows) if measured else []
    lacking = {row.key: row for row in reversed(rows) if row.missing and not row.done}
    there = ready(fresh)
    had = ready([probe for probe in probes if probe.subject.pk not in free])
    says = [
        _asks(row, there.get(key, 0), had.get(key, 0)) for key, row in reversed(lacking.items())
    ]
    to_tick = bool(there if not says else there.keys() & lacking.keys())
    if there and not says:
        each = [f"{times} fail{'s' * (times == 1)} {key}" for key, times in there.items()]
        says = [f"Ready for version {version.number}: {listed(each)}."]
    missing = lacking[check].missing if check in lacking else len(fresh)
    fitting = [probe.subject.pk for probe in fresh if check in probe.keys]
    seen = frozenset(probe.subject.pk for probe in probes) - free
    return Offer(version, tuple(probes), tuple(says), tuple(fitting[:missing]), seen, to_tick)


def _fresh_to_experts(project: Project, probes: Sequence[Probe]) -> frozenset[int]:
    """The pairs that no expert has had: who is asked first when a round is started."""
    experts = Rater.objects.filter(
        project=project, user__memberships__project=project, user__memberships__role=Role.EXPERT
    )
    pks = [probe.subject.pk for probe in probes]
    free = usable(project, experts.distinct()).filter(pk__in=pks) if pks else Subject.objects.none()
    return frozenset(free.values_list("pk", flat=True))


def _asks(row: Row, there: int, had: int) -> str:
    """“G2 has 2 of 10 units with fail: 8 probe pairs that fail G2 are ready.”

    `there` of them no expert has had, `had` some expert has.
    """
    have = row.reliability.minority_units
    which = f" with {value_words(row.minority)}" if row.minority is not None else ""
    said = f"{row.key} has {have} of {have + row.missing} units{which}"
    if not there and had:
        which = "the one probe pair that fails" if had == 1 else f"all {had} probe pairs that fail"
        return f"{said}, and an expert has had {which} {row.key} before."
    if not there:
        return f"{said}, and no probe pair that fails {row.key} is ready."
    verb, are = ("fails", "is") if there == 1 else ("fail", "are")
    return f"{said}: {counted_noun(there, 'probe pair')} that {verb} {row.key} {are} ready."


def label_of(probe: Probe, *, seen: bool = False) -> str:
    """What a pair is good for, what its answer no longer says, and who might remember it."""
    sides: dict[str, list[str]] = {}
    for key, part in probe.fails:
        sides.setdefault(key, []).append(part)
    fails = [
        f"{key} on {' and '.join(parts)}" if all(parts) else key for key, parts in sides.items()
    ]
    said = f"{probe.subject.external_id}: fails {listed(fails) if fails else 'nothing'}"
    if probe.kept.older:
        said += f". Answered under version {probe.kept.answered.number}"
        if probe.kept.lost:
            said += f", which says nothing of {listed(list(probe.kept.lost))}"
    return f"{said}. An expert has had it before" if seen else said
