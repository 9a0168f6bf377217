"""How often the exit rule errs is published: a missed aim is said, and stops nothing after it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks.operating import CELLS, ROUNDS, Cell, states


@pytest.mark.parametrize("cell", [Cell(0.7, 0.1, (0, 0.12)), Cell(0.9, 0.1)], ids=str)
def test_what_sums_decide_by_the_thousand_is_what_the_pages_say(cell: Cell) -> None:
    """`states` compares them replication by replication, and raises where they differ."""
    assert cell in CELLS
    found = states(cell, 12, seed=3)
    assert [sum(counts.values()) for counts in found.statuses] == [12] * ROUNDS
    # What a strict project takes for cleared, every other does too.
    pairs = zip(found.strictly, found.cleared, strict=True)
    assert all(strict <= cleared for strict, cleared in pairs)


def test_a_missed_aim_is_said_plainly_and_does_not_end_the_run_as_a_fault() -> None:
    command = [sys.executable, "-m", "benchmarks.operating"]
    few = ["--replications", "500", "--states", "2", "--seed", "1", "--processes", "1"]
    ran = subprocess.run([*command, *few], capture_output=True, text=True, check=True)
    assert "| at most 12%: MISSED |" in ran.stdout
    assert "AIMS MISSED: 1." in ran.stdout
    assert "| true alpha | prevalence | thin clears | thin waits |" in ran.stdout
