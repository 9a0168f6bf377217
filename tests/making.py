"""Plain functions that make rows for tests; each takes only what the test cares about."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from django.utils import timezone

from annotate.actions.rounds import close_round, start_round
from annotate.actions.votes import submit_vote
from annotate.ballot import gate_state, seen_part, stop_of
from annotate.labelling import answer_from, ballot_for
from annotate.models import Assignment, Pair, Part, Subject, Vote
from projects.models import Membership, Project, User
from rubrics.actions import import_rubric, publish

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from annotate.models import Batch
    from rubrics.models import RubricVersion

RUBRIC = """
task: {task}
rubric_version: {number}
gates:
  - id: G1
    check: Every amount is the one in the file.
criteria:
  - id: C1
    check: The first sentence names the cause of loss, as version {number} words it.
    weight: 1
preference:
  scale: 5
"""


def make_user(username: str = "someone", *, password: str = "correct horse battery") -> User:
    return User.objects.create_user(username=username, password=password)


def make_project(slug: str = "claims") -> Project:
    return Project.objects.create(slug=slug, name=slug.replace("-", " ").capitalize())


def make_member(project: Project, *roles: str, username: str) -> User:
    user = make_user(username)
    for role in roles:
        Membership.objects.create(project=project, user=user, role=role)
    return user


def make_version(
    project: Project, *, task: str = "summaries", number: int = 1, published: bool = True
) -> RubricVersion:
    """A gate, a criterion and the preference."""
    source = RUBRIC.format(task=task, number=number)
    version = import_rubric(project=project, source=source, acting_user=None)
    if published:
        return publish(version=version, change_note="Made for a test.", acting_user=None)
    return version


def make_rubric_version(project: Project, source: str) -> RubricVersion:
    """A published version of a YAML document."""
    version = import_rubric(project=project, source=source, acting_user=None)
    return publish(version=version, change_note="Made for a test.", acting_user=None)


def make_pairs(project: Project, count: int, *, prefix: str = "pair") -> list[Subject]:
    """Pairs with texts of their own, all fresh."""
    return [make_pair(project, f"{prefix}-{n}") for n in range(count)]


def make_pair(
    project: Project,
    external_id: str = "pair-0",
    *,
    prompt: str = "",
    context: str = "",
    response_a: str | None = None,
    response_b: str | None = None,
    model_a: str = "",
    model_b: str = "",
    **metadata: str,
) -> Subject:
    subject = Subject.objects.create(
        project=project,
        external_id=external_id,
        content_hash=f"hash of {external_id}",
        metadata=metadata,
    )
    Pair.objects.create(
        subject=subject,
        messages=[{"role": "user", "content": prompt}] if prompt else [],
        context=context,
        model_a=model_a,
        model_b=model_b,
    )
    for key, text in (("A", response_a), ("B", response_b)):
        text = f"Response {key} of {external_id}." if text is None else text
        Part.objects.create(subject=subject, key=key, text=text)
    return subject


def make_round(
    project: Project, raters: Sequence[User], *, size: int = 2, version: RubricVersion | None = None
) -> Batch:
    """An open round on pairs and, where none is given, on a version made for it."""
    version = version or make_version(project)
    made = Subject.objects.filter(project=project).count()
    make_pairs(project, size, prefix=f"pair-{made}")
    return start_round(
        project=project, version=version, raters=raters, size=size, seed=1, acting_user=None
    )


def make_votes(batch: Batch, user: User, count: int | None = None) -> None:
    """Bare votes, without labels: for what only counts them."""
    mine = Assignment.objects.filter(batch=batch, rater__user=user).order_by("position")
    for assignment in mine[:count]:
        Vote.objects.create(
            batch=batch,
            subject=assignment.subject,
            rater=assignment.rater,
            assignment=assignment,
            at=timezone.now(),
        )
        assignment.state = Assignment.State.SUBMITTED
        assignment.save()


def make_vote(assignment: Assignment, given: Mapping[str, str] | None = None) -> Vote:
    """A vote, submitted as the page does, from canonical answers: `{"G1": "pass fail"}` passes A
    and fails B, one word holds for both; `preference` is a code, other names are form fields.
    """
    ballot = ballot_for(assignment.batch)
    order = assignment.seen_order
    cite = f"[{ballot.checks[-1].key}]." if ballot.checks else "."
    given = {"preference": "tie", "rationale": f"They are alike {cite}", **(given or {})}
    form = {name: text for name, text in given.items() if ballot.check(name) is None}
    for check in ballot.checks:
        words = given.get(check.key, check.values[0] if check.values else "1").split() * 2
        for part, word in zip(check.parts if "" in check.parts else "AB", words, strict=False):
            form[f"label:{check.key}:{seen_part(part, order)}"] = word
    code = form.pop("preference")
    if ballot.preference and not gate_state(ballot, answer_from(form, ballot)).decides:
        form["preference"] = str(stop_of(ballot, code, order))
    user = assignment.rater.user
    assert user is not None
    return submit_vote(assignment=assignment, form=form, submit_key=uuid4(), acting_user=user)


def make_voted_round(
    project: Project,
    raters: Sequence[User],
    answers: Sequence[Sequence[Mapping[str, str] | None]],
    *,
    version: RubricVersion | None = None,
    close: bool = True,
    simulated: bool = False,
) -> Batch:
    """A round with a pair for each of `answers`: what each rater says of it, None for no vote."""
    batch = make_round(project, raters, size=len(answers), version=version)
    if simulated:
        type(batch).objects.filter(pk=batch.pk).update(simulated=True)
        batch.refresh_from_db()
    subjects = list(batch.slots.order_by("subject_id").values_list("subject", flat=True).distinct())
    for subject, said in zip(subjects, answers, strict=True):
        for user, given in zip(raters, said, strict=True):
            if given is not None:
                make_vote(batch.assignments.get(subject=subject, rater__user=user), given)
    return close_round(batch=batch, acting_user=None) if close else batch
