"""Notices by e-mail, sent to a real server on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from annotate.tasks import sweep
from projects import mail
from projects.actions import change_mail
from projects.models import Event, Membership, Notice, Project
from projects.notices import mark_read, tell
from projects.querysets import MAIL_WITHIN
from projects.tasks import mail_notices
from tests.mail_server import MailServer, mail_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_django import Settings

    from projects.models import User

    Captured = Callable[..., object]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def server(settings: Settings) -> Iterator[MailServer]:
    with mail_server() as running:
        settings.MAIL_NOTICES = True
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", running.port
        settings.CALIBRANT_SITE_URL = "https://labels.example.org"
        settings.DEFAULT_FROM_EMAIL = "Calibrant <calibrant@example.org>"
        yield running


@pytest.fixture
def ada(project: Project, expert: User) -> User:
    expert.email = "ada@example.org"
    expert.save()
    return expert


def told(project: Project, *users: User, text: str = "Round 1 is open to you.") -> list[int]:
    with transaction.atomic():
        notices = tell(
            users=users,
            project=project,
            verb=Notice.Verb.OPENED,
            text=text,
            path="/label/next/",
        )
    return [notice.pk for notice in notices]


def due_now() -> None:
    """As if the wait after a failure were over."""
    Notice.objects.exclude(mail_due_at=None).update(mail_due_at=timezone.now())


def only(messages: list[EmailMessage]) -> EmailMessage:
    (message,) = messages
    return message


def test_a_notice_is_mailed_with_its_address(
    server: MailServer, project: Project, ada: User
) -> None:
    mail_notices(told(project, ada))
    message = only(server.took)
    assert message["Subject"] == "Claims: Round 1 is open to you."
    assert (message["To"], message["From"]) == (
        "ada@example.org",
        "Calibrant <calibrant@example.org>",
    )
    assert message.get_content_type() == "text/plain"
    body = message.get_content().replace("\r\n", "\n")
    assert "Round 1 is open to you.\n\nhttps://labels.example.org/label/next/\n" in body
    assert "https://labels.example.org/account/" in body


def test_the_bell_rings_once_all_is_committed_and_never_before(
    server: MailServer,
    project: Project,
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Captured,
) -> None:
    rung: list[object] = []
    monkeypatch.setattr(mail, "ring", lambda task, ids: rung.append((task, ids)))
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        ids = told(project, ada)
        assert rung == []
    assert rung == [("projects.tasks.mail_notices", ids)]
    assert server.took == []


def test_delivered_twice_it_is_mailed_once(server: MailServer, project: Project, ada: User) -> None:
    ids = told(project, ada)
    for _ in range(3):
        mail_notices(ids)
        sweep()
    assert len(server.took) == 1


def test_without_a_server_named_nothing_is_kept_to_be_mailed(project: Project, ada: User) -> None:
    told(project, ada)
    assert Notice.objects.get().mail_due_at is None
    assert mail.ring_again() == 0


def test_whoever_has_no_address_or_wants_no_mail_is_skipped(
    server: MailServer, project: Project, ada: User, other_expert: User, third_expert: User
) -> None:
    third_expert.email, third_expert.mail_notices = "third@example.org", False
    third_expert.save()
    mail_notices(told(project, ada, other_expert, third_expert))
    assert [message["To"] for message in server.took] == ["ada@example.org"]
    assert Notice.objects.count() == 3


@pytest.mark.parametrize("change", ["read", "left", "ended", "switched off"])
def test_what_has_changed_since_is_heeded(
    server: MailServer, project: Project, ada: User, change: str
) -> None:
    ids = told(project, ada)
    if change == "read":
        mark_read(user=ada, notice=Notice.objects.get())
    elif change == "left":
        Membership.objects.filter(user=ada).delete()
    elif change == "ended":
        ada.is_active = False
        ada.save()
    else:
        change_mail(user=ada, address=ada.email, wanted=False, acting_user=ada)
    mail_notices(ids)
    assert server.took == []
    assert Notice.objects.get().mail_due_at is None


def test_a_server_that_is_away_breaks_nothing_and_is_tried_again(
    server: MailServer, settings: Settings, project: Project, ada: User
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        settings.EMAIL_PORT = closed.getsockname()[1]
        ids = told(project, ada)
        mail_notices(ids)
    assert Notice.objects.get().mail_due_at is not None
    settings.EMAIL_PORT = server.port
    assert mail.ring_again() == 1
    mail_notices(ids)
    assert len(server.took) == 1


def test_a_refused_address_waits_longer_each_time_and_holds_up_nobody(
    server: MailServer, project: Project, ada: User, other_expert: User
) -> None:
    other_expert.email = "other@example.org"
    other_expert.save()
    server.refused.add("ada@example.org")
    ids = told(project, ada, other_expert)
    mail_notices(ids)
    assert [message["To"] for message in server.took] == ["other@example.org"]
    mail_notices(ids)
    refused = Notice.objects.get(user=ada)
    assert refused.mail_due_at is not None
    assert refused.mail_due_at > timezone.now() + timedelta(seconds=50)
    # Three hours later it is tried again, and then not for three more.
    Notice.objects.update(created_at=timezone.now() - timedelta(hours=3))
    due_now()
    mail_notices(ids)
    refused.refresh_from_db()
    assert refused.mail_due_at is not None
    assert refused.mail_due_at > timezone.now() + timedelta(hours=2, minutes=59)
    server.refused.clear()
    due_now()
    mail_notices(ids)
    assert len(server.to("ada@example.org")) == 1


@pytest.mark.parametrize(
    "address", ["ada@exa..mple.org", f"ada@{'x' * 70}.ärzte.example", "ada\n@example.org"]
)
def test_an_address_that_no_mail_can_carry_holds_up_nobody(
    server: MailServer,
    project: Project,
    ada: User,
    other_expert: User,
    address: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for user, given in ((ada, address), (other_expert, "other@example.org")):
        user.email = given
        user.save()
    mail_notices(told(project, ada, other_expert))
    assert [message["To"] for message in server.took] == ["other@example.org"]
    assert Notice.objects.get(user=ada).mail_due_at is not None
    assert "was not mailed" in caplog.text
    assert address not in caplog.text


def test_a_worker_that_died_before_sending_leaves_the_mail_to_another(
    server: MailServer, project: Project, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = told(project, ada)

    def dies(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(mail, "_send", dies)
        with pytest.raises(KeyboardInterrupt):
            mail_notices(ids)
    # Nobody else sends it for a minute; then anybody does.
    assert mail.ring_again() == 0
    due_now()
    assert mail.ring_again() == 1
    mail_notices(ids)
    assert len(server.took) == 1


def test_old_news_are_not_mailed(server: MailServer, project: Project, ada: User) -> None:
    ids = told(project, ada)
    Notice.objects.update(created_at=timezone.now() - MAIL_WITHIN - timedelta(minutes=1))
    mail_notices(ids)
    assert server.took == []
    assert mail.ring_again() == 0


def test_two_copies_of_a_mail_carry_one_id(server: MailServer, project: Project, ada: User) -> None:
    """A worker that dies between sending and noting it sends a second copy: a client can tell."""
    ids = told(project, ada)
    for _ in range(2):
        Notice.objects.update(mail_due_at=timezone.now())
        mail_notices(ids)
    first, second = server.took
    notice = Notice.objects.get()
    assert first["Message-ID"] == second["Message-ID"] == f"<{notice.public_id}@labels.example.org>"


def test_a_line_break_in_a_name_makes_no_header(
    server: MailServer, project: Project, ada: User
) -> None:
    Project.objects.filter(pk=project.pk).update(name="Claims\r\nBcc: all@example.org")
    mail_notices(told(project, ada, text="One.\nTwo: " + "x" * 280))
    message = only(server.took)
    assert message["Bcc"] is None
    # A long line is folded, which may leave a blank before it.
    subject = str(message["Subject"]).strip()
    assert subject.startswith("Claims Bcc: all@example.org: One. Two: xxx")
    assert len(subject) <= 120


# ---- The switch on the account page


def test_a_person_says_where_and_whether(
    client: Client, server: MailServer, project: Project, expert: User
) -> None:
    client.force_login(expert)
    assert "Notices by e-mail" in client.get("/account/").content.decode()
    form = {"email": "me@example.org", "mail_notices": "on"}
    response = client.post("/account/mail/", form, follow=True)
    assert "Your notices are mailed to me@example.org." in response.content.decode()
    mail_notices(told(project, expert))
    assert [message["To"] for message in server.took] == ["me@example.org"]
    response = client.post("/account/mail/", {"email": "me@example.org"}, follow=True)
    assert "are not mailed" in response.content.decode()
    mail_notices(told(project, expert))
    assert len(server.took) == 1
    event = Event.objects.filter(verb="account.mail_changed").first()
    assert event is not None
    assert (event.actor, event.data) == (expert, {"wanted": False})


def test_an_address_that_is_none_comes_back_with_the_form(
    client: Client, server: MailServer, expert: User
) -> None:
    client.force_login(expert)
    response = client.post("/account/mail/", {"email": "not an address", "mail_notices": "on"})
    assert response.status_code == 422
    page = response.content.decode()
    assert "Enter a valid email address." in page
    assert 'value="not an address"' in page
    expert.refresh_from_db()
    assert expert.email == ""


def test_where_no_mail_is_sent_there_is_no_switch(client: Client, expert: User) -> None:
    client.force_login(expert)
    assert "Notices by e-mail" not in client.get("/account/").content.decode()


# ---- The environment


def settings_under(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    code = (
        "from django.conf import settings as s; "
        "print(s.MAIL_NOTICES, s.EMAIL_HOST, s.EMAIL_PORT, s.EMAIL_HOST_USER, "
        "s.EMAIL_HOST_PASSWORD, s.EMAIL_USE_TLS, s.EMAIL_USE_SSL)"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "CALIBRANT_VAR": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )


SITE = {"CALIBRANT_SITE_URL": "https://labels.example.org/"}


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("smtp://mail.example.org:2525", "True mail.example.org 2525   False False"),
        ("smtp://", "True localhost 25   False False"),
        ("submission://u:p%40ss@mail.example.org", "True mail.example.org 587 u p@ss True False"),
        ("smtp://u:p@mail.example.org:465?ssl=true", "True mail.example.org 465 u p False True"),
    ],
)
def test_the_environment_names_the_server(tmp_path: Path, url: str, read: str) -> None:
    done = settings_under(tmp_path, CALIBRANT_EMAIL_URL=url, **SITE)
    assert done.stdout.strip() == read, done.stderr


def test_a_server_without_an_address_of_the_site_is_refused(tmp_path: Path) -> None:
    done = settings_under(tmp_path, CALIBRANT_EMAIL_URL="smtp://mail.example.org")
    assert done.returncode != 0
    assert "CALIBRANT_SITE_URL is missing" in done.stderr


@pytest.mark.parametrize("url", ["mail.example.org", "https://mail.example.org", "console://"])
def test_another_kind_of_address_is_refused(tmp_path: Path, url: str) -> None:
    done = settings_under(tmp_path, CALIBRANT_EMAIL_URL=url, **SITE)
    assert done.returncode != 0
    assert "begins with smtp://" in done.stderr
