"""What waits for the policy owner, what was decided, and which splits could be sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotate.access import still_rated_by
from annotate.models import Ruling
from annotate.pages.next_step import in_words
from annotate.persistent import Persistent, persistent_splits
from annotate.ruling_forms import AskRulingForm
from annotate.rulings import place_words, places_words, rulings_of, units_of
from projects.models import Role, User
from rubrics.words import joined, label_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from annotate.models import Batch
    from projects.models import Project

# Older decisions stay in the exports' manifests and on the pages of their pairs.
MOST_DECIDED = 100
MOST_CANDIDATES = 50


@dataclass(frozen=True)
class RulingLine:
    """One ruling in the list."""

    ruling: Ruling
    places: str
    batches: tuple[Batch, ...]

    @property
    def right(self) -> str:
        return label_words(self.ruling.right_code)

    @property
    def simulated(self) -> bool:
        return any(batch.simulated for batch in self.batches)


@dataclass(frozen=True)
class Candidate:
    """A split that stayed, with the form that sends it: as it was refused, where it was."""

    split: Persistent
    refused: AskRulingForm | None = None

    @property
    def form(self) -> AskRulingForm:
        """Many forms stand on one page, so each has ids of its own."""
        if self.refused is not None:
            return self.refused
        initial = {
            "batch": self.split.batch.public_id,
            "subject": self.split.public_id,
            "key": self.split.key,
            "part": self.split.part,
            "question": self.question,
        }
        return AskRulingForm(initial=initial, auto_id=f"{self.id}-%s")

    @property
    def id(self) -> str:
        return f"{self.split.subject}-{self.split.batch.pk}-{self.split.key}-{self.split.part}"

    def is_in(self, form: AskRulingForm) -> bool:
        sent = (form.data.get(name, "") for name in ("batch", "subject", "key", "part"))
        split = self.split
        own = (split.batch.public_id, split.public_id, split.key, split.part)
        return tuple(sent) == tuple(str(one) for one in own)

    @property
    def place(self) -> str:
        return place_words(self.split.key, self.split.part)

    @property
    def versions(self) -> str:
        *first, last = (str(number) for number in self.split.versions)
        return f"{', '.join(first)} and {last}"

    @property
    def question(self) -> str:
        return f"Raters differ on {self.place} under versions {self.versions}. What holds here?"


@dataclass(frozen=True)
class RulingsPage:
    waiting: tuple[RulingLine, ...]
    decided: tuple[RulingLine, ...]
    candidates: tuple[Candidate, ...]
    # Rulings on pairs that the reader still rates: counted, never shown.
    hidden: int
    owners: tuple[User, ...]
    is_owner: bool
    # Why a split that is no candidate could not be sent.
    refusal: str = ""

    @property
    def sentence(self) -> str:
        waits = _so_many(len(self.waiting), "split waits", "splits wait")
        if self.waiting and self.is_owner:
            return f"{waits} for your ruling."
        if self.waiting and self.owners:
            return f"{waits} for {self._owners}."
        if self.waiting:
            return f"{waits}, and nobody here is policy owner: give somebody that role."
        if self.candidates:
            stays = _so_many(len(self.candidates), "split has", "splits have")
            return f"Nothing waits. {stays} outlived a new version and could be sent."
        return "Nothing waits for a ruling, and no split has outlived a new version."

    @property
    def _owners(self) -> str:
        return joined((str(owner) for owner in self.owners), last="or")

    @property
    def next_up(self) -> Ruling | None:
        """The one that waits longest."""
        return self.waiting[0].ruling if self.waiting else None

    @property
    def shown_decided(self) -> tuple[RulingLine, ...]:
        return self.decided[:MOST_DECIDED]

    @property
    def more_decided(self) -> bool:
        return len(self.decided) > MOST_DECIDED

    @property
    def shown_candidates(self) -> tuple[Candidate, ...]:
        return self.candidates[:MOST_CANDIDATES]

    @property
    def more_candidates(self) -> bool:
        return len(self.candidates) > MOST_CANDIDATES


def rulings_page(
    project: Project, reader: User, roles: frozenset[str], refused: AskRulingForm | None = None
) -> RulingsPage:
    """`refused` is the form of a candidate that could not be sent."""
    secret = set(still_rated_by(reader))
    rulings = list(rulings_of(project))
    shown = [ruling for ruling in rulings if ruling.subject_id not in secret]
    lines = [_line(ruling) for ruling in shown]
    waiting = [line for line in lines if line.ruling.decided_at is None]
    decided = [line for line in lines if line.ruling.decided_at is not None]
    candidates = _candidates(project, rulings, secret, refused)
    lost = refused and not any(one.refused for one in candidates)
    return RulingsPage(
        waiting=tuple(sorted(waiting, key=lambda line: line.ruling.pk)),
        decided=tuple(sorted(decided, key=_decided_at, reverse=True)),
        candidates=candidates,
        hidden=len(rulings) - len(shown),
        owners=_owners(project),
        is_owner=Role.POLICY_OWNER in roles,
        refusal=_first_error(refused) if refused and lost else "",
    )


def _candidates(
    project: Project, rulings: Sequence[Ruling], secret: set[int], refused: AskRulingForm | None
) -> tuple[Candidate, ...]:
    ruled = {
        (row.batch_id, row.subject_id, row.criterion.key, row.part_key): ruling.decided_at is None
        for ruling in rulings
        for row in ruling.disagreements.all()
    }
    splits = persistent_splits(project, ruled=ruled, without=secret)
    found = (Candidate(split) for split in splits)
    return tuple(
        Candidate(one.split, refused) if refused and one.is_in(refused) else one for one in found
    )


def _first_error(form: AskRulingForm) -> str:
    """What the form says where it stands in no list; a field that nobody sees says only that."""
    hidden = {field.name for field in form.hidden_fields()}
    for name, errors in form.errors.items():
        if name not in hidden:
            return str(errors[0])
    return "This names no split that could be sent."


def _line(ruling: Ruling) -> RulingLine:
    rows = units_of(ruling)
    batches = dict.fromkeys(row.batch for row in ruling.disagreements.all())
    return RulingLine(ruling, places_words(rows), tuple(batches))


def _so_many(number: int, one: str, several: str) -> str:
    return f"{in_words(number).capitalize()} {one if number == 1 else several}"


def _decided_at(line: RulingLine) -> datetime:
    assert line.ruling.decided_at is not None
    return line.ruling.decided_at


def _owners(project: Project) -> tuple[User, ...]:
    held = User.objects.filter(
        memberships__project=project, memberships__role=Role.POLICY_OWNER, is_active=True
    )
    return tuple(held.order_by("last_name", "username"))
