"""What every page must send and must never hold, whatever people and models wrote."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils.html import escape as django_escape
from pytest_django import DjangoDbBlocker, Settings

from annotate.models import Assignment
from projects.models import User
from tests.ballots import submission
from tests.crawling import Elements, crawl, html_of
from tests.making import make_user
from tests.test_access import ADMIN, PAGES, Page, label, superuser, undone
from tests.world import World, make_world

POLICY = (
    "base-uri 'none'; connect-src 'self'; default-src 'none'; font-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; img-src 'self'; script-src 'self'; "
    "style-src 'self'"
)
# Where a picture that a text names may be loaded by a press, and nowhere else.
POLICY_WITH_PICTURES = POLICY.replace("img-src 'self'", "img-src 'self' https:")
WITH_PICTURES = {
    "annotate:label_pair",
    "annotate:meeting_unit",
    "annotate:practice_feedback",
    "annotate:ruling",
    "annotate:subject",
    "annotate:subject_gold",
    "annotate:upload",
}
# The texts of case RE-01, and the ways out of an attribute, a tag, a comment and a template.
TEXTS = (
    "<img src=x onerror=probe()>",
    '<iframe srcdoc="<script>probe()</script>"></iframe>',
    "[more](javascript:probe())",
    "[x](data:text/html,probe)",
    "<svg/onload=probe()>",
    "![t](https://example.invalid/p.png?u=1)",
    '<a href="https://example.invalid" style="position:fixed;inset:0">x</a>',
    '" onmouseover="probe()" x="',
    "' onfocus='probe()' autofocus x='",
    "</textarea></title></script><script>probe()</script>",
    "--><script>probe()</script>",
    "]]><script>probe()</script>",
    "{{ request.user }}{% debug %}",
    '<meta http-equiv="refresh" content="0;url=https://example.invalid">',
    '<base href="https://example.invalid/">',
    '<form action="https://example.invalid"><button>Go</button></form>',
    "[out](https://example.invalid/page)",
    "<https://example.invalid/auto>",
    '<b hx-post="/logout/" hx-trigger="load">x</b>',
)
SHORT = "<img src=x onerror=probe()> \"'"
FORBIDDEN = {"iframe", "object", "embed", "base", "style", "frame", "frameset", "applet", "link"}
FILES = ("/static/", "/admin/jsi18n/")
SCHEMES = {"", "http", "https", "mailto"}
DOWNLOADS = (
    "annotate:disagreements_csv",
    "annotate:meeting_names",
    "annotate:minutes_file",
    "annotate:refused_report",
    "annotate:refused_rows",
    "annotate:rounds_csv",
    "rubrics:source",
)
SHOWN = [entry for entry in PAGES if entry.get == 200 and entry.route not in DOWNLOADS]


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with django_db_blocker.unblock(), undone():
        yield make_world("\n\n".join(TEXTS), short=SHORT)


@pytest.fixture
def world(made: World, db: None) -> World:
    return made


def reader(world: World, entry: Page) -> Client:
    client = Client()
    client.force_login(world.people[entry.may[0]])
    return client


def faults(html: str) -> list[str]:
    """Whatever in a page could run, fetch from elsewhere, frame, or send a form away."""
    elements = Elements(html)
    found = [f"inline: {text[:60]}" for text in elements.inline]
    for tag, attributes in elements.found:
        if tag in FORBIDDEN - {"link"}:
            found.append(f"<{tag}>")
        if tag == "meta" and "http-equiv" in attributes:
            found.append("<meta http-equiv>")
        if tag == "script" and not attributes.get("src", "").startswith(FILES):
            found.append("<script> without a file of ours")
        for name, value in attributes.items():
            if name.startswith("on") or name in ("style", "srcdoc", "ping"):
                found.append(f"<{tag} {name}={value[:40]}>")
            if name in ("src", "srcset", "poster", "data", "background") or tag == "link":
                if name in ("rel", "type", "sizes", "media", "id", "crossorigin"):
                    continue
                if not value.startswith(FILES):
                    found.append(f"<{tag} {name}={value[:60]}>")
            if name in ("href", "xlink:href", "action", "formaction"):
                found += _wrong_target(tag, value, attributes)
    return found


def _wrong_target(tag: str, address: str, attributes: dict[str, str]) -> list[str]:
    target = urlsplit(address.strip())
    if target.scheme not in SCHEMES:
        return [f"<{tag}> leads to {address[:60]}"]
    if not target.netloc:
        return []
    if tag != "a" or not {"noopener", "nofollow"} <= set(attributes.get("rel", "").split()):
        return [f"<{tag}> leads away to {address[:60]}"]
    return []


def unescaped(html: str) -> list[str]:
    """Planted texts that stand in the source as they were written."""
    return [text for text in TEXTS if "<" in text and text in html and text[1:6] != "https"]


# ---- RE-01: hostile texts in every place


@pytest.mark.parametrize("entry", SHOWN, ids=label)
def test_re_01_hostile_texts_stay_texts(world: World, entry: Page) -> None:
    html = html_of(reader(world, entry).get(world.address(entry.route, entry.which)))
    assert django_escape(SHORT) in html, "the page shows none of the planted texts"
    assert faults(html) == []
    assert unescaped(html) == []


def test_re_01_everything_a_lead_reaches_is_clean(world: World) -> None:
    """Filters, older revisions, redirects and error pages, which the table does not name."""
    client = Client()
    client.force_login(world.people["lead"])
    found = crawl(client)
    assert len(found) > 60
    assert {
        address: answer.status_code for address, answer in found.items() if _failed(answer)
    } == {}
    dirty = {
        address: (faults(html_of(answer)), unescaped(html_of(answer)))
        for address, answer in found.items()
        if answer["Content-Type"].startswith("text/html")
    }
    assert {address: bad for address, bad in dirty.items() if bad != ([], [])} == {}


def _failed(response: HttpResponse) -> bool:
    return response.status_code not in (200, 302)


def test_re_01_a_refused_answer_comes_back_as_text(world: World) -> None:
    own = world.own()
    client = Client()
    client.force_login(world.people["rater"])
    words = "\n\n".join(TEXTS)
    form = submission(rationale=f"[C9] {words}", **{"label:G1:Left": '"><script>probe()</script>'})
    response = client.post(reverse("annotate:label_pair", args=[own.public_id]), form)
    assert response.status_code == 422
    html = html_of(response)
    assert escape("<svg/onload=probe()>") in html
    assert (faults(html), unescaped(html)) == ([], [])


def test_re_01_a_refused_rubric_comes_back_as_text(world: World) -> None:
    client = Client()
    client.force_login(world.people["lead"])
    source = f"task: {TEXTS[0]}\n{TEXTS[4]}: 1\ngates: {TEXTS[9]}\n"
    response = client.post(reverse("rubrics:draft", args=["claims"]), {"source": source})
    assert response.status_code == 422
    html = html_of(response)
    assert escape("<svg/onload=probe()>") in html
    assert (faults(html), unescaped(html)) == ([], [])


@pytest.mark.parametrize("model", sorted(ADMIN))
def test_re_01_the_admin_shows_hostile_texts_as_texts(world: World, model: str) -> None:
    app, name = model.lower().split(".")
    client = Client()
    client.force_login(superuser())
    listed = html_of(client.get(reverse(f"admin:{app}_{name}_changelist")))
    pages = [listed]
    pages += [
        html_of(client.get(link)) for link in Elements(listed).links() if link.endswith("/change/")
    ][:3]
    for html in pages:
        assert unescaped(html) == []
        assert faults(html) == []


def test_words_of_the_address_come_back_as_text(world: World) -> None:
    client = Client()
    client.force_login(world.people["lead"])
    for text in TEXTS:
        for name in ("value", "off", "criterion", "rubric", "next", "revision"):
            for entry in SHOWN:
                if entry.route not in ("annotate:units", "rubrics:draft", "rubrics:version"):
                    continue
                response = client.get(world.address(entry.route, entry.which), {name: text})
                assert faults(html_of(response)) == [], (entry.route, name)
                assert unescaped(html_of(response)) == [], (entry.route, name)


def test_the_source_of_a_rubric_is_a_file_and_no_page(world: World) -> None:
    client = Client()
    client.force_login(world.people["lead"])
    response = client.get(world.address("rubrics:source"))
    assert response["Content-Disposition"] == 'attachment; filename="file-summaries@1.yaml"'
    assert response["Content-Type"] == "application/yaml; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("route", ["annotate:refused_report", "annotate:refused_rows"])
def test_refused_rows_are_files_and_no_pages(world: World, route: str) -> None:
    client = Client()
    client.force_login(world.people["lead"])
    response = client.get(world.address(route))
    assert response["Content-Disposition"].startswith('attachment; filename="refused-rows.')
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response["Cache-Control"]


# ---- Headers


def policy_of(response: object) -> str:
    assert isinstance(response, HttpResponseBase)
    return "; ".join(sorted(response["Content-Security-Policy"].split("; ")))


def assert_headers(response: HttpResponseBase, policy: str = POLICY) -> None:
    assert policy_of(response) == policy
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("entry", PAGES, ids=label)
def test_every_answer_carries_the_headers(world: World, entry: Page) -> None:
    address = world.address(entry.route, entry.which)
    for client in (reader(world, entry), Client()):
        for response in (client.get(address), client.post(address)):
            assert isinstance(response, HttpResponseBase)
            # Refusals and redirects show no text; whether they may show pictures matters to nobody.
            may = entry.route in WITH_PICTURES and policy_of(response) != POLICY
            assert_headers(response, POLICY_WITH_PICTURES if may else POLICY)


@pytest.mark.parametrize(
    ("address", "status"),
    [("/nowhere/", 404), ("/p/claims/rounds/new/", 403), ("/?q=%00", 400), ("/login/", 200)],
)
def test_pages_without_an_object_carry_the_headers_too(
    world: World, address: str, status: int
) -> None:
    client = Client()
    if status != 200:
        client.force_login(world.people["expert"])
    response = client.get(address)
    assert response.status_code == status
    assert isinstance(response, HttpResponse)
    assert_headers(response)
    assert faults(html_of(response)) == []


# Forms of a lead: back brings them as they were typed. They hold no votes and no texts to judge.
KEPT = {"annotate:round_new", "rubrics:draft", "rubrics:publish"}


@pytest.mark.parametrize("entry", SHOWN, ids=label)
def test_back_after_signing_out_shows_nothing(world: World, entry: Page) -> None:
    """On a shared machine: no page of a signed-in person is kept by their browser."""
    response = reader(world, entry).get(world.address(entry.route, entry.which))
    directives = set(response["Cache-Control"].split(", "))
    assert "private" in directives
    assert ("no-store" in directives) == (entry.route not in KEPT)


def test_a_refusal_is_not_kept_either(world: World) -> None:
    client = Client()
    client.force_login(world.people["expert"])
    assert "no-store" in client.get(reverse("annotate:round_new", args=["claims"]))["Cache-Control"]


# ---- Sessions, cookies, secrets


@pytest.fixture
def people(db: None) -> None:
    for name in ("amy", "ben"):
        make_user(name)


def sign_in(client: Client, name: str = "amy") -> HttpResponse:
    form = {"username": name, "password": "correct horse battery"}
    return client.post(reverse("projects:login"), form)  # type: ignore[return-value]


def test_signing_in_begins_a_session_of_its_own(people: None) -> None:
    """Whoever planted a session key before gains nothing by it."""
    client = Client()
    session = client.session
    session["planted"] = True
    session.save()
    planted = str(session.session_key)
    client.cookies[settings.SESSION_COOKIE_NAME] = planted
    sign_in(client)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert key != planted
    other = Client()
    other.cookies[settings.SESSION_COOKIE_NAME] = planted
    assert other.get("/").status_code == 302


def test_the_next_person_at_a_machine_gets_nothing_of_the_last_ones_session(people: None) -> None:
    client = Client()
    sign_in(client)
    session = client.session
    session["left"] = True
    session.save()
    key = client.session.session_key
    sign_out = client.post(reverse("projects:logout"))
    assert sign_out.status_code == 302
    sign_in(client, "ben")
    assert "left" not in client.session
    stolen = Client()
    stolen.cookies[settings.SESSION_COOKIE_NAME] = str(key)
    assert stolen.get("/").status_code == 302


def test_a_new_password_ends_the_other_sessions(people: None) -> None:
    client = Client()
    sign_in(client)
    person = User.objects.get(username="amy")
    person.set_password("another horse battery")
    person.save()
    assert client.get("/").status_code == 302


def test_cookies_are_out_of_reach_of_scripts_and_of_other_sites(people: None) -> None:
    client = Client()
    client.get(reverse("projects:login"))
    sign_in(client)
    session, token = (client.cookies[name] for name in ("sessionid", "csrftoken"))
    assert session["httponly"]
    assert session["samesite"] == token["samesite"] == "Lax"


def test_behind_https_cookies_and_pages_travel_encrypted_only() -> None:
    wanted = {
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SECURE_SSL_REDIRECT": True,
        "SECURE_HSTS_SECONDS": 31_536_000,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": True,
        "SESSION_COOKIE_HTTPONLY": True,
        "DEBUG": False,
    }
    code = (
        "import json; from config import settings as s; "
        f"print(json.dumps({{name: getattr(s, name) for name in {list(wanted)!r}}}))"
    )
    environment = {**os.environ, "CALIBRANT_HTTPS": "true", "SECRET_KEY": "x" * 60}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout) == wanted


def test_the_door_of_the_admin_is_throttled_too(db: None) -> None:
    user = make_user("root")
    user.is_staff = user.is_superuser = True
    user.save()
    client = Client()
    for password in ("wrong",) * 5:
        answer = client.post(reverse("admin:login"), {"username": "root", "password": password})
    assert answer.status_code == 429
    right = {"username": "root", "password": "correct horse battery"}
    assert client.post(reverse("admin:login"), right).status_code == 429


def test_behind_a_proxy_a_stranger_cannot_lock_a_colleague_out(
    people: None, settings: Settings
) -> None:
    """Both come from the proxy's address; what a visitor writes into the header counts nothing."""
    settings.AXES_CLIENT_IP_CALLABLE = "projects.addresses.behind_proxy"
    stranger = Client(headers={"X-Forwarded-For": "192.0.2.1, 203.0.113.7"})
    wrong = {"username": "amy", "password": "wrong"}
    for _ in range(5):
        refused = stranger.post(reverse("projects:login"), wrong)
    assert refused.status_code == 429
    again = Client(headers={"X-Forwarded-For": "192.0.2.99, 203.0.113.7"})
    assert sign_in(again).status_code == 429
    assert sign_in(Client(headers={"X-Forwarded-For": "192.0.2.1"})).status_code == 302


def test_the_folder_of_the_database_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "fresh" / "var"
    environment = {**os.environ, "CALIBRANT_VAR": str(folder), "SECRET_KEY": ""}
    subprocess.run([sys.executable, "-c", "import config.settings"], env=environment, check=True)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "secret_key").stat().st_mode & 0o777 == 0o600


def test_the_secret_key_is_in_no_page_header_or_log(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = Client(raise_request_exception=False)
    client.force_login(world.people["lead"])
    found = crawl(client)

    def broken(*_args: object) -> None:
        raise RuntimeError("something broke")

    monkeypatch.setattr("annotate.views.home.home_of", broken)
    failed = client.get("/")
    assert failed.status_code == 500
    assert isinstance(failed, HttpResponse)
    assert "something broke" in caplog.text
    assert "something broke" not in html_of(failed)
    found["a failure"] = failed
    for answer in found.values():
        assert settings.SECRET_KEY not in answer.content.decode() + str(answer.headers)
    assert settings.SECRET_KEY not in caplog.text


def test_no_text_of_a_draft_or_vote_is_logged(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    own = Assignment.objects.get(pk=world.own().pk)
    client = Client()
    client.force_login(world.people["rater"])
    form = submission(rationale="[C1] nobody else may read this")
    client.post(reverse("annotate:label_draft", args=[own.public_id]), form)
    client.post(reverse("annotate:label_pair", args=[own.public_id]), form)
    ours = [record for record in caplog.records if not record.name.startswith("django.db")]
    assert all("nobody else may read this" not in record.getMessage() for record in ours)
