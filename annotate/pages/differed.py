"""Where a rater stood apart from the others of a closed round: for that rater, and nobody else.

Others are counts. There is no score and no order of merit, and nothing is said of a pair that the
rater still rates elsewhere. Sides are Left and Right as this rater saw them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from django.db.models import Exists, OuterRef, Subquery
from django.db.models.functions import Left

from annotate.access import still_rated
from annotate.ballot import Order, seen_part, seen_text
from annotate.citing import pieces_of
from annotate.decisions import margins_of
from annotate.differing_from import (
    Scale,
    measured,
    nominal,
    ordered,
    preference,
    sentence,
    stands_apart,
    told,
)
from annotate.feedback import compare
from annotate.known import Kept, known_under
from annotate.labelling import asked_in, ballot_for
from annotate.models import (
    Assignment,
    Disagreement,
    Edit,
    Evidence,
    Label,
    Part,
    Ruling,
    Subject,
)
from annotate.pages.next_step import in_words
from annotate.pages.own_pairs import GIST_LENGTH, one_line
from annotate.querysets import PLANTED
from rubrics.content import PREFERENCE
from rubrics.document import from_canonical
from rubrics.edits import is_there
from rubrics.words import joined, label_words, number_words, seen_words

if TYPE_CHECKING:
    from uuid import UUID

    from annotate.models import Batch
    from projects.models import User
    from rubrics.content import Criterion

# Subject, key of the check, part.
Place = tuple[int, str, str]
_KINDS = {
    Disagreement.Kind.SLIP: "It was taken for a slip, which happens to everybody.",
    Disagreement.Kind.AMBIGUITY: "The wording was found unclear: it can be read either way.",
    Disagreement.Kind.WEIGHTING: "The facts were seen alike and weighed differently.",
    Disagreement.Kind.LEGITIMATE: "Both answers were found defensible.",
}
_EDITS = {
    Edit.Kind.ANCHOR: "{keys} got a new example",
    Edit.Kind.REWORD: "{keys} was worded anew",
    Edit.Kind.SPLIT: "{key} was split into {keys}",
    Edit.Kind.MERGE: "Checks were merged into {keys}",
    Edit.Kind.AUTOMATIC: "{keys} is decided by code from now on",
    Edit.Kind.WEIGHT: "The weight of {keys} was changed",
    Edit.Kind.SCALE: "The scale of {keys} was changed",
    Edit.Kind.PROCEDURE: "The procedure of the preference was changed",
    Edit.Kind.ADD: "{keys} was added",
}


@dataclass(frozen=True)
class Decided:
    """What became of a disagreement; all empty while nobody has discussed it."""

    kind: str = ""
    note: str = ""
    edits: tuple[str, ...] = ()
    # Of the policy owner: '' where none was asked for.
    ruling: str = ""
    answer: str = ""

    @property
    def is_discussed(self) -> bool:
        return bool(self.kind or self.note or self.edits or self.ruling)


@dataclass(frozen=True)
class Apart:
    """One answer that most of the others gave otherwise."""

    key: str
    title: str
    part: str
    own: str
    others: str
    # What this rater had marked for the check.
    quotes: tuple[str, ...]
    decided: Decided


@dataclass(frozen=True)
class KnownLine:
    key: str
    part: str
    own: str
    known: str


@dataclass(frozen=True)
class DifferedPair:
    public_id: UUID
    position: int
    gist: str
    # The response on the left, as the lead's pages and the meeting name it.
    left: str
    lines: tuple[Apart, ...]

    @property
    def is_discussed(self) -> bool:
        return any(line.decided.is_discussed for line in self.lines)


@dataclass(frozen=True)
class PlantedPair:
    """A pair with known answers that lay among the others: where one's own differ, and why."""

    public_id: UUID
    position: int
    gist: str
    lines: tuple[KnownLine, ...]
    why: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Differed:
    batch: Batch
    pairs: tuple[DifferedPair, ...]
    planted: tuple[PlantedPair, ...]
    # Pairs that this rater still rates elsewhere.
    hidden: int
    # Whether there was anything of one's own to compare.
    voted: bool

    @property
    def sentence(self) -> str:
        if not self.voted:
            return "You sent no vote in this round, so there is nothing to compare."
        if not self.pairs:
            return "You agreed with the others everywhere."
        number = len(self.pairs)
        pairs = "one pair" if number == 1 else f"{in_words(number)} pairs"
        return f"On {pairs} you and most of the others answered differently."


@dataclass(frozen=True)
class _Own:
    """A pair as this rater had it."""

    assignment: Assignment
    heads: Mapping[str, str]
    role: str
    # Still theirs to rate in another round: what others said of it is not told yet.
    secret: bool

    @property
    def order(self) -> Order:
        return self.assignment.seen_order

    @property
    def gist(self) -> str:
        return one_line(self.heads[self.order[0]])


def differed_page(user: User, batch: Batch) -> Differed:
    held = _own_pairs(user, batch)
    own = {subject: pair for subject, pair in held.items() if not pair.secret}
    given = _labels(batch, own)
    apart = _apart(user, batch, own, given)
    planted = [pair for pair in own.values() if pair.role in PLANTED]
    return Differed(
        batch=batch,
        pairs=tuple(_pairs(user, batch, own, apart)),
        planted=tuple(_planted(batch, user, planted, given)) if planted else (),
        hidden=len(held) - len(own),
        voted=any(_mine(user, row) for rows in given.values() for row in rows),
    )


def _own_pairs(user: User, batch: Batch) -> dict[int, _Own]:
    """Subject → this rater's pair, in the order in which they had them."""
    heads = {
        f"head_{key}": Subquery(
            Part.objects.filter(subject=OuterRef("subject"), key=key)
            .annotate(head=Left("text", GIST_LENGTH))
            .values("head")[:1]
        )
        for key in ("A", "B")
    }
    rows = Assignment.objects.of_user(user).live().filter(batch=batch).order_by("position")
    return {
        row.subject_id: _Own(
            row,
            {key: getattr(row, f"head_{key}") or "" for key in ("A", "B")},
            row.slot.role,
            cast("Any", row).secret,
        )
        for row in rows.select_related("slot").annotate(
            secret=Exists(still_rated(user).filter(pk=OuterRef("subject"))), **heads
        )
    }


@dataclass(frozen=True)
class _Given:
    user: int | None
    code: str


def _labels(batch: Batch, subjects: Iterable[int]) -> dict[Place, list[_Given]]:
    """What everybody was asked and answered, planted pairs as well."""
    labels = Label.objects.of_current_votes(batch).filter(
        vote__blind=True, how__in=("asked", "after_gate"), vote__subject__in=list(subjects)
    )
    found: dict[Place, list[_Given]] = defaultdict(list)
    for subject, key, part, user, code, number in labels.order_by("vote_id", "id").values_list(
        "vote__subject_id",
        "criterion__key",
        "part_key",
        "vote__rater__user_id",
        "code",
        "number",
    ):
        said = code if number is None else number_words(number)
        found[subject, key, part].append(_Given(user, said))
    return found


def _mine(user: User, row: _Given) -> bool:
    return row.user == user.pk


def _apart(
    user: User,
    batch: Batch,
    own: Mapping[int, _Own],
    given: Mapping[Place, Sequence[_Given]],
) -> dict[Place, tuple[str, tuple[tuple[str, int], ...]]]:
    """(own code, what the others said) of every unit on which this rater stands apart."""
    checks = {check.key: check for check in asked_in(batch)}
    found = {}
    for place, rows in given.items():
        subject, key, _ = place
        mine = [row.code for row in rows if _mine(user, row)]
        others = [row.code for row in rows if not _mine(user, row)]
        if key not in checks or not mine or own[subject].role in PLANTED:
            continue
        if stands_apart(mine[0], others, _scale(checks[key], [*mine, *others])):
            found[place] = (mine[0], told(others))
    return found


def _scale(check: Criterion, given: Sequence[str]) -> Scale:
    if check.kind == PREFERENCE:
        return preference(margins_of(check.values))
    if check.bounds is not None:
        return measured(check.bounds, given)
    return nominal() if check.level == "nominal" else ordered(check.values)


def _pairs(
    user: User,
    batch: Batch,
    own: Mapping[int, _Own],
    apart: Mapping[Place, tuple[str, tuple[tuple[str, int], ...]]],
) -> Iterable[DifferedPair]:
    subjects = {subject for subject, _, _ in apart}
    orders = {subject: pair.order for subject, pair in own.items()}
    decided = _decided(batch, subjects, orders) if apart else {}
    quotes = _quotes(user, batch, subjects) if apart else {}
    rank = {check.key: n for n, check in enumerate(asked_in(batch))}
    titles = {check.key: check.heading for check in asked_in(batch)}
    for subject, pair in own.items():
        places = [place for place in apart if place[0] == subject]
        if not places:
            continue
        order = pair.order
        places.sort(key=lambda place: (rank[place[1]], seen_part(place[2], order)))
        yield DifferedPair(
            public_id=pair.assignment.public_id,
            position=pair.assignment.position,
            gist=pair.gist,
            left=order[0],
            lines=tuple(
                Apart(
                    key="" if key == PREFERENCE else key,
                    title="Preference" if key == PREFERENCE else titles[key],
                    part=seen_part(part, order),
                    own=_words(key, apart[subject, key, part][0], order),
                    others=sentence(
                        [
                            (_words(key, code, order), times)
                            for code, times in apart[subject, key, part][1]
                        ]
                    ),
                    quotes=tuple(quotes.get((subject, key, part), ())),
                    decided=decided.get((subject, key, part), Decided()),
                )
                for _, key, part in places
            ),
        )


def _words(key: str, code: str, order: Order) -> str:
    return seen_words(code, order) if key == PREFERENCE else label_words(code)


def _quotes(user: User, batch: Batch, subjects: Iterable[int]) -> dict[Place, list[str]]:
    rows = Evidence.objects.filter(
        vote__batch=batch,
        vote__current=True,
        vote__rater__user=user,
        vote__subject__in=list(subjects),
    )
    found: dict[Place, list[str]] = defaultdict(list)
    for subject, key, part, quote in rows.values_list(
        "vote__subject_id", "criterion__key", "part_key", "quote"
    ):
        found[subject, key, part].append(quote)
    return found


def _decided(
    batch: Batch, subjects: Iterable[int], orders: Mapping[int, Order]
) -> dict[Place, Decided]:
    """What became of each disagreement, its ruling and the edits that stand, in one query."""
    edit: Any = Edit.objects.standing().with_document().filter(pk=OuterRef("edits__pk"))
    rows = (
        Disagreement.objects.filter(batch=batch, subject__in=list(subjects))
        .annotate(document=Subquery(edit.values("document")))
        .order_by("pk", "edits__pk")
    )
    found: dict[Place, dict[str, Any]] = {}
    for row in rows.values(
        "subject_id",
        "criterion__key",
        "part_key",
        "kind",
        "note",
        "ruling_id",
        "ruling__decision",
        "ruling__right_code",
        "ruling__answer",
        "edits__kind",
        "edits__key",
        "edits__keys",
        "edits__number",
        "edits__detail",
        "document",
    ):
        place = (row["subject_id"], row["criterion__key"], row["part_key"])
        one = found.setdefault(place, {**row, "edits": []})
        if row["document"] is not None and _stands(row):
            one["edits"].append(_edit_words(row))
    return {
        place: Decided(
            kind=_KINDS.get(row["kind"], ""),
            note=row["note"],
            edits=tuple(row["edits"]),
            ruling=_ruling_words(row, orders[row["subject_id"]]),
            answer=row["ruling__answer"] or "",
        )
        for place, row in found.items()
    }


def _stands(row: Mapping[str, Any]) -> bool:
    content = from_canonical(row["document"])
    return is_there(content, row["edits__kind"], row["edits__keys"], row["edits__detail"])


def _edit_words(row: Mapping[str, Any]) -> str:
    keys = ["the preference" if key == PREFERENCE else key for key in row["edits__keys"] or []]
    named = joined(keys)
    words = _EDITS[row["edits__kind"]].format(key=row["edits__key"], keys=named or "The rubric")
    return f"{words[:1].upper()}{words[1:]}, in version {row['edits__number']}."


def _ruling_words(row: Mapping[str, Any], order: Order) -> str:
    if row["ruling_id"] is None:
        return ""
    if not row["ruling__decision"]:
        return "It was sent to the policy owner, who has not decided yet."
    decision = Ruling.Decision(row["ruling__decision"]).label
    code = row["ruling__right_code"]
    right = f": {_words(row['criterion__key'], code, order)}" if code else ""
    return f"The policy owner decided: {decision}{right}."


def _planted(
    batch: Batch, user: User, pairs: Sequence[_Own], given: Mapping[Place, Sequence[_Given]]
) -> Iterable[PlantedPair]:
    """Told to all together, now that the round is closed; a withdrawn answer is told no more."""
    subjects = Subject.objects.filter(pk__in=[pair.assignment.subject_id for pair in pairs])
    known = known_under(batch.version, subjects)
    for pair in pairs:
        subject = pair.assignment.subject_id
        own = {
            (key, part): row.code
            for (held, key, part), rows in given.items()
            for row in rows
            if held == subject and _mine(user, row)
        }
        if own and subject in known:
            yield _planted_pair(batch, pair, own, known[subject])


def _planted_pair(
    batch: Batch, pair: _Own, own: Mapping[tuple[str, str], str], kept: Kept
) -> PlantedPair:
    order = pair.order
    cited = {check.key for check in asked_in(batch)} | {"Left", "Right"}
    return PlantedPair(
        public_id=pair.assignment.public_id,
        position=pair.assignment.position,
        gist=pair.gist,
        lines=tuple(
            KnownLine(
                key="Preference" if one.key == PREFERENCE else one.key,
                part=one.part,
                own=_words(one.key, one.own, order),
                known=_words(one.key, one.known, order),
            )
            for one in compare(ballot_for(batch), order, own, kept.labels)
            if one.differs
        ),
        why=pieces_of(seen_text(kept.why, order), cited),
    )
