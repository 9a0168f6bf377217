"""A scratch installation: a database, a broker and processes of its own, as a user would run it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
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
# For a machine that has much else to do.
PATIENCE_S = 180.0

Row = tuple[Any, ...]


@dataclass
class Installation:
    folder: Path
    database_url: str
    broker_url: str
    lease_s: float
    env: dict[str, str] = field(init=False)
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._worker: subprocess.Popen[bytes] | None = None
        (self.folder / "static").mkdir()
        self.queue = f"test-{uuid4().hex}"
        self.env = {
            **os.environ,
            "CALIBRANT_VAR": str(self.folder),
            "CALIBRANT_QUEUE": self.queue,
            "CALIBRANT_LEASE_S": str(self.lease_s),
            "CALIBRANT_SWEEP_S": "0.3",
            "CELERY_BROKER_URL": self.broker_url,
            "DATABASE_URL": self.database_url,
            "CALIBRANT_HASHED_STATIC": "false",
            "LOG_LEVEL": "ERROR",
        }

    def manage(self, *command: str, **env: str) -> str:
        """Run a management command to its end; what it printed."""
        return self._finished([sys.executable, "manage.py", *command], env)

    def call(self, function: str, *args: object) -> str:
        """Run a function of tests/scratch.py in a process of its own; what it printed."""
        return self._finished(self._scratch(function, *args), {})

    def start_call(self, function: str, *args: object) -> Started:
        return Started(self, self._start(self._scratch(function, *args)))

    def start_manage(self, *command: str) -> Started:
        return Started(self, self._start([sys.executable, "manage.py", *command]))

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

    def start_web(self, port: int) -> subprocess.Popen[bytes]:
        """The web server as `manage.py serve` runs it; back once it answers."""
        web = self._start(
            [
                *(sys.executable, "-m", "gunicorn", "config.wsgi", "--workers", "1"),
                *("--bind", f"127.0.0.1:{port}", "--log-level", "error"),
            ]
        )
        self.until(lambda: _answers(port), "the web server answers")
        return web

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
        """Wait until it holds, but not for ever."""
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"Not within {PATIENCE_S} s: {what}. {self.logs()}")
            time.sleep(0.05)

    def logs(self) -> str:
        files = sorted(self.folder.glob("err-*"))
        return "\n".join(file.read_text(errors="replace")[-2000:] for file in files)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """SIGKILL to the whole group: no process of it can tidy anything up."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop_all(self) -> None:
        for process in self.started:
            if process.poll() is None:
                self.kill(process)

    def read(self, stream: str, process: subprocess.Popen[bytes]) -> str:
        """What a process wrote so far to its `out` or `err`."""
        return self._file(stream, self.started.index(process)).read_text(errors="replace")

    def _file(self, stream: str, place: int) -> Path:
        return self.folder / f"{stream}-{place}"

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
        place = len(self.started)
        with self._file("out", place).open("wb") as out, self._file("err", place).open("wb") as err:
            process = subprocess.Popen(
                command, cwd=ROOT, env=self.env, stdout=out, stderr=err, start_new_session=True
            )
        self.started.append(process)
        return process


@dataclass
class Started:
    """A process of a scratch installation that runs beside the test."""

    installation: Installation
    process: subprocess.Popen[bytes]

    def printed(self) -> str:
        """What it printed, once it has ended well."""
        status, said = self.ended()
        assert status == 0, said
        return self.installation.read("out", self.process)

    def ended(self) -> tuple[int, str]:
        """Its exit status and what it said on the error stream."""
        return self.process.wait(PATIENCE_S), self.installation.read("err", self.process)


def installed(
    folder: Path,
    *,
    postgres_url: str | None,
    broker_url: str = "filesystem://",
    lease_s: float = 60.0,
) -> Iterator[Installation]:
    """Set one up on SQLite, or in a new database of this PostgreSQL, and take it down again."""
    name = f"scratch_{uuid4().hex}"
    url = f"sqlite:///{folder / 'scratch.sqlite3'}"
    if postgres_url:
        url = f"{postgres_url.rpartition('/')[0]}/{name}"
        _on_postgres(postgres_url, f"CREATE DATABASE {name}")
    installation = Installation(folder, url, broker_url, lease_s)
    try:
        installation.manage("migrate", "--verbosity", "0")
        yield installation
    finally:
        installation.stop_all()
        if postgres_url:
            _on_postgres(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")
        if broker_url.startswith("redis"):
            _forget(broker_url, installation.queue)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/login/", timeout=5):
            return True
    except OSError:
        return False


def _on_postgres(url: str, sql: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.encode())


def _forget(url: str, queue: str) -> None:
    client = redis.Redis.from_url(url)
    keys = list(client.scan_iter(f"*{queue}*"))
    if keys:
        client.delete(*keys)
    client.close()
