from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from projects.models import Event, User

if TYPE_CHECKING:
    from projects.models import Project

OLD, NEW = "correct horse battery", "another horse battery"


def form(old: str = OLD, first: str = NEW, second: str = NEW) -> dict[str, str]:
    return {"old_password": old, "new_password1": first, "new_password2": second}


def test_a_person_changes_their_own_password(client: Client, project: Project, lead: User) -> None:
    elsewhere = Client()
    elsewhere.force_login(lead)
    client.force_login(lead)
    response = client.post("/account/", form())
    assert (response.status_code, response["Location"]) == (302, "/account/")
    assert [str(m) for m in get_messages(response.wsgi_request)] == [
        "Your password is changed; other sessions of yours have ended."
    ]
    assert client.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
    lead.refresh_from_db()
    assert lead.check_password(NEW)
    event = Event.objects.get()
    assert (event.verb, event.actor, event.target) == ("account.password_changed", lead, "lead")
    assert event.data == {}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (form(old="wrong"), "Your old password was entered incorrectly."),
        (form(second="yet another one"), "The two password fields didn’t match."),
        (form(first="short", second="short"), "This password is too short."),
        ({}, "This field is required."),
    ],
)
def test_a_password_that_will_not_do_is_refused_in_words(
    client: Client, lead: User, given: dict[str, str], words: str
) -> None:
    client.force_login(lead)
    response = client.post("/account/", given)
    assert response.status_code == 422
    page = response.content.decode()
    assert words in page
    # No password comes back in the page.
    assert not [word for word in given.values() if f'value="{word}"' in page]
    lead.refresh_from_db()
    assert lead.check_password(OLD)
    assert not Event.objects.exists()


def test_the_bar_leads_to_it(client: Client, lead: User) -> None:
    client.force_login(lead)
    assert '<a class="bar-person" href="/account/">lead</a>' in client.get("/").content.decode()


def test_a_person_chooses_the_keys_of_the_label_page(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)
    response = client.post("/account/keys/", {"keys": "left_hand"})
    assert (response.status_code, response["Location"]) == (302, "/account/")
    lead.refresh_from_db()
    assert lead.keys == "left_hand"
    event = Event.objects.get()
    assert (event.verb, event.actor, event.target) == ("account.keys_chosen", lead, "lead")
    assert event.data == {"keys": "left_hand"}
    page = client.get("/account/").content.decode()
    assert 'value="left_hand" required id="id_keys_1" checked' in page
    # The choice that stands already is no write.
    client.post("/account/keys/", {"keys": "left_hand"})
    assert Event.objects.count() == 1


@pytest.mark.parametrize("given", [{}, {"keys": ""}, {"keys": "three_hands"}])
def test_keys_that_do_not_exist_are_refused_in_words(
    client: Client, lead: User, given: dict[str, str]
) -> None:
    client.force_login(lead)
    response = client.post("/account/keys/", given)
    assert response.status_code == 422
    assert 'class="error"' in response.content.decode()
    lead.refresh_from_db()
    assert lead.keys == "two_hands"
    assert not Event.objects.exists()
