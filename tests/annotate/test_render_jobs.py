"""Rendering ahead of labelling: a job of the round, never a part of the label path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.urls import reverse

from annotate import rendered
from annotate.actions import jobs
from annotate.actions.demo import load_demo
from annotate.actions.render_jobs import run_rendering
from annotate.actions.runners import RUNNERS
from annotate.models import Part, RenderedText
from annotate.rendering import cache_key
from projects.models import Job
from tests.ballots import first_of, make_label_round
from tests.making import make_member, make_project

if TYPE_CHECKING:
    from django.test import Client

    from annotate.models import Batch
    from projects.models import Project, User


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=3)


def kept() -> dict[str, str]:
    return dict(RenderedText.objects.values_list("key", "html"))


def ignore(done: int, total: int | None) -> None:
    pass


def test_a_round_starts_with_a_job_that_renders_every_text_of_its_pairs(batch: Batch) -> None:
    job = Job.objects.get()
    assert (job.kind, job.state, job.project_id) == ("render", "pending", batch.project_id)
    assert kept() == {}
    jobs.run(job.pk, RUNNERS)
    job.refresh_from_db()
    # Two responses and a request for each pair; the context is the same for all.
    assert (job.state, job.result) == ("done", {"pairs": 3, "rendered": 10})
    assert (job.done, job.total) == (3, 3)
    texts = [f"Canonical {n} text {i}." for n in ("first", "second") for i in range(3)]
    texts += [f"Summarise file {i}." for i in range(3)] + ["The **file** says $18,240.50."]
    assert set(kept()) == {cache_key(text) for text in texts}


def test_the_label_page_renders_nothing_that_the_job_has_rendered(
    batch: Batch, expert: User, client: Client
) -> None:
    jobs.run(Job.objects.get().pk, RUNNERS)
    before = kept()
    RenderedText.objects.update(html="<p>made ahead</p>")
    client.force_login(expert)
    address = reverse("annotate:label_pair", args=[first_of(batch, expert).public_id])
    assert client.get(address).content.decode().count("<p>made ahead</p>") == 4
    assert set(kept()) == set(before)


def test_a_page_that_comes_before_the_job_renders_its_own_texts_and_no_more(
    batch: Batch, expert: User, client: Client
) -> None:
    client.force_login(expert)
    address = reverse("annotate:label_pair", args=[first_of(batch, expert).public_id])
    assert client.get(address).status_code == 200
    assert len(kept()) == 4
    assert run_rendering(Job.objects.get(), ignore) == {"pairs": 3, "rendered": 6}


def test_rendering_again_changes_nothing(batch: Batch) -> None:
    job = Job.objects.get()
    run_rendering(job, ignore)
    before = list(RenderedText.objects.order_by("key").values())
    assert run_rendering(job, ignore) == {"pairs": 3, "rendered": 0}
    assert list(RenderedText.objects.order_by("key").values()) == before


def test_a_job_that_was_cut_short_keeps_what_it_had_and_does_the_rest(batch: Batch) -> None:
    job, told = Job.objects.get(), 0

    def lose_the_lease(done: int, total: int | None) -> None:
        nonlocal told
        told += 1
        if told == 4:
            raise jobs.JobLost

    with pytest.raises(jobs.JobLost):
        run_rendering(job, lose_the_lease)
    had = len(kept())
    assert 0 < had < 10
    assert run_rendering(job, ignore) == {"pairs": 3, "rendered": 10 - had}


def test_the_lease_is_renewed_after_every_text(batch: Batch) -> None:
    told: list[tuple[int, int | None]] = []
    run_rendering(Job.objects.get(), lambda done, total: told.append((done, total)))
    assert len(told) > 10
    assert told[-1] == (3, 3)


@pytest.mark.django_db(transaction=True)
def test_no_transaction_stands_around_rendering(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()
    raters = [make_member(project, "expert", username=name) for name in ("ann", "bo")]
    make_label_round(project, *raters)
    inside: list[bool] = []

    def watched(text: str) -> str:
        inside.append(connection.in_atomic_block)
        return text

    monkeypatch.setattr(rendered, "render", watched)
    jobs.run(Job.objects.get().pk, RUNNERS)
    assert set(inside) == {False}


def test_the_demo_leaves_its_texts_to_the_worker(db: None, settings: Any, tmp_path: Any) -> None:
    settings.VAR_DIR = tmp_path
    load_demo()
    # All but a few that passages were taken from.
    assert len(kept()) < 0.1 * Part.objects.count()
    rendering = Job.objects.filter(kind="render")
    assert list(rendering.values_list("state", flat=True)) == ["pending"] * 3


def test_the_page_of_an_open_round_leads_to_the_job_until_it_is_done(
    batch: Batch, lead: User, client: Client
) -> None:
    client.force_login(lead)
    job = Job.objects.get()
    page = reverse("annotate:round", args=[batch.project.slug, batch.number])
    address = reverse("projects:job", args=[batch.project.slug, job.public_id])
    assert address in client.get(page).content.decode()
    assert "waiting for a worker" in client.get(address).content.decode()
    jobs.run(job.pk, RUNNERS)
    assert address not in client.get(page).content.decode()
