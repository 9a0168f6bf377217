"""What the tests with real processes run inside a scratch installation, each in its own process.

python -m tests.scratch FUNCTION ARGUMENT…
"""

from __future__ import annotations

import os
import sys
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
