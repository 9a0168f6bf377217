"""The ballot of an assignment, and the form's fields on their way to and from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from annotate.ballot import MAX_RATIONALE, SEEN_SIDES, Answer, Ballot, Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from annotate.models import Batch
    from rubrics.models import Criterion

MAX_SKIP_REASON = 500


def ballot_for(batch: Batch) -> Ballot:
    """What the batch asks about a pair: its version's checks, within its scope."""
    criteria = list(batch.version.criteria.asked())
    if batch.criteria_scope is not None:
        criteria = [criterion for criterion in criteria if criterion.key in batch.criteria_scope]
    return ballot_of(criteria, ask_after_gate=batch.ask_after_gate)


def ballot_of(criteria: Iterable[Criterion], *, ask_after_gate: bool) -> Ballot:
    checks: list[Check] = []
    preference: tuple[str, ...] = ()
    for criterion in criteria:
        if criterion.kind == "preference":
            preference = tuple(criterion.values)
        elif criterion.kind in ("gate", "criterion"):
            checks.append(
                Check(
                    key=criterion.key,
                    kind="gate" if criterion.kind == "gate" else "criterion",
                    values=tuple(str(value) for value in criterion.values),
                    allows_na=criterion.allows_na,
                    parts=SEEN_SIDES if criterion.family == "side" else ("",),
                )
            )
    # Gates come first whatever their place in the document.
    checks.sort(key=lambda check: check.kind != "gate")
    return Ballot(checks=tuple(checks), preference=preference, ask_after_gate=ask_after_gate)


def fields_from(form: Mapping[str, Any], ballot: Ballot) -> dict[str, Any]:
    """The fields a draft keeps: only those the page asks, none longer than it may be.

    The names are those of the form: `label:KEY:PART`, `preference`, `rationale`,
    `nothing_says_it`, `unclear:KEY`.
    """
    kept: dict[str, Any] = {}
    for check in ballot.checks:
        for part in check.parts:
            name = f"label:{check.key}:{part}"
            if value := form.get(name):
                kept[name] = str(value)[:64]
        if form.get(f"unclear:{check.key}"):
            kept[f"unclear:{check.key}"] = True
    if stop := form.get("preference"):
        kept["preference"] = str(stop)[:2]
    if rationale := form.get("rationale"):
        # Browsers send CRLF; one character more than allowed lets the check say so.
        kept["rationale"] = str(rationale).replace("\r\n", "\n")[: MAX_RATIONALE + 1]
    if form.get("nothing_says_it"):
        kept["nothing_says_it"] = True
    return kept


def answer_from(fields: Mapping[str, Any], ballot: Ballot) -> Answer:
    """A filled ballot from a draft's fields."""
    labels = {
        (check.key, part): str(fields[name])
        for check in ballot.checks
        for part in check.parts
        if (name := f"label:{check.key}:{part}") in fields
    }
    stop = str(fields.get("preference", ""))
    return Answer(
        labels=labels,
        stop=int(stop) if stop.isascii() and stop.isdigit() else None,
        rationale=str(fields.get("rationale", "")),
        nothing_says_it=bool(fields.get("nothing_says_it")),
        unclear=frozenset(
            check.key for check in ballot.checks if fields.get(f"unclear:{check.key}")
        ),
    )
