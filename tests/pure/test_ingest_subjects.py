from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.ingest import KINDS, Notice, Problem, SubjectRow, field_map
from annotate.ingest.mapping import FlagError
from annotate.ingest.sameness import content_hash, group_key
from tests.pure.reading import jsonl, notices_of, pair, problems_of, subjects_in, taken


def test_a_pair_keeps_its_texts_as_they_are() -> None:
    row = pair(7, prompt=" Why?\r\n", context="c", model_a="m1", metadata={"n": 1.50})
    (subject,) = taken(subjects_in(jsonl(row)))
    assert (subject.external_id, subject.line, subject.kind) == ("7", 1, "pair")
    assert subject.messages == (("user", " Why?\r\n"),)
    assert subject.parts == (("A", "Cod."), ("B", "Owl."))
    assert (subject.context, subject.model_a, subject.model_b) == ("c", "m1", "")
    assert json.dumps(subject.metadata) == '{"n": 1.5}'


def test_im_06_the_same_rows_are_refused_wherever_they_stand() -> None:
    lines = [json.dumps(pair(f"p{n}")) for n in range(1, 1311)]
    lines[1304] = lines[2]
    lines[699] = json.dumps(pair("p700", response_b="ABSENT"))
    lines[899] = '{"id": "p900", '
    items = subjects_in("\n".join(lines))
    assert problems_of(items) == [
        (700, "response_b", "missing"),
        (900, "", "json"),
        (1305, "id", "repeated_id"),
    ]
    assert len(taken(items)) + len(problems_of(items)) == 1310
    moved = [lines[899], lines[699], *lines[:699], *lines[700:899], *lines[900:]]
    again = subjects_in("\n".join(moved))
    assert {s.external_id for s in taken(again)} == {s.external_id for s in taken(items)}
    assert [code for _, _, code in problems_of(again)] == ["json", "missing", "repeated_id"]


def test_a_repeated_id_names_the_line_it_repeats() -> None:
    items = subjects_in(jsonl(pair("x"), pair(5), pair("5")))
    (problem,) = [item for item in items if isinstance(item, Problem)]
    assert problem.line == 3
    assert "repeats the id of line 2" in problem.message


@pytest.mark.parametrize(
    ("external_id", "code"),
    [
        (True, "bad_id"),
        (1.0, "bad_id"),
        ([1], "bad_id"),
        ("   ", "bad_id"),
        ("x" * 201, "bad_id"),
        ("a\nb", "bad_id"),
        ("a\x85b", "bad_id"),
        ("", "missing"),
        (None, "missing"),
        ("ABSENT", "missing"),
    ],
)
def test_an_id_is_a_short_text_or_a_whole_number(external_id: object, code: str) -> None:
    assert problems_of(subjects_in(jsonl(pair(external_id)))) == [(1, "id", code)]


def test_px_01_import_warns_about_identical_responses() -> None:
    rows = [
        pair("p1", response_a="A bat.", response_b="A bat."),
        pair("p2", response_a="A bat.", response_b="A bat. "),
        pair("p3", response_a="caf\u00e9", response_b="cafe\u0301"),
        pair("p4", response_a="A cod.", response_b="An owl."),
    ]
    items = subjects_in(jsonl(*rows))
    assert [(line, code) for line, _, code in notices_of(items)] == [
        (line, "identical_responses") for line in (1, 2, 3)
    ]
    assert [subject.parts[1][1] for subject in taken(items)][1] == "A bat. "


def test_an_empty_response_is_imported_with_a_warning_and_a_missing_one_is_not() -> None:
    items = subjects_in(jsonl(pair("a", response_a=" \n"), pair("b", response_a=None)))
    assert notices_of(items) == [(1, "response_a", "empty_text")]
    assert problems_of(items) == [(2, "response_a", "missing")]


def test_px_05_prompts_alike_up_to_case_and_white_space_are_one_group() -> None:
    prompts = {
        "s1": "Why is the sky blue?",
        "s2": "why is the sky blue? ",
        "s3": "Why is the sky blue?\r\n",
        "s4": "Add 2 and 2.",
        "s5": "Add 2 and 2.",
        "s6": "Define entropy.",
        "s7": "Define entropy.",
        "s8": "Name a river.",
    }
    rows = [pair(key, prompt=prompt) for key, prompt in prompts.items()]
    groups: dict[str, list[str]] = {}
    for subject in taken(subjects_in(jsonl(*rows))):
        groups.setdefault(subject.group_key, []).append(subject.external_id)
    assert list(groups.values()) == [["s1", "s2", "s3"], ["s4", "s5"], ["s6", "s7"], ["s8"]]


def test_every_turn_of_a_chat_counts_for_the_group() -> None:
    short = (("user", "Hi"),)
    long = (("user", "Hi"), ("assistant", "Yes?"), ("user", "Hi"))
    assert group_key(short) != group_key(long)
    assert group_key((("system", "Hi"),)) != group_key(short)


texts = st.text(st.characters(codec="utf-8"), max_size=8)


@given(texts, texts, texts, texts)
def test_the_content_hash_ignores_the_order_of_the_responses_and_nothing_else(
    prompt: str, context: str, a: str, b: str
) -> None:
    messages = (("user", prompt),)

    def of(*responses: str, context: str = context) -> str:
        return content_hash(messages, context, responses, in_any_order=True)

    assert of(a, b) == of(b, a) == of(f" {a}", f"{b}\n")
    assert of(a, b) != of(a, f"{b}x")
    assert of(a, b) != of(a, b, context=f"{context}x")
    assert of(a + b, "") != of(a, b) or not a.strip() or not b.strip()


CHAT = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Yes?"},
    {"role": "user", "content": "Bye"},
]


def test_a_prompt_may_be_a_chat() -> None:
    (subject,) = taken(subjects_in(jsonl(pair(prompt=CHAT))))
    assert subject.messages[0] == ("system", "Be short.")
    assert len(subject.messages) == 4


@pytest.mark.parametrize(
    ("chat", "field", "code"),
    [
        ([], "prompt", "bad_chat"),
        (CHAT[:3], "prompt", "bad_chat"),
        ([{"role": "human", "content": "x"}], "prompt[0].role", "bad_chat"),
        ([{"role": ["user"], "content": "x"}], "prompt[0].role", "bad_chat"),
        ([*CHAT, {"role": "user"}], "prompt[4]", "bad_chat"),
        ([{"role": "user", "content": "x", "tool_calls": []}], "prompt[0]", "bad_chat"),
        ([{"role": "user", "content": ["x"]}], "prompt[0].content", "not_text"),
        (["x"], "prompt[0]", "bad_chat"),
        ([{"role": "user", "content": " "}], "prompt", "missing"),
        ({"role": "user"}, "prompt", "not_text"),
        (" ", "prompt", "missing"),
        (None, "prompt", "missing"),
    ],
)
def test_a_prompt_that_is_no_chat_is_a_row_error(chat: Any, field: str, code: str) -> None:
    items = subjects_in(jsonl(pair(prompt=chat)))
    assert problems_of(items) == [(1, field, code)]
    assert taken(items) == []


def test_several_sources_are_joined_by_a_blank_line_without_empty_ones() -> None:
    rows = [
        {"item_id": 0, "instruction": "Do.", "input": "This.", "a": "x", "b": "y"},
        {"item_id": 1, "instruction": "Do.", "input": "", "a": "x", "b": "y"},
        {"item_id": 2, "instruction": "Do.", "a": "x", "b": "y"},
    ]
    maps = ["id=item_id", "prompt=instruction,input", "response_a=a", "response_b=b"]
    items = subjects_in(jsonl(*rows), maps=maps)
    assert [s.messages[0][1] for s in taken(items)] == ["Do.\n\nThis.", "Do.", "Do."]


@pytest.mark.parametrize(
    ("raw", "text"), [("true", "true"), ("3", "3"), ("1.50", "1.50"), ("1E2", "1E2"), ("-0", "0")]
)
def test_a_scalar_is_taken_as_its_json_text_when_told(raw: str, text: str) -> None:
    line = '{"id": "a", "prompt": "p", "answer": %s, "response_b": "y"}' % raw  # noqa: UP031
    maps = ["response_a=answer"]
    assert problems_of(subjects_in(line, maps=maps)) == [(1, "answer", "not_text")]
    for name in ("answer", "response_a"):
        (subject,) = taken(subjects_in(line, maps=maps, as_text=[name]))
        assert subject.parts[0] == ("A", text)


def test_null_and_lists_are_no_scalars_to_take_as_text() -> None:
    rows = [pair("a", response_a=None), pair("b", response_a=["x"])]
    assert problems_of(subjects_in(jsonl(*rows), as_text=["response_a"])) == [
        (1, "response_a", "missing"),
        (2, "response_a", "not_text"),
    ]


def test_fields_nobody_mapped_are_left_out_and_counted() -> None:
    items = subjects_in(jsonl(pair("a", topic="t", x=1), pair("b", topic="u")))
    assert notices_of(items) == [(0, "topic", "left_out"), (0, "x", "left_out")]
    assert "in 2 rows" in next(i.message for i in items if isinstance(i, Notice))


def test_a_mapped_field_lands_in_the_metadata() -> None:
    row = pair(metadata={"a": 1, "b": 2}, topic={"x": [1]}, empty="")
    items = subjects_in(jsonl(row), maps=["metadata.b=topic", "metadata.c=empty"])
    assert taken(items)[0].metadata == {"a": 1, "b": {"x": [1]}}
    assert notices_of(items) == []


def test_metadata_of_a_table_is_json_in_a_cell() -> None:
    head = "id,prompt,response_a,response_b,metadata\n"
    rows = 'a,p,x,y,"{""n"": 1}"\nb,p,x,y,\nc,p,x,y,[1]\nd,p,x,y,{\ne,p,x,y,"{""n"": NaN}"\n'
    items = subjects_in(head + rows, "a.csv")
    assert [s.metadata for s in taken(items)] == [{"n": 1}, {}]
    assert problems_of(items) == [
        (4, "metadata", "bad_metadata"),
        (5, "metadata", "bad_metadata"),
        (6, "metadata.n", "number"),
    ]


def test_a_missing_csv_column_refuses_the_file_and_names_the_columns_there_are() -> None:
    (problem,) = subjects_in("id,instruction,response_a\n1,p,x\n2,p,x\n", "a.csv")
    assert (problem.line, problem.code, problem.fatal) == (1, "missing_column", True)
    assert "prompt, response_b" in problem.message
    assert "id, instruction, response_a" in problem.message


def test_a_flag_that_names_a_field_no_row_has_refuses_the_file() -> None:
    items = subjects_in(jsonl(pair()), maps=["context=inptu"])
    assert [(i.line, i.field, i.code, i.fatal) for i in items if isinstance(i, Problem)] == [
        (0, "inptu", "missing_field", True)
    ]


@pytest.mark.parametrize(
    ("maps", "as_text", "word"),
    [
        (["prompt"], [], "FIELD=SOURCE"),
        (["prompt="], [], "FIELD=SOURCE"),
        (["prompt=a,,b"], [], "FIELD=SOURCE"),
        (["promt=a"], [], "promt"),
        (["metadata.=a"], [], "metadata."),
        (["prompt=a", "prompt=b"], [], "twice"),
        (["id=a,b"], [], "one field"),
        ([], ["answer"], "answer"),
    ],
)
def test_a_flag_that_cannot_be_followed_is_refused(
    maps: list[str], as_text: list[str], word: str
) -> None:
    with pytest.raises(FlagError, match=word):
        field_map("pair", maps, as_text)


def test_an_answer_is_one_text_without_a_key() -> None:
    rows = [{"item_id": n, "explanation": "Because."} for n in range(2)]
    maps = ["id=item_id", "text=explanation"]
    first, second = taken(subjects_in(jsonl(*rows), kind="answer", maps=maps))
    assert first.parts == (("", "Because."),)
    assert first.messages == ()
    assert first.group_key == second.group_key


@pytest.mark.parametrize(("kind", "target"), [("trace", "steps"), ("chain", "attempts")])
def test_steps_and_attempts_are_numbered_parts(kind: str, target: str) -> None:
    rows: list[dict[str, Any]] = [
        {"id": 1, "problem": "Add.", target: ["one", ""]},
        {"id": 2, target: []},
        {"id": 3, target: ["x", 1]},
        {"id": 4, target: "x"},
        {"id": 5},
    ]
    items = subjects_in(jsonl(*rows), kind=kind, maps=["prompt=problem"])
    (subject,) = taken(items)
    assert subject.parts == (("0", "one"), ("1", ""))
    assert subject.messages == (("user", "Add."),)
    assert notices_of(items) == [(1, f"{target}[1]", "empty_text")]
    codes = [code for _, _, code in problems_of(items)]
    assert codes == ["not_text", "not_text", "not_text", "missing"]


def test_steps_of_a_table_are_a_json_list_in_a_cell() -> None:
    items = subjects_in('id,steps\n1,"[""one"", ""two""]"\n2,one\n', "a.csv", kind="trace")
    assert taken(items)[0].parts == (("0", "one"), ("1", "two"))
    assert problems_of(items) == [(3, "steps", "not_text")]


def test_all_problems_of_a_row_come_together() -> None:
    items = subjects_in(jsonl({"id": True, "prompt": 3, "response_a": [], "model_a": "m" * 201}))
    assert {field for _, field, _ in problems_of(items)} == {
        "id",
        "prompt",
        "response_a",
        "response_b",
        "model_a",
    }


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
TARGETS = sorted({target for kind in KINDS.values() for target in kind.targets})


@given(st.lists(st.dictionaries(st.sampled_from(TARGETS), anything)), st.sampled_from(list(KINDS)))
def test_no_row_raises_and_each_is_taken_or_refused(rows: list[dict[str, Any]], kind: str) -> None:
    items = subjects_in(jsonl(*rows), kind=kind)
    lines = {i.line for i in items if isinstance(i, SubjectRow | Problem) and i.line}
    assert lines == set(range(1, len(rows) + 1))
    assert not {s.line for s in taken(items)} & {line for line, _, _ in problems_of(items)}


def test_one_instruction_over_many_files_is_as_many_groups() -> None:
    ask = (("user", "Summarise the file."),)
    assert group_key(ask, "Claim 1") != group_key(ask, "Claim 2")
    assert group_key(ask, "Claim 1") == group_key(ask, " claim  1\n")
    assert group_key(ask, " ") == group_key(ask)
