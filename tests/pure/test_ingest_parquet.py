"""Parquet becomes the records that the same rows in JSONL become; what is no such file is refused.

The bombs are real: each is written here, and what it takes to refuse it is measured.
"""

from __future__ import annotations

import datetime as dt
import decimal
import io
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.ingest.parquet_child import MEMORY, MOST_ROWS
from annotate.ingest.problems import Problem
from annotate.ingest.readers import Record
from tests.pure.reading import (
    jsonl,
    notices_of,
    pair,
    problems_of,
    read,
    rows_of,
    subjects_in,
    taken,
)

MB = 1024 * 1024
ROOT = Path(__file__).resolve().parents[2]
SAME = "x" * MB
SMALL = 384 * MB


def parquet(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def of_rows(*rows: dict[str, Any], **options: Any) -> bytes:
    return parquet(pa.Table.from_pylist(list(rows)), **options)


def of(column: Any, kind: Any = None) -> Any:
    """What a column of two values, the second of them null, is read as."""
    table = pa.table({"v": pa.array([column, None], kind)})
    first, second = rows_of(read(parquet(table), "a.parquet"))
    assert second == {"v": None}
    return first["v"]


# ---- The same as JSONL

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30
)
TURN = st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": TEXT})
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "id": TEXT,
            "prompt": st.one_of(st.none(), TEXT),
            "chat": st.lists(TURN, min_size=1, max_size=3),
            "n": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
            "x": st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
            "ok": st.booleans(),
            "tags": st.lists(TEXT, max_size=3),
        }
    ),
    min_size=1,
    max_size=8,
)
SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "prompt": pa.large_string(),
        "chat": pa.list_(pa.struct({"role": pa.string(), "content": pa.string()})),
        "n": pa.int64(),
        "x": pa.float64(),
        "ok": pa.bool_(),
        "tags": pa.list_(pa.string()),
    }
)


@settings(max_examples=25, deadline=None)
@given(ROWS, st.sampled_from(["snappy", "zstd", "none"]), st.integers(1, 4))
def test_what_parquet_holds_is_read_as_the_same_rows_of_jsonl(
    rows: list[dict[str, Any]], compression: str, group: int
) -> None:
    table = pa.Table.from_pylist(rows, SCHEMA)
    data = parquet(table, compression=compression, row_group_size=group)
    assert rows_of(read(data, "a.parquet")) == rows_of(read(jsonl(*rows)))


def test_pairs_come_from_parquet_as_they_do_from_jsonl() -> None:
    chat = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]
    rows = [
        pair("a1"),
        pair("a2", prompt="Zwölf Boxkämpfer 🥊 \u2028 and \u202e"),
        pair("a3", response_a="x" * 200_000),
    ]
    same = taken(subjects_in(of_rows(*rows), "pairs.parquet"))
    assert same == taken(subjects_in(jsonl(*rows)))
    asked = [*chat, {"role": "user", "content": "Why not?"}]
    (row,) = taken(subjects_in(of_rows(pair("c", prompt=asked)), "pairs.pq"))
    assert [role for role, _ in row.messages] == ["user", "assistant", "user"]


def test_every_row_has_its_number_and_the_columns_of_the_file() -> None:
    items = read(of_rows(pair("a"), pair("b"), row_group_size=1), "a.parquet")
    assert [(i.line, i.columns) for i in items if isinstance(i, Record)] == [
        (1, ("id", "prompt", "response_a", "response_b")),
        (2, ("id", "prompt", "response_a", "response_b")),
    ]


def test_a_missing_column_is_named_with_those_that_are_there() -> None:
    (problem,) = [
        i
        for i in subjects_in(of_rows(pair("a", prompt="ABSENT")), "a.parquet")
        if isinstance(i, Problem)
    ]
    assert problem.code == "missing_column"
    assert "response_a" in problem.message


@pytest.mark.parametrize(
    ("value", "kind", "read_as"),
    [
        ("x", pa.large_string(), "x"),
        ("x", pa.dictionary(pa.int32(), pa.string()), "x"),
        (2**64 - 1, pa.uint64(), 2**64 - 1),
        (0.1, pa.float32(), 0.1),
        (decimal.Decimal("1.50"), pa.decimal128(10, 2), "1.50"),
        (decimal.Decimal("1E+3"), pa.decimal128(10, 0), "1000"),
        (dt.date(2026, 5, 19), pa.date32(), "2026-05-19"),
        (1_000_000, pa.timestamp("us"), "1970-01-01T00:00:01"),
        (1_000_000_001, pa.timestamp("ns"), "1970-01-01T00:00:01"),
        (0, pa.timestamp("ms", "Europe/Berlin"), "1970-01-01T00:00:00+00:00"),
        (0, pa.timestamp("ms", "No/Where"), "1970-01-01T00:00:00+00:00"),
        (dt.time(13, 11), pa.time64("us"), "13:11:00"),
        ({"a": 1, "b": None}, pa.struct({"a": pa.int8(), "b": pa.int8()}), {"a": 1}),
        ([("k", 1)], pa.map_(pa.string(), pa.int8()), {"k": 1}),
        ([[1], []], pa.list_(pa.list_(pa.int8())), [[1], []]),
    ],
)
def test_every_type_has_one_way_of_being_read(value: Any, kind: Any, read_as: Any) -> None:
    assert of(value, kind) == read_as


def test_a_column_of_nulls_is_missing_in_every_row() -> None:
    assert rows_of(read(parquet(pa.table({"v": pa.nulls(2)})), "a.parquet")) == [{"v": None}] * 2


def test_a_text_with_json_in_it_is_metadata_as_in_a_table() -> None:
    (row,) = taken(subjects_in(of_rows({**pair("a"), "metadata": '{"topic": 1}'}), "a.parquet"))
    assert row.metadata == {"topic": 1}


def test_im_04_nan_and_nul_are_refused_by_row_and_field_as_in_jsonl() -> None:
    nan, infinite = float("nan"), float("inf")
    data = of_rows({"id": "a", "x": nan}, {"id": "b\0", "x": 1.0}, {"id": "c", "x": -infinite})
    assert problems_of(read(data, "a.parquet")) == [
        (1, "x", "number"),
        (2, "id", "nul"),
        (3, "x", "number"),
    ]
    repaired = read(data, "a.parquet", repair=True)
    assert notices_of(repaired) == [(2, "id", "nul_removed")]
    assert rows_of(repaired) == [{"id": "b", "x": 1.0}]


def test_a_text_that_is_no_utf_8_is_refused_by_its_row_and_the_others_are_read() -> None:
    bad = pa.array([b"good", b"\xff\xfe", b"fine"], pa.binary())
    broken = pa.StringArray.from_buffers(3, bad.buffers()[1], bad.buffers()[2])
    for dictionary in (True, False):
        data = parquet(pa.table({"v": broken}), use_dictionary=dictionary)
        items = read(data, "a.parquet")
        assert problems_of(items) == [(2, "v", "encoding")]
        assert [row["v"] for row in rows_of(items)] == ["good", "fine"]


def test_im_05_a_row_over_16_mb_is_refused_by_its_number_and_the_next_is_read() -> None:
    items = read(of_rows({"id": "a", "v": "x" * (17 * MB)}, {"id": "b", "v": "y"}), "a.parquet")
    assert problems_of(items) == [(1, "", "line_too_long")]
    assert rows_of(items) == [{"id": "b", "v": "y"}]


# ---- Files that are none

GOOD = of_rows(pair("a"))


def refusal(data: bytes) -> Problem:
    """The one thing that is said of a file that is refused."""
    (item,) = read(data, "a.parquet")
    assert isinstance(item, Problem)
    assert item.fatal
    return item


@pytest.mark.parametrize(
    ("data", "code", "word"),
    [
        (b"", "empty_file", "empty"),
        (b"PAR1", "parquet", "cut short"),
        (GOOD[:-1], "parquet", "cut short"),
        (GOOD[: len(GOOD) // 2], "parquet", "cut short"),
        (GOOD[:-8] + b"\xff\xff\xff\x7fPAR1", "parquet", "cut short"),
        (GOOD[4:], "format", "does not begin"),
        (b'{"id": "a"}\n', "format", "does not begin"),
        (b"\x1f\x8b\x08" + bytes(100), "format", "does not begin"),
        (b"PARE" + GOOD[4:], "parquet", "encrypted"),
        (GOOD[:-4] + b"PARE", "parquet", "encrypted"),
        (GOOD[:100] + bytes(len(GOOD) - 108) + GOOD[-8:], "parquet", "damaged"),
        (parquet(pa.table({"id": pa.array([], pa.string())})), "empty_file", "no rows"),
        (parquet(pa.table({"img": [b"\x89PNG"]})), "parquet_type", '"img" holds bytes'),
        (
            parquet(pa.table({"s": [{"raw": b"x"}]})),
            "parquet_type",
            '"s.raw" holds bytes',
        ),
        (
            parquet(pa.table({"d": pa.array([1], pa.duration("s"))})),
            "parquet_type",
            "duration",
        ),
        (
            parquet(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])),
            "repeated_column",
            "twice",
        ),
        (parquet(pa.table({"": ["x"]})), "empty_column_name", "no name"),
        (parquet(pa.table({"a\0b": ["x"]})), "nul", "U+0000"),
    ],
)
def test_what_is_no_such_file_is_refused_with_what_to_do(data: bytes, code: str, word: str) -> None:
    problem = refusal(data)
    assert (problem.code, problem.line) == (code, 0)
    assert word in problem.message


def test_parquet_under_another_name_is_told_its_ending() -> None:
    (problem,) = [i for i in read(GOOD, "a.jsonl") if isinstance(i, Problem)]
    assert ".parquet" in problem.message


@settings(max_examples=25, deadline=None)
@given(st.integers(4, len(GOOD) - 9), st.binary(min_size=1, max_size=8))
def test_a_damaged_file_gives_rows_or_a_reason_and_never_an_error(at: int, noise: bytes) -> None:
    data = GOOD[:at] + noise + GOOD[at + len(noise) :]
    assert all(isinstance(item, Record | Problem) for item in read(data, "a.parquet"))


# ---- Bombs

MEASURE = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from annotate.ingest.parquet import parquet_rows
with open(sys.argv[1], "rb") as stream:
    last = None
    for last in parquet_rows(stream, memory=int(sys.argv[3])):
        pass
# A process counts the peak of the one that it was forked from as its own; this line does not.
own = open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]
child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(getattr(last, "code", "read"), int(own) // 1024, child // 1024)
"""


def outcome(file: Path, memory: int = MEMORY) -> tuple[str, int, int]:
    """What reading a file ends with, and the peak memory of the reader and of its child, in MB."""
    command = [sys.executable, "-c", MEASURE, str(file), str(ROOT), str(memory)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    code, own, child = done.stdout.split()
    return code, int(own), int(child)


def one_gigabyte(file: Path) -> None:
    write(file, pa.table({"v": pa.array([SAME] * 50)}), 20, use_dictionary=False)


def a_page_of_100_mb(file: Path) -> None:
    write(file, pa.table({"v": pa.array([SAME * 100])}), 1, use_dictionary=False)


def twenty_thousand_columns(file: Path) -> None:
    write(file, pa.table({f"c{n}": pa.array([1], pa.int8()) for n in range(20_000)}), 1)


def nine_million_rows_of_nothing(file: Path) -> None:
    write(file, pa.table({"v": pa.nulls(MOST_ROWS - 1, pa.int8())}), 1)


def lists_of_a_million(file: Path) -> None:
    starts = pa.array(range(0, 8 * MB + 1, MB), pa.int32())
    lists = pa.ListArray.from_arrays(starts, pa.nulls(8 * MB, pa.int8()))
    write(file, pa.table({"v": lists}), 12)


def one_text_in_every_row(file: Path) -> None:
    once = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), [SAME * 8])
    write(file, pa.table({"v": once}), 1)


def a_footer_that_lies(file: Path) -> None:
    """The gigabyte, whose footer says that it is a few bytes."""
    one_gigabyte(file)
    lie_about_sizes(file)


def a_lie_about_pages(file: Path) -> None:
    """Ten pages of 24 MB in one row, of which the footer says nothing."""
    page = pa.array([SAME * 24])
    write(file, pa.table(dict.fromkeys("abcdefghij", page)), 1, use_dictionary=False)
    lie_about_sizes(file)


def lie_about_sizes(file: Path) -> None:
    data = file.read_bytes()
    chunk = pq.read_metadata(file).row_group(0).column(0)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    true = varint(chunk.total_uncompressed_size)
    told = data[footer:].replace(true, varint(1000, len(true)))
    assert told != data[footer:]
    file.write_bytes(data[:footer] + told)


def varint(number: int, size: int = 0) -> bytes:
    """Thrift's zigzag number, padded with zeros to a size."""
    number, out = number * 2, bytearray()
    while number > 127 or len(out) < size - 1:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def write(file: Path, table: pa.Table, times: int, **options: Any) -> None:
    with pq.ParquetWriter(file, table.schema, compression="zstd", **options) as writer:
        for _ in range(times):
            writer.write_table(table)


@pytest.mark.parametrize(
    ("make", "code", "largest"),
    [
        # The real ceiling of memory, but where it says less: an empty reader has 220 MB already.
        (one_gigabyte, "parquet_bomb", 200),
        (a_page_of_100_mb, "parquet_bomb", 200),
        (twenty_thousand_columns, "parquet_too_large", 300),
        (nine_million_rows_of_nothing, "parquet_bomb", 200),
        (lists_of_a_million, "parquet_too_large", MEMORY // MB),
        (one_text_in_every_row, "parquet_bomb", 300),
        (a_footer_that_lies, "parquet_bomb", 600),
        (a_lie_about_pages, "parquet_too_large", SMALL // MB),
    ],
)
def test_a_bomb_is_refused_and_memory_stays_bounded(
    tmp_path: Path, make: Callable[[Path], None], code: str, largest: int
) -> None:
    file = tmp_path / "bomb.parquet"
    make(file)
    assert file.stat().st_size < 8 * MB
    ended, own, child = outcome(file, SMALL if make is a_lie_about_pages else MEMORY)
    assert ended == code
    assert own < 200
    assert child < largest


def test_a_footer_of_more_than_16_mb_is_not_read_at_all() -> None:
    footer = bytes(17 * MB)
    data = b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    assert refusal(data).code == "parquet_too_large"


def test_a_text_that_stands_in_every_row_is_no_bomb() -> None:
    """Fifty kilobytes of rules above every prompt: stored once, read as often as it stands."""
    texts = random.Random(1)
    rows = [
        {"id": str(n), "prompt": texts.randbytes(100).hex(), "context": "rule " * 10_000}
        for n in range(2000)
    ]
    items = read(of_rows(*rows), "a.parquet")
    assert len(rows_of(items)) == 2000
    assert problems_of(items) == []


def test_a_large_file_of_texts_is_read_row_by_row(tmp_path: Path) -> None:
    file = tmp_path / "large.parquet"
    with pq.ParquetWriter(file, pa.schema({"id": pa.string(), "v": pa.string()})) as writer:
        for n in range(8):
            texts = [f"{n} {i} " * 400 for i in range(4000)]
            writer.write_table(pa.table({"id": [f"{n}-{i}" for i in range(4000)], "v": texts}))
    code, own, child = outcome(file)
    assert code == "read"
    # 82 MB of text: the reader never holds half of it, the child a row group.
    assert own < 40
    assert child < 200


def test_the_reader_of_parquet_knows_no_secret_and_ends_with_its_reader() -> None:
    """Its environment is four words; closing the rows ends it."""
    from annotate.ingest import parquet as module

    assert set(module.ENVIRONMENT) == {
        "ARROW_DEFAULT_MEMORY_POOL",
        "MALLOC_ARENA_MAX",
        "OMP_NUM_THREADS",
        "PYTHONUTF8",
    }
    with tempfile.TemporaryFile() as file:
        file.write(of_rows(*(pair(n) for n in range(1000))))
        rows = module.parquet_rows(file)
        next(rows)
        rows.close()  # type: ignore[attr-defined]  # a generator
