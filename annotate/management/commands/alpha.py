from __future__ import annotations

import json
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.ingest.mapping import FieldMap, FlagError
from annotate.ingest.readers import records
from annotate.rating_table import TARGETS, RatingTable, rating_table
from annotate.reliability import Reliability, reliability
from annotate.reliability.coding import Level
from annotate.reliability_text import counts, table
from projects.commands import existing_file

SHOWN = 20


class Command(BaseCommand):
    help = "Krippendorff's alpha of a file of unit,rater,value[,criterion]; nothing is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="CSV, TSV or JSONL, one rating in a row")
        parser.add_argument("--level", required=True, choices=get_args(Level))
        parser.add_argument("--scale", metavar="A,B,C", help="the values in their order")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="TARGET=COLUMN",
            help=f"which column holds which of {', '.join(TARGETS)}",
        )
        parser.add_argument(
            "--only",
            action="append",
            default=[],
            metavar="CRITERION",
            help="leave all other criteria of the file out",
        )
        parser.add_argument("--json", action="store_true", help="see docs/reliability-json.md")

    def handle(self, *args: Any, **options: Any) -> None:
        scale = [value.strip() for value in (options["scale"] or "").split(",") if value.strip()]
        read = self._read(options, scale)
        try:
            found = [
                reliability(
                    read.frame(criterion),
                    criterion=criterion,
                    level=options["level"],
                    scale=scale or None,
                )
                for criterion in read.ratings
            ]
        except ValueError as refusal:
            raise CommandError(f"{refusal}.") from None
        self._show(found, as_json=options["json"])

    def _read(self, options: dict[str, Any], scale: list[str]) -> RatingTable:
        file = existing_file(options["file"])
        try:
            fields = FieldMap.parse(options["map"], targets=TARGETS)
        except FlagError as refusal:
            raise CommandError(str(refusal)) from None
        with file.open("rb") as stream:
            read = rating_table(
                records(stream, file.name),
                fields,
                level=options["level"],
                scale=scale,
                only=options["only"],
            )
        for notice in read.notices:
            self.stderr.write(f"{file.name}, line {notice.line}: {notice.for_commands}")
        if read.problems:
            lines = [
                f"{file.name}, {_place(p.line, p.field)}: {p.for_commands}" for p in read.problems
            ]
            more = len(lines) - SHOWN
            lines[SHOWN:] = [f"… and {more} more"] if more > 0 else []
            raise CommandError("\n".join(lines))
        if read.replaced:
            rows = "rating was" if read.replaced == 1 else "ratings were"
            self.stderr.write(
                f"{read.replaced} {rows} replaced by a later row of the same unit, rater and "
                "criterion."
            )
        return read

    def _show(self, found: list[Reliability], *, as_json: bool) -> None:
        if as_json:
            shape = {"criteria": [one.public() for one in found]}
            self.stdout.write(json.dumps(shape, indent=2, ensure_ascii=False, allow_nan=False))
            return
        for line in table(found):
            self.stdout.write(line)
        for one in found:
            self.stdout.write(f"{one.criterion} labels: {counts(one)}")


def _place(line: int, field: str) -> str:
    if not line:
        return "the whole file"
    return f"line {line}, {field}" if field else f"line {line}"
