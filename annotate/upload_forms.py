"""The forms of the import pages: a file, and what its fields are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from django import forms

from annotate import ingest
from annotate.actions.import_jobs import vote_file
from annotate.actions.vote_imports import NAME_LENGTH, scheme_of
from annotate.forms import VersionField
from annotate.ingest.fields import WORDS
from annotate.ingest.guessing import (
    LABEL,
    LONG_ONLY,
    METADATA_ENTRY,
    PAIR_NAMES,
    VOTE_NAMES,
    flags_of_pairs,
    flags_of_votes,
    guess_pairs,
    guess_votes,
    label_targets,
)
from annotate.ingest.mapping import FlagError
from annotate.ingest.problems import listed, printable
from annotate.ingest.readers import DELIMITERS
from annotate.ingest.subject_rows import JOINABLE, KINDS
from annotate.models import Upload
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from django.forms.boundfield import BoundField

    from annotate.ingest.value_rules import Scheme
    from annotate.pages.uploads import Head
    from projects.models import Project
    from rubrics.querysets import VersionQuerySet

LEFT_OUT = [("", "left out")]
PAIR_WORDS = {**WORDS, "metadata": "the metadata as a whole"}
PAIR_CHOICES = [
    *LEFT_OUT,
    *((name, PAIR_WORDS.get(name, name)) for name in PAIR_NAMES),
    (METADATA_ENTRY, "an entry of the metadata"),
]
VOTE_WORDS = {
    "subject": "the pair's id",
    "swapped": "whether A and B were swapped",
    "at": "when",
}
COMPLETE = "complete"
TABLES = tuple(DELIMITERS)


@dataclass(frozen=True)
class FieldRow:
    """One field of the file on the page: its name, some values, and what it is chosen as."""

    name: str
    samples: list[str]
    choice: BoundField
    text: BoundField | None
    usable: bool


class UploadForm(forms.Form):
    kind = forms.ChoiceField(
        choices=[
            (Upload.Kind.PAIRS, "Pairs: what is to be judged"),
            (Upload.Kind.VOTES, "Votes: what people have said about pairs already"),
        ],
        initial=Upload.Kind.PAIRS,
        widget=forms.RadioSelect,
        label="What the file holds",
    )
    file = forms.FileField(
        label="File",
        allow_empty_file=True,
        error_messages={"required": "No file was chosen. Choose one, or drop it onto the page."},
    )

    def clean(self) -> dict[str, Any]:
        # The last field of the form: without it the body ended early, and the file with it.
        if COMPLETE not in self.data and self.is_bound:
            raise forms.ValidationError(
                "The upload was cut short, so nothing of it was kept. Send the file again."
            )
        return self.cleaned_data


class MappingForm(forms.Form):
    """A choice for each field of the file; what both kinds of file have."""

    partial = forms.BooleanField(
        required=False,
        label="Import the good rows although others are refused",
        help_text="Without this, one refused row keeps the whole file out.",
    )
    repair = forms.BooleanField(
        required=False, label="Remove the character U+0000 from texts, with a warning"
    )
    required: tuple[str, ...] = ()
    joinable: tuple[str, ...] = ()

    def __init__(
        self, *args: Any, upload: Upload, columns: Sequence[str], file: Path, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.upload, self.columns, self.path = upload, columns, file
        self.flags: dict[str, Any] = {}

    def add_columns(self, targets: Mapping[str, str], choices: Sequence[Any]) -> None:
        for n, column in enumerate(self.columns):
            self.fields[f"col-{n}"] = forms.ChoiceField(
                choices=choices,
                required=False,
                initial=targets.get(column, ""),
                disabled=not is_usable(column),
                error_messages={"invalid_choice": "There is no such choice here. Choose again."},
            )

    def targets(self) -> dict[str, str]:
        """Column → what it was chosen as, of those that were chosen as something."""
        chosen = {c: self.cleaned_data.get(f"col-{n}", "") for n, c in enumerate(self.columns)}
        return {column: target for column, target in chosen.items() if target}

    def clean(self) -> dict[str, Any]:
        targets = self.targets()
        counts = Counter(targets.values())
        names = dict(_flat(self.fields["col-0"].choices)) if self.columns else {}  # type: ignore[attr-defined]  # a ChoiceField, as add_columns made it
        for target in self.needed(targets):
            if not counts[target]:
                self.add_error(None, f"No field is chosen as “{names.get(target, target)}”.")
        for target, count in counts.items():
            if count > 1 and target not in (*self.joinable, METADATA_ENTRY):
                self.add_error(
                    None,
                    f"{count} fields are chosen as “{names.get(target, target)}”; choose one.",
                )
        if not self.errors:
            try:
                self.flags = self.flags_of(targets)
            except FlagError as error:
                field = "value" if error.flag == "--value" else None
                self.add_error(field, f"{error.value}: {error.said}")
        return self.cleaned_data

    def rows(self, head: Head) -> list[FieldRow]:
        """The fields of the file with their values, and the choice of each."""
        return [
            FieldRow(
                name=printable(column[:100]),
                samples=head.samples(column),
                choice=self[f"col-{n}"],
                text=self[f"text-{n}"] if f"text-{n}" in self.fields else None,
                usable=is_usable(column),
            )
            for n, column in enumerate(self.columns)
        ]

    def proposed(self) -> tuple[dict[str, Any] | None, list[str]]:
        """The flags as the page shows them before anything is sent, or what is still missing."""
        if self.is_bound:
            return self.flags or None, []
        data = {
            name: self.get_initial_for_field(field, name) for name, field in self.fields.items()
        }
        form = type(self)(
            {name: value for name, value in data.items() if value not in (None, "", False)},
            upload=self.upload,
            columns=self.columns,
            file=self.path,
        )
        if form.is_valid():
            return form.flags, []
        return None, [str(error) for errors in form.errors.values() for error in errors]

    def needed(self, targets: Mapping[str, str]) -> tuple[str, ...]:
        return self.required

    def flags_of(self, targets: Mapping[str, str]) -> dict[str, Any]:
        """The flags of the import command. Raises FlagError."""
        raise NotImplementedError


class PairsForm(MappingForm):
    required = KINDS["pair"].required
    joinable = JOINABLE

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        flags = self.upload.flags
        targets = _targets_of(flags) if flags else guess_pairs(self.columns)
        self.add_columns(targets, PAIR_CHOICES)
        # Every cell of a table is a text already.
        numbered = () if self.upload.file_name.casefold().endswith(TABLES) else self.columns
        for n, column in enumerate(numbered):
            self.fields[f"text-{n}"] = forms.BooleanField(
                required=False,
                initial=column in flags.get("as_text", ()),
                disabled=not is_usable(column),
            )
        for name in ("partial", "repair"):
            self.fields[name].initial = flags.get(name, False)

    def flags_of(self, targets: Mapping[str, str]) -> dict[str, Any]:
        as_text = [
            column
            for n, column in enumerate(self.columns)
            if column in targets and self.cleaned_data.get(f"text-{n}")
        ]
        flags = {
            "kind": "pair",
            "name": self.upload.file_name,
            "map": flags_of_pairs(targets),
            "as_text": as_text,
            "partial": self.cleaned_data["partial"],
            "repair": self.cleaned_data["repair"],
        }
        ingest.field_map("pair", flags["map"], as_text)
        return flags


class VotesForm(MappingForm):
    version = VersionField(
        queryset=RubricVersion.objects.none(), label="Rubric version", empty_label=None
    )
    name = forms.CharField(
        max_length=NAME_LENGTH,
        label="Name of these votes",
        help_text="What they are called among the imported votes.",
    )
    value = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="What the values mean",
        help_text=(
            "Only where they are not the rubric's own. One a line: 1=yes, or C1:1=yes for one "
            "check; 0= means missing."
        ),
    )
    anonymous_raters = forms.BooleanField(
        required=False,
        label="Raters are slots and not persons",
        help_text="No figures per rater then.",
    )
    create_subjects = forms.BooleanField(
        required=False,
        label="Make pairs that are not here yet, without their texts",
        help_text="For ratings of texts that may not be shared.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        flags = self.upload.flags
        field = self.fields["version"]
        assert isinstance(field, VersionField)
        field.queryset = versions_for_votes(self.upload.project)
        version = self._version(flags)
        field.initial = version.pk if version else None
        scheme = scheme_of(version) if version else None
        targets: Mapping[str, str] = {}
        if flags:
            targets = _targets_of(flags)
        elif scheme:
            targets = guess_votes(self.columns, scheme)
        self.add_columns(targets, vote_choices(scheme))
        self.fields["name"].initial = flags.get("name", PurePath(self.upload.file_name).stem[:100])
        self.fields["value"].initial = "\n".join(flags.get("value", ()))
        for name in ("anonymous_raters", "create_subjects", "partial", "repair"):
            self.fields[name].initial = flags.get(name, False)

    def _version(self, flags: Mapping[str, Any]) -> RubricVersion | None:
        """The version that is chosen, was chosen, or would be: its checks are what is offered."""
        versions = versions_for_votes(self.upload.project)
        asked = str(self.data.get("version", "")) if self.is_bound else str(flags.get("version"))
        chosen = versions.filter(pk=int(asked)) if asked.isdecimal() and len(asked) < 18 else None
        return (chosen.first() if chosen is not None else None) or versions.first()

    def needed(self, targets: Mapping[str, str]) -> tuple[str, ...]:
        rater = () if self.cleaned_data.get("anonymous_raters") else ("rater",)
        is_wide = any(target.startswith(LABEL) for target in targets.values())
        return ("subject", *rater) if is_wide else ("subject", *rater, "criterion", "value")

    def clean(self) -> dict[str, Any]:
        chosen = set(self.targets().values())
        long = [name for name in LONG_ONLY if name in chosen]
        if long and any(target.startswith(LABEL) for target in chosen):
            self.add_error(
                None,
                f"A file has either a column for each check, or {listed(long)} in each row. "
                "Leave out one or the other.",
            )
        return super().clean()

    def flags_of(self, targets: Mapping[str, str]) -> dict[str, Any]:
        given = self.cleaned_data
        version = given["version"]
        flags = {
            "version": version.pk,
            "name": given["name"],
            "file_name": self.upload.file_name,
            **flags_of_votes(targets, anonymous=given["anonymous_raters"]),
            "value": [line.strip() for line in given["value"].splitlines() if line.strip()],
            **{
                name: given[name]
                for name in ("anonymous_raters", "create_subjects", "partial", "repair")
            },
        }
        vote_file(version, self.path, flags)
        return flags


def versions_for_votes(project: Project) -> VersionQuerySet:
    published = RubricVersion.objects.of_project(project).published()
    return published.latest_revisions().select_related("rubric__project").order_by("-published_at")


def vote_choices(scheme: Scheme | None) -> list[tuple[str, Any]]:
    plain = [(name, VOTE_WORDS.get(name, f"the {name}")) for name in VOTE_NAMES]
    labels = label_targets(scheme) if scheme else []
    return [
        *LEFT_OUT,
        *plain,
        *([("A column for each check", labels)] if labels else []),
    ]


def is_usable(column: str) -> bool:
    """Whether a flag can name the column: commas join fields, and outer blanks are not seen."""
    return bool(column) and "," not in column and column == column.strip()


def _targets_of(flags: Mapping[str, Any]) -> dict[str, str]:
    """Column → target, read back from the flags that were kept."""
    found: dict[str, str] = {}
    for flag in flags.get("map", ()):
        target, _, sources = flag.partition("=")
        for source in sources.split(",") if sources else ():
            is_entry = target.startswith(METADATA_ENTRY)
            found[source] = METADATA_ENTRY if is_entry else target
    for flag in flags.get("column", ()):
        where, _, source = flag.partition("=")
        key, _, part = where.partition(":")
        found[source] = f"{LABEL}{key}:{part}"
    return found


def _flat(choices: Iterable[Any]) -> list[tuple[str, str]]:
    flat: list[tuple[str, str]] = []
    for value, words in choices:
        flat += words if isinstance(words, list | tuple) else [(value, words)]
    return flat
