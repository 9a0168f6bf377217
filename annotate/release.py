"""Decided pairs as files for training: rows, the schema beside them, the manifest of all of it.

Pure: candidates in, bytes and plain dicts out; whoever calls writes them. The rows are TRL's
conversational preference format with an explicit prompt (TRL documentation, "Dataset formats"),
one JSON object a line in UTF-8, with the same keys and types on every line. What is exported,
what is left out and why: docs/design/decisions.md.

    ledger, meter = Ledger(), Meter(PAIRS_FILE)
    stream.writelines(meter.through(rows(candidates, settings, ledger, "claims@3")))
    manifest(ledger, provenance, settings, files=[meter.entry()], total=candidates_counted)
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

from annotate.decisions import ByCode, Decision, Policy, Reason, Side, VoteView, decide

PAIRS_FILE = "pairs.jsonl"
SCHEMA_FILE = "schema.json"
MANIFEST_FILE = "manifest.json"
MANIFEST_FORMAT = 1
LOADING = (
    f'load_dataset("json", data_files="{PAIRS_FILE}", '
    f'features=Features.from_dict(json.load(open("{SCHEMA_FILE}"))["features"]))'
)

Message = Mapping[str, str]


class ReleaseError(Exception):
    """The release does not add up; nothing of it may be used."""


class Exclusion(StrEnum):
    """Why a pair is left out whatever its votes say. The words are public, as Reason's are."""

    PROBE_PAIR = "probe_pair"
    GOLD_ITEM = "gold_item"
    NO_TEXT = "no_text"
    NO_USER_TURN = "no_user_turn"
    IDENTICAL_RESPONSES = "identical_responses"
    EMPTY_RESPONSE = "empty_response"
    # The policy owner has the word on a split; their votes say less than that.
    RULING_OPEN = "ruling_open"
    RULED_EXCLUDED = "ruled_excluded"
    RULED_RULE_MISSING = "ruled_rule_missing"
    RULED_BOTH_ACCEPTABLE = "ruled_both_acceptable"
    RULED_ONE_SIDE = "ruled_one_side"


# Of several rulings on one pair the first in this order names its fate.
_RULED = {
    "": Exclusion.RULING_OPEN,
    "exclude": Exclusion.RULED_EXCLUDED,
    "missing": Exclusion.RULED_RULE_MISSING,
    "both": Exclusion.RULED_BOTH_ACCEPTABLE,
    "one_side": Exclusion.RULED_ONE_SIDE,
}


class DecidedByCode(StrEnum):
    """Whether pairs that code decided, and that no rater was ever given, are released too."""

    LEAVE = "leave"
    INCLUDE = "include"


class Context(StrEnum):
    """Whether the context reaches the model that is trained."""

    APPEND = "append"
    OMIT = "omit"


class Empty(StrEnum):
    """Whether pairs with an empty response are released."""

    KEEP = "keep"
    EXCLUDE = "exclude"


@dataclass(frozen=True)
class Settings:
    """The filter of a release: everything a person can choose about what it holds."""

    policy: Policy = Policy.ONE_SIDED
    threshold: float = 1.0
    context: Context = Context.APPEND
    empty: Empty = Empty.KEEP
    by_code: DecidedByCode = DecidedByCode.LEAVE


class RulingView(NamedTuple):
    """A ruling that bears on a pair: its public id, and what was decided, '' while it is open."""

    id: str
    decision: str


@dataclass(frozen=True)
class Candidate:
    """One pair with its votes. A response is None where its text may not be shared.

    `messages` are chat turns with `role` and `content`, in order. `gold` is True for a pair with a
    gold answer: raters and judges are measured by it, so it never becomes training data, even where
    it was also labelled as any other pair; `probe` is True where it was planted in the batch to
    probe a check, with answers known beforehand. `votes` are people's: a judge's are not among
    them. `by_code` holds the gates that code decides, `rulings` what the policy owner was asked
    about this pair.
    """

    id: str
    messages: Sequence[Message]
    response_a: str | None
    response_b: str | None
    votes: Sequence[VoteView]
    context: str = ""
    model_a: str = ""
    model_b: str = ""
    gold: bool = False
    probe: bool = False
    by_code: ByCode = field(default_factory=dict)
    rulings: Sequence[RulingView] = ()

    def response(self, side: Side) -> str | None:
        return self.response_a if side == "A" else self.response_b

    def model(self, side: Side) -> str:
        return self.model_a if side == "A" else self.model_b


class FileEntry(NamedTuple):
    """A written file: `sha256` in hexadecimal, `bytes` its size, `lines` the number of newlines."""

    name: str
    sha256: str
    bytes: int
    lines: int


@dataclass(frozen=True)
class Provenance:
    """Where a release comes from. `raters` are pseudonyms, `made_at` has a time zone."""

    project: str
    batch: str
    label_source: str
    rubric: str
    version: int
    revision: int
    digest: str
    semantic_digest: str
    code_version: str
    made_at: datetime
    raters: Sequence[str]
    seed: int | None = None

    @property
    def rubric_version(self) -> str:
        return f"{self.rubric}@{self.version}"


@dataclass
class Ledger:
    """What became of every pair, filled while `rows` runs."""

    exported: list[str] = field(default_factory=list)
    excluded: dict[str, list[str]] = field(default_factory=dict)
    decided_by: Counter[str] = field(default_factory=Counter)
    chosen_side: Counter[str] = field(default_factory=Counter)
    margin_support: Counter[str] = field(default_factory=Counter)
    empty: Counter[str] = field(default_factory=Counter)
    by_policy: Counter[str] = field(default_factory=Counter)
    # Every ruling that left a pair out.
    rulings: list[dict[str, str]] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    @property
    def excluded_count(self) -> int:
        return sum(map(len, self.excluded.values()))

    def meet(self, pair_id: str) -> None:
        if pair_id in self._seen:
            raise ReleaseError(f"Pair {pair_id} came twice")
        self._seen.add(pair_id)

    def exclude(self, pair_id: str, reason: str) -> None:
        self.excluded.setdefault(str(reason), []).append(pair_id)

    def name_rulings(self, candidate: Candidate) -> None:
        self.rulings += [
            {"ruling": ruling.id, "decision": ruling.decision or "open", "pair": candidate.id}
            for ruling in candidate.rulings
        ]

    def export(self, candidate: Candidate, decision: Decision, winner: Side) -> None:
        self.exported.append(candidate.id)
        self.decided_by[str(decision.by)] += 1
        self.chosen_side[winner] += 1
        self.margin_support[str(decision.support)] += 1
        for word, side in (("chosen", winner), ("rejected", _other(winner))):
            self.empty[word] += not _comparable(candidate.response(side) or "")


class Meter:
    """Counts and hashes a file's bytes on their way to whoever writes them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._hash = sha256()
        self._bytes = 0
        self._lines = 0

    def through(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._hash.update(chunk)
            self._bytes += len(chunk)
            self._lines += chunk.count(b"\n")
            yield chunk

    def entry(self) -> FileEntry:
        return FileEntry(self._name, self._hash.hexdigest(), self._bytes, self._lines)


def rows(
    candidates: Iterable[Candidate], settings: Settings, ledger: Ledger, rubric_version: str
) -> Iterator[bytes]:
    """The lines of the pairs file, each ending in a newline, in the order of the candidates.

    Holds one pair at a time and writes into `ledger` what became of each. Raises ReleaseError
    when a pair comes twice, ValueError where `decide` does or a message has no text.
    """
    for candidate in candidates:
        ledger.meet(candidate.id)
        barred = exclusion(candidate, settings)
        if barred:
            ledger.exclude(candidate.id, barred)
            if barred in _RULED.values():
                ledger.name_rulings(candidate)
            continue
        decision = _decided(candidate, settings.policy, settings)
        ledger.by_policy.update(_policies_that_decide(candidate, settings))
        if decision.winner is None:
            ledger.exclude(candidate.id, decision.reason)
            continue
        ledger.export(candidate, decision, decision.winner)
        yield _line(_row(candidate, decision, decision.winner, settings, rubric_version))


def exclusion(candidate: Candidate, settings: Settings) -> Exclusion | None:
    """Why a pair is left out whatever its votes say: the first reason that holds, else None."""
    if candidate.probe:
        return Exclusion.PROBE_PAIR
    if candidate.gold:
        return Exclusion.GOLD_ITEM
    if candidate.response_a is None or candidate.response_b is None:
        return Exclusion.NO_TEXT
    if not candidate.messages or candidate.messages[-1]["role"] != "user":
        return Exclusion.NO_USER_TURN
    first, second = _comparable(candidate.response_a), _comparable(candidate.response_b)
    if first == second:
        return Exclusion.IDENTICAL_RESPONSES
    if settings.empty is Empty.EXCLUDE and not (first and second):
        return Exclusion.EMPTY_RESPONSE
    decisions = {ruling.decision for ruling in candidate.rulings}
    return next((reason for word, reason in _RULED.items() if word in decisions), None)


def prompt_of(
    messages: Sequence[Message], context: str, setting: Context = Context.APPEND
) -> list[dict[str, str]]:
    """The prompt's turns, with the context after a blank line at the end of the last one.

    Without context, or where it is omitted, every text is untouched.
    """
    turns = [{"role": message["role"], "content": message["content"]} for message in messages]
    if any(not isinstance(text, str) for turn in turns for text in turn.values()):
        raise ValueError("A message's role and content are text")
    if setting is Context.APPEND and context.strip():
        turns[-1]["content"] += "\n\n" + context
    return turns


def manifest(
    ledger: Ledger,
    provenance: Provenance,
    settings: Settings,
    *,
    files: Sequence[FileEntry],
    total: int,
    beside: int = 0,
) -> dict[str, Any]:
    """The manifest: where the rows come from, what was left out and why, every pair by id.

    `total` is the number of pairs to release, counted by other means than the ledger; `beside` are
    those that code decided and no rater was given, which `settings` include or leave. Raises
    ReleaseError where exported and excluded are not all pairs, or a pairs file has other lines.
    """
    _check(ledger, provenance, files, total)
    excluded = {word: ledger.excluded[word] for word in _REASONS if word in ledger.excluded}
    return {
        "manifest_format": MANIFEST_FORMAT,
        "format": "trl",
        "project": provenance.project,
        "batch": provenance.batch,
        "label_source": provenance.label_source,
        "rubric": {
            "version": provenance.rubric_version,
            "revision": provenance.revision,
            "digest": provenance.digest,
            "semantic_digest": provenance.semantic_digest,
        },
        "settings": _settings(settings),
        "made_at": provenance.made_at.astimezone(UTC).isoformat(),
        "code_version": provenance.code_version,
        "seed": provenance.seed,
        "raters": sorted(provenance.raters),
        "pairs": {
            "all": total,
            "exported": len(ledger.exported),
            "excluded": ledger.excluded_count,
        },
        "decided_by_code_and_never_given": beside,
        "excluded": {reason: len(ids) for reason, ids in excluded.items()},
        "rulings": ledger.rulings,
        **_counts(ledger),
        "items": {"exported": ledger.exported, "excluded": excluded},
        "files": [entry._asdict() for entry in files],
    }


def schema() -> dict[str, Any]:
    """The schema file: every column with its type and meaning.

    `features` is what `datasets.Features.from_dict` takes. Loading with it keeps the type of a
    column whose first thousand values are null or empty.
    """
    return {
        "file": PAIRS_FILE,
        "load": LOADING,
        "columns": [
            {"name": column.name, "type": column.type, "meaning": column.meaning}
            for column in COLUMNS
        ],
        "features": {column.name: column.feature for column in COLUMNS},
    }


def document(content: Mapping[str, Any]) -> bytes:
    """A manifest or schema as the bytes of its file. Raises ValueError on NaN and infinity."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)
    return (_escaped(text) + "\n").encode()


def describe(name: str, content: bytes) -> FileEntry:
    """The entry of a file that is held whole."""
    meter = Meter(name)
    for _ in meter.through([content]):
        pass
    return meter.entry()


class Column(NamedTuple):
    name: str
    type: str
    feature: Any
    meaning: str


def _value(dtype: str) -> dict[str, str]:
    return {"dtype": dtype, "_type": "Value"}


_TURNS = [{"role": _value("string"), "content": _value("string")}]
_GATES = [
    {
        "gate_id": _value("string"),
        "side": _value("string"),
        "passed": _value("bool"),
        "by": _value("string"),
    }
]
_TURNS_TYPE = "list of {role: string, content: string}"

# Only margin is ever null: an absent name is an empty text, an absent list an empty list.
COLUMNS = (
    Column("prompt", _TURNS_TYPE, _TURNS, "The conversation so far; it ends with a user turn."),
    Column("chosen", _TURNS_TYPE, _TURNS, "The preferred response: one assistant message."),
    Column("rejected", _TURNS_TYPE, _TURNS, "The other response: one assistant message."),
    Column(
        "margin",
        "double or null",
        _value("float64"),
        "Mean over the raters who gave a preference, in steps of its scale towards the chosen "
        "response; negative where a decision goes against it, null where nobody gave one.",
    ),
    Column(
        "margin_support",
        "string",
        _value("string"),
        "How the margin stands to the decision: agrees, level, contradicts or absent.",
    ),
    Column("pair_id", "string", _value("string"), "The pair, as it was imported."),
    Column("chosen_side", "string", _value("string"), "Which response of pair_id: A or B."),
    Column("rejected_side", "string", _value("string"), "Which response of pair_id: A or B."),
    Column("chosen_model", "string", _value("string"), "Who wrote it; empty where not known."),
    Column("rejected_model", "string", _value("string"), "Who wrote it; empty where not known."),
    Column(
        "decided_by",
        "string",
        _value("string"),
        "code, gate or preference: gates that code decides, gates that people voted on, or "
        "neither.",
    ),
    Column("votes", "integer", _value("int64"), "Number of people whose votes were counted."),
    Column(
        "gates",
        "list of {gate_id: string, side: string, passed: boolean, by: string}",
        _GATES,
        "What the majority said of each gate on each side (by: votes), and what code decided (by: "
        "code); empty where there is none.",
    ),
    Column("rubric_version", "string", _value("string"), "Rubric and version number."),
)

_REASONS = tuple(str(word) for word in (*Exclusion, *Reason))


def _row(
    candidate: Candidate, decision: Decision, winner: Side, settings: Settings, rubric_version: str
) -> dict[str, Any]:
    loser = _other(winner)
    return {
        "prompt": prompt_of(candidate.messages, candidate.context, settings.context),
        "chosen": [{"role": "assistant", "content": candidate.response(winner)}],
        "rejected": [{"role": "assistant", "content": candidate.response(loser)}],
        "margin": decision.margin_for_winner,
        "margin_support": decision.support,
        "pair_id": candidate.id,
        "chosen_side": winner,
        "rejected_side": loser,
        "chosen_model": candidate.model(winner),
        "rejected_model": candidate.model(loser),
        "decided_by": decision.by,
        "votes": decision.votes,
        "gates": [
            {"gate_id": gate.gate, "side": gate.side, "passed": gate.passed, "by": gate.by}
            for gate in decision.gates
        ],
        "rubric_version": rubric_version,
    }


def _decided(candidate: Candidate, policy: Policy, settings: Settings) -> Decision:
    return decide(candidate.votes, policy, settings.threshold, by_code=candidate.by_code)


def _policies_that_decide(candidate: Candidate, settings: Settings) -> list[str]:
    return [policy for policy in Policy if _decided(candidate, policy, settings).winner is not None]


def _settings(settings: Settings) -> dict[str, str | float]:
    return {
        "policy": str(settings.policy),
        "threshold": settings.threshold,
        "context": str(settings.context),
        "empty": str(settings.empty),
        "by_code": str(settings.by_code),
        "identical": "NFC, outer white space removed",
    }


def _counts(ledger: Ledger) -> dict[str, dict[str, int]]:
    return {
        "exported_under_each_policy": {str(policy): ledger.by_policy[policy] for policy in Policy},
        "decided_by": dict(ledger.decided_by),
        "chosen_side": dict(ledger.chosen_side),
        "margin_support": dict(ledger.margin_support),
        "empty_responses": dict(ledger.empty),
    }


def _check(ledger: Ledger, provenance: Provenance, files: Sequence[FileEntry], total: int) -> None:
    exported, excluded = len(ledger.exported), ledger.excluded_count
    if exported + excluded != total:
        raise ReleaseError(f"{exported} exported and {excluded} excluded are not {total} pairs")
    for entry in files:
        if entry.name == PAIRS_FILE and entry.lines != exported:
            raise ReleaseError(f"{entry.name} has {entry.lines} lines for {exported} pairs")
    if provenance.made_at.tzinfo is None:
        raise ReleaseError("The time of a release needs its zone")


def _other(side: Side) -> Side:
    return "B" if side == "A" else "A"


def _comparable(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _line(row: Mapping[str, Any]) -> bytes:
    text = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return (_escaped(text) + "\n").encode()


# The three that some readers take for the end of a line, and surrogates, which UTF-8 cannot hold.
# In JSON text they stand inside strings only, where the escape means the same character.
_TO_ESCAPE = re.compile("[\u0085\u2028\u2029\ud800-\udfff]")


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
