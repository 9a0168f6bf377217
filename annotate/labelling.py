"""The ballot of an assignment, and the form's fields on their way to and from it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from annotate import evidence
from annotate.ballot import SEEN_SIDES, Answer, Ballot, Check
from rubrics.document import PREFERENCE, from_canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from annotate.models import Batch
    from rubrics.document import Criterion, Rubric

MAX_SKIP_REASON = 500
MAX_CODE = 64


# A version never changes, so its document is read once in a process.
content_of = lru_cache(maxsize=64)(from_canonical)


def ballot_for(batch: Batch) -> Ballot:
    """What the batch asks about a pair: its version's checks, within its scope."""
    return ballot_of(asked_in(batch), ask_after_gate=batch.ask_after_gate)


def asked_in(batch: Batch) -> list[Criterion]:
    """The checks and the preference that raters answer, without what code decides."""
    rubric: Rubric = content_of(batch.version.document)
    scope = batch.criteria_scope
    return [
        check
        for check in rubric.criteria
        if check.kind != "automatic" and (scope is None or check.key in scope)
    ]


def ballot_of(criteria: Iterable[Criterion], *, ask_after_gate: bool) -> Ballot:
    checks: list[Check] = []
    preference: tuple[str, ...] = ()
    for criterion in criteria:
        if criterion.kind == PREFERENCE:
            preference = criterion.values
        elif criterion.kind in ("gate", "criterion"):
            checks.append(
                Check(
                    key=criterion.key,
                    kind="gate" if criterion.kind == "gate" else "criterion",
                    values=criterion.values,
                    allows_na=criterion.allows_na,
                    parts=SEEN_SIDES if criterion.family == "side" else ("",),
                    bounds=criterion.bounds,
                )
            )
    # Gates come first whatever their place in the document.
    checks.sort(key=lambda check: check.kind != "gate")
    return Ballot(checks=tuple(checks), preference=preference, ask_after_gate=ask_after_gate)


def field_name(key: str, part: str) -> str:
    return f"label:{key}:{part}"


def fields_from(form: Mapping[str, Any], ballot: Ballot) -> dict[str, Any]:
    """The fields a draft keeps: only those the page asks.

    The names are those of the form: `label:KEY:PART`, `preference`, `rationale`,
    `rewrite`, `nothing_says_it`, `unclear:KEY`, `evidence` (docs/design/evidence.md), and
    `all_pass` where one key passed the remaining gates.
    """
    kept: dict[str, Any] = {}
    for check in ballot.checks:
        for part in check.parts:
            name = field_name(check.key, part)
            if value := storable(form.get(name)).strip():
                kept[name] = value[:MAX_CODE]
        if form.get(f"unclear:{check.key}"):
            kept[f"unclear:{check.key}"] = True
    if stop := form.get("preference"):
        kept["preference"] = storable(stop)[:2]
    if rationale := form.get("rationale"):
        # Browsers send CRLF. Too long a text is kept whole: it is refused as a vote, never cut.
        kept["rationale"] = storable(rationale).replace("\r\n", "\n")
    if rewrite := form.get("rewrite"):
        kept["rewrite"] = storable(rewrite).replace("\r\n", "\n")
    if passages := evidence.kept(storable(form.get("evidence"))):
        kept["evidence"] = passages
    kept.update({name: True for name in ("nothing_says_it", "all_pass") if form.get(name)})
    return kept


def storable(value: object) -> str:
    """Text that every database holds: U+0000 becomes U+FFFD, as it does in a page."""
    return str(value or "").replace("\0", "\ufffd")


def with_rest_passed(fields: Mapping[str, Any], ballot: Ballot) -> dict[str, Any]:
    """The fields after “rest pass”: gates without an answer pass, the others stay as they are."""
    passed = {
        field_name(gate.key, part): "pass"
        for gate in ballot.gates
        for part in gate.parts
        if field_name(gate.key, part) not in fields
    }
    return {**fields, **passed, "all_pass": True} if passed else dict(fields)


def with_token(fields: Mapping[str, Any], token: str, ballot: Ballot) -> dict[str, Any]:
    """The fields with a citation at the end of the rationale; an unknown token adds nothing."""
    if token not in (*(check.key for check in ballot.checks), *SEEN_SIDES):
        return dict(fields)
    rationale = str(fields.get("rationale", ""))
    gap = "" if not rationale or rationale[-1].isspace() else " "
    return {**fields, "rationale": f"{rationale}{gap}[{token}] "}


def without_passage(fields: Mapping[str, Any], number: str) -> dict[str, Any]:
    """The fields after a passage was taken away by its place in the list, or all of them."""
    left = evidence.without(str(fields.get("evidence", "")), number)
    others = {name: value for name, value in fields.items() if name != "evidence"}
    return {**others, "evidence": left} if left else others


def detail_from(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a vote keeps of the way it was given."""
    return {"all_pass": True} if fields.get("all_pass") else {}


def answer_from(fields: Mapping[str, Any], ballot: Ballot) -> Answer:
    """A filled ballot from a draft's fields."""
    labels = {
        (check.key, part): str(fields[name])
        for check in ballot.checks
        for part in check.parts
        if (name := field_name(check.key, part)) in fields
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
        rewrite=str(fields.get("rewrite", "")),
    )
