"""Votes → ratings: the only bridge from rows to statistics.

A rating is the long form of any label: one value that one rater gave to one part under one check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

import pandas as pd

from annotate import decisions
from annotate.decisions import SIDES, VoteView
from annotate.models import Batch, Label, Subject, Vote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from django.db.models import QuerySet

    from rubrics.models import RubricVersion

OUTCOME = "outcome"
_Row: TypeAlias = tuple[Any, ...]
COLUMNS = [
    "subject",
    "group",
    "part",
    "criterion",
    "rater",
    "value",
    "version",
    "source",
    "how",
    "blind",
    "pass_no",
    "probability",
]


def ratings(batches: Sequence[Batch], *, with_outcome: bool = True) -> pd.DataFrame:
    """Every blind rating that was asked, of the current votes of the batches, as COLUMNS.

    Carried and derived labels stay out: reliability is about what raters were asked. So do votes
    on planted pairs, gold and probes: they say how right a rater is. One row of the criterion
    `outcome` a vote says what the vote comes to, gates included.
    """
    rows = list(_label_rows(batches))
    if with_outcome:
        rows += [row for batch in batches for row in _outcome_rows(batch)]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return frame.astype({"value": object})


def for_reliability(frame: pd.DataFrame, criterion: str) -> pd.DataFrame:
    """The ratings of one criterion in the columns that `annotate.reliability` reads.

    A unit is a part of a subject. Subjects that share a prompt are resampled together.
    """
    chosen = frame[frame["criterion"] == criterion]
    return pd.DataFrame(
        {
            "unit": chosen["subject"] + "\x1f" + chosen["part"],
            "cluster": chosen["group"].where(chosen["group"] != "", chosen["subject"]),
            "rater": chosen["rater"],
            "value": chosen["value"],
        }
    )


def votes_by_subject(batch: Batch) -> dict[int, list[VoteView]]:
    """What each rater's current vote says on each subject, as a decision needs it.

    Decisions rest on every vote, one that was not given blind included; of planted pairs the
    answer is known, and no vote decides them.
    """
    return _views(batch, Vote.objects.of_batches(batch).current().counted())


def _views(batch: Batch, votes: QuerySet[Vote]) -> dict[int, list[VoteView]]:
    margins = _margins(batch.version)
    gates: dict[int, dict[tuple[str, decisions.Side], decisions.Answer]] = {}
    given: dict[int, int] = {}
    rows = (
        Label.objects.of_current_votes(batch)
        .on_counted()
        .filter(criterion__kind__in=("gate", "preference"))
        .values_list("vote_id", "criterion__kind", "criterion__key", "part_key", "code")
    )
    for vote, kind, key, part, code in rows.iterator(chunk_size=5000):
        if kind == "preference":
            given[vote] = margins[code]
        elif part in SIDES:
            gates.setdefault(vote, {})[key, part] = cast("decisions.Answer", code)
    found: dict[int, list[VoteView]] = {}
    for pk, subject, rater in votes.values_list("id", "subject_id", "rater_id"):
        view = VoteView(rater=str(rater), gates=gates.get(pk, {}), margin=given.get(pk))
        found.setdefault(subject, []).append(view)
    return found


def _margins(version: RubricVersion) -> Mapping[str, int]:
    preference = version.criteria.filter(kind="preference").first()
    return decisions.margins_of(preference.values) if preference else {}


def _label_rows(batches: Sequence[Batch]) -> Iterator[_Row]:
    rows = (
        Label.objects.of_current_votes(*batches)
        .for_reliability()
        .order_by("vote_id", "id")
        .values_list(
            "vote__subject__external_id",
            "vote__subject__group_key",
            "part_key",
            "criterion__key",
            "vote__rater_id",
            "code",
            "number",
            "criterion__version__number",
            "vote__batch__kind",
            "how",
            "vote__blind",
        )
    )
    for row in rows.iterator(chunk_size=5000):
        *unit, rater, code, number, version, kind, how, blind = row
        yield (*unit, str(rater), code or number, version, _source(kind), how, blind, 1, 1.0)


def _outcome_rows(batch: Batch) -> Iterator[_Row]:
    votes = Vote.objects.of_batches(batch).current().blind().counted()
    voted = Subject.objects.filter(pk__in=votes.values("subject"))
    names = {
        pk: (subject, group)
        for pk, subject, group in voted.values_list("id", "external_id", "group_key")
    }
    version, source = batch.version.number, _source(batch.kind)
    for pk, views in _views(batch, votes).items():
        for view in views:
            if (value := decisions.outcome(view)) is not None:
                unit = (*names[pk], "", OUTCOME)
                yield (*unit, view.rater, value, version, source, "derived", True, 1, 1.0)


def _source(kind: str) -> str:
    return "imported" if kind == Batch.Kind.IMPORTED else "vote"
