"""What the tests with real processes run inside a scratch installation, each in its own process.

python -m tests.scratch FUNCTION ARGUMENT…
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

import django


def project(slug: str, *experts: str) -> None:
    """A project with a published rubric, a lead and experts."""
    from tests.making import make_member, make_project, make_version

    made = make_project(slug)
    make_version(made)
    make_member(made, "lead", username=f"{slug}-lead")
    for name in experts:
        make_member(made, "expert", username=name)


def address(username: str, email: str) -> None:
    from projects.models import User

    User.objects.filter(username=username).update(email=email)


def round_of(slug: str, size: str, *experts: str) -> None:
    """An open round in which these experts label."""
    from projects.models import Project, User
    from tests.ballots import make_label_round

    users = [User.objects.get(username=name) for name in experts]
    make_label_round(Project.objects.get(slug=slug), *users, size=int(size))


def pairs(slug: str, count: str) -> None:
    from projects.models import Project
    from tests.making import make_pairs

    make_pairs(Project.objects.get(slug=slug), int(count))


def import_slowly(slug: str, file: str, gate: str) -> None:
    """Import pairs, but rest between two chunks until `gate` is a file."""
    from annotate import ingest
    from annotate.actions.subject_imports import import_subjects
    from projects.models import Project

    def rest(done: int, total: int | None) -> None:
        if total is not None and not Path(gate).exists():
            wait_for(gate)

    import_subjects(
        project=Project.objects.get(slug=slug),
        file=Path(file),
        fields=ingest.field_map("pair"),
        acting_user=None,
        progress=rest,
    )


def label(username: str, signal: str) -> None:
    """Label every pair in the browser's way, then amend them in turn, until `signal` is a file.

    Prints what came back: status codes, how many votes and amendments were acknowledged, and the
    slowest answer in seconds.
    """
    from django.test import Client

    from annotate.models import Assignment
    from projects.models import User
    from tests.ballots import submission

    user = User.objects.get(username=username)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    pages = [f"/label/pair/{a.public_id}/" for a in Assignment.objects.of_user(user)]
    codes: Counter[int] = Counter()
    slowest = 0.0
    said = 0
    while said < len(pages) or not Path(signal).exists():
        page, said = pages[said % len(pages)], said + 1
        started = time.monotonic()
        form = submission(rationale=f"[C1] decides, said the {said}th time.")
        codes[client.get(page).status_code] += 1
        codes[client.post(f"{page}draft/", form).status_code] += 1
        codes[client.post(page, form).status_code] += 1
        slowest = max(slowest, time.monotonic() - started)
    sys.stdout.write(json.dumps({"codes": codes, "said": said, "slowest": slowest}))


def start_round(slug: str, size: str, gate: str, *experts: str) -> None:
    """Start a round once `gate` is a file; prints its number."""
    from annotate.actions import rounds
    from projects.models import Project, User
    from rubrics.models import RubricVersion

    project = Project.objects.get(slug=slug)
    raters = [User.objects.get(username=name) for name in experts]
    version = RubricVersion.objects.get(rubric__project=project)
    wait_for(gate)
    try:
        batch = rounds.start_round(
            project=project, version=version, raters=raters, size=int(size), acting_user=None
        )
    except rounds.RoundRefused as refusal:
        sys.stdout.write(str(refusal))
    else:
        sys.stdout.write(str(batch.number))


def submit(username: str, key: str, gate: str) -> None:
    """Submit the same form for the first pair once `gate` is a file; prints the status code."""
    from django.test import Client

    from annotate.models import Assignment
    from projects.models import User
    from tests.ballots import filled

    user = User.objects.get(username=username)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    first = Assignment.objects.of_user(user).order_by("position")[0]
    form = {**filled(), "action": "submit", "submit_key": key}
    wait_for(gate)
    sys.stdout.write(str(client.post(f"/label/pair/{first.public_id}/", form).status_code))


def practice_pairs(slug: str) -> None:
    """Three known answers to practise on, for the round that is open."""
    from annotate.models import Batch
    from projects.models import Project
    from tests.gold import make_practice

    project = Project.objects.get(slug=slug)
    make_practice(project, Batch.objects.get(project=project, number=1))


def practise(username: str, gate: str) -> None:
    """Press Start once `gate` is a file; prints the status code."""
    from django.test import Client

    from annotate.models import Batch
    from projects.models import User

    user = User.objects.get(username=username)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    batch = Batch.objects.get(raters__user=user)
    wait_for(gate)
    answer = client.post(f"/label/{batch.public_id}/practice/", {"action": "start"})
    sys.stdout.write(str(answer.status_code))


def wait_for(gate: str) -> None:
    """Let several processes go at one moment, once all of them are up."""
    Path(f"{gate}-{os.getpid()}").touch()
    while not Path(gate).exists():
        time.sleep(0.001)


def ring(public_id: str, times: str) -> None:
    """Messages for one job that nobody asked for."""
    from annotate.actions import jobs
    from projects.models import Job

    job = Job.objects.get(public_id=public_id)
    for _ in range(int(times)):
        jobs.ring(job.pk)


def start_poison(slug: str) -> None:
    from annotate.actions import jobs
    from projects.models import Project

    project = Project.objects.get(slug=slug)
    job = jobs.start_job(project=project, kind="poison", params={}, acting_user=None)
    sys.stdout.write(str(job.public_id))


def start_without_queue(slug: str, file: str) -> None:
    """Ask for a background import while the embedded broker's folder has gone."""
    from django.conf import settings
    from django.core.management import call_command

    queue = Path(str(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"]))
    queue.rename(queue.with_name("gone"))
    try:
        call_command("import_pairs", file, "--project", slug, "--background")
    finally:
        queue.with_name("gone").rename(queue)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    globals()[sys.argv[1]](*sys.argv[2:])
