"""`serve` on an installation that has been migrated and nothing more."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError

import pytest

from tests.projects.test_deploy_check import ROOT, plain_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATIENCE_S = 120


def manage(environment: Mapping[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def page(address: str, process: subprocess.Popen[str]) -> str:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                text: str = answer.read().decode()
                return text
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise AssertionError(f"{address} did not answer.")


@contextmanager
def served(environment: Mapping[str, str], port: int) -> Iterator[subprocess.Popen[str]]:
    """`serve` in a process of its own, whose children end with it whatever happens."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port), "--web-workers", "1"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def test_a_database_that_is_not_up_to_date_is_refused_in_a_sentence(tmp_path: Path) -> None:
    environment = plain_environment(tmp_path)
    for command in (("serve",), ("create_project", "claims", "--name", "Claims")):
        done = manage(environment, *command)
        assert done.returncode == 1
        assert re.fullmatch(
            r"CommandError: The database is not up to date \(\d+ migrations are missing\): "
            r"run manage.py migrate first.",
            done.stderr.strip(),
        )


@pytest.mark.worker
def test_a_page_and_its_style_come_right_after_migrating(tmp_path: Path) -> None:
    environment = plain_environment(tmp_path)
    assert manage(environment, "migrate", "--verbosity", "0").returncode == 0
    port = free_port()
    with served(environment, port) as process:
        html = page(f"http://127.0.0.1:{port}/login/", process)
        (style,) = re.findall(r'href="(/static/css/base\.[0-9a-f]+\.css)"', html)
        assert "{" in page(f"http://127.0.0.1:{port}{style}", process)
        # Ctrl-C reaches every process of a terminal at once, the worker as soon as us.
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert "Stopping." in out
    assert re.search(r"^\d+ static files copied", out, re.MULTILINE)


def children_of(pid: int) -> list[int]:
    return [
        int(task)
        for thread in Path(f"/proc/{pid}/task").iterdir()
        for task in (thread / "children").read_text().split()
    ]


@pytest.mark.worker
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at Linux's processes")
def test_a_web_worker_that_is_stuck_is_not_left_behind(tmp_path: Path) -> None:
    environment = plain_environment(tmp_path)
    assert manage(environment, "migrate", "--verbosity", "0").returncode == 0
    port = free_port()
    with served(environment, port) as process:
        page(f"http://127.0.0.1:{port}/login/", process)
        masters = [
            child
            for child in children_of(process.pid)
            if b"gunicorn" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]
        (stuck,) = children_of(masters[0])
        # As deaf as one that a signal locked up.
        os.kill(stuck, signal.SIGSTOP)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
    assert not Path(f"/proc/{stuck}").exists()
