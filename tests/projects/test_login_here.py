"""Signing in over a page that stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import reverse

from projects.browser_key import browser_key
from tests.making import make_user

if TYPE_CHECKING:
    from projects.models import User

PASSWORD = "correct horse battery"


@pytest.fixture
def someone(db: None) -> User:
    return make_user("someone", password=PASSWORD)


def here() -> str:
    return reverse("projects:login_here")


def sign_in(client: Client, password: str = PASSWORD, **more: str) -> Any:
    form = {"username": "someone", "password": password, **more}
    return client.post(here(), form)


def test_a_visitor_gets_the_form_alone_with_a_token(client: Client, db: None) -> None:
    response = client.get(here())
    page = response.content.decode()
    assert response.status_code == 200
    assert page.lstrip().startswith("<form")
    assert "csrfmiddlewaretoken" in page
    assert "csrftoken" in response.cookies
    assert "no-store" in response["Cache-Control"]


def test_signing_in_answers_with_the_persons_key_and_another_token(
    client: Client, someone: User
) -> None:
    before = client.get(here()).cookies["csrftoken"].value
    response = sign_in(client)
    assert response.json() == {"person": browser_key(someone)}
    assert response.cookies["csrftoken"].value != before
    assert client.get("/").status_code == 200


def test_a_wrong_password_brings_the_form_again_with_its_error(
    client: Client, someone: User
) -> None:
    response = sign_in(client, "wrong")
    page = response.content.decode()
    assert response.status_code == 422
    assert "do not belong together" in page
    assert 'value="someone"' in page
    assert "wrong" not in page
    assert "<html" not in page


def test_too_many_tries_are_said_in_the_same_place(client: Client, someone: User) -> None:
    for _ in range(5):
        response = sign_in(client, "wrong")
    page = response.content.decode()
    assert response.status_code == 429
    assert "<b>15 minutes</b>" in page
    assert "<html" not in page
    assert sign_in(client).status_code == 429


def test_who_is_here_is_answered_by_a_key_that_names_nobody(client: Client, someone: User) -> None:
    client.force_login(someone)
    response = client.get(here())
    assert response.json() == {"person": browser_key(someone)}
    assert "someone" not in response.content.decode()
    assert response.cookies["csrftoken"].value


def test_somebody_else_may_sign_in_over_a_session(client: Client, someone: User) -> None:
    other = make_user("other", password=PASSWORD)
    client.force_login(other)
    assert "<form" in client.get(here(), {"form": ""}).content.decode()
    assert sign_in(client).json() == {"person": browser_key(someone)}
    assert client.session["_auth_user_id"] == str(someone.pk)


def test_keys_differ_by_person_and_hold_over_time(someone: User) -> None:
    other = make_user("other")
    assert browser_key(someone) != browser_key(other)
    assert browser_key(someone) == browser_key(someone)


def test_it_leads_nowhere_else(client: Client, someone: User) -> None:
    response = sign_in(client, next="https://evil.example/")
    assert response.status_code == 200
    assert "Location" not in response


def test_a_form_without_its_token_is_refused(someone: User) -> None:
    client = Client(enforce_csrf_checks=True)
    assert sign_in(client).status_code == 403
    assert "_auth_user_id" not in client.session
