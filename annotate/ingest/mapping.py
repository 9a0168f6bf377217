"""Which field of a file holds what: `--map TARGET=SOURCE[,SOURCE2…]` and `--as-text FIELD`.

`--map TARGET=` reads the target from nowhere, although the file has a field of its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.ingest.problems import Notice, Problem, listed, printable, shown
from annotate.ingest.readers import Record

METADATA = "metadata"
# A file may have a new field on every line; only so many are counted by name.
MOST_NAMES = 200


class FlagError(ValueError):
    """A flag that cannot be followed; the message names it and says why.

    A page has no flags: it shows `value`, what was given, and `said`, what is wrong with it.
    """

    def __init__(self, flag: str, value: str, said: str) -> None:
        self.flag, self.value, self.said = flag, printable(value), said
        super().__init__(f"{flag} {self.value}: {said}")


@dataclass(frozen=True, slots=True)
class FieldMap:
    """Sources in the file by target; a target without a flag is read from its own name.

    targets: what this import knows. With `metadata` among them, `metadata.NAME` is one too.
    """

    targets: frozenset[str]
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    as_text: frozenset[str] = frozenset()

    @classmethod
    def parse(
        cls,
        flags: Sequence[str],
        as_text: Sequence[str] = (),
        *,
        targets: Sequence[str],
        joinable: Collection[str] = (),
        optional: Collection[str] = (),
    ) -> FieldMap:
        """Read the flags. Raises FlagError.

        Only `joinable` targets take several sources, and only `optional` ones may have none.
        """
        known = frozenset(targets)
        sources: dict[str, tuple[str, ...]] = {}
        for flag in flags:
            target, given = _parsed(flag, known, optional)
            if target in sources:
                raise FlagError(
                    "--map", f"{target}=…", "it is given twice. Join several sources with commas."
                )
            if len(given) > 1 and target not in joinable and target in known:
                raise FlagError("--map", flag, f"{target} takes one field only.")
            sources[target] = given
        names = known | {name for given in sources.values() for name in given}
        for name in as_text:
            if name not in names:
                raise FlagError(
                    "--as-text",
                    name,
                    f"no such field is read. Fields that are: {listed(sorted(names))}.",
                )
        return cls(known, sources, frozenset(as_text))

    def sources_of(self, target: str) -> tuple[str, ...]:
        """The fields of the file that a target is read from; none where it is left out."""
        return self.sources.get(target, (target,))

    def is_as_text(self, target: str, source: str) -> bool:
        """Whether a JSON scalar is taken as its JSON text here."""
        return target in self.as_text or source in self.as_text

    def metadata_sources(self) -> dict[str, tuple[str, ...]]:
        """The sources of single metadata entries, by the entry's name."""
        start = f"{METADATA}."
        return {t.removeprefix(start): s for t, s in self.sources.items() if t.startswith(start)}

    def read_fields(self) -> frozenset[str]:
        """Every field of the file that some target is read from."""
        return frozenset(
            source
            for target in self.targets | self.sources.keys()
            for source in self.sources_of(target)
        )

    def missing_columns(self, columns: Sequence[str], required: Sequence[str]) -> list[str]:
        """Columns that a flag or a required target names and the table does not have."""
        wanted = [s for given in self.sources.values() for s in given]
        wanted += [s for target in required for s in self.sources_of(target) or (target,)]
        return [name for name in dict.fromkeys(wanted) if name not in columns]


def _parsed(
    flag: str, known: frozenset[str], optional: Collection[str]
) -> tuple[str, tuple[str, ...]]:
    target, equals, given = (part.strip() for part in flag.partition("="))
    if equals and not given and target in optional:
        return target, ()
    sources = tuple(source.strip() for source in given.split(","))
    if not equals or not target or not all(sources):
        raise FlagError("--map", flag, "write it as FIELD=SOURCE[,SOURCE2…].")
    entry = target.removeprefix(f"{METADATA}.")
    if target not in known and not (METADATA in known and entry not in {"", target}):
        extra = f", {METADATA}.NAME" if METADATA in known else ""
        raise FlagError(
            "--map",
            flag,
            f"{shown(target)} is not a field of this import. "
            f"Fields are {listed(sorted(known))}{extra}.",
        )
    return target, sources


def missing_column_problem(missing: Sequence[str], columns: Sequence[str]) -> Problem:
    """A table lacks columns: which ones, and which it has."""
    word = "columns" if len(missing) > 1 else "column"
    message = (
        f"The file has no {word} {listed(list(missing))}. "
        f"Its columns are {listed(list(columns))}. Say which one is meant."
    )
    name, flag = printable(missing[0][:100]), "--map, --column"
    return Problem(1, name, message, "missing_column", fatal=True, flag=flag)


class FieldCount:
    """Counts what a file holds beside the fields that are read, and what it never holds."""

    def __init__(self, read: frozenset[str], named: frozenset[str]) -> None:
        """read: fields that are looked at; named: those of them that a flag names."""
        self.read = read
        self.unseen = set(named)
        self.left_out: Counter[str] = Counter()
        self.rows = 0

    def see(self, record: Record) -> None:
        """Count the fields of one record."""
        self.rows += 1
        self.unseen -= record.fields.keys()
        for name in record.fields.keys() - self.read:
            if name in self.left_out or len(self.left_out) < MOST_NAMES:
                self.left_out[name] += 1

    def report(self, advice: str, flag: str = "") -> Iterator[Problem | Notice]:
        """What is to be said at the end of the file; `advice` ends each notice."""
        if self.rows:
            for name in sorted(self.unseen):
                message = f"No row has the field {shown(name)} that was named. Check its spelling."
                yield Problem(0, printable(name[:100]), message, "missing_field", fatal=True)
        for name, rows in sorted(self.left_out.items()):
            message = f"The field is in {rows} rows and was left out.{advice}"
            yield Notice(0, printable(name[:100]), message, "left_out", flag)
