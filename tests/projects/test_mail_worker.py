"""A real worker mails what was told: rung by the action, or by the sweeper where that was lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from django.conf import settings

from tests.installation import Installation, installed
from tests.mail_server import MailServer, mail_server

if TYPE_CHECKING:
    from collections.abc import Iterator

ON_POSTGRES = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")
ADA = "ada@example.org"

pytestmark = pytest.mark.worker


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


@pytest.fixture
def installation(
    tmp_path_factory: pytest.TempPathFactory, server: MailServer
) -> Iterator[Installation]:
    """A round is opened to ada, who has an address, and to bo, who has none."""
    for installation in installed(
        tmp_path_factory.mktemp("installation"),
        postgres_url=os.environ["CALIBRANT_TEST_POSTGRES"] if ON_POSTGRES else None,
    ):
        installation.env |= {
            "CALIBRANT_EMAIL_URL": f"smtp://127.0.0.1:{server.port}",
            "CALIBRANT_SITE_URL": "https://labels.example.org",
        }
        installation.call("project", "mail", "ada", "bo")
        installation.call("address", "ada", ADA)
        installation.call("round_of", "mail", 1, "ada", "bo")
        yield installation


def due(installation: Installation) -> object:
    return installation.value("SELECT COUNT(*) FROM projects_notice WHERE mail_due_at IS NOT NULL")


@pytest.mark.parametrize("bell", ["rung", "lost"])
def test_a_worker_mails_a_notice_once(
    installation: Installation, server: MailServer, bell: str
) -> None:
    assert (server.took, due(installation)) == ([], 1)
    if bell == "lost":
        for rung in (installation.folder / "broker" / "queue").iterdir():
            rung.unlink()
    installation.worker()
    installation.until(lambda: due(installation) == 0, "the mail is sent and noted")
    (message,) = server.took
    assert message["To"] == ADA
    assert "open to you: 1 pair" in str(message["Subject"])
