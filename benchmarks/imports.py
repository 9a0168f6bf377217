"""The import of 100,000 pairs (275 MB of JSONL) against a loop over json.loads on the same file.

Run as `python -m benchmarks.imports`; it prints a table and fails where more memory is used than
MEMORY_MB. Both run in a process of their own, so that seconds and memory are theirs alone. The
import is the whole command on the embedded database: checked in one reading, written in another.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PAIRS = 100_000
MEMORY_MB = 300
ROOT = Path(__file__).resolve().parent.parent
LOOP = """
import json, sys
with open(sys.argv[1], "rb") as stream:
    for line in stream:
        json.loads(line)
"""
PROJECT = """
from projects.models import Project
Project.objects.create(slug="benchmark", name="Benchmark")
"""


@dataclass(frozen=True)
class Cost:
    wall_s: float
    processor_s: float
    memory_mb: float


def pairs_file(folder: Path) -> Path:
    file = folder / "pairs.jsonl"
    with file.open("w", encoding="utf-8") as stream:
        for n in range(PAIRS):
            row = {
                "id": f"claim-{n}",
                "prompt": f"Summarise claim file {n} for the adjuster who takes it over.",
                "response_a": f"Water damage, file {n}. " * 50,
                "response_b": f"The policyholder reports, file {n}. " * 35,
            }
            stream.write(json.dumps(row) + "\n")
    return file


def cost_of(command: list[str], env: dict[str, str]) -> Cost:
    """What one process takes, from its start to its end."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    wall = time.perf_counter() - started
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measure(folder: Path) -> dict[str, Cost]:
    env = {**os.environ, "CALIBRANT_VAR": str(folder), "DATABASE_URL": "", "LOG_LEVEL": "ERROR"}
    manage = [sys.executable, "manage.py"]
    cost_of([*manage, "migrate", "--verbosity", "0"], env)
    cost_of([*manage, "shell", "--command", PROJECT], env)
    file = pairs_file(folder)
    print(f"{PAIRS:,} pairs, {file.stat().st_size / 1e6:.0f} MB\n")
    command = [*manage, "import_pairs", str(file), "--project", "benchmark"]
    return {
        "json.loads in a loop": cost_of([sys.executable, "-c", LOOP, str(file)], env),
        "import": cost_of(command, env),
        "the same file again": cost_of(command, env),
    }


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        costs = measure(Path(folder))
    loop = costs["json.loads in a loop"]
    print(f"{'':22}{'wall':>9}{'processor':>11}{'ratio':>8}{'memory':>10}")
    for name, cost in costs.items():
        ratio = cost.processor_s / loop.processor_s
        print(
            f"{name:22}{cost.wall_s:7.1f} s{cost.processor_s:9.1f} s{ratio:8.1f}"
            f"{cost.memory_mb:7.0f} MB"
        )
    most = max(cost.memory_mb for cost in costs.values())
    if most > MEMORY_MB:
        print(f"\nMore than {MEMORY_MB} MB were used.")
    return int(most > MEMORY_MB)


if __name__ == "__main__":
    sys.exit(main())
