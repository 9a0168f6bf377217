"""A scratch installation: a database, a broker and processes of its own, as a user would run it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg
import redis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
# Short, so that a killed worker is missed soon; a live one renews its lease far more often.
LEASE_S, SWEEP_S = 2.0, 0.3
PATIENCE_S = 60.0

Row = tuple[Any, ...]


@dataclass
class Installation:
    folder: Path
    database_url: str
    broker_url: str
    env: dict[str, str] = field(init=False)
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._worker: subprocess.Popen[bytes] | None = None
        self.queue = f"test-{uuid4().hex}"
        self.env = {
            **os.environ,
            "CALIBRANT_VAR": str(self.folder),
            "CALIBRANT_QUEUE": self.queue,
            "CALIBRANT_LEASE_S": str(LEASE_S),
            "CALIBRANT_SWEEP_S": str(SWEEP_S),
            "CELERY_BROKER_URL": self.broker_url,
            "DATABASE_URL": self.database_url,
            "LOG_LEVEL": "ERROR",
        }

    def manage(self, *command: str, **env: str) -> str:
        """Run a management command to its end; what it printed."""
        return self._finished([sys.executable, "manage.py", *command], env)

    def call(self, function: str, *args: object) -> str:
        """Run a function of tests/scratch.py in a process of its own; what it printed."""
        return self._finished(self._scratch(function, *args), {})

    def start_call(self, function: str, *args: object) -> subprocess.Popen[bytes]:
        return self._start(self._scratch(function, *args))

    def start_manage(self, *command: str) -> subprocess.Popen[bytes]:
        return self._start([sys.executable, "manage.py", *command])

    def start_worker(self) -> subprocess.Popen[bytes]:
        """A worker with its clock, in a process group of its own."""
        schedule = self.folder / f"schedule-{uuid4().hex}"
        return self._start(
            [
                *(sys.executable, "-m", "celery", "-A", "tests.poison", "worker", "--beat"),
                *("--schedule", str(schedule), "--concurrency", "2"),
                *("--loglevel", "ERROR", "--hostname", f"{uuid4().hex}@%h"),
            ]
        )

    def worker(self) -> subprocess.Popen[bytes]:
        """The worker that runs, started where none does; it knows the poisonous kind of job."""
        if self._worker is None or self._worker.poll() is not None:
            self._worker = self.start_worker()
        return self._worker

    def rows(self, sql: str) -> list[Row]:
        if self.database_url.startswith("sqlite"):
            file = self.database_url.removeprefix("sqlite:///")
            with closing(sqlite3.connect(file, timeout=20)) as connection:
                return connection.execute(sql).fetchall()
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            return connection.execute(sql).fetchall()

    def value(self, sql: str) -> Any:
        (row,) = self.rows(sql)
        return row[0]

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait for it, asking the database; the processes must live meanwhile."""
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"Not within {PATIENCE_S} s: {what}. {self.logs()}")
            time.sleep(0.05)

    def logs(self) -> str:
        files = sorted(self.folder.glob("log-*"))
        return "\n".join(file.read_text(errors="replace")[-2000:] for file in files)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """SIGKILL to the whole group: no process of it can tidy anything up."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop_all(self) -> None:
        for process in self.started:
            if process.poll() is None:
                self.kill(process)

    def _scratch(self, function: str, *args: object) -> list[str]:
        return [sys.executable, "-m", "tests.scratch", function, *map(str, args)]

    def _finished(self, command: list[str], env: Mapping[str, str]) -> str:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"log-{len(self.started)}").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=ROOT, env=self.env, stdout=log, stderr=log, start_new_session=True
            )
        self.started.append(process)
        return process


def installed(folder: Path, *, postgres_url: str | None, broker_url: str) -> Iterator[Installation]:
    """Set one up on SQLite, or in a new database of this PostgreSQL, and take it down again."""
    name = f"scratch_{uuid4().hex}"
    url = f"sqlite:///{folder / 'scratch.sqlite3'}"
    if postgres_url:
        url = f"{postgres_url.rpartition('/')[0]}/{name}"
        _on_postgres(postgres_url, f"CREATE DATABASE {name}")
    installation = Installation(folder, url, broker_url)
    try:
        installation.manage("migrate", "--verbosity", "0")
        yield installation
    finally:
        installation.stop_all()
        if postgres_url:
            _on_postgres(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")
        if broker_url.startswith("redis"):
            _forget(broker_url, installation.queue)


def _on_postgres(url: str, sql: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.encode())


def _forget(url: str, queue: str) -> None:
    client = redis.Redis.from_url(url)
    keys = list(client.scan_iter(f"*{queue}*"))
    if keys:
        client.delete(*keys)
    client.close()
