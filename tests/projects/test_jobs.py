from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse

from annotate.actions.runners import RUNNERS
from projects.job_words import COUNTED, TITLES
from projects.models import Job
from projects.reports import SHOWN, report_of
from tests.making import make_project

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

FRAGMENT = {"HX-Request": "true"}


def make_job(project: Project, by: User | None = None, **more: Any) -> Job:
    return Job.objects.create(project=project, kind="import_pairs", created_by=by, **more)


def page_of(job: Job) -> str:
    return reverse("projects:job", args=[job.project.slug, job.public_id])


def test_a_lead_sees_how_far_the_work_is(client: Client, project: Project, lead: User) -> None:
    job = make_job(project, state="running", done=40, total=100)
    client.force_login(lead)
    page = client.get(page_of(job)).content.decode()
    assert "Import pairs" in page
    assert 'max="100" value="40"' in page
    assert f'hx-get="{page_of(job)}" hx-trigger="every 2s"' in page


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ("import_subjects", "Import of pairs"),
        ("check_pairs", "Check of a file of pairs"),
        ("measure", "Measuring a round"),
        ("a_kind_of_tomorrow", "A kind of tomorrow"),
    ],
)
def test_a_job_is_called_what_people_call_it(
    client: Client, project: Project, lead: User, kind: str, title: str
) -> None:
    job = Job.objects.create(project=project, kind=kind)
    client.force_login(lead)
    page = client.get(page_of(job)).content.decode()
    assert f"<h1>{title}</h1>" in page
    assert f"<title>{title}" in page


def test_every_kind_of_job_has_a_name_for_people() -> None:
    assert set(RUNNERS) == set(TITLES) == set(COUNTED)


@pytest.mark.parametrize("checks_only", [True, False])
def test_a_check_says_what_would_be_and_an_import_what_is(
    client: Client, project: Project, lead: User, checks_only: bool
) -> None:
    problem = {"line": 1, "field": "prompt", "code": "not_text", "message": "It is a number."}
    counts = {"created": 16, "rejected": 2, "warning_count": 3, "flags": {"map": ["id=uid"]}}
    counts["problems"] = [problem]
    params = {"checks_only": checks_only}
    job = Job.objects.create(
        project=project, kind="import_subjects", state="done", params=params, result=counts
    )
    client.force_login(lead)
    page = client.get(page_of(job)).content.decode()
    names = re.findall("<dt>(.*?)</dt>", page)
    said = ["Would be created", "Would be refused"] if checks_only else ["Created", "Refused"]
    assert names == [*said, "Warnings"]
    heads = re.findall('<th scope="col">(.*?)</th>', page)
    assert heads == ["Line", "Field", "What it says"]
    for word in ("Rejected", "uid", "not_text"):
        assert word not in page


def test_work_without_an_end_in_sight_says_how_far_it_is(
    client: Client, project: Project, lead: User
) -> None:
    job = Job.objects.create(project=project, kind="check_pairs", state="running", done=12400)
    client.force_login(lead)
    page = client.get(page_of(job)).content.decode()
    assert "12,400 rows so far" in page
    assert '<progress  aria-label="Progress" class="is-live">' in page


def test_the_fragment_is_the_progress_alone(client: Client, project: Project, lead: User) -> None:
    job = make_job(project, state="running", done=40, total=100)
    client.force_login(lead)
    fragment = client.get(page_of(job), headers=FRAGMENT).content.decode()
    assert "<html" not in fragment
    assert 'max="100" value="40"' in fragment


def test_a_finished_job_stops_asking(client: Client, project: Project, lead: User) -> None:
    job = make_job(project, state="done", done=100, total=100)
    client.force_login(lead)
    assert "hx-get" not in client.get(page_of(job)).content.decode()
    assert client.get(page_of(job), headers=FRAGMENT)["HX-Refresh"] == "true"


def test_the_report_stands_on_the_page_with_its_places(
    client: Client, project: Project, lead: User
) -> None:
    problem = {"line": 214, "field": "response_b", "message": "<b>Empty</b>."}
    job = make_job(project, state="done", result={"created": 986, "problems": [problem]})
    client.force_login(lead)
    page = client.get(page_of(job)).content.decode()
    assert "986" in page
    assert "214" in page
    assert "&lt;b&gt;Empty&lt;/b&gt;" in page


def test_a_failure_says_why(client: Client, project: Project, lead: User) -> None:
    job = make_job(project, state="failed", message="The file is gone.")
    client.force_login(lead)
    page = client.get(page_of(job)).content.decode()
    assert "failed" in page
    assert "The file is gone." in page


def test_whoever_started_it_sees_it(client: Client, project: Project, expert: User) -> None:
    client.force_login(expert)
    assert client.get(page_of(make_job(project, by=expert))).status_code == 200


def test_another_expert_is_refused(client: Client, project: Project, expert: User) -> None:
    client.force_login(expert)
    assert client.get(page_of(make_job(project))).status_code == 403


@pytest.mark.parametrize("who", ["outsider", "stranger"])
def test_people_of_no_or_another_project_learn_nothing(
    client: Client, project: Project, who: str, request: pytest.FixtureRequest
) -> None:
    client.force_login(request.getfixturevalue(who))
    assert client.get(page_of(make_job(project))).status_code == 404


def test_a_job_is_not_found_under_another_project(
    client: Client, project: Project, lead: User
) -> None:
    job = make_job(project)
    make_project("other")
    client.force_login(lead)
    assert client.get(reverse("projects:job", args=["other", job.public_id])).status_code == 404


def test_nothing_is_posted_to_a_job(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)
    assert client.post(page_of(make_job(project))).status_code == 405


def test_a_report_keeps_figures_and_lists_apart() -> None:
    report = report_of({"created": 2, "by_file": {"a.csv": 2}, "problems": [{"line": 1}, {"x": 2}]})
    assert report.facts == (("created", 2), ("by file: a.csv", 2))
    assert report.tables[0].columns == ("line", "x")
    assert report.tables[0].rows == ((1, ""), ("", 2))


def test_a_long_list_is_cut_and_counted() -> None:
    table = report_of({"problems": list(range(SHOWN + 5))}).tables[0]
    assert len(table.rows) == SHOWN
    assert table.total == SHOWN + 5


def test_no_result_is_no_report() -> None:
    assert not report_of(None)
    assert report_of("done").facts == (("result", "done"),)
