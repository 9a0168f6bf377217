"""Plain ways to read bytes in the tests of imports."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from annotate.ingest import SubjectRow, field_map, records, subjects
from annotate.ingest.problems import Notice, Problem
from annotate.ingest.readers import Record
from annotate.ingest.vote_rows import VotePlan, VoteRow, vote_rows


def read(data: bytes | str, name: str = "pairs.jsonl", *, repair: bool = False) -> list[Any]:
    raw = data.encode() if isinstance(data, str) else data
    return list(records(io.BytesIO(raw), name, repair=repair))


def rows_of(items: Sequence[Any]) -> list[dict[str, Any]]:
    return [dict(item.fields) for item in items if isinstance(item, Record)]


def problems_of(items: Sequence[Any]) -> list[tuple[int, str, str]]:
    return [(i.line, i.field, i.code) for i in items if isinstance(i, Problem)]


def notices_of(items: Sequence[Any]) -> list[tuple[int, str, str]]:
    return [(i.line, i.field, i.code) for i in items if isinstance(i, Notice)]


def jsonl(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def pair(external_id: object = "a1", **changed: Any) -> dict[str, Any]:
    row = {"id": external_id, "prompt": "Name a fish.", "response_a": "Cod.", "response_b": "Owl."}
    return {name: value for name, value in {**row, **changed}.items() if value != "ABSENT"}


def subjects_in(
    data: bytes | str,
    name: str = "pairs.jsonl",
    *,
    kind: str = "pair",
    maps: Sequence[str] = (),
    as_text: Sequence[str] = (),
    repair: bool = False,
) -> list[Any]:
    return list(
        subjects(read(data, name, repair=repair), field_map(kind, maps, as_text), kind=kind)
    )


def taken(items: Sequence[Any]) -> list[SubjectRow]:
    return [item for item in items if isinstance(item, SubjectRow)]


def votes_in(data: bytes | str, plan: VotePlan, name: str = "votes.csv") -> list[Any]:
    return list(vote_rows(read(data, name), plan))


def labels_of(items: Sequence[Any]) -> list[tuple[tuple[str, str, object], ...]]:
    return [
        tuple((la.criterion, la.part_key, la.value) for la in item.labels)
        for item in items
        if isinstance(item, VoteRow)
    ]
