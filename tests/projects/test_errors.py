from __future__ import annotations

from typing import TYPE_CHECKING

from django.template.loader import get_template
from django.test import Client
from django.views.defaults import server_error

from tests.making import make_member

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.test import RequestFactory

    from projects.models import Project, User


def test_an_unknown_address_says_where_to_go(client: Client, lead: User) -> None:
    client.force_login(lead)
    response = client.get("/nothing/here/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_a_member_without_the_role_is_told_whose_page_it_is(
    client: Client, project: Project, lead: User
) -> None:
    job = project.jobs.create(kind="import_pairs", created_by=lead)
    client.force_login(make_member(project, "reviewer", username="reviewer"))
    response = client.get(f"/p/claims/jobs/{job.public_id}/")
    assert response.status_code == 403
    assert "for the lead of the project" in response.content.decode()


def test_a_form_without_its_token_keeps_what_was_typed(db: None) -> None:
    response = Client(enforce_csrf_checks=True).post("/login/", {"username": "someone"})
    page = response.content.decode()
    assert response.status_code == 403
    assert "back button" in page
    assert "everything you typed is still there" in page


def test_an_unknown_host_gets_a_page_that_needs_nothing(client: Client, lead: User) -> None:
    response = client.get("/", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert "could not be read" in response.content.decode()


def test_the_page_for_our_own_faults_stands_without_context(rf: RequestFactory) -> None:
    request: HttpRequest = rf.get("/")
    response = server_error(request)
    assert response.status_code == 500
    assert "Something broke here" in response.content.decode()
    assert "Something broke here" in get_template("500.html").render()
