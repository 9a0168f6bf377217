"""The connection to PostgreSQL, which a web process keeps between requests."""

from __future__ import annotations

import psycopg
import pytest
from django.conf import settings
from django.db import close_old_connections, connection

from projects.models import User

ON_POSTGRES = settings.DATABASES["default"]["ENGINE"].endswith("postgresql")


@pytest.mark.skipif(not ON_POSTGRES, reason="SQLite is no server that could end a connection")
@pytest.mark.django_db(transaction=True)
def test_after_the_server_ended_a_connection_the_next_request_has_a_new_one() -> None:
    assert not User.objects.exists()
    kept = connection.connection
    # As every request begins.
    close_old_connections()
    assert not User.objects.exists()
    assert connection.connection is kept
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as another:
        another.execute("SELECT pg_terminate_backend(%s)", [kept.info.backend_pid])
    close_old_connections()
    assert not User.objects.exists()
    assert connection.connection is not kept
