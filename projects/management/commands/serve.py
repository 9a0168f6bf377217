from __future__ import annotations

import signal
import subprocess
import sys
import time
import urllib.request
from typing import Any
from urllib.error import URLError

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from projects.commands import refuse_if_not_migrated

# Loopback only: whoever wants more puts a proxy in front, with TLS.
ADDRESS = "127.0.0.1"
READY_WITHIN_S = 60
STOP_WITHIN_S = 10


class Command(BaseCommand):
    help = "Run the web server and one worker with its clock, until Ctrl-C stops both."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--web-workers", type=int, default=2)

    def handle(self, *args: Any, **options: Any) -> None:
        port = options["port"]
        refuse_if_not_migrated()
        # Pages name their styles by a hash that only collecting makes: without it, none opens.
        call_command("collectstatic", interactive=False, stdout=self.stdout)
        processes = [
            subprocess.Popen(web_command(port, options["web_workers"])),  # noqa: S603
            subprocess.Popen(worker_command()),  # noqa: S603
        ]
        # SIGTERM is how supervisors and `kill` say Ctrl-C; a script may have started us deaf to it.
        for ending in (signal.SIGINT, signal.SIGTERM):
            signal.signal(ending, signal.default_int_handler)
        try:
            wait_until_up(port, processes)
            self.stdout.write(f"\nCalibrant is up: http://{ADDRESS}:{port}/   (Ctrl-C stops it)\n")
            watch(processes)
        except KeyboardInterrupt:
            self.stdout.write("\nStopping.")
        finally:
            stop(processes)


def web_command(port: int, workers: int) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "config.wsgi"),
        *("--bind", f"{ADDRESS}:{port}", "--workers", str(workers), "--log-level", "warning"),
        # A slow upload of minutes holds a thread, not a worker: one of one thread would be taken
        # for hung after half a minute, and killed with the upload.
        *("--worker-class", "gthread", "--threads", "4"),
        # A signal in the middle of taking a request can lock such a worker up for good: its master
        # gives it less time than we give the master, so that none is left behind.
        *("--graceful-timeout", str(STOP_WITHIN_S - 4)),
    ]


def worker_command() -> list[str]:
    schedule = str(settings.CELERY_BEAT_SCHEDULE_FILENAME)
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "config", "worker", "--beat"),
        *("--schedule", schedule, "--concurrency", "1", "--loglevel", "WARNING"),
    ]


def wait_until_up(port: int, processes: list[subprocess.Popen[bytes]]) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline:
        refuse_if_ended(processes)
        try:
            urllib.request.urlopen(f"http://{ADDRESS}:{port}/login/", timeout=2)
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    raise CommandError(f"The web server did not answer within {READY_WITHIN_S} s.")


def watch(processes: list[subprocess.Popen[bytes]]) -> None:
    while True:
        refuse_if_ended(processes)
        time.sleep(0.5)


def refuse_if_ended(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is not None:
            raise CommandError(
                f"A process ended by itself (status {process.returncode}); its last lines above "
                "say why. Is the port taken? --port 8010 (PORT=8010 make demo) uses another."
            )


def stop(processes: list[subprocess.Popen[bytes]]) -> None:
    """Ask each to finish; whoever has not in time is ended."""
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(timeout=STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
