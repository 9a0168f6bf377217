"""What was done to a project of late, as sentences: equal changes in a row are one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

from django.db.models import Q
from django.urls import reverse

from projects.models import Event, Project, Role

if TYPE_CHECKING:
    from annotate.pages.round_cards import RoundCard
    from projects.models import User
    from rubrics.models import RubricVersion

SHOWN = 20
# So many are read to fill the list, since equal ones in a row are one.
_READ = 200
# What each rater did is in the audit log, not here; that work was asked for, its end tells.
_UNTOLD = (
    Q(verb__startswith="vote.")
    | Q(verb__startswith="assignment.")
    | Q(verb__startswith="practice.")
    | Q(verb="job.started")
)
# Verb → the sentence, and the same for several; {what} is what it was done to, {n} how often.
SENTENCES: dict[str, tuple[str, str]] = {
    "assignments.freed": ("Open pairs of a rater who left taken out of {what}",) * 2,
    "check.waived": ("A check waived in {what}", "{n} checks waived in {what}"),
    "check.waiver_withdrawn": (
        "A waiver withdrawn in {what}",
        "{n} waivers withdrawn in {what}",
    ),
    "disagreement.sorted": (
        "A disagreement of {what} sorted",
        "{n} disagreements of {what} sorted",
    ),
    "disagreements.accepted": (
        "What is suggested for disagreements of {what} accepted",
        "What is suggested for disagreements of {what} accepted {n} times",
    ),
    "edit.made": ("A change put into {what}", "{n} changes put into {what}"),
    "edit.taken_back": ("A change taken out of {what}", "{n} changes taken out of {what}"),
    "gold.changed": (
        "A known answer changed under {what}",
        "{n} known answers changed under {what}",
    ),
    "gold.set": ("A known answer set under {what}", "{n} known answers set under {what}"),
    "gold.withdrawn": (
        "A known answer withdrawn under {what}",
        "{n} known answers withdrawn under {what}",
    ),
    "import.abandoned": ("The import of {what} given up",) * 2,
    "import.appeared": ("{what} imported", "{what} imported {n} times"),
    "meeting.ended": ("The meeting about {what} ended",) * 2,
    "meeting.started": ("A meeting about {what} began",) * 2,
    "member.added": ("{what} added as {role}",) * 2,
    "member.removed": ("{what} is no longer {role}",) * 2,
    "project.bars_set": ("The bars of the project set", "The bars of the project set {n} times"),
    "project.created": ("The project made",) * 2,
    "rater.asked_again": (
        "A rater asked to go on with {what}",
        "{n} raters asked to go on with {what}",
    ),
    "release.exported": ("The pairs of {what} exported", "The pairs of {what} exported {n} times"),
    "round.closed": ("{what} closed",) * 2,
    "round.simulated": ("{what} answered by simulated raters",) * 2,
    "round.started": ("{what} started",) * 2,
    # Which pair it was is not told: a lead who reads this may still rate it.
    "ruling.decided": ("{what} decided", "{n} splits ruled on"),
    "ruling.opened": ("{what} asked for", "{n} rulings asked for"),
    "ruling.reopened": ("{what} opened again",) * 2,
    "rubric.discarded": ("The draft of {what} thrown away", "{n} drafts of {what} thrown away"),
    "rubric.drafted": ("A draft of {what} kept", "{n} drafts of {what} kept"),
    "rubric.published": ("{what} published",) * 2,
    "upload.discarded": ("The file {what} thrown away",) * 2,
    "upload.kept": ("The file {what} brought", "The file {what} brought {n} times"),
    "upload.mapped": ("The fields of {what} chosen",) * 2,
    "upload.pruned": ("The file {what} cleared away, as it is no longer needed",) * 2,
}
JOBS: dict[str, dict[str, tuple[str, str]]] = {
    "job.done": {
        "check": ("Code looked at every text", "Code looked at every text {n} times"),
        "check_pairs": ("A file of pairs checked", "{n} files of pairs checked"),
        "check_votes": ("A file of votes checked", "{n} files of votes checked"),
        "import_subjects": ("An import of pairs done", "{n} imports of pairs done"),
        "import_votes": ("An import of votes done", "{n} imports of votes done"),
        "measure": ("A closed round measured", "{n} closed rounds measured"),
        "render": ("The texts of a batch prepared", "The texts of {n} batches prepared"),
    },
    "job.failed": {
        "check": ("Automatic checks failed", "Automatic checks failed {n} times"),
        "check_pairs": ("Checking a file of pairs failed", "{n} checks of pairs failed"),
        "check_votes": ("Checking a file of votes failed", "{n} checks of votes failed"),
        "import_subjects": ("An import of pairs failed", "{n} imports of pairs failed"),
        "import_votes": ("An import of votes failed", "{n} imports of votes failed"),
        "measure": ("Measuring a round failed", "Measuring rounds failed {n} times"),
        "render": ("Preparing texts failed", "Preparing texts failed {n} times"),
    },
}
# Nobody does these: the house tidies up.
_BY_ITSELF = ("import.abandoned", "upload.pruned")


@dataclass(frozen=True)
class Change:
    """A sentence as `before`, what it links to, and `after`; `at` is the last time."""

    at: datetime
    who: str
    before: str
    what: str
    after: str
    href: str


def recent_changes(
    project: Project,
    versions: Iterable[RubricVersion],
    rounds: Iterable[RoundCard],
    people: Iterable[User],
) -> tuple[Change, ...]:
    events = Event.objects.filter(project=project).exclude(_UNTOLD).select_related("actor")
    places = _Places(
        project,
        {str(card.batch): card.batch.number or 0 for card in rounds},
        {(version.rubric.slug, version.number): version.rubric.name for version in versions},
        {person.username: str(person) for person in people},
    )
    told = [_change(list(same), places) for _, same in groupby(list(events[:_READ]), key=_sameness)]
    return tuple(told[:SHOWN])


@dataclass(frozen=True)
class _Places:
    project: Project
    rounds: Mapping[str, int]
    rubrics: Mapping[tuple[str, int], str]
    people: Mapping[str, str]


def _sameness(event: Event) -> tuple[object, ...]:
    # A job's target names its row: those of one kind are alike.
    target = event.target.split(" ")[0] if event.verb in JOBS else event.target
    return event.verb, target, event.data.get("role"), event.actor_id


def _change(same: Sequence[Event], places: _Places) -> Change:
    event = same[0]
    who = str(event.actor or ("by itself" if event.verb in _BY_ITSELF else "command line"))
    what, href = _what(event, places, alone=len(same) == 1)
    sentences = _sentences(event)
    said = sentences[len(same) > 1].replace("{n}", str(len(same)))
    said = said.replace("{role}", _role(event))
    before, found, after = said.partition("{what}")
    if not found:
        # Nothing of its own to lead on: the sentence does, where there is one page.
        before, what, after = ("", said, "") if href else (said, "", "")
    return Change(event.at, who, before, what, after, href)


def _sentences(event: Event) -> tuple[str, str]:
    if event.verb in JOBS:
        kind = event.target.split(" ")[0]
        plain = f"{kind} {event.verb.removeprefix('job.')}".replace("_", " ").capitalize()
        return JOBS[event.verb].get(kind, (plain, plain))
    if event.verb in SENTENCES:
        return SENTENCES[event.verb]
    plain = event.verb.replace(".", " ").replace("_", " ").capitalize()
    return (f"{plain}: {{what}}",) * 2 if event.target else (plain,) * 2


def _what(event: Event, places: _Places, *, alone: bool) -> tuple[str, str]:
    """What the change was done to, in words, and the page of it where there is one."""
    room, target, slug = event.verb.split(".")[0], event.target, places.project.slug
    if room == "job":
        return "", reverse("projects:job", args=[slug, target.split(" ")[-1]]) if alone else ""
    if room == "ruling":
        return "A ruling", reverse("annotate:ruling", args=[slug, target])
    if room == "release":
        target = str(event.data.get("batch", ""))
    if target in places.rounds:
        return target, reverse("annotate:round", args=[slug, places.rounds[target]])
    if room in ("rubric", "gold", "edit", "check"):
        return _version(event, places)
    if room == "member":
        return places.people.get(target, target), ""
    if room == "import":
        return _import(event), ""
    return target, ""


def _version(event: Event, places: _Places) -> tuple[str, str]:
    rubric, _, number = event.target.partition("@")
    number, _, revision = number.partition(".")
    name = places.rubrics.get((rubric, int(number))) if number.isdecimal() else None
    if name is None:
        return event.target, ""
    words = f"{name}, version {number}" + (f", revision {revision}" if revision else "")
    if event.verb.startswith("gold."):
        return words, reverse("annotate:gold", args=[places.project.slug])
    return words, reverse("rubrics:version", args=[places.project.slug, rubric, int(number)])


def _import(event: Event) -> str:
    """`subjects from claims.jsonl`, with how much is new in it."""
    kind, _, file_name = event.target.partition(" from ")
    if event.verb != "import.appeared":
        return file_name or event.target
    created = event.data.get("created") or 0
    return f"{created:,} {'votes' if kind == 'votes' else 'pairs'} from {file_name}"


def _role(event: Event) -> str:
    held = str(event.data.get("role", ""))
    return str(Role(held).label) if held in Role.values else held
