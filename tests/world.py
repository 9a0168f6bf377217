"""A whole project with everything in it, its people, and a walk over every route it has."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Count
from django.urls import get_resolver, reverse
from django.urls.resolvers import URLPattern
from django.utils import timezone

from annotate.actions import kept_files
from annotate.actions.edits import make_edit
from annotate.actions.gold import Known, set_gold
from annotate.actions.meetings import start_meeting
from annotate.actions.practice import begin_practice, decline_practice
from annotate.actions.rounds import close_round, rater_for, start_round
from annotate.actions.rulings import decide_ruling, open_ruling
from annotate.actions.uploads import bring
from annotate.actions.votes import save_draft, skip, submit_vote
from annotate.actions.waivers import MAX_REASON, waive
from annotate.checking import automatic_of, results_for, unchecked
from annotate.disagreements import differing
from annotate.ingest.spreadsheet import csv_row
from annotate.models import (
    Assignment,
    Batch,
    CheckResult,
    Edit,
    GoldAnswer,
    Label,
    Release,
    Ruling,
    Subject,
    Upload,
    Vote,
)
from projects.models import Job, Membership, Notice, Project, Rater, User
from rubrics.actions import import_rubric, publish
from tests.ballots import filled
from tests.making import make_member, make_pair, make_project, make_user

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rubrics.models import RubricVersion

# Persons by what they are to the project; None is a visitor who has not signed in.
MEMBERS = ("lead", "rating_lead", "rater", "expert", "policy_owner", "reviewer", "engineer")
OUTSIDE = ("former_rater", "lead_elsewhere", "expert_elsewhere", "stranger")
VISITOR = "visitor"


class Split(NamedTuple):
    """A unit on which raters differ."""

    subject: int
    key: str
    part: str


@dataclass(frozen=True)
class World:
    project: Project
    people: dict[str, User]
    open_round: Batch
    closed_round: Batch
    imported: Batch
    job: Job
    draft: RubricVersion

    def own(self, person: str = "rater", batch: Batch | None = None) -> Assignment:
        """A person's first pair of the open round."""
        rows = Assignment.objects.filter(rater__user=self.people[person])
        return rows.filter(batch=batch or self.open_round).in_queue_order()[0]

    @property
    def notice(self) -> Notice:
        """The newest notice of the rater."""
        return Notice.objects.filter(user=self.people["rater"])[0]

    @property
    def splits(self) -> list[Split]:
        """A unit of each pair of the closed round on which its raters differ: C1 on one side."""
        labels = Label.objects.of_current_votes(self.closed_round).filter(criterion__key="C1")
        given = labels.values_list("vote__subject", "part_key").annotate(
            n=Count("code", distinct=True)
        )
        split = {pair: Split(pair, "C1", part) for pair, part, n in given if n > 1}
        return [split[pair] for pair in sorted(split)]

    @property
    def discussed(self) -> str:
        """The address of a disagreement of the closed round."""
        subject, key, part = self.splits[-1]
        return f"{Subject.objects.get(pk=subject).public_id}.{key}.{part}"

    def arguments(self, route: str, which: str = "") -> dict[str, Any]:
        """Valid arguments of a route: an object of this project; `which` names another one."""
        of_open = ("annotate:round_ask", "annotate:round_close")
        is_open = which.startswith("open") or route in of_open
        batch = self.open_round if is_open else self.closed_round
        found: dict[str, Any] = {
            "slug": self.project.slug,
            "rubric": self.draft.rubric.slug,
            "number": batch.number,
            "batch_id": batch.public_id,
            "name": self.imported.name,
            "key": "A1",
            "unit": self.discussed,
            "act": "reword",
        }
        if which == "imported":
            found["batch_id"] = self.imported.public_id
        if route == "annotate:take_back":
            found["edit_id"] = Edit.objects.latest("id").public_id
        if route.startswith("rubrics:"):
            drafts = route in ("rubrics:publish", "rubrics:discard") or which == "draft"
            found["number"] = self.draft.number if drafts else batch.version.number
        if route.startswith("annotate:label"):
            found["batch_id"] = self.open_round.public_id
            found["public_id"] = self.own().public_id
        elif route in ("annotate:subject", "annotate:subject_gold"):
            found["public_id"] = self.own(batch=batch).subject.public_id
        elif route == "annotate:practice":
            found["batch_id"] = self.open_round.public_id
        elif route == "annotate:practice_feedback":
            practice = Batch.objects.get(kind=Batch.Kind.PRACTICE)
            found["public_id"] = self.own(batch=practice).public_id
        elif route == "projects:notice_open":
            found["public_id"] = self.notice.public_id
        elif route == "annotate:waive":
            found["key"] = "G1"
        elif route == "annotate:withdraw_waiver":
            found["key"] = "G2"
        elif route == "annotate:ruling":
            found["public_id"] = Ruling.objects.get(decision="missing").public_id
        elif route == "annotate:upload":
            found["public_id"] = Upload.objects.get().public_id
        elif route in ("projects:job", "annotate:refused_report", "annotate:refused_rows"):
            found["public_id"] = self.job.public_id
        return {name: found[name] for name in names_of(route)}

    def address(self, route: str, which: str = "") -> str:
        return reverse(route, kwargs=self.arguments(route, which))


def routes(
    patterns: Iterable[Any] | None = None, namespace: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    """Every pattern of the resolver with its full name."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLPattern):
            yield f"{namespace}:{pattern.name}" if namespace else str(pattern.name), pattern
        else:
            yield from routes(pattern.url_patterns, pattern.namespace or namespace)


def names_of(route: str) -> list[str]:
    """The names of a route's arguments."""
    pattern = dict(routes())[route]
    return list(pattern.pattern.converters)


def make_world(words: str = "plain words", *, short: str = "plain") -> World:
    """One project with `words` in every place that takes text, `short` where little fits."""
    project = make_project("claims")
    Project.objects.filter(pk=project.pk).update(name=f"Claims {short}", stakes=words)
    project.refresh_from_db()
    people = _people(project, short)
    version = _version(project, words, short, number=1)
    raters = [people["rater"], people["rating_lead"], people["former_rater"]]
    closed = _round(project, version, raters, words, short, prefix="closed")
    _votes(closed, [people["rater"], people["former_rater"], people["rating_lead"]], words)
    closed = close_round(batch=closed, acting_user=people["lead"])
    opened = _round(project, version, raters, words, short, prefix="open")
    _pairs(project, 3, words, short, prefix="spare")
    Membership.objects.filter(user=people["former_rater"]).delete()
    world = World(
        project=project,
        people=people,
        open_round=opened,
        closed_round=closed,
        imported=_imported(project, version, words, short),
        job=_job(project, people["lead"], words),
        draft=_version(project, words, short, number=2, published=False),
    )
    _files(world, words, short)
    _others_rows(world, words)
    _practice(world, words, short)
    _looked_at(version)
    _rulings(world, words)
    return _meeting(world, words)


def _looked_at(version: RubricVersion) -> None:
    """What code says of every text, as its job would write it."""
    criteria = automatic_of(version)
    texts = unchecked(version, criteria).select_related("subject__pair")
    CheckResult.objects.bulk_create(
        result for text in texts for result in results_for(text, criteria)
    )


def document(words: str, short: str, number: int) -> str:
    """A rubric (JSON is YAML): two gates, two criteria and the preference, each text planted."""
    anchors = [
        {"verdict": "pass", "origin": "real", "text": f"Passes. {words}", "note": words},
        {"verdict": "fail", "origin": "invented", "text": f"Fails. {words}"},
    ]

    def check(key: str) -> dict[str, Any]:
        return {
            "id": key,
            "title": f"{key} {short}",
            "check": f"Is {key} kept in version {number}? {words}",
            "help": words,
            "anchors": anchors,
        }

    return json.dumps(
        {
            "task": "file-summaries",
            "name": f"File summaries {short}",
            "rubric_version": number,
            "gates": [check("G1"), {**check("G2"), "allows_na": True}],
            "criteria": [check("C1"), {**check("C2"), "allows_na": True}],
            "automatic": [
                {
                    "id": "A1",
                    "title": f"Short {short}",
                    "check": f"A short text. {words}",
                    "help": words,
                    "rule": {"max_words": 2, "must_not_contain": [words]},
                }
            ],
            "preference": {
                "scale": 5,
                "check": f"Which one? {words}",
                "rationale": f"Say why. {words}",
            },
        },
        indent=1,
    )


def _people(project: Project, short: str) -> dict[str, User]:
    elsewhere = make_project("elsewhere")
    roles = {
        "lead": (project, ["lead"]),
        "rating_lead": (project, ["lead", "expert"]),
        "rater": (project, ["expert"]),
        "expert": (project, ["expert"]),
        "policy_owner": (project, ["policy_owner"]),
        "reviewer": (project, ["reviewer"]),
        "engineer": (project, ["engineer"]),
        "former_rater": (project, ["expert"]),
        "lead_elsewhere": (elsewhere, ["lead"]),
        "expert_elsewhere": (elsewhere, ["expert"]),
    }
    people = {name: make_member(at, *held, username=name) for name, (at, held) in roles.items()}
    people["stranger"] = make_user("stranger")
    for name, person in people.items():
        person.first_name, person.last_name = name.capitalize(), short
        person.save()
    return people


def _version(
    project: Project, words: str, short: str, *, number: int, published: bool = True
) -> RubricVersion:
    source = document(words, short, number)
    version = import_rubric(project=project, source=source, acting_user=None)
    return (
        publish(version=version, change_note=f"Noted. {words}", acting_user=None)
        if published
        else version
    )


def _pairs(project: Project, count: int, words: str, short: str, *, prefix: str) -> None:
    for n in range(count):
        make_pair(
            project,
            f"{prefix}-{n} {short}",
            prompt=f"Summarise {prefix} {n}. {words}",
            context=f"The file. {words}",
            response_a=f"First text of {prefix} {n} {short}. {words}",
            response_b=f"Second text of {prefix} {n} {short}. {words}",
            model_a=f"model-a {short}",
            model_b=f"model-b {short}",
            note=words,
        )


def _round(
    project: Project,
    version: RubricVersion,
    raters: list[User],
    words: str,
    short: str,
    *,
    prefix: str,
) -> Batch:
    """A round on pairs of its own, since no other fresh ones are left."""
    _pairs(project, 3, words, short, prefix=prefix)
    return start_round(
        project=project, version=version, raters=raters, size=3, seed=1, acting_user=None
    )


def _votes(batch: Batch, raters: list[User], words: str) -> None:
    """Whole votes of every rater; the last one sees C1 and G1 otherwise than the rest."""
    for user in raters:
        for n, assignment in enumerate(Assignment.objects.filter(batch=batch, rater__user=user)):
            odd = user is raters[-1]
            form = filled(
                C1_Right="yes" if odd else "no",
                preference="" if odd and n == 0 else str(n + 2),
                G1_Left="fail" if odd and n == 0 else "pass",
                rationale=f"[C1] decides: [Left] is better. {words}",
                **{"unclear:C2": "1"},
            )
            submit_vote(assignment=assignment, form=form, submit_key=uuid4(), acting_user=user)


def _imported(project: Project, version: RubricVersion, words: str, short: str) -> Batch:
    batch = Batch.objects.create(
        project=project,
        version=version,
        kind=Batch.Kind.IMPORTED,
        name=f"Old votes {short}",
        closed_at=timezone.now(),
    )
    criterion = version.criteria.get(key="C1")
    raters = [
        Rater.objects.create(project=project, kind="imported", name=f"{name} {short}")
        for name in ("Ada", "Ben")
    ]
    batch.raters.set(raters)
    for subject in Subject.objects.filter(external_id__startswith="spare"):
        for n, rater in enumerate(raters):
            vote = Vote.objects.create(
                batch=batch, subject=subject, rater=rater, rationale=words, at=timezone.now()
            )
            for part in ("A", "B"):
                code = "no" if n and part == "B" else "yes"
                Label.objects.create(vote=vote, criterion=criterion, part_key=part, code=code)
    return batch


def _practice(world: World, words: str, short: str) -> None:
    """The rater has answered one of two practice pairs, and has put off the other."""
    _pairs(world.project, 2, words, short, prefix="practice")
    version, rater = world.open_round.version, world.people["rater"]
    labels = {(key, part): "pass" for key in ("G1", "G2") for part in "AB"}
    labels |= {(key, part): "yes" for key in ("C1", "C2") for part in "AB"}
    why = f"[A] and [B] are alike. {words}"
    for subject in Subject.objects.filter(external_id__startswith="practice"):
        known = Known(labels, "tie", why, GoldAnswer.Use.PRACTICE)
        set_gold(subject=subject, version=version, known=known, acting_user=world.people["lead"])
    first = begin_practice(batch=world.open_round, acting_user=rater).pairs[0]
    form = filled(C1_Right="no", rationale=f"[C1] decides: [Left] is better. {words}")
    submit_vote(assignment=first, form=form, submit_key=uuid4(), acting_user=rater)
    decline_practice(batch=world.open_round, acting_user=rater)


def _rulings(world: World, words: str) -> None:
    """One split waits for the policy owner, and one was ruled on: a rule was missing."""
    waiting, ruled, _ = world.splits
    lead, owner = world.people["lead"], world.people["policy_owner"]
    for n, unit in enumerate((waiting, ruled)):
        open_ruling(
            batch=world.closed_round,
            units=[unit],
            question=f"What holds in case {n}? {words}",
            acting_user=lead,
        )
    decide_ruling(
        ruling=Ruling.objects.get(subject=ruled.subject),
        decision=Ruling.Decision.MISSING,
        answer=f"So it is. {words}",
        acting_user=owner,
    )


def _job(project: Project, by: User, words: str) -> Job:
    problem = {"line": 2, "field": words, "message": f"Refused. {words}"}
    return Job.objects.create(
        project=project,
        kind="import_pairs",
        state=Job.State.FAILED,
        message=f"Stopped. {words}",
        result={"created": 3, "rejected": 1, "note": words, "problems": [problem], words: words},
        created_by=by,
        finished_at=timezone.now(),
    )


def _files(world: World, words: str, short: str) -> None:
    """A file that was brought and not imported, and what a job refused."""
    row = {"id": short, "prompt": words, "response_a": words, "response_b": short, words[:40]: 1}
    file = SimpleUploadedFile(f"pairs {short}.jsonl", json.dumps(row).encode())
    bring(project=world.project, kind="pairs", file=file, acting_user=world.people["lead"])
    report = kept_files.report_of_refused(world.job.public_id)
    report.write_bytes(csv_row((2, words, "missing", words, json.dumps(row))))
    kept_files.refused_rows_of(world.job.public_id).write_bytes(json.dumps(row).encode())


def _meeting(world: World, words: str) -> World:
    """A meeting runs about the closed round; one disagreement of it asked for another wording."""
    lead, batch = world.people["lead"], world.closed_round
    start_meeting(batch=batch, minutes=60, acting_user=lead)
    item = differing([batch], reader=lead).of(world.splits[-1])
    assert item is not None
    make_edit(
        batch=batch,
        unit=item.unit,
        ruling=None,
        kind="reword",
        detail={"key": "C1", "text": f"Names the cause. {words}", "help": words},
        note=words,
        passage=None,
        acting_user=lead,
    )
    return replace(world, draft=world.draft.rubric.versions.get(status="draft"))


def _others_rows(world: World, words: str) -> None:
    """A draft and a skip in the open round, and a row of each kind that the admin shows."""
    own = world.own("rating_lead")
    form = filled(rationale=f"Begun. {words}")
    save_draft(assignment=own, form=form, acting_user=world.people["rating_lead"])
    skip(assignment=own, reason=words[:400], acting_user=world.people["rating_lead"])
    rater_for(world.project, world.people["expert"])
    subject = Subject.objects.filter(external_id__startswith="spare")[0]
    GoldAnswer.objects.create(subject=subject, version=world.open_round.version, why=words)
    version = world.closed_round.version
    waive(version=version, key="G2", reason=words[:MAX_REASON], acting_user=world.people["lead"])
    Release.objects.create(
        project=world.project,
        batch=world.closed_round,
        format="trl",
        policy="one_sided",
        manifest={"note": words},
    )
