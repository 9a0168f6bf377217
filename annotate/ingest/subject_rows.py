"""Files → subjects: pairs, and what else can be judged, each row with what is wrong and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.ingest.fields import Fields
from annotate.ingest.mapping import FieldCount, FieldMap, missing_column_problem
from annotate.ingest.problems import Notice, Problem, printable, shown
from annotate.ingest.readers import Record
from annotate.ingest.sameness import Messages, content_hash, group_key, plain, text_group_key
from annotate.ingest.strict_json import Walk, json_value

ROLES = ("system", "user", "assistant", "tool")
ADVICE = " It can be kept as an entry of the metadata."
KEEP = "--map metadata.NAME=FIELD"


@dataclass(frozen=True, slots=True)
class Kind:
    """What rows of one kind of subject hold.

    one: targets whose text is a part, with the part's key; many: the target that is a list of
    texts, whose parts are keyed 0, 1, …
    """

    targets: tuple[str, ...]
    required: tuple[str, ...]
    one: Mapping[str, str]
    many: str = ""


JOINABLE = ("prompt", "context", "response_a", "response_b", "text")
SHARED = ("id", "prompt", "context", "metadata")
KINDS: Mapping[str, Kind] = {
    "pair": Kind(
        (*SHARED, "response_a", "response_b", "model_a", "model_b"),
        ("id", "prompt", "response_a", "response_b"),
        {"response_a": "A", "response_b": "B"},
    ),
    "answer": Kind((*SHARED, "text", "model"), ("id", "text"), {"text": ""}),
    "trace": Kind((*SHARED, "steps", "model"), ("id", "steps"), {}, "steps"),
    "chain": Kind((*SHARED, "attempts", "model"), ("id", "attempts"), {}, "attempts"),
}


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """A subject as a file has it, texts untouched.

    messages: chat turns as (role, content); () for a subject without a prompt.
    parts: (part key, text): A and B of a pair, '' of an answer, 0, 1, … of steps and attempts.
    group_key: 64 hex digits shared by subjects of one prompt (of the same texts, without one).
    content_hash: 64 hex digits, the same for a pair whichever response comes first.
    """

    line: int
    kind: str
    external_id: str
    messages: Messages
    context: str
    parts: tuple[tuple[str, str], ...]
    model: str
    model_a: str
    model_b: str
    metadata: Mapping[str, Any]
    group_key: str
    content_hash: str


def field_map(kind: str, maps: Iterable[str] = (), as_text: Iterable[str] = ()) -> FieldMap:
    """The map of `--map` and `--as-text` for a kind of subject. Raises FlagError."""
    rules = KINDS[kind]
    return FieldMap.parse(
        tuple(maps),
        tuple(as_text),
        targets=rules.targets,
        joinable=JOINABLE,
        optional=set(rules.targets) - set(rules.required),
    )


def subjects(
    read: Iterable[Record | Problem | Notice], fields: FieldMap, *, kind: str = "pair"
) -> Iterator[SubjectRow | Problem | Notice]:
    """Rows of a file, in its order, as subjects or as what is wrong with them.

    read: what `records` gives. A row with any problem gives no subject; a subject may come with
    notices before it. Fields left out are noticed at the end. Nothing in a file raises.
    """
    count = FieldCount(
        fields.read_fields(), frozenset(s for given in fields.sources.values() for s in given)
    )
    lines: dict[str, int] = {}
    for item in read:
        if not isinstance(item, Record):
            yield item
            continue
        if not count.rows and item.columns is not None:
            missing = fields.missing_columns(item.columns, KINDS[kind].required)
            if missing:
                yield missing_column_problem(missing, item.columns)
                return
        count.see(item)
        yield from _subject(Fields(item, fields), KINDS[kind], kind, lines)
    yield from count.report(ADVICE, KEEP)


def _subject(
    row: Fields, rules: Kind, kind: str, lines: dict[str, int]
) -> Iterator[SubjectRow | Problem | Notice]:
    external_id = row.key("id")
    _refuse_a_second(row, external_id, lines)
    messages = _messages(row, required="prompt" in rules.required)
    context = row.text("context") or ""
    parts = _parts(row, rules)
    metadata = _metadata(row)
    models = {t: row.name_text(t) for t in ("model", "model_a", "model_b") if t in rules.targets}
    if row.problems:
        yield from row.problems
        return
    texts = [text for _, text in parts]
    yield from _notices(row, rules, parts)
    yield SubjectRow(
        line=row.record.line,
        kind=kind,
        external_id=external_id,
        messages=messages,
        context=context,
        parts=parts,
        model=models.get("model", ""),
        model_a=models.get("model_a", ""),
        model_b=models.get("model_b", ""),
        metadata=metadata,
        group_key=group_key(messages, context) if messages else text_group_key(texts),
        content_hash=content_hash(messages, context, texts, in_any_order=kind == "pair"),
    )


def _refuse_a_second(row: Fields, external_id: str, lines: dict[str, int]) -> None:
    # Every id that was read counts, that of a refused row too, so that the outcome does not hang
    # on what else is wrong with the first row.
    first = lines.setdefault(external_id, row.record.line) if external_id else row.record.line
    if first != row.record.line:
        message = f"The row repeats the id of line {first}, {shown(external_id)}. Keep one of them."
        row.refuse(row.name("id"), "repeated_id", message)


def _messages(row: Fields, *, required: bool) -> Messages:
    value = row.raw("prompt")
    if isinstance(value, list) and len(row.map.sources_of("prompt")) == 1:
        return _chat(row, value)
    before = len(row.problems)
    text = row.required_text("prompt") if required else row.text("prompt")
    if text and text.strip():
        return (("user", text),)
    if required and len(row.problems) == before:
        row.refuse(row.name("prompt"), "missing", "The prompt is empty. Every pair needs one.")
    return ()


def _chat(row: Fields, turns: list[Any]) -> Messages:
    before = len(row.problems)
    name = row.name("prompt")
    messages = tuple(_turn(row, f"{name}[{n}]", turn) for n, turn in enumerate(turns))
    if len(row.problems) > before:
        return ()
    if not messages or messages[-1][0] not in {"user", "tool"}:
        message = "The chat must end with a turn of the user (or of a tool), which is answered."
        row.refuse(name, "bad_chat", message)
        return ()
    if not any(content.strip() for _, content in messages):
        row.refuse(name, "missing", "The prompt is empty. Every pair needs one.")
    return messages


def _turn(row: Fields, where: str, turn: Any) -> tuple[str, str]:
    if not isinstance(turn, dict) or turn.keys() != {"role", "content"}:
        message = 'Each turn of a chat is {"role": …, "content": …} and nothing else.'
        row.refuse(where, "bad_chat", message)
        return "", ""
    role, content = turn["role"], turn["content"]
    if role not in ROLES:
        message = f"The role {shown(role)} is not one of {', '.join(ROLES)}."
        row.refuse(f"{where}.role", "bad_chat", message)
    if not isinstance(content, str):
        row.refuse(f"{where}.content", "not_text", "The content of a turn must be one text.")
        return "", ""
    return str(role), content


def _parts(row: Fields, rules: Kind) -> tuple[tuple[str, str], ...]:
    if not rules.many:
        return tuple((key, row.required_text(target)) for target, key in rules.one.items())
    texts = _from_cell(row, rules.many, list)
    name = row.name(rules.many)
    if texts is None:
        row.refuse(name, "missing", f"The row has no {rules.many}. Give them as a list of texts.")
        return ()
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
        message = f"The {rules.many} must be a list of texts with at least one in it."
        row.refuse(name, "not_text", message)
        return ()
    return tuple((str(n), text) for n, text in enumerate(texts))


def _metadata(row: Fields) -> dict[str, Any]:
    given = _from_cell(row, "metadata", dict)
    if given is not None and not isinstance(given, dict):
        message = 'The metadata must be a JSON object: {"topic": "claims"}.'
        row.refuse(row.name("metadata"), "bad_metadata", message)
    metadata = dict(given) if isinstance(given, dict) else {}
    for entry, sources in row.map.metadata_sources().items():
        if len(sources) == 1:
            value = row.record.fields.get(sources[0])
        else:
            value = row.text(f"metadata.{entry}")
        if value is not None and value != "":
            metadata[entry] = value
    return metadata


def _from_cell(row: Fields, target: str, wanted: type) -> Any:
    """A list or an object; in a table it stands in the cell as JSON. None if missing."""
    value = row.raw(target)
    if row.record.columns is None or not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        parsed = json_value(value)
    except ValueError:
        return value
    walk = Walk(row.record.line)
    clean = walk.clean(parsed, row.name(target), 0)
    row.problems += [said for said in walk.said if isinstance(said, Problem)]
    return clean if isinstance(clean, wanted) else value


def _notices(row: Fields, rules: Kind, parts: tuple[tuple[str, str], ...]) -> Iterator[Notice]:
    line = row.record.line
    names = [printable(row.name(target)[:200]) for target in rules.one] or [
        printable(f"{row.name(rules.many)[:180]}[{key}]") for key, _ in parts
    ]
    for name, (_, text) in zip(names, parts, strict=True):
        if not plain(text):
            yield Notice(line, name, "The text is empty.", "empty_text")
    if "response_a" in rules.one and plain(parts[0][1]) == plain(parts[1][1]):
        message = "The two responses are identical; exports for training leave the pair out."
        yield Notice(line, ",".join(names), message, "identical_responses")
