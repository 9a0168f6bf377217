"""The rows of a file by their lines, as they stand in it: to be mended and imported again."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import PurePath
from typing import BinaryIO

from annotate.ingest.lines import Line, open_lines
from annotate.ingest.problems import Problem
from annotate.ingest.readers import JSON_NAMES, Record, records


def rows_at(
    stream: BinaryIO,
    name: str,
    lines: Collection[int],
    *,
    seen: Callable[[int], None] = lambda _: None,
) -> Iterator[tuple[int, bytes]]:
    """(line, one line of JSON) of each row among `lines` that can be shown at all.

    Rows of JSONL come byte for byte, broken ones too; rows of a table as objects under the names
    of its columns. `seen` is called with every line that is passed.
    """
    if PurePath(name).suffix.casefold() in JSON_NAMES:
        read = open_lines(stream)
        for line in () if isinstance(read, Problem) else read:
            seen(line.number)
            if line.number in lines and isinstance(line, Line):
                yield line.number, line.data.rstrip(b"\r")
        return
    for item in records(stream, name, repair=True):
        seen(item.line)
        if isinstance(item, Record) and item.line in lines:
            row = json.dumps(dict(item.fields), ensure_ascii=False)
            yield item.line, row.encode(errors="surrogatepass")
