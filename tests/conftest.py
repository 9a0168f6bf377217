"""The cast: a lead, three experts, another project's lead, and a stranger without a project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.db import connections

from config import celery_app
from tests.making import make_member, make_project, make_user

if TYPE_CHECKING:
    from projects.models import Project, User

# Playwright's own event loop makes Django's async guard fire in browser tests.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite in a file, as it runs: in memory a live server's threads share one connection."""
    default = connections.settings["default"]
    if default["ENGINE"].endswith("sqlite3"):
        default["TEST"]["NAME"] = str(tmp_path_factory.mktemp("db") / "test.sqlite3")


@pytest.fixture(scope="session", autouse=True)
def _quiet_bell() -> None:
    """Jobs of the tests' own process ring in its memory; worker tests have a real broker."""
    celery_app.conf.broker_url = "memory://"


@pytest.fixture(scope="session", autouse=True)
def _own_files(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Files that tests bring lie beside those of nobody's demo."""
    settings.VAR_DIR = tmp_path_factory.mktemp("var")


@pytest.fixture(autouse=True)
def _plain_settings(settings: pytest.FixtureRequest) -> None:
    """Static files by their own names, and a cheap hash where no test looks at hashing."""
    settings.STORAGES = {  # type: ignore[attr-defined]
        **settings.STORAGES,  # type: ignore[attr-defined]
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    # The second reads what a fixture of a whole module hashed before.
    settings.PASSWORD_HASHERS = [  # type: ignore[attr-defined]
        "django.contrib.auth.hashers.MD5PasswordHasher",
        "django.contrib.auth.hashers.Argon2PasswordHasher",
    ]


@pytest.fixture
def shared() -> Path:
    """The folder of real public data that lies beside the checkout, where it does."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public data sets (../shared/data) are not beside this checkout")
    return folder


@pytest.fixture
def project(db: None) -> Project:
    return make_project()


@pytest.fixture
def lead(project: Project) -> User:
    return make_member(project, "lead", username="lead")


@pytest.fixture
def expert(project: Project) -> User:
    return make_member(project, "expert", username="expert")


@pytest.fixture
def other_expert(project: Project) -> User:
    return make_member(project, "expert", username="other_expert")


@pytest.fixture
def third_expert(project: Project) -> User:
    return make_member(project, "expert", username="third_expert")


@pytest.fixture
def outsider(db: None) -> User:
    """The lead of another project."""
    return make_member(make_project("elsewhere"), "lead", username="outsider")


@pytest.fixture
def stranger(db: None) -> User:
    """Somebody with an account and no project."""
    return make_user("stranger")
