from __future__ import annotations

import codecs
import csv
import io
import json
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.ingest.lines import MAX_BYTES
from annotate.ingest.problems import Notice, Problem, shown
from annotate.ingest.readers import Record, records
from tests.pure.reading import notices_of, problems_of, read, rows_of

NAMES = ["a.jsonl", "a.json", "a.csv", "a.tsv"]
CSV_TEXT = '\ufeffid,prompt,response_a,response_b\r\na3,Hey,x,"two\r\nlines"\r\n'


class Endless(io.RawIOBase):
    """A file that is made while it is read, so that its size costs no memory."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks

    def read(self, size: int = -1) -> bytes:
        return next(self.blocks, b"")


def test_im_01_a_byte_order_mark_and_windows_line_ends_in_jsonl_are_no_content() -> None:
    data = bytes.fromhex(
        "efbbbf7b226964223a226131222c2270726f6d7074223a224869222c22726573706f6e73655f61223a2278222c"
        "22726573706f6e73655f62223a2279227d0d0a7b226964223a226132222c2270726f6d7074223a22486f222c22"
        "726573706f6e73655f61223a2278222c22726573706f6e73655f62223a2279227d0d0a0d0a"
    )
    items = read(data)
    assert [row["id"] for row in rows_of(items)] == ["a1", "a2"]
    assert problems_of(items) == []


@pytest.mark.parametrize(
    "data",
    [
        CSV_TEXT.encode(),
        codecs.BOM_UTF16_LE + CSV_TEXT[1:].encode("utf-16-le"),
        codecs.BOM_UTF16_BE + CSV_TEXT[1:].encode("utf-16-be"),
    ],
)
def test_im_01_a_marked_csv_is_read_and_keeps_line_ends_inside_quotes(data: bytes) -> None:
    (row,) = rows_of(read(data, "pairs.csv"))
    assert next(iter(row)) == "id"
    assert row["response_b"] == "two\r\nlines"


@pytest.mark.parametrize(
    ("name", "data", "field"),
    [
        ("pairs.jsonl", '{"id": "a1"}\n{"id": "“x”"}\n', ""),
        ("pairs.csv", "id,prompt\na1,Hi\na2,“x”\n", "prompt"),
    ],
)
def test_im_01_windows_1252_is_refused_with_its_line_and_advice(
    name: str, data: str, field: str
) -> None:
    items = read(data.encode("windows-1252"), name)
    (problem,) = [item for item in items if isinstance(item, Problem)]
    assert (problem.line, problem.field) == (2 if name == "pairs.jsonl" else 3, field)
    assert "Windows-1252" in problem.message
    assert "Save the file as UTF-8" in problem.message
    assert len(rows_of(items)) == 1


def test_windows_1252_inside_quotes_names_its_own_line_and_reading_goes_on() -> None:
    data = 'id,prompt\na1,"one\ntwo ’\nthree"\na2,Hi\n'.encode("windows-1252")
    items = read(data, "pairs.csv")
    assert problems_of(items) == [(3, "prompt", "encoding")]
    assert rows_of(items) == [{"id": "a2", "prompt": "Hi"}]


def test_im_02_line_separators_inside_texts_end_no_line() -> None:
    data = (
        '{"id":"b1","prompt":"one\u2028two","response_a":"p\u0085q","response_b":"r\u2029s"}\n'
        '{"id":"b2","prompt":"z","response_a":"1","response_b":"2"}\n'
    )
    items = read(data)
    assert [item.line for item in items] == [1, 2]
    assert [ord(c) for c in items[0].fields["prompt"]] == [111, 110, 101, 8232, 116, 119, 111]


D1 = r'{"id":"d1","prompt":"a\u0000b","response_a":"x","response_b":"y"}'
D2 = r'{"id":"d2","prompt":"literal \\u0000 text","response_a":"x","response_b":"y"}'


def test_im_04_nul_is_a_row_error_and_six_literal_characters_are_not() -> None:
    items = read(f"{D1}\n{D2}\n")
    assert problems_of(items) == [(1, "prompt", "nul")]
    assert [row["prompt"] for row in rows_of(items)] == [r"literal \u0000 text"]


def test_im_04_nul_is_removed_with_a_notice_when_repair_is_on() -> None:
    items = read(f"{D1}\n{D2}\n", repair=True)
    assert notices_of(items) == [(1, "prompt", "nul_removed")]
    assert [row["prompt"] for row in rows_of(items)] == ["ab", r"literal \u0000 text"]


def test_im_04_nul_in_a_csv_cell_is_refused_or_removed() -> None:
    data = "id,prompt\nd1,a\0b\n"
    assert problems_of(read(data, "a.csv")) == [(2, "prompt", "nul")]
    assert rows_of(read(data, "a.csv", repair=True)) == [{"id": "d1", "prompt": "ab"}]


def test_im_05_a_cell_of_200_000_characters_is_read() -> None:
    limit = csv.field_size_limit()
    text = f"id,prompt,response_a,response_b\ne1,p,{'x' * 200_000},y\ne2,p,x,y\n"
    rows = rows_of(read(text, "pairs.csv"))
    assert [len(row["response_a"]) for row in rows] == [200_000, 1]
    assert csv.field_size_limit() == limit


def test_im_05_an_unclosed_quote_names_the_line_where_it_opened() -> None:
    text = 'id,prompt\ne1,fine\ne2,"' + "never closed\n" * 25_000
    items = read(text, "pairs.csv")
    assert problems_of(items) == [(3, "", "unclosed_quote")]
    assert "line 3" in items[-1].message
    assert items[-1].fatal
    assert len(rows_of(items)) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("data", ["", "\n\r\n", "\ufeff"])
def test_a_file_without_rows_is_never_a_success(name: str, data: str) -> None:
    assert problems_of(read(data, name)) == [(0, "", "empty_file")]


def test_a_header_without_rows_is_never_a_success() -> None:
    assert problems_of(read("id,prompt\n", "a.csv")) == [(0, "", "empty_file")]


def long_line(name: str) -> Iterator[bytes]:
    head = b"id,prompt\n" if name == "a.csv" else b""
    row = b"a1,Hi\n" if name == "a.csv" else b'{"id":"a1","prompt":"Hi"}\n'
    yield head + row
    yield from (b"x" * 65_536 for _ in range(1_024))
    yield b"\n" + row


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_line_of_64_mb_is_refused_in_bounded_memory_and_reading_goes_on(name: str) -> None:
    tracemalloc.start()
    items = list(records(Endless(long_line(name)), name))  # type: ignore[arg-type]  # has read()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [type(item) for item in items] == [Record, Problem, Record]
    assert problems_of(items) == [(3 if name == "a.csv" else 2, "", "line_too_long")]
    assert peak < 2 * MAX_BYTES


def test_a_runaway_quote_of_64_mb_is_bounded_too() -> None:
    def blocks() -> Iterator[bytes]:
        yield b'id,prompt\na1,"'
        yield from ((b"lines " * 100 + b"\n") * 100 for _ in range(1_100))

    tracemalloc.start()
    items = list(records(Endless(blocks()), "a.csv"))  # type: ignore[arg-type]  # has read()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert problems_of(items) == [(2, "", "unclosed_quote")]
    assert peak < 2 * MAX_BYTES


def test_a_row_of_millions_of_cells_is_refused_and_reading_goes_on() -> None:
    items = read("id,prompt\n" + "," * 1_000_000 + "\n" + '"a",' * 20_000 + "\na1,Hi\n", "a.csv")
    assert problems_of(items) == [(2, "", "too_many_cells"), (3, "", "too_many_cells")]
    assert len(rows_of(items)) == 1


def test_the_longest_line_that_is_taken_has_exactly_the_limit() -> None:
    head, tail = b'{"id":"', b'"}'
    fits = head + b"x" * (MAX_BYTES - len(head + tail)) + tail
    assert [type(i) for i in read(fits + b"\r\n" + fits.replace(b"x", b"xx", 1) + b"\n")] == [
        Record,
        Problem,
    ]


@pytest.mark.parametrize(
    ("line", "field", "code"),
    [
        ('{"id": "a", "id": "b"}', "id", "repeated_key"),
        ('{"metadata": {"x": [{"k": 1, "k": 2}]}}', "metadata.x[0].k", "repeated_key"),
        ('{"score": NaN}', "score", "number"),
        ('{"score": -Infinity}', "score", "number"),
        ('{"score": 1e999}', "score", "number"),
        ('{"score": ' + "9" * 5_000 + "}", "score", "number"),
        ("[1, 2]", "", "not_an_object"),
        ("3", "", "not_an_object"),
        ("NaN", "", "number"),
        ('{"id": ', "", "json"),
        ("{", "", "json"),
        ('{"id": "a"} {"id": "b"}', "", "json"),
        ('{"x": ' + "[" * 100 + "]" * 100 + "}", "x" + "[0]" * 63, "too_deep"),
        ("[" * 100_000 + "]" * 100_000, "", "too_deep"),
        (r'{"prompt": "half \ud83d"}', "prompt", "surrogate"),
        (r'{"prompt": "\udc00\ud800"}', "prompt", "surrogate"),
        (r'{"a\u0000b": 1}', r"a\x00b", "nul"),
        ('{"prompt": "a\0b"}', "", "nul"),
    ],
)
def test_what_other_programs_could_not_hold_is_a_row_error(
    line: str, field: str, code: str
) -> None:
    items = read(f'{{"id": "before"}}\n{line}\n{{"id": "after"}}\n')
    assert problems_of(items) == [(2, field, code)]
    assert [row["id"] for row in rows_of(items)] == ["before", "after"]


def test_a_whole_surrogate_pair_is_one_character() -> None:
    assert rows_of(read(r'{"prompt": "\ud83d\ude00"}')) == [{"prompt": "😀"}]


def test_all_that_is_wrong_with_a_line_is_said_at_once() -> None:
    items = read(r'{"a": NaN, "b": "\u0000", "c": 1, "c": 2}')
    assert {field for _, field, _ in problems_of(items)} == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("id,prompt,id\na,b,c\n", 1, "repeated_column"),
        ("\n,prompt\na,b\n", 2, "empty_column_name"),
        ("id,prompt\ra1,Hi\ra2,Ho", 1, "line_ends"),
        ('id,"prompt\n', 1, "unclosed_quote"),
    ],
)
def test_a_bad_header_refuses_the_file(text: str, line: int, code: str) -> None:
    items = read(text, "a.csv")
    assert [(i.line, i.code, i.fatal) for i in items] == [(line, code, True)]


def test_rows_of_the_wrong_width_are_named_by_the_line_they_begin_on() -> None:
    text = 'id,prompt\n"a\n1",x,y\nb\nc,fine\n'
    items = read(text, "a.csv")
    assert problems_of(items) == [(2, "", "too_many_cells"), (4, "", "too_few_cells")]
    assert rows_of(items) == [{"id": "c", "prompt": "fine"}]


def test_text_after_a_closing_quote_is_refused_and_the_next_row_read() -> None:
    items = read('id,prompt\na,"x"y\nb,"he said ""so"""\n', "a.csv")
    assert problems_of(items) == [(2, "", "quote")]
    assert rows_of(items) == [{"id": "b", "prompt": 'he said "so"'}]


def test_a_quote_inside_an_unquoted_cell_is_text() -> None:
    assert rows_of(read('id,prompt\na,5" pipe\n', "a.csv")) == [{"id": "a", "prompt": '5" pipe'}]


def test_a_tsv_has_tabs_between_cells() -> None:
    assert rows_of(read('id\tprompt\na,b\t"x\ty"\n', "a.TSV")) == [{"id": "a,b", "prompt": "x\ty"}]


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"id,prompt\n", "pairs.xlsx", "format"),
        (b"PK\x03\x04rest", "pairs.csv", "not_text_file"),
        (b"\x1f\x8brest", "pairs.jsonl", "not_text_file"),
        ("id,prompt\n".encode("utf-16-le"), "pairs.csv", "encoding"),
        ('{"id": 1}'.encode("utf-16-be"), "pairs.jsonl", "encoding"),
        (codecs.BOM_UTF32_LE + "id".encode("utf-32-le"), "pairs.csv", "encoding"),
        (b'\n[{"id": 1}]', "pairs.json", "json_list"),
    ],
)
def test_what_is_no_jsonl_or_csv_is_refused_as_a_whole(data: bytes, name: str, code: str) -> None:
    items = read(data, name)
    assert [(item.code, item.fatal) for item in items] == [(code, True)]


def test_utf_16_cut_in_half_is_a_row_error() -> None:
    data = codecs.BOM_UTF16_LE + '{"id": 1}\n{"id": 2}'.encode("utf-16-le")[:-1]
    assert problems_of(read(data)) == [(2, "", "encoding")]


def test_re_01_what_a_message_quotes_can_neither_act_nor_hide() -> None:
    assert shown("\x1b[2J\u202e\ud800<b>") == r'"\x1b[2J\u202e\ud800<b>"'
    assert len(shown("x" * 1_000_000)) < 100


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n))))
def test_whatever_the_csv_module_writes_is_read_back(table: list[list[str]]) -> None:
    width = len(table[0]) if table else 1
    columns = [f"c{n}" for n in range(width)]
    file = io.StringIO()
    csv.writer(file).writerows([columns, *table])
    items = read(file.getvalue(), "a.csv")
    assert [list(row.values()) for row in rows_of(items)] == table
    assert problems_of(items) == ([] if table else [(0, "", "empty_file")])


@given(st.lists(st.dictionaries(cells, cells | st.integers() | st.none() | st.lists(cells))))
def test_whatever_the_json_module_writes_is_read_back(
    table: list[dict[str, object]],
) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\r\n" for row in table)
    assert rows_of(read(text)) == table


csv_like = st.lists(st.sampled_from(['"', ",", "\n", "\r", "a", "\t", " ", "é", "\0"])).map(
    lambda parts: "".join(parts).encode()
)
json_like = st.lists(
    st.sampled_from(
        ['{"a":', "}", "[", "]", ",", "1", "NaN", '"', "\\u0000", "\\ud800", "\n", " ", "\0"]
    )
).map(lambda parts: "".join(parts).encode())


@given(st.binary() | csv_like | json_like, st.sampled_from(NAMES), st.booleans())
def test_no_bytes_raise_or_pass_in_silence(
    data: bytes,
    name: str,
    repair: bool,
) -> None:
    items = read(data, name, repair=repair)
    assert items
    for item in items:
        assert isinstance(item, Record | Problem | Notice)
        if isinstance(item, Record):
            json.dumps(dict(item.fields), ensure_ascii=False, allow_nan=False).encode()
            assert "\0" not in str(dict(item.fields))


@given(st.binary(max_size=200), st.sampled_from(NAMES), st.integers(1, 7))
def test_the_size_of_the_blocks_read_changes_nothing(data: bytes, name: str, size: int) -> None:
    blocks = (data[at : at + size] for at in range(0, len(data), size))
    assert list(records(Endless(blocks), name)) == read(data, name)  # type: ignore[arg-type]  # has read()
