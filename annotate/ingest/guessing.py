"""What the fields of a file most likely are, by their names alone; a person looks before it counts.

Only plain synonyms (docs/importing.md lists them): what could as well mean something else, such as
`chosen` and `rejected`, is left to the person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from annotate.decisions import SIDES
from annotate.ingest.value_rules import Scheme

LEFT_OUT = ""
METADATA_ENTRY = "metadata."
LABEL = "label:"

_SIDES_OF_A_PAIR = {"a": ("a", "1"), "b": ("b", "2")}
_RESPONSES = ("response", "answer", "output", "completion", "text", "reply", "candidate")
_MODELS = ("model", "modelname", "system", "generator")

PAIR_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "pairid", "itemid", "exampleid", "sampleid", "rowid", "uid", "uuid", "key"),
    "prompt": ("prompt", "question", "instruction", "query", "input", "request", "task"),
    "context": ("context", "document", "passage", "source", "reference", "background"),
    **{
        f"response_{side}": tuple(f"{word}{mark}" for word in _RESPONSES for mark in marks)
        for side, marks in _SIDES_OF_A_PAIR.items()
    },
    **{
        f"model_{side}": tuple(f"{word}{mark}" for word in _MODELS for mark in marks)
        for side, marks in _SIDES_OF_A_PAIR.items()
    },
    "metadata": ("metadata", "meta"),
}
VOTE_NAMES: Mapping[str, tuple[str, ...]] = {
    "subject": ("subject", "subjectid", "itemid", "pairid", "exampleid", "sampleid", "item", "id"),
    "rater": (
        *("rater", "raterid", "annotator", "annotatorid", "worker", "workerid"),
        *("labeler", "labeller", "judge", "user", "userid"),
    ),
    "criterion": ("criterion", "criterionid", "check", "checkid", "questionid"),
    "side": ("side", "part", "response"),
    "value": ("value", "label", "rating", "score", "answer"),
    "swapped": ("swapped", "isswapped", "flipped", "isflipped", "shownswapped"),
    "at": ("at", "timestamp", "time", "createdat", "date", "submittedat"),
}
# What a row has one of in long form and none of in wide form.
LONG_ONLY = ("criterion", "side", "value")


def guess_pairs(columns: Sequence[str]) -> dict[str, str]:
    """Column → target of a pairs file; '' where it is nothing that we know.

    An `input` beside an `instruction` that comes first continues the prompt.
    """
    found = _guess(columns, PAIR_NAMES)
    plain = {_plain(column): column for column in reversed(columns)}
    first, then = plain.get("instruction"), plain.get("input")
    if (
        first
        and then
        and found.get(first) == "prompt"
        and columns.index(first) < columns.index(then)
    ):
        found[then] = "prompt"
    return found


def guess_votes(columns: Sequence[str], scheme: Scheme) -> dict[str, str]:
    """Column → target of a ratings file: `label:KEY:PART` for the columns of a wide one."""
    labels = {_plain(where): target for target, where in label_targets(scheme)}
    wide = {column: labels[_plain(column)] for column in columns if _plain(column) in labels}
    names = {t: n for t, n in VOTE_NAMES.items() if not (wide and t in LONG_ONLY)}
    return _guess([c for c in columns if c not in wide], names) | wide


def label_targets(scheme: Scheme) -> list[tuple[str, str]]:
    """(target, its name in words) of every label that a column of a wide file can hold."""
    found = []
    for check in scheme.checks.values():
        parts: Iterable[str] = SIDES if check.unit == "side" else ("",)
        found += [(f"{LABEL}{check.key}:{p}", f"{check.key} {p}".strip()) for p in parts]
    return found


def flags_of_pairs(targets: Mapping[str, str]) -> list[str]:
    """The `--map` flags that say: these columns are these targets, and nothing else is read."""
    flags = _maps(targets, PAIR_NAMES, required=("id", "prompt", "response_a", "response_b"))
    return [
        *flags,
        *(f"{METADATA_ENTRY}{c}={c}" for c, t in targets.items() if t == METADATA_ENTRY),
    ]


def flags_of_votes(targets: Mapping[str, str], *, anonymous: bool) -> dict[str, list[str]]:
    """The `--map` and `--column` flags of a ratings file."""
    columns = [
        f"{target.removeprefix(LABEL).removesuffix(':')}={column}"
        for column, target in targets.items()
        if target.startswith(LABEL)
    ]
    names = {t: n for t, n in VOTE_NAMES.items() if not (columns and t in LONG_ONLY)}
    required = ("subject", "criterion", "value", *(() if anonymous else ("rater",)))
    return {"map": _maps(targets, names, required=required), "column": columns}


def _guess(columns: Sequence[str], names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Each target goes to the first column that has the best of its names."""
    plain: dict[str, str] = {}
    for column in columns:
        plain.setdefault(_plain(column), column)
    found = dict.fromkeys(columns, LEFT_OUT)
    for target, synonyms in names.items():
        best = next(
            (plain[name] for name in synonyms if name in plain and not found[plain[name]]), None
        )
        if best is not None:
            found[best] = target
    return found


def _maps(
    targets: Mapping[str, str], known: Iterable[str], *, required: Sequence[str]
) -> list[str]:
    flags = []
    for target in known:
        columns = [column for column, chosen in targets.items() if chosen == target]
        if columns:
            flags.append(f"{target}={','.join(columns)}")
        elif target not in required:
            flags.append(f"{target}=")
    return flags


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())
