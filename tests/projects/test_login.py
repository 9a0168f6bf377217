from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from axes.models import AccessAttempt
from django.conf import settings as real_settings
from django.urls import reverse
from django.utils import timezone

from config import settings as project_settings
from tests.making import make_user

if TYPE_CHECKING:
    from django.http import HttpResponse
    from django.test import Client
    from pytest_django import Settings

    from projects.models import User

PASSWORD = "correct horse battery"


def sign_in(client: Client, password: str, *, name: str = "someone", **more: str) -> HttpResponse:
    form = {"username": name, "password": password, **more}
    return client.post(reverse("projects:login"), form)  # type: ignore[return-value]


def fail_five_times(client: Client, name: str = "someone") -> HttpResponse:
    for _ in range(5):
        response = sign_in(client, "wrong", name=name)
    return response


@pytest.fixture
def someone(db: None) -> User:
    return make_user("someone", password=PASSWORD)


def test_name_and_password_open_the_projects(client: Client, someone: User) -> None:
    response = sign_in(client, PASSWORD)
    assert response.status_code == 302
    assert response["Location"] == reverse("annotate:home")


def test_a_visitor_is_asked_to_sign_in_and_returns_where_they_wanted(
    client: Client, someone: User
) -> None:
    wanted = "/p/claims/"
    asked = client.get(wanted)
    assert asked["Location"] == f"/login/?next={wanted}"
    assert sign_in(client, PASSWORD, next=wanted)["Location"] == wanted


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/", "//evil.example/p/", "javascript:alert(1)", "/\\evil.example"],
)
def test_the_way_back_never_leaves_this_host(client: Client, someone: User, elsewhere: str) -> None:
    assert sign_in(client, PASSWORD, next=elsewhere)["Location"] == reverse("annotate:home")


def test_a_wrong_password_keeps_the_typed_name(client: Client, someone: User) -> None:
    response = sign_in(client, "wrong")
    page = response.content.decode()
    assert response.status_code == 200
    assert 'value="someone"' in page
    assert "do not belong together" in page
    assert "wrong" not in page


def test_an_ended_account_is_told_no_more_than_a_wrong_password(
    client: Client, someone: User
) -> None:
    someone.is_active = False
    someone.save()
    assert "do not belong together" in sign_in(client, PASSWORD).content.decode()


def test_five_failures_close_the_name_and_say_for_how_long(client: Client, someone: User) -> None:
    response = fail_five_times(client)
    page = response.content.decode()
    assert response.status_code == 429
    assert "<b>15 minutes</b>" in page
    assert 890 <= int(response["Retry-After"]) <= 900
    assert sign_in(client, PASSWORD).status_code == 429


def test_trying_while_locked_does_not_lengthen_the_wait(client: Client, someone: User) -> None:
    fail_five_times(client)
    ten_minutes_later(client)
    assert "<b>5 minutes</b>" in sign_in(client, "wrong").content.decode()
    assert "<b>5 minutes</b>" in sign_in(client, PASSWORD).content.decode()


def test_the_right_password_works_again_after_the_wait(client: Client, someone: User) -> None:
    fail_five_times(client)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert sign_in(client, PASSWORD).status_code == 302


def test_a_stranger_elsewhere_cannot_lock_a_person_out(client: Client, someone: User) -> None:
    client.defaults["REMOTE_ADDR"] = "203.0.113.7"
    fail_five_times(client)
    client.defaults["REMOTE_ADDR"] = "127.0.0.1"
    assert sign_in(client, PASSWORD).status_code == 302


def test_one_locked_name_leaves_the_others_open(client: Client, someone: User) -> None:
    make_user("colleague", password=PASSWORD)
    fail_five_times(client)
    assert sign_in(client, PASSWORD, name="colleague").status_code == 302


def test_no_password_is_kept_from_a_failed_try(client: Client, someone: User) -> None:
    sign_in(client, "almost my secret")
    assert "almost my secret" not in AccessAttempt.objects.get().post_data


def test_passwords_are_hashed_with_argon2(client: Client, settings: Settings, db: None) -> None:
    settings.PASSWORD_HASHERS = project_settings.PASSWORD_HASHERS
    person = make_user("someone", password=PASSWORD)
    assert person.password.startswith("argon2$argon2id$")
    assert sign_in(client, PASSWORD).status_code == 302


def test_a_fragment_that_meets_the_sign_in_page_sends_the_whole_page(
    client: Client, db: None
) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/p/claims/"}
    response = client.get("/p/claims/", follow=True, headers=headers)
    assert response["HX-Redirect"] == "/login/?next=%2Fp%2Fclaims%2F"


def test_signing_out_takes_a_post(client: Client, someone: User) -> None:
    client.force_login(someone)
    assert client.get(reverse("projects:logout")).status_code == 405
    response = client.post(reverse("projects:logout"))
    assert response["Location"] == reverse(real_settings.LOGIN_URL)
    assert client.get("/").status_code == 302


def test_the_page_allows_nothing_inline(client: Client, db: None) -> None:
    response = client.get(reverse("projects:login"))
    page = response.content.decode()
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert "style-src 'self'" in response["Content-Security-Policy"]
    assert "<style" not in page
    assert " style=" not in page
    assert "<script>" not in page


def ten_minutes_later(client: Client) -> None:
    for attempt in AccessAttempt.objects.all():
        AccessAttempt.objects.filter(pk=attempt.pk).update(
            attempt_time=attempt.attempt_time - timedelta(minutes=10)
        )
