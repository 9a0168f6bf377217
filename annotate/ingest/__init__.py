"""Files → rows, and what is wrong with them, with its place. Pure.

`readers` turn bytes into records (`lines`, `csv_cells` and `strict_json` do the formats),
`mapping` and `fields` find a row's values, `subject_rows` and `vote_rows` say what they mean,
`vote_history` gathers labels into votes, `sameness` says when two texts count as one.
"""

from annotate.ingest.problems import Notice, Problem
from annotate.ingest.readers import Record, records
from annotate.ingest.subject_rows import KINDS, SubjectRow, field_map, subjects

__all__ = [
    "KINDS",
    "Notice",
    "Problem",
    "Record",
    "SubjectRow",
    "field_map",
    "records",
    "subjects",
]
