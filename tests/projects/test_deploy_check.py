"""`check --deploy`: clean in the production settings, red while demo accounts exist."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from projects.demo_accounts import DEMO_DOMAIN, no_demo_accounts
from tests.making import make_user

ROOT = Path(__file__).resolve().parents[2]


def plain_environment(var: Path) -> dict[str, str]:
    """A process of its own, with nothing of the test run's settings in it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DJANGO_", "CALIBRANT_"))}
    return {**kept, "CALIBRANT_VAR": str(var), "DATABASE_URL": ""}


def test_an_installation_without_demo_accounts_passes(db: None) -> None:
    make_user("real")
    assert no_demo_accounts(None) == []


def test_an_active_demo_account_is_an_error_that_names_it(db: None) -> None:
    user = make_user("amara")
    user.email = f"amara@{DEMO_DOMAIN}"
    user.save()
    (error,) = no_demo_accounts(None)
    assert error.id == "calibrant.E001"
    assert "amara" in error.msg


def test_a_deactivated_demo_account_is_harmless(db: None) -> None:
    user = make_user("amara")
    user.email, user.is_active = f"amara@{DEMO_DOMAIN}", False
    user.save()
    assert no_demo_accounts(None) == []


@pytest.mark.parametrize("https", ["1", "0"])
def test_the_production_settings_pass_djangos_own_checks(tmp_path: Path, https: str) -> None:
    environment = {
        **plain_environment(tmp_path),
        "CALIBRANT_HTTPS": https,
        "SECRET_KEY": "k" * 30 + "abcdefghijklmnopqrstuvwxyz0123456789-_XYZ",
        "ALLOWED_HOSTS": "calibrant.example.org",
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (run.returncode == 0) is (https == "1"), run.stderr


def test_web_start_imports_no_litellm(tmp_path: Path) -> None:
    code = (
        "import sys, config.wsgi; from django.test import Client; "
        "Client().get('/login/', headers={'host': 'localhost'}); "
        "sys.exit('litellm' in sys.modules)"
    )
    environment = {**plain_environment(tmp_path), "CALIBRANT_HASHED_STATIC": "0"}
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
